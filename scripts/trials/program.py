"""The program under trial, and the tools beside it: found, or said how to get."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def everfresh(given, script):
    """The program as given, or the one that a release build leaves."""
    program = (given or ROOT / "target/release/everfresh").absolute()
    if not program.is_file():
        print(f"{script}: there is no program {program}; build it (cargo build --release) or name one (--program)", file=sys.stderr)
        sys.exit(2)
    return str(program)


def with_tools(script):
    """Goes on in the Python that has warcio, pywb and hyper-h2, unless this is it."""
    tools = ROOT / "target/python"
    if Path(sys.prefix) == tools:
        return
    if subprocess.run([ROOT / "scripts/python-tools.sh"]).returncode != 0:
        print(f"{script}: scripts/python-tools.sh could not install warcio, pywb and others; see what it says", file=sys.stderr)
        sys.exit(2)
    python = str(tools / "bin/python")
    os.execv(python, [python, *sys.argv])
