"""What a tree of HTML elements shows: the text that counts, and where it leads, as a page that anybody could read.

A tree is `(name, attributes, children)`, a child a tree or a string. The same rules as everfresh's own: text of scripts,
styles, templates and of what browsers with scripts do not show is no text, but shadow roots and inner documents are shown;
links are those of a, area, iframe and frame, of link elements that continue a series or name a feed, and of a refresh.
"""

import html
import re

import html5lib

from foreign.case import Case, page

# Before a page with characters that pages do not have, so that it is not taken for a picture, nor its first for a mark.
PADDING = b"<!--" + b" " * 4096 + b"-->"
ODD = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]|^\xef\xbb\xbf")
HIDDEN = {"script", "style", "iframe", "noembed", "noframes", "noscript", "template"}
FEEDS = {"application/rss+xml", "application/atom+xml"}
SPACE = re.compile(r"[ \t\n\r\f\xa0]+")


def parsed(text):
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


def is_shadow_root(tree):
    return tree[0] == "template" and tree[1].get("shadowrootmode", "").strip().lower() in ("open", "closed")


def inner(tree):
    """The document in an iframe, without those in it."""
    markup = tree[1].get("srcdoc", "") if tree[0] == "iframe" else ""
    return [without_inner(parsed(markup))] if markup.strip() else []


def without_inner(tree):
    if isinstance(tree, str):
        return tree
    attributes = {name: value for name, value in tree[1].items() if name != "srcdoc"}
    return (tree[0], attributes, [without_inner(child) for child in tree[2] if not is_base(child)])


def is_base(tree):
    return not isinstance(tree, str) and tree[0] == "base"


def text(tree):
    """All text, without white space: where elements separate words is a matter of taste."""
    return SPACE.sub("", "".join(pieces(tree)))


def pieces(tree):
    if isinstance(tree, str):
        yield tree
    else:
        shown = tree[2] if tree[0] not in HIDDEN or is_shadow_root(tree) else []
        for child in [*inner(tree), *shown]:
            yield from pieces(child)


def elements(tree):
    if not isinstance(tree, str) and (tree[0] != "template" or is_shadow_root(tree)):
        yield tree
        for child in [*inner(tree), *tree[2]]:
            yield from elements(child)


def references(tree):
    """The base if there is one, and every link as it is written."""
    base, found = None, []
    for name, attributes, _ in elements(tree):
        relation = attributes.get("rel", "").lower().split()
        if name == "base" and base is None:
            base = attributes.get("href")
        elif name in ("a", "area") and "href" in attributes:
            found.append(attributes["href"])
        elif name in ("iframe", "frame") and "src" in attributes:
            found.append(attributes["src"])
        elif name == "link" and "href" in attributes:
            is_feed = "alternate" in relation and attributes.get("type", "").lower() in FEEDS
            found += [attributes["href"]] if is_feed or {"next", "prev", "previous"} & set(relation) else []
        elif name == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            target = re.match(r"\s*[\d.]+\s*[;,]?\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", attributes.get("content", ""), re.I)
            found += [target[1].strip()] if target else []
    return base, found


def plain(tree):
    """A page of the same links in the plainest markup."""
    base, found = references(tree)
    head = f'<base href="{html.escape(base)}">' if base is not None else ""
    return "<!DOCTYPE html>" + head + "".join(f'<a href="{html.escape(link)}"></a>' for link in found)


def shows(name, body, tree, content_type="text/html; charset=utf-8"):
    """A page that shows what a tree does."""
    body = PADDING + body if ODD.search(body) else body
    questions = [page(body, content_type), page(plain(tree).encode("utf-8", "replace"), "text/html; charset=utf-8")]
    return Case(name, questions, lambda answers: differs(text(tree), *answers))


def differs(wanted, found, expected):
    links, others = ({link["url"] for link in answer["links"]} for answer in (found, expected))
    if links != others:
        return f"links: misses {sorted(others - links)}, has {sorted(links - others)} too"
    seen = SPACE.sub("", found["text"])
    if seen == wanted:
        return None
    order = "the same characters in another order" if sorted(seen) == sorted(wanted) else "text"
    return f"{order}: {seen[:100]!r}, and should be {wanted[:100]!r}"
