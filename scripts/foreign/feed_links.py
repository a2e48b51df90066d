"""feedparser's own feeds: where it is tested that an entry leads to a page, that page is among those we find."""

import re

from foreign.case import Case, page, url

NAME = "Links of feeds"
REPOSITORY = "feedparser"
CHOICES = []
EXPECTED = re.compile(r"entries\[\d+\]\['link'\] == u?'([^']+)'")
HEADER = re.compile(r"^Header:\s+Content-(Type|Location):\s*(.+)$", re.M | re.I)


def cases(folder):
    for kind in ("wellformed", "json"):
        for path in sorted((folder / "tests" / kind).rglob("*.*")):
            body = path.read_bytes()
            comment = body[:2000].decode("utf-8", "replace")
            expected = EXPECTED.search(comment)
            if expected and not expected[1].startswith(("mailto:", "file:")):
                headers = {name.lower(): value.strip() for name, value in HEADER.findall(comment)}
                place = headers.get("location", "http://a.example/d/")
                questions = [page(body, headers.get("type"), place), url(expected[1], place)]
                yield Case(str(path.relative_to(folder / "tests")), questions, differs)


def differs(answers):
    found, wanted = {link["url"] for link in answers[0]["links"]}, answers[1].get("url")
    return None if wanted in found or wanted is None else f"misses {wanted}, has {sorted(found)}"
