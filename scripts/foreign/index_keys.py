"""Keys of the index against pywb's own, of the URLs in the Web Platform Tests as they are kept here.

What is archived has neither fragment nor credentials; each URL is also tried with a query, a port and a
www of its own, and in capitals.
"""

import json
import warnings

from foreign.case import Case
from foreign.urls import is_text

with warnings.catch_warnings(action="ignore"):
    from pywb.utils.canonicalize import canonicalize

NAME = "Index keys (pywb)"
REPOSITORY = "wpt"
CHOICES = []
QUERY = "b=2&A=1&phpsessid=0123456789abcdef0123456789abcdef"


def cases(folder):
    for address in sorted(set(addresses(folder))):
        key = canonicalize(address)
        yield Case(address, [{"ask": "key", "url": address}], lambda answers, key=key: differs(answers[0]["key"], key))


def addresses(folder):
    """Every http URL of the suite, and some that are made of it."""
    for test in json.loads((folder / "url/resources/urltestdata.json").read_text()):
        if isinstance(test, dict) and test.get("protocol") in ("http:", "https:") and is_text(test["href"]):
            address = f"{test['protocol']}//{test['host']}{test['pathname']}{test['search']}"
            yield address
            yield address + ("&" if "?" in address else "?") + QUERY
            yield f"{test['protocol']}//{test['hostname']}:8080/{test['pathname'].upper()}/{test['search'].upper()}"
            if test["hostname"][-1].isalpha():
                yield address.replace("://", "://www.", 1)


def differs(ours, theirs):
    return None if ours == theirs else f"is {ours}, and pywb's is {theirs}"
