"""W3C's suite of JSON-LD to RDF.

Left out are tests of JSON-LD 1.0 alone, of options that nobody who fetches a page has (contexts from outside, generalized
RDF, direction as a data type), and of HTML.
"""

import json

from foreign.case import data, is_refused, is_same

NAME = "JSON-LD to RDF"
REPOSITORY = "json-ld-api"
CHOICES = [("remote contexts are not loaded", "nothing but the page is fetched; such a document is judged by its bytes")]
OPTIONS = {"specVersion", "base", "processingMode", "contentType"}


def cases(folder):
    manifest = json.loads((folder / "tests/toRdf-manifest.jsonld").read_text())
    for test in manifest["sequence"]:
        option = test.get("option", {})
        if set(option) - OPTIONS or "1.0" in (option.get("specVersion", "") + option.get("processingMode", "")):
            continue
        base = option.get("base", manifest["baseIri"] + test["input"])
        question = data((folder / "tests" / test["input"]).read_bytes(), "application/ld+json", base)
        name = f"{test['@id']} {test['name']}"
        if "expect" in test:
            expected = (folder / "tests" / test["expect"]).read_bytes()
            yield is_same(name, question, data(expected, "application/n-quads"))
        elif "jld:NegativeEvaluationTest" in test["@type"]:
            yield is_refused(name, question)
