"""The Web Platform Tests of percent-encoding: a link's query is written in the charset of its page.

The page is HTML in that charset, and the reference is put there as a character reference, so that any charset can have it.
"""

import json

from foreign.case import Case, page, url
from foreign.urls import is_text

NAME = "Queries in charsets"
REPOSITORY = "wpt"
CHOICES = []


def cases(folder):
    for test in json.loads((folder / "url/resources/percent-encoding.json").read_text()):
        if isinstance(test, dict) and is_text(test["input"]):
            for charset, query in test["output"].items():
                reference = "".join(f"&#{ord(character)};" for character in test["input"])
                body = f'<!DOCTYPE html><meta charset={charset}><a href="?{reference}">'.encode()
                questions = [page(body, f"text/html; charset={charset}"), url(f"http://a.example/d/?{query}")]
                yield Case(f"{test['input']!r} in {charset}", questions, differs)


def differs(answers):
    found, wanted = [link["url"] for link in answers[0]["links"]], answers[1]["url"]
    return None if found == [wanted] else f"is {found}, and should be {wanted}"
