"""One process that crawls, with faults around it, until it ends by itself, is told to, or is killed."""

import os
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path

# The variable by which children are known, wherever they are in the tree of processes.
MARK = "TRIAL_MARK"
# A crawl that is not over by then hangs.
HANGS_AFTER = 90
# Who dies with its parent needs a moment.
CHILDREN_GO_WITHIN = 5


class Crawl:
    """A process under way."""

    def __init__(self, program, folder, arguments, faults):
        self.program, self.folder, self.complaints = program, folder, []
        # `over`: it has ended, or is about to be ended. `gone`: it has ended.
        self.over, self.gone = threading.Event(), threading.Event()
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, MARK: self.mark}
        command = [program, "run", *arguments, "--json", "-C", str(folder)]
        for fault in faults:
            fault.before()
            command = fault.command(command)
            self.environment.update(fault.environment())
        self.process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = {}
        self.threads = [threading.Thread(target=self.listen, args=[name], daemon=True) for name in ("stdout", "stderr")]
        self.threads += [threading.Thread(target=self.try_fault, args=[fault], daemon=True) for fault in faults]
        [thread.start() for thread in self.threads]

    def listen(self, name):
        self.said[name] = getattr(self.process, name).read().decode(errors="replace")

    def try_fault(self, fault):
        fault.beside(self)

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def is_under_way(self):
        return not self.over.is_set() and self.process.poll() is None

    def has_begun(self):
        """Waits until it has written that it is under way."""
        for _ in range(200):
            if (self.folder / "under-way").exists() or self.over.wait(0.05):
                break
        return self.is_under_way()

    def end(self):
        """Waits for the end, and gives the exit code; a signal's number is negative."""
        try:
            self.process.wait(HANGS_AFTER)
        except subprocess.TimeoutExpired:
            self.complaints.append(f"it did not end within {HANGS_AFTER} s")
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
            self.process.wait()
        self.ended_at = time.monotonic()
        self.over.set()
        self.gone.set()
        [thread.join() for thread in self.threads]
        self.complaints += [f"process {pid} outlived the crawl" for pid in self.survivors()]
        return self.process.returncode

    def survivors(self):
        """Processes of this crawl that do not go away."""
        until = time.monotonic() + CHILDREN_GO_WITHIN
        while (left := marked(self.mark)) and time.monotonic() < until:
            time.sleep(0.05)
        return left


def marked(mark):
    wanted, found = f"{MARK}={mark}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found
