"""W3C's suite of RDF Dataset Canonicalization.

Our canonical form is another one, so labels are not compared: a data set must be the same as its canonical form, no two of
different canonical forms must be the same, and those that are poison must be refused.
"""

from foreign.case import are_different, data, is_refused, is_same
from foreign.manifest import entries

NAME = "RDF Dataset Canonicalization"
REPOSITORY = "rdf-canon"
CHOICES = []


def cases(folder):
    canonical = {}
    for test in entries(folder / "tests/manifest.ttl"):
        if test.kind == "RDFC10EvalTest":
            result = test.result.read_bytes()
            if "hashAlgorithm" not in test.said:
                canonical.setdefault(result, test.name)
            yield is_same(test.name, quads(test.action.read_bytes()), quads(result))
        elif test.kind == "RDFC10NegativeEvalTest":
            yield is_refused(test.name, quads(test.action.read_bytes()))
    yield are_different("all results", {name: quads(result) for result, name in canonical.items()})


def quads(body):
    return data(body, "application/n-quads")
