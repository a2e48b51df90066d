"""Every page that can be reached from some, by a client and a parser that are not ours: http.client and lxml."""

import http.client
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html as lxml_html

from foreign.markup import HIDDEN, references

TYPES = ("text/html", "application/xhtml+xml")
LEADING = ("base", "a", "area", "iframe", "frame", "link", "meta")


class Walk:
    """What was reached: a status for each URL, by its unquoted form, and the pages of markup among them."""

    def __init__(self, address, seeds):
        self.address, self.own = address, threading.local()
        self.hosts = {urlsplit(seed).netloc for seed in seeds}
        self.statuses, self.waiting = {}, list(seeds)
        self.known = {plain(seed) for seed in seeds}

    def pages(self):
        """Goes everywhere; gives each page of markup once, as its URL, body, type and tree."""
        with ThreadPoolExecutor(2) as workers:
            while self.waiting:
                batch, self.waiting = self.waiting[:200], self.waiting[200:]
                for url, (status, content_type, location, body) in zip(batch, workers.map(self.fetch, batch)):
                    self.statuses[plain(url)] = status
                    if location:
                        self.meet(url, [location])
                    elif status == 200 and content_type.split(";")[0] in TYPES:
                        tree = read(body)
                        base, found = references(tree)
                        self.meet(urljoin(url, base) if base else url, found)
                        yield url, body, content_type, tree

    def fetch(self, url):
        parts = urlsplit(url)
        connection = self.own.__dict__.setdefault("connection", http.client.HTTPConnection(self.address))
        connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers={"Host": parts.netloc})
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.headers.get("Location"), answer.read()

    def meet(self, base, found):
        for reference in found:
            url = urljoin(base, reference.strip()).split("#")[0]
            if urlsplit(url).scheme == "http" and urlsplit(url).netloc in self.hosts and plain(url) not in self.known:
                self.known.add(plain(url))
                self.waiting.append(url)


def plain(url):
    """A URL however it is escaped; that of a host alone is its front page."""
    parts = urlsplit(url)
    return unquote(f"http://{parts.netloc}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else ""))


def read(body):
    """The elements of lxml's tree that lead somewhere, side by side; what browsers with scripts do not show is left out."""
    root = lxml_html.document_fromstring(body or b"<p>")
    for hidden in list(root.iter(*HIDDEN)):
        del hidden[:]
    return "#document", {}, [(element.tag, dict(element.attrib), []) for element in root.iter(*LEADING)]
