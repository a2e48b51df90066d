"""The test data of JSON canonicalization (RFC 8785): a document and its canonical form say the same."""

from foreign.case import are_different, data, is_same

NAME = "JSON canonicalization"
REPOSITORY = "json-canonicalization"
CHOICES = [("values.json", "numbers are compared as decimals, so more digits than a double holds count")]


def cases(folder):
    outputs = {}
    for path in sorted((folder / "testdata/input").glob("*.json")):
        output = (folder / "testdata/output" / path.name).read_bytes()
        outputs[path.name] = data(output, "application/json")
        yield is_same(path.name, data(path.read_bytes(), "application/json"), outputs[path.name])
    yield are_different("all outputs", outputs)
