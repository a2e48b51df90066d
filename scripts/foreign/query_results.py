"""The results in W3C's SPARQL suites, in XML and JSON as they are and written in the other by rdflib: both say the same.

One row less, where there are several, must be another answer. CSV and TSV are held against each other: every cell that a CSV
has is the same without its quotes and types, so tables of the same query differ in kind and are only to be read.
"""

import io
import json

from rdflib.query import Result

from foreign.case import Case, encoded, is_read, refusal

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
    others = [question(result.serialize(format=kind), media, is_ask) for kind, media in (FORMATS[".srx"], FORMATS[".srj"])]
    if rows and len(rows) > 1:
        others.append(question(shorter(result), "application/sparql-results+json", False))
    return Case(name, [question(body, media_type, is_ask), *others], differs)


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
