"""Whether versions of documents say the same, by the tools of others.

usage: meanings.py FILE

A line of the file is a document: its kind, and versions with a body and the number of what it says. Prints a line for each
pair of neighbours of which rdflib, lxml, or Python's json or csv say something else, then how many pairs there were.
"""

import base64
import csv
import io
import json
import logging
import re
import sys
from collections import Counter
from decimal import Decimal

import html5lib
import rdflib
from lxml import etree
from rdflib.compare import to_isomorphic
from rdflib.query import Result

rdflib.NORMALIZE_LITERALS = False
logging.disable()
# What a feed says of the time at which it was made.
OF_THE_FEED = {"lastBuildDate", "updated"}


def text_of(body, content_type):
    """Its characters by its mark, its header or its declaration of XML, which is left out: it speaks of the bytes."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = body.decode("utf-16")
    else:
        charset = re.search(r"charset=([\w-]+)", content_type) or re.match(r'<\?xml[^>]*encoding="([\w-]+)"', body[:100].decode("latin-1"))
        text = body.decode(charset[1] if charset else "utf-8")
    return re.sub(r"^<\?xml.*?\?>\s*", "", text)


def graph(syntax):
    def read(body, content_type):
        parsed = rdflib.Dataset() if syntax == "trig" else rdflib.Graph()
        parsed.parse(data=text_of(body, content_type), format=syntax, publicID="http://e.example/doc")
        triples = rdflib.Graph()
        for statement in parsed:
            triples.add(statement[:3])
        return to_isomorphic(triples)

    return read


def table(body, content_type):
    text = text_of(body, content_type)
    first = text.splitlines()[0]
    delimiter = next(character for character in "\t;," if character in first)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def xml(body, content_type):
    return element(etree.fromstring(text_of(body, content_type), etree.XMLParser(remove_comments=True)))


def element(node):
    """Everything but white space between elements, and the dates of the feed itself."""
    children = [element(child) for child in node if etree.QName(child).localname not in OF_THE_FEED]
    texts = [node.text or "", *(child.tail or "" for child in node)]
    return node.tag, dict(node.attrib), [text for text in texts if text.strip()], children


def words_of_page(body, content_type):
    charset = re.search(r"charset=([\w-]+)", content_type)
    page = html5lib.parse(body, transport_encoding=charset and charset[1], namespaceHTMLElements=False)
    for node in page.iter():
        if node.tag == "script" or not isinstance(node.tag, str):
            node.text = ""
    return words(page)


def words_of_xhtml(body, content_type):
    root = etree.fromstring(text_of(body, content_type), etree.XMLParser(remove_comments=True))
    return words(root)


def words(root):
    """The words of a page, which end where a paragraph does."""
    for node in root.iter():
        if isinstance(node.tag, str) and node.tag.rsplit("}")[-1] in ("p", "title"):
            node.tail = " "
    return "".join(root.itertext()).split()


def rows(body, content_type):
    """Rows in any order; every blank node here stands in one row, so that its name tells nothing."""
    kind = next(kind for kind in ("json", "xml", "tab", "csv") if kind in content_type)
    result = Result.parse(io.BytesIO(body), format={"tab": "tsv"}.get(kind, kind))
    plain = lambda term: "blank" if isinstance(term, rdflib.BNode) else term.n3()
    if kind == "csv":
        plain = lambda term: "blank" if isinstance(term, rdflib.BNode) else str(term)
    return Counter(frozenset((str(name), plain(term)) for name, term in row.items()) for row in result.bindings)


JUDGES = {
    "html": words_of_page,
    "xhtml": words_of_xhtml,
    "xml": xml,
    "atom": xml,
    "rss": xml,
    "sitemap": xml,
    "turtle": graph("turtle"),
    "n-triples": graph("nt"),
    "trig": graph("trig"),
    "rdf-xml": graph("xml"),
    "json-ld": graph("json-ld"),
    "json": lambda body, _: json.loads(body, parse_float=Decimal, parse_int=Decimal),
    "csv": table,
    "tsv": table,
    "text": lambda body, content_type: text_of(body, content_type).split(),
    "results": rows,
    "results-csv": rows,
    "picture": lambda body, _: body,
}

pairs = 0
for line in open(sys.argv[1]):
    document = json.loads(line)
    judge, before = JUDGES[document["kind"]], None
    for number, version in enumerate(document["versions"]):
        said = judge(base64.b64decode(version["body"]), version["content_type"])
        if before is not None:
            pairs += 1
            same, should = said == before[1], version["meaning"] == before[0]
            if same != should:
                print(f"{document['path']}, versions {number} and {number + 1}: {'the same' if same else 'different'}, by others")
        before = version["meaning"], said
print(f"{pairs} pairs of versions judged by others")
