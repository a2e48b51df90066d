"""Pages of the Web Platform Tests as html5lib reads them: text and links are those of its tree."""

from foreign.markup import parsed, shows

NAME = "HTML pages (html5lib)"
REPOSITORY = "wpt"
CHOICES = [
    ("the same characters in another order", "text is read in the order in which it is written; trees move it out of tables"),
]


def cases(folder):
    for path in sorted(folder.glob("html/**/*.html")):
        body = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        if is_utf8(body):
            yield shows(str(path.relative_to(folder)), body, parsed(body.decode()))


def is_utf8(body):
    try:
        return "\0" not in body.decode()
    except UnicodeDecodeError:
        return False
