"""The tests of how HTML becomes a tree (html5lib's, which live in the Web Platform Tests): text and links are those of the tree.

Tests of fragments, which no page is, and of pages without scripts are left out.
"""

import re

from foreign.markup import shows

NAME = "HTML trees"
REPOSITORY = "wpt"
CHOICES = [
    ("the same characters in another order", "text is read in the order in which it is written; trees move it out of tables"),
    ("^scripted_", "no script is run"),
    (r"^(?!plain-text).*frameset", "there is no tree, so text beside frames, which no browser shows, counts"),
    ("selectedcontent", "there is no tree, so nothing is shown twice"),
]
LINE = re.compile(r"^\| ( *)(.*?)\n*(?=^\| |\Z)", re.M | re.S)
ATTRIBUTE = re.compile(r'^([^<"][^=]*)="(.*)"$', re.S)


def cases(folder):
    for path in sorted((folder / "html/syntax/parsing/resources").glob("*.dat")):
        for number, test in enumerate(("\n" + path.read_bytes().decode()).split("\n#data\n")[1:]):
            source, _, rest = f"\n{test}".partition("\n#errors\n")
            if "\n#document-fragment\n" in f"\n{rest}" or "#script-off" in rest:
                continue
            source = source.removeprefix("\n")
            yield shows(f"{path.name} {number}: {source[:60]!r}", source.encode(), tree(rest.partition("#document\n")[2]))


def tree(dump):
    """The tree that is written with a bar and an indent a line; a text may have further lines."""
    root = ("#document", {}, [])
    path = [root]
    for indent, content in LINE.findall(dump):
        depth = len(indent) // 2
        del path[depth + 1 :]
        parent = path[-1]
        if content.startswith('"'):
            parent[2].append(content[1:-1])
        elif content.startswith("<!") or content.startswith("<?"):
            continue
        elif content.startswith("<") or content == "content":
            node = (content.strip("<>").split()[-1], {}, [])
            parent[2].append(node)
            path.append(node)
        elif attribute := ATTRIBUTE.match(content):
            parent[1][attribute[1]] = attribute[2]
    return root
