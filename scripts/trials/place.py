"""Where a collection is tried: a disk that can be filled and a clock that can be set."""

import os
import sqlite3
import subprocess


class Place:
    """Where a collection is: a file system of its own if that can be had, and a clock that can be set."""

    PREPARED = 512 << 20

    def __init__(self, folder, faketime):
        self.mount, self.folder, self.faketime = folder, folder / "collection", faketime
        self.clock, self.offset = folder.with_suffix(".clock"), 0
        self.is_mounted = False

    def prepare(self):
        self.mount.mkdir()
        if os.geteuid() == 0:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={self.PREPARED}", "tmpfs", self.mount]
            self.is_mounted = subprocess.run(mount, capture_output=True).returncode == 0

    def leave(self, bytes_free):
        """Leaves so much space, or plenty if `None`."""
        used = os.statvfs(self.mount)
        used = (used.f_blocks - used.f_bfree) * used.f_frsize
        size = self.PREPARED if bytes_free is None else used + bytes_free
        subprocess.run(["mount", "-o", f"remount,size={size}", self.mount], check=True, capture_output=True)

    def open_store(self):
        """The store as another program opens it."""
        return sqlite3.connect(self.folder / "everfresh.db", timeout=30, isolation_level=None)

    def set_clock(self, seconds):
        self.offset = seconds
        # In one step: a half-written file would be another time.
        written = self.clock.with_suffix(".new")
        written.write_text(f"{seconds:+d}\n")
        written.replace(self.clock)

    def clock_environment(self):
        return {
            "LD_PRELOAD": self.faketime,
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    def remove(self):
        if self.is_mounted:
            subprocess.run(["umount", self.mount], check=True)
