"""Pages of the Web Platform Tests as html5lib reads them: text and links are those of its tree."""

import html5lib

from foreign.markup import shows

NAME = "HTML pages (html5lib)"
REPOSITORY = "wpt"
CHOICES = [
    ("the same characters in another order", "text is read in the order in which it is written; trees move it out of tables"),
]


def cases(folder):
    for path in sorted(folder.glob("html/**/*.html")):
        body = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        if is_utf8(body):
            yield shows(str(path.relative_to(folder)), body, tree(body.decode()))


def is_utf8(body):
    try:
        return "\0" not in body.decode()
    except UnicodeDecodeError:
        return False


def tree(text):
    """The tree of html5lib, with scripts on as browsers have them."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    return simple(parser.parse(text, scripting=True))


def simple(element):
    children = [element.text or ""]
    for child in element:
        children += [simple(child)] if isinstance(child.tag, str) else []
        children.append(child.tail or "")
    attributes = {name: value for name, value in element.attrib.items() if isinstance(name, str)}
    return (element.tag.rsplit("}")[-1], attributes, children)
