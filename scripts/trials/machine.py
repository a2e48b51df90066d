"""What the machine does wrong while a crawl runs: few handles, a full disk, a stop, a clock that is set, a store that others use.

Each fault is drawn from the seed and says what it does to the command, beside the process, and to the exit codes that are
right under it (README.md lists them).
"""

import signal
import sqlite3
import subprocess

NO_SPACE, IN_USE = 3, 5


class Fault:
    """A fault that does nothing."""

    # Exit codes that are right beside those that always are.
    codes = frozenset()
    # Those that are right if it is told to end meanwhile.
    codes_at_end = frozenset()

    def __init__(self, random, place):
        self.random, self.place = random, place

    def name(self):
        return type(self).__name__.lower()

    def before(self):
        """Before the process starts."""

    def command(self, command):
        return command

    def environment(self):
        return {}

    def beside(self, crawl):
        """While the process runs, in a thread of its own; `crawl.over` says when it has ended."""

    def after(self):
        """After the process ended."""


class Handles(Fault):
    """Few files may be open at once."""

    def command(self, command):
        self.number = self.random.choice([40, 64, 120])
        return ["sh", "-c", f'ulimit -n {self.number}; exec "$@"', "sh", *command]


class FileSize(Fault):
    """No file may grow beyond a limit that the store will meet."""

    codes = frozenset([NO_SPACE])

    def command(self, command):
        largest = max((path.stat().st_size for path in self.place.folder.rglob("*") if path.is_file()), default=0)
        blocks = (largest + self.random.randrange(16, 512) * 1024) // 512
        return ["sh", "-c", f'trap "" XFSZ; ulimit -f {blocks}; exec "$@"', "sh", *command]


class Disk(Fault):
    """The disk is nearly full. Needs a file system of our own, which takes root."""

    codes = frozenset([NO_SPACE])

    def before(self):
        self.place.leave(self.random.randrange(32, 1024) * 1024)

    def after(self):
        self.place.leave(None)


class Stop(Fault):
    """The process is stopped for a while and goes on."""

    def beside(self, crawl):
        for _ in range(self.random.choice([1, 1, 3])):
            if crawl.over.wait(self.random.uniform(0.05, 2)):
                return
            crawl.signal(signal.SIGSTOP)
            crawl.over.wait(self.random.choice([0.2, 1.5, 6]))
            crawl.signal(signal.SIGCONT)


class Clock(Fault):
    """The wall clock is set now and then, and is right again afterwards."""

    STEPS = [-7200, -90, -2, 2, 90, 7200]

    def environment(self):
        self.place.set_clock(self.random.choice([0, *self.STEPS]))
        return self.place.clock_environment()

    def beside(self, crawl):
        while not crawl.over.wait(self.random.uniform(0.1, 2)):
            self.place.set_clock(self.random.choice(self.STEPS))


class Lock(Fault):
    """Another program holds the write lock of the store for some seconds."""

    codes_at_end = frozenset([IN_USE])

    def beside(self, crawl):
        crawl.over.wait(self.random.uniform(0, 2))
        seconds = self.random.choice([0.5, 3, 12])
        other = self.place.open_store()
        try:
            other.execute("BEGIN IMMEDIATE")
            # Not until the crawl is over: it may wait for us.
            crawl.gone.wait(seconds)
            other.execute("ROLLBACK")
        except sqlite3.OperationalError:
            # The disk is full, or the crawl never let go of the lock for long enough.
            pass
        finally:
            other.close()


class Reader(Fault):
    """Another program reads the store and does not come to an end."""

    def beside(self, crawl):
        other = self.place.open_store()
        try:
            other.execute("BEGIN")
            other.execute("SELECT COUNT(*) FROM visits").fetchone()
            crawl.gone.wait()
        except sqlite3.OperationalError:
            pass
        finally:
            other.close()


class Second(Fault):
    """Somebody starts a second crawl, perhaps after having removed the lock file."""

    def beside(self, crawl):
        # The store tells that the first one has the folder.
        if not crawl.has_begun() or crawl.over.wait(self.random.uniform(0, 1)):
            return
        if self.random.random() < 0.5:
            (self.place.folder / "everfresh.lock").unlink(missing_ok=True)
        command = [crawl.program, "run", "--once", "--max-visits", "1", "-C", str(self.place.folder)]
        code = subprocess.run(command, capture_output=True, env=crawl.environment).returncode
        if code != IN_USE and crawl.is_under_way():
            crawl.complaints.append(f"a second crawl beside the first ended with {code}, not {IN_USE}")


def kinds(is_root, has_faketime):
    """The faults that can be had here."""
    found = [Handles, FileSize, Stop, Lock, Reader, Second]
    return found + [Disk] * is_root + [Clock] * has_faketime
