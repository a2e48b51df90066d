"""Runs one client and counts what it cost, from outside: what a client says of itself is not taken for its time or memory."""

import json
import os
import subprocess
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
    """Runs `command` to its end and returns its cost; the last JSON object of its standard output says how many pages."""
    begun = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    watchdog = threading.Timer(LONGEST_SECONDS, process.kill)
    watchdog.start()
    try:
        output = process.stdout.read()
        # wait4 and not Popen.wait: it alone gives the CPU time and peak memory of this child and no other.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    except BaseException:
        process.kill()
        raise
    finally:
        watchdog.cancel()
    seconds = time.monotonic() - begun
    if process.returncode != 0:
        raise BenchError(f"`{command[0]}` ended with {process.returncode} after {seconds:.0f} s: run it by hand to see why: {shown(command)}")
    says = last_object(output, command)
    return Sample(says.get("pages", 0), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, says)


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
