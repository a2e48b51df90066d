"""The pages of the web that `scripts/faults` crawls: several hosts, each a tree of links, and versions by a known script."""

import gzip
import hashlib

ROBOTS = {
    "patient.test": "User-agent: *\nCrawl-delay: 0.2\nDisallow: /secret\n",
    "plain0.test": "User-agent: *\nDisallow: /secret\n",
}
# What a robots.txt asks for, in seconds.
CRAWL_DELAYS = {"patient.test": 0.2}
# Names and how many pages they have. The pages of large.test are judged by processes of their own.
HOSTS = {"plain0.test": 70, "plain1.test": 70, "plain2.test": 50, "patient.test": 12, "large.test": 4, "late.test": 12, "streams.test": 30}
# Its look-ups fail until it is made known.
LATE = "late.test"
# Its look-ups always fail.
NOBODY = "nobody.invalid"
# It speaks HTTP/2, by https.
STREAMS = "streams.test"
LARGE_BYTES = 300_000


class Pages:
    """Every page and its version now."""

    def __init__(self):
        self.versions = {(host, self.path(number)): 1 for host, count in HOSTS.items() for number in range(count)}

    @staticmethod
    def path(number):
        return "/" if number == 0 else f"/page/{number}"

    def change(self, random):
        """A fifth of the pages changes."""
        for page in self.versions:
            self.versions[page] += random.random() < 0.2

    def seeds(self):
        return [f"{origin(host)}/" for host in [*HOSTS, NOBODY]]

    def answer(self, host, path):
        """Headers and body of a page as it is now; `None` if there is no such page."""
        version = self.versions.get((host, path))
        if version is None:
            return None
        number = 0 if path == "/" else int(path.rsplit("/", 1)[1])
        body = self.body(host, number, version)
        headers = [("Content-Type", "text/html")]
        # Some pages have no validator and some are compressed, as on the Web.
        if number % 3:
            headers.append(("ETag", f'"{number}-{version}"'))
        if number % 5 == 0:
            headers.append(("Content-Encoding", "gzip"))
            body = gzip.compress(body, mtime=0)
        return headers, body

    @staticmethod
    def body(host, number, version):
        children = [child for child in (3 * number + 1, 3 * number + 2, 3 * number + 3) if child < HOSTS[host]]
        links = "".join(f'<a href="{Pages.path(child)}">{child}</a> ' for child in children)
        words = f"Version {version} of page {number} on {host}. " * 20
        filler = "<p>many words stand here " * (LARGE_BYTES // 24) if host == "large.test" and number % 2 == 0 else ""
        text = f'<!doctype html><title>{number}</title><p>{words}{links}<a href="/secret">forbidden</a>{filler}'
        return text.encode()

    def payloads(self):
        """The SHA-1 of what each page's current version is, by URL."""
        return {
            f"{origin(host)}{path}": hashlib.sha1(self.answer(host, path)[1]).digest() for host, path in self.versions
        }


def origin(host):
    return f"https://{host}" if host == STREAMS else f"http://{host}"
