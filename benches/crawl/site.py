#!/usr/bin/env python3
"""Writes the static site that every client of the bench crawls.

    site.py FOLDER PAGES

FOLDER/www gets PAGES files of 4096 bytes in directories of 100, a robots.txt that allows all, and nothing else;
FOLDER/paths.txt lists the path of each page. The same arguments always give the same bytes.

The pages form a tree of ten children a page, so that each is reachable from "/" within a few hops, and links to random
pages fill each up to 20, as a crawler meets most links more than once. A page draws its lexicon by Zipf's law and
repeats its words, as real text does: that makes it compress about as well (2.5 to 1 with gzip), which decides what
archiving costs.
"""

import itertools
import random
import sys
from pathlib import Path

PAGE_BYTES = 4096
LINKS = 20
CHILDREN = 10
PAGES_PER_DIRECTORY = 100
VOCABULARY = 4000
LEXICON = 120
SEED = 20000

ONSETS = "b br c ch d f fl g gr h j k l m n p pr qu r s sh st t th tr v w".split()
VOWELS = "a e i o u ai ea ou ie".split()
CODAS = ["", "", "", "n", "r", "s", "l", "nd", "m"]


def vocabulary(chance):
    """Made-up words, each once, and the running sum of their Zipf weights."""
    words = set()
    while len(words) < VOCABULARY:
        syllables = chance.choice([1, 2, 2, 3])
        words.add("".join(chance.choice(part) for _ in range(syllables) for part in (ONSETS, VOWELS, CODAS)))
    ranked = chance.sample(sorted(words), len(words))  # sorted first: the order of a set differs from run to run
    return ranked, list(itertools.accumulate(1 / rank for rank in range(2, len(ranked) + 2)))


class Site:
    def __init__(self, pages):
        self.chance = random.Random(SEED)
        self.words, self.weights = vocabulary(self.chance)
        self.titles = [self.phrase(self.chance.randint(2, 5)) for _ in range(pages)]
        self.paths = ["/"] + [self.path(page) for page in range(1, pages)]

    def phrase(self, length):
        return " ".join(self.chance.choices(self.words, cum_weights=self.weights, k=length))

    def path(self, page):
        section = self.words[-1 - page // PAGES_PER_DIRECTORY]
        return f"/{section}/{self.titles[page].replace(' ', '-')}-{page}.html"

    def linked(self, page):
        """The pages that `page` links to: home, its children in the tree, and random ones up to `LINKS`."""
        first = page * CHILDREN + 1
        targets = dict.fromkeys([0, *range(first, min(first + CHILDREN, len(self.paths)))])
        while len(targets) < min(LINKS, len(self.paths)):
            targets[self.chance.randrange(len(self.paths))] = None
        return list(targets)

    def anchor(self, page):
        return f'<a href="{self.paths[page]}">{self.titles[page].title()}</a>'

    def sentences(self, size):
        """Text of at least `size` bytes, in sentences of 5 to 18 words from a lexicon of its own."""
        lexicon = self.phrase(LEXICON).split()
        sentences = []
        while size >= 0:
            sentence = " ".join(self.chance.choices(lexicon, k=self.chance.randint(5, 18))).capitalize() + "."
            sentences.append(sentence)
            size -= len(sentence) + 1
        return " ".join(sentences)

    def html(self, page):
        """The page, filled with text to exactly `PAGE_BYTES`."""
        home, *links = (self.anchor(target) for target in self.linked(page))
        title = self.titles[page].title()
        top = (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<title>{title} &ndash; The Daily Page</title>\n<meta name="description" content="{self.phrase(8)}">\n'
            "<style>body { max-width: 40em; margin: auto }</style>\n"
            f"</head>\n<body>\n<nav>{home} &middot; Café</nav>\n<main>\n<h1>{title}</h1>\n<p>"
        )
        related = "</p>\n<h2>Related</h2>\n<ul>\n" + "".join(f"<li>{link}</li>\n" for link in links[5:]) + "</ul>\n"
        inline = f"</p>\n<p>See {', '.join(links[:5])}. "
        bottom = f"</main>\n<footer>&copy; {title}, page {page}</footer>\n</body>\n</html>\n"
        room = PAGE_BYTES - len((top + inline + related + bottom).encode())
        if room < 0:
            sys.exit(f"page {page} has {-room} bytes of links too many for {PAGE_BYTES}: shorten the titles in site.py")
        text = self.sentences(room)[:room]
        middle = text.find(". ", room // 3) + 2
        return (top + text[:middle] + inline + text[middle:] + related + bottom).encode()


def main():
    folder, pages = Path(sys.argv[1]), int(sys.argv[2])
    site = Site(pages)
    root = folder / "www"
    root.mkdir(parents=True)
    (root / "robots.txt").write_text("User-agent: *\nDisallow:\n")
    for page, path in enumerate(site.paths):
        file = root / (path.lstrip("/") or "index.html")
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(site.html(page))
    (folder / "paths.txt").write_text("".join(f"{path}\n" for path in site.paths))


if __name__ == "__main__":
    main()
