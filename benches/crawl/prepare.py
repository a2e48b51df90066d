"""Makes what the bench needs, each once: packages, a Python environment, the spider client, the site, our build.

Everything but the Debian packages goes under target/, so that removing that folder removes every trace.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from measure import BenchError, shown

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
TARGET = REPOSITORY / "target"

PYTHON = TARGET / "bench-python/bin/python"
SPIDER = TARGET / "bench-spider/target/release/bench-spider"
EVERFRESH = TARGET / "release/everfresh"
SITE = TARGET / "bench-site"

PYTHON_TOOLS = HERE / "tools.txt"


def step(message, command, **options):
    """Runs one step of preparation, telling what and, if it fails, how to repeat it."""
    print(f"{message} …", file=sys.stderr, flush=True)
    # Standard output is for the result of the bench alone.
    if subprocess.run([str(part) for part in command], stdout=sys.stderr, **options).returncode != 0:
        raise BenchError(f"failed: {message}; repeat it by hand to see why: {shown(command)}")


def debian_packages():
    wanted = [name for name in ("nginx", "wrk", "time") if not (shutil.which(name) or Path("/usr/sbin", name).exists())]
    if importlib.util.find_spec("ensurepip") is None:
        wanted.append("python3-venv")
    if not wanted:
        return
    if not shutil.which("apt-get"):
        raise BenchError(f"this system has no apt-get: install {' and '.join(wanted)} by hand and repeat")
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    install = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-qq", "--no-install-recommends", *wanted]
    step("reading the list of Debian packages", [*root, "apt-get", "update", "-qq"])
    step(f"installing {', '.join(wanted)}", [*root, *install])


def python_packages():
    if not PYTHON.exists():
        step("making a Python environment", [sys.executable, "-m", "venv", PYTHON.parent.parent])
    stamp = PYTHON.parent.parent / "tools.txt"
    wanted = PYTHON_TOOLS.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        command = [PYTHON, "-m", "pip", "install", "-q", "--only-binary", ":all:", "--require-hashes", "-r", PYTHON_TOOLS]
        step("installing Scrapy and warcio", command)
        stamp.write_text(wanted)


def spider():
    """Builds the spider client in a copy under target/, where its lock file and its objects belong."""
    project = TARGET / "bench-spider"
    (project / "src").mkdir(parents=True, exist_ok=True)
    shutil.copy2(HERE / "spider/Cargo.toml", project / "Cargo.toml")
    shutil.copy2(HERE / "spider/main.rs", project / "src/main.rs")
    command = ["cargo", "build", "--release", "--quiet", "--target-dir", project / "target"]
    step("building the spider client (minutes, the first time)", command, cwd=project)


def everfresh():
    command = ["cargo", "build", "--release", "--quiet", "--package", "everfresh", "--target-dir", TARGET]
    step("building everfresh", command, cwd=REPOSITORY)


def site(pages):
    """Makes the site in a folder beside and renames it: one that was cut short is never taken for a whole one."""
    paths = SITE / "paths.txt"
    if paths.exists() and len(paths.read_text().split()) == pages:
        return
    unfinished = TARGET / "bench-site.unfinished"
    for folder in (SITE, unfinished):
        shutil.rmtree(folder, ignore_errors=True)
    step(f"writing a site of {pages} pages", [sys.executable, HERE / "site.py", unfinished, pages])
    unfinished.rename(SITE)
