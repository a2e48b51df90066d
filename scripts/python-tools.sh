#!/bin/sh
# Makes target/python, a virtual environment with the tools that judge our files from outside: warcio, pywb, rdflib and others,
# every package of them pinned by version and hash (scripts/python/). It wants Python 3.11 or later.
#
# Nothing is printed and nothing is done if they are there, so every test may call this; a lock keeps tests that start at
# the same moment from installing over each other.
set -eu
cd "$(dirname "$0")/.."
tools=target/python
pinned=scripts/python
mkdir -p target
exec 9>target/python.lock
flock 9

# A copy of the list is left after pip succeeded: comparing it is a thousand times faster than asking pip.
if cmp -s "$pinned/tools.txt" "$tools/tools.txt"; then exit 0; fi

[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
install() { "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes "$@"; }
install -r "$pinned/build.txt"
# Built in isolation a package would fetch what builds it, which nobody pinned.
install --no-build-isolation -r "$pinned/tools.txt"
cp "$pinned/tools.txt" "$tools/tools.txt"
