"""Keys of the index against pywb's own, of the URLs in the Web Platform Tests as they are kept here.

What is archived are normal forms, so these are what an index has; each also with a port, a query and a www of its own.
"""

import json
import subprocess
import sys

from foreign.case import Case
from foreign.urls import is_text

NAME = "Index keys (pywb)"
REPOSITORY = "wpt"
CHOICES = []
THEIRS = "import sys; from pywb.utils.canonicalize import canonicalize as key; print(*map(key, sys.stdin.read().splitlines()), sep=chr(10))"


def cases(folder):
    addresses = sorted(variants(folder))
    keys = subprocess.run([sys.executable, "-c", THEIRS], input="\n".join(addresses) + "\n", capture_output=True, text=True, check=True)
    for address, key in zip(addresses, keys.stdout.splitlines(), strict=True):
        yield Case(address, [{"ask": "key", "url": address}], lambda answers, key=key: differs(answers[0]["key"], key))


def variants(folder):
    """Every http URL of the suite, and some that are made of it."""
    for test in json.loads((folder / "url/resources/urltestdata.json").read_text()):
        if isinstance(test, dict) and test.get("protocol") in ("http:", "https:") and is_text(test["href"]):
            address = test["href"].split("#")[0].replace(f"{test['username']}:{test['password']}@", "").replace(f"{test['username']}@", "")
            yield address
            if test["hostname"][-1].isalpha():
                yield address.replace("://", "://www.", 1)
            yield address + ("&" if "?" in address else "?") + "b=2&A=1&phpsessid=0123456789abcdef0123456789abcdef"


def differs(ours, theirs):
    return None if ours == theirs else f"is {ours}, and pywb's is {theirs}"
