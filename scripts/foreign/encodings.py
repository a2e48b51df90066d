"""html5lib's tests of the encoding of a page, by what its first bytes declare."""

import re

from foreign.case import Case, page

NAME = "Encodings of pages"
REPOSITORY = "html5lib-tests"
CHOICES = [
    ("is utf-8, and should be windows-1252", "without a declaration the bytes are guessed at, and ASCII is called UTF-8"),
    ("multi-script", "no script is run"),
]


def cases(folder):
    for path in sorted((folder / "encoding").glob("*.dat")):
        for number, (body, encoding) in enumerate(re.findall(rb"#data\n(.*?)\n#encoding\n(\S+)", path.read_bytes(), re.S)):
            wanted = encoding.decode().lower()
            yield Case(f"{path.name} {number}: {body[:80]!r}", [page(body, "text/html")], lambda answers, wanted=wanted: differs(wanted, answers[0]))


def differs(wanted, answer):
    found = answer["charset"].lower()
    return None if found == wanted else f"is {found}, and should be {wanted}"
