"""Prints pywb's own index key of each URL on standard input, one a line."""
import sys

from pywb.utils.canonicalize import canonicalize

for url in sys.stdin.read().splitlines():
    print(canonicalize(url))
