"""Nicolas Seriot's suite of JSON parsers: what must be read and what must not. Where he lets a parser choose, there is no case."""

from foreign.case import data, is_read, is_refused

NAME = "JSON parsing"
REPOSITORY = "JSONTestSuite"
CHOICES = []


def cases(folder):
    for path in sorted((folder / "test_parsing").glob("*.json")):
        question = data(path.read_bytes(), "application/json")
        if path.name.startswith("y_"):
            yield is_read(path.name, question)
        elif path.name.startswith("n_"):
            yield is_refused(path.name, question)
