"""The program under trial, and the tools beside it: found, or said how to get."""

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


def judges_python(script):
    """The Python that has warcio and pywb."""
    if subprocess.run([ROOT / "scripts/python-tools.sh"]).returncode != 0:
        print(f"{script}: scripts/python-tools.sh could not install warcio and pywb; see what it says", file=sys.stderr)
        sys.exit(2)
    return str(ROOT / "target/python/bin/python")
