"""W3C's suites of the syntaxes of RDF: what is to be read, what is to be refused, and what both syntaxes say the same in."""

from foreign.case import data, is_read, is_refused, is_same
from foreign.manifest import entries

REPOSITORY = "rdf-tests"
TYPES = {
    "NTriples": "application/n-triples",
    "NQuads": "application/n-quads",
    "Turtle": "text/turtle",
    "Trig": "application/trig",
    "XML": "application/rdf+xml",
}


def cases(folder, version):
    for path in sorted((folder / "rdf" / version).rglob("manifest.ttl")):
        for test in entries(path):
            yield from case(test)


def case(test):
    syntax = next((syntax for syntax in TYPES if test.kind.startswith(f"Test{syntax}")), None)
    if syntax is None:
        return
    question = data(test.action.read_bytes(), TYPES[syntax], test.base)
    if test.kind.endswith("NegativeSyntax"):
        yield is_refused(test.name, question)
    elif test.result:
        result = TYPES["NTriples" if test.result.suffix == ".nt" else "NQuads"]
        yield is_same(test.name, question, data(test.result.read_bytes(), result, test.base))
    elif test.kind.endswith("PositiveSyntax"):
        yield is_read(test.name, question)
