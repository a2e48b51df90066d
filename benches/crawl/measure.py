"""Runs one client and counts what it cost, from outside: no client is asked about its own time or memory."""

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

LONGEST_SECONDS = 900


class BenchError(Exception):
    """Something the person who runs the bench must hear of, in one line."""


@dataclass
class Sample:
    """One run of one client. `says` is the JSON object it printed; `requests` is what the server counted meanwhile."""

    pages: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    says: dict
    requests: int = 0

    @property
    def pages_per_second(self):
        return self.pages / self.seconds

    @property
    def cpu_us_per_page(self):
        return self.cpu_seconds / max(self.pages, 1) * 1e6


def run(command):
    """Runs `command` to its end and returns its cost; the JSON object that ends its output says how many pages."""
    begun = time.monotonic()
    with tempfile.NamedTemporaryFile("r") as peak:
        # Through time(1) for the peak memory: the kernel counts a child's from before it became the program, when it
        # was as large as its parent, and time(1) is a smaller parent than Python.
        timed = ["time", "--quiet", "--format=%M", f"--output={peak.name}", *map(str, command)]
        output, code, usage = finished(
            subprocess.Popen(timed, stdout=subprocess.PIPE, text=True, start_new_session=True)
        )
        seconds = time.monotonic() - begun
        if code != 0:
            raise BenchError(f"ended with {code} after {seconds:.0f} s; run it by hand to see why: {shown(command)}")
        peak_bytes = int(peak.read()) * 1024
    says = last_object(output, command)
    return Sample(says.get("pages", 0), seconds, usage.ru_utime + usage.ru_stime, peak_bytes, says)


def finished(process):
    """Output, exit code and resource usage of a process, which is killed with its children if it takes too long."""
    watchdog = threading.Timer(LONGEST_SECONDS, os.killpg, [process.pid, signal.SIGKILL])
    watchdog.start()
    try:
        output = process.stdout.read()
        # wait4 and not Popen.wait: it alone gives the CPU time of this child and no other, to the microsecond.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        watchdog.cancel()
    return output, process.returncode, usage


def last_object(output, command):
    """The JSON object that ends `output`, on one line or on many, whatever was printed before it."""
    for start in [0] + [at + 1 for at, character in enumerate(output) if character == "\n"]:
        if output.startswith("{", start):
            try:
                return json.loads(output[start:])
            except ValueError:
                continue
    raise BenchError(f"no JSON object at the end of what this printed: {shown(command)}")


def shown(command):
    return " ".join(str(part) for part in command)
