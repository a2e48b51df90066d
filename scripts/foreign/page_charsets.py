"""The Web Platform Tests of declared charsets: a page reads like its reference, or not, or says which charset it is read in."""

import re

from foreign.case import Case, page

NAME = "Charsets of pages"
REPOSITORY = "wpt"
CHOICES = [("document-write", "no script is run")]
REFERENCE = re.compile(rb'<link rel="(match|mismatch)" href="([^"]+)">')
ASSERTION = re.compile(rb'assert_(not_)?equals\(document\.characterSet, "([^"]+)"')


def cases(folder):
    for path in sorted((folder / "html/syntax/charset").glob("*.html")):
        body = path.read_bytes()
        reference, assertion = REFERENCE.search(body), ASSERTION.search(body)
        if reference:
            other = (path.parent / reference[2].decode()).read_bytes()
            alike = reference[1] == b"match"
            questions = [page(body, "text/html"), page(other, "text/html")]
            yield Case(path.name, questions, lambda answers, alike=alike: reads(alike, *answers))
        elif assertion:
            wanted, is_other = assertion[2].decode(), bool(assertion[1])
            yield Case(path.name, [page(body, "text/html")], lambda answers, w=wanted, o=is_other: says(w, o, answers[0]))


def reads(alike, found, expected):
    same = found["text"] == expected["text"]
    return None if same == alike else f"in {found['charset']} reads {'like' if same else 'unlike'} its reference"


def says(wanted, is_other, answer):
    same = answer["charset"].lower() == wanted.lower()
    return None if same != is_other else f"is {answer['charset']}, and should {'not ' if is_other else ''}be {wanted}"
