"""The Web Platform Tests of names in other scripts: the host of a URL with such a name."""

import json

from foreign.case import Case, url
from foreign.urls import is_text

NAME = "Host names"
REPOSITORY = "wpt"
CHOICES = []
# Characters that end the host of a URL, or are no part of one.
NO_HOST = set("#/:<>?@[\\]^|% ")


def cases(folder):
    for name in ("toascii.json", "IdnaTestV2.json"):
        for test in json.loads((folder / "url/resources" / name).read_text()):
            if isinstance(test, dict) and is_text(test["input"]) and test["input"] and not NO_HOST & set(test["input"]):
                question = url(f"https://{test['input']}/x")
                yield Case(f"{name} {test['input']!r}", [question], lambda answers, test=test: differs(test["output"], answers[0]))


def differs(host, found):
    if not host:
        return None if "error" in found else f"is {found['url']}, and should be no URL"
    if "error" in found:
        return f"is refused ({found['error']}), and should be {host}"
    return None if found["url"] == f"https://{host}/x" else f"is {found['url']}, and should be {host}"
