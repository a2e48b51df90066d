"""The results in W3C's SPARQL suites, as they are and written anew in XML and JSON by what rdflib reads: all say the same.

One row less, where there are several, must be another answer. CSV, which does not say what kind of term a cell is, is only to
be read.
"""

import io
import json
from xml.sax.saxutils import escape, quoteattr

import rdflib
from rdflib.query import Result

from foreign.case import Case, encoded, is_read, refusal

# It would write numbers and dates in a spelling of its own.
rdflib.NORMALIZE_LITERALS = False

NAME = "SPARQL results"
REPOSITORY = "rdf-tests"
CHOICES = []
FORMATS = {
    ".srx": ("xml", "application/sparql-results+xml"),
    ".srj": ("json", "application/sparql-results+json"),
    ".tsv": ("tsv", "text/tab-separated-values"),
    ".csv": ("csv", "text/csv"),
}


def cases(folder):
    for path in sorted((folder / "sparql").rglob("*.*")):
        if path.suffix not in FORMATS or "sparql12" in path.parts:
            continue
        name, body = str(path.relative_to(folder / "sparql")), path.read_bytes()
        kind, media_type = FORMATS[path.suffix]
        result = parsed(body, kind)
        if result is None or kind == "csv":
            yield is_read(name, question(body, media_type, b"<boolean>" in body))
        else:
            yield same(name, body, media_type, result)


def parsed(body, kind):
    """What rdflib makes of it; None if it cannot."""
    try:
        return Result.parse(io.BytesIO(body), format=kind)
    except Exception:  # noqa: BLE001 its parsers raise whatever they stumble over
        return None


def question(body, media_type, is_ask):
    query = "ASK { ?s ?p ?o }" if is_ask else "SELECT * { ?s ?p ?o }"
    return {"ask": "results", "body": encoded(body), "media_type": media_type, "query": query}


def same(name, body, media_type, result):
    is_ask = result.type == "ASK"
    rows = None if is_ask else list(result.bindings)
    as_json = result.serialize(format="json")
    others = [question(as_xml(json.loads(as_json)), FORMATS[".srx"][1], is_ask), question(as_json, FORMATS[".srj"][1], is_ask)]
    if rows and len(rows) > 1:
        others.append(question(shorter(result), "application/sparql-results+json", False))
    return Case(name, [question(body, media_type, is_ask), *others], differs)


def as_xml(document):
    """Results as XML; rdflib itself writes what is false or zero as nothing."""
    variables = "".join(f"<variable name={quoteattr(name)}/>" for name in document.get("head", {}).get("vars", []))
    rows = "".join(f"<result>{''.join(map(binding, row.items()))}</result>" for row in document.get("results", {}).get("bindings", []))
    answer = f"<boolean>{str(document['boolean']).lower()}</boolean>" if "boolean" in document else f"<results>{rows}</results>"
    return f"<sparql xmlns='http://www.w3.org/2005/sparql-results#'><head>{variables}</head>{answer}</sparql>".encode()


def binding(bound):
    name, term = bound
    attributes = "".join(f" {kind}={quoteattr(term[kind])}" for kind in ("xml:lang", "datatype") if kind in term)
    element = {"uri": "uri", "bnode": "bnode"}.get(term["type"], "literal")
    return f"<binding name={quoteattr(name)}><{element}{attributes}>{escape(term['value'])}</{element}></binding>"


def shorter(result):
    """The results without the last row, as JSON."""
    document = json.loads(result.serialize(format="json"))
    document["results"]["bindings"].pop()
    return json.dumps(document).encode()


def differs(answers):
    wrong = next(filter(None, map(refusal, answers)), None)
    if wrong is None and answers[0]["digest"] != answers[1]["digest"]:
        wrong = "is not the same in XML"
    if wrong is None and answers[0]["digest"] != answers[2]["digest"]:
        wrong = "is not the same in JSON"
    if wrong is None and len(answers) > 3 and answers[0]["digest"] == answers[3]["digest"]:
        wrong = "is the same without its last row"
    return wrong
