"""The feeds of W3C's feed validator as feedparser reads them: every entry leads to the same page, changed at the same time.

Feeds that feedparser does not read well, and those of which it finds no entry with a link, are no case. Times are compared
where feedparser finds one: the latest that it knows of an entry.
"""

import calendar

import feedparser

from foreign.case import Case, page, url

NAME = "Feeds (feedparser)"
REPOSITORY = "feedvalidator"
CHOICES = [
    ("^atom/must/entry_id_|^atom/should/(non)?canonical_uri", "the id of an Atom entry is a name and no link"),
    ("guid_value|invalid_guid", "a guid that is no address is no link"),
    ("wrong-namespace", "a feed in a namespace that is not that of feeds is data"),
    ("published_bad_month", "a month that there is not makes no date"),
]
PLACE = "http://a.example/d/"
TIMES = ("published_parsed", "updated_parsed", "created_parsed")


def cases(folder):
    for path in sorted((folder / "testcases").rglob("*.xml")):
        body = path.read_bytes()
        feed = feedparser.parse(body, response_headers={"content-type": "application/xml", "content-location": PLACE})
        entries = [(entry["link"], changed(entry)) for entry in feed.entries if entry.get("link")]
        if feed.version and not feed.bozo and entries and b"<!DOCTYPE" not in body:
            questions = [page(body, "application/xml", PLACE), *(url(link, PLACE) for link, _ in entries)]
            times = [time for _, time in entries]
            yield Case(str(path.relative_to(folder / "testcases")), questions, lambda answers, times=times: differs(answers, times))


def changed(entry):
    """The latest time that is known of an entry, in seconds since 1970."""
    # Without this test it answers with one for the other.
    times = [entry[name] for name in TIMES if dict.__contains__(entry, name) and dict.__getitem__(entry, name)]
    return max(map(calendar.timegm, times), default=None)


def differs(answers, times):
    found = {link["url"]: link["modified"] for link in answers[0]["links"]}
    wanted = {answer["url"]: time for answer, time in zip(answers[1:], times) if "url" in answer}
    if answers[0]["kind"] != "Feed":
        return f"is {answers[0]['kind']} and should be a feed"
    if wanted.keys() - found.keys():
        return f"misses {sorted(wanted.keys() - found.keys())}"
    others = {link: (found[link], time) for link, time in wanted.items() if time is not None and found[link] != time}
    return f"times and what they should be: {others}" if others and len(wanted) == len(times) else None
