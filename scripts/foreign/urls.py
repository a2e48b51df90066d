"""The Web Platform Tests of URLs: what a reference leads to, in our normal form, is what the URL of the suite is in it."""

import json

from foreign.case import Case, url

NAME = "URLs"
REPOSITORY = "wpt"
CHOICES = []


def cases(folder):
    for number, test in enumerate(json.loads((folder / "url/resources/urltestdata.json").read_text())):
        if isinstance(test, dict) and is_text(test["input"]):
            base = test.get("base")
            name = f"{number}: {test['input']!r} on {base}"
            yield Case(name, [url(test["input"], base), url(test.get("href", ""))], lambda answers, test=test: differs(test, *answers))


def is_text(reference):
    """Halves of a surrogate pair are nothing that a page could have."""
    return not any("\ud800" <= character <= "\udfff" for character in reference)


def differs(test, found, expected):
    if test.get("failure"):
        return None if "error" in found else f"is {found['url']}, and should be no URL"
    if test["protocol"] not in ("http:", "https:"):
        return None if "error" in found else f"is {found['url']}, and should be {test['href']}"
    if "error" in found:
        return f"is refused ({found['error']}), and should be {test['href']}"
    same = found == expected and found["url"].startswith(f"{test['protocol']}//{test['host']}/")
    return None if same else f"is {found['url']}, and should be {test['href']}"
