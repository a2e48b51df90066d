"""A process watched from outside: the memory and the handles it has, by /proc."""

import os
import re
import threading
from statistics import median
from pathlib import Path

LOOK_EVERY = 0.2


class Watched:
    """Looks at a process until it ends or nobody wants to know any more."""

    def __init__(self, pid):
        self.pid, self.peak_memory, self.memories, self.handles = pid, 0, [], []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.over.wait(LOOK_EVERY):
            try:
                self.look()
            except (FileNotFoundError, ProcessLookupError, AttributeError):
                return

    def look(self):
        status = Path(f"/proc/{self.pid}/status").read_text()
        kib = lambda key: int(re.search(rf"{key}:\s+(\d+)", status)[1]) * 1024
        memory, self.peak_memory, handles = kib("VmRSS"), kib("VmHWM"), len(os.listdir(f"/proc/{self.pid}/fd"))
        self.memories.append(memory)
        self.handles.append(handles)

    def usual_memory(self):
        """In the second half of its life, when all that fills up has."""
        return median(self.memories[len(self.memories) // 2 :])

    def end(self):
        self.over.set()
        self.thread.join()
