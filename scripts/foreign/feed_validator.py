"""The feeds of W3C's feed validator as feedparser reads them: every entry leads to the same page.

Feeds that feedparser does not read well, and those of which it finds no entry with a link, are no case.
"""

import feedparser

from foreign.case import Case, page, url

NAME = "Feeds (feedparser)"
REPOSITORY = "feedvalidator"
CHOICES = []
PLACE = "http://a.example/d/"


def cases(folder):
    for path in sorted((folder / "testcases").rglob("*.xml")):
        body = path.read_bytes()
        feed = feedparser.parse(body, response_headers={"content-type": "application/xml", "content-location": PLACE})
        links = [entry["link"] for entry in feed.entries if entry.get("link")]
        if feed.version and not feed.bozo and links and b"<!DOCTYPE" not in body:
            questions = [page(body, "application/xml", PLACE), *(url(link, PLACE) for link in links)]
            yield Case(str(path.relative_to(folder / "testcases")), questions, differs)


def differs(answers):
    found = {link["url"] for link in answers[0]["links"]}
    wanted = {answer["url"] for answer in answers[1:] if "url" in answer}
    if answers[0]["kind"] != "Feed":
        return f"is {answers[0]['kind']} and should be a feed"
    return f"misses {sorted(wanted - found)}" if wanted - found else None
