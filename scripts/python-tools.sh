#!/bin/sh
# Makes target/python, a virtual environment with the tools that judge our files from outside: warcio and pywb.
#
# Usage: scripts/python-tools.sh [PACKAGE...]
# Extra arguments are further PyPI packages a test needs. Nothing is printed and nothing is done if all are there, so
# every test may call this; a lock keeps tests that start at the same moment from installing over each other.
set -eu
cd "$(dirname "$0")/.."
tools=target/python
mkdir -p target
exec 9>target/python.lock
flock 9

[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
mkdir -p "$tools/installed"
missing=
# setuptools below 81 still has the pkg_resources that pywb imports.
for package in 'setuptools<81' warcio pywb "$@"; do
    # A mark for each package is a thousand times faster than asking pip; it is set only after pip succeeded.
    [ -e "$tools/installed/$package" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
# shellcheck disable=SC2086 # the names are meant to be split
"$tools/bin/pip" install --quiet --disable-pip-version-check $missing
for package in $missing; do : >"$tools/installed/$package"; done
