"""W3C's lists of tests, which are RDF."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from rdflib import RDF, Graph, Namespace

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")


@dataclass
class Test:
    """An entry: its own name, the local name of its class, its files, and the names of what else is said of it; `base` is the
    address of the first file."""

    name: str
    kind: str
    action: Path
    result: Path | None
    base: str
    said: set


def entries(path):
    """The entries of one manifest that have a file."""
    graph = Graph().parse(path, format="turtle", publicID=path.as_uri())
    assumed = next(graph.objects(None, MF.assumedTestBase), None)
    for listed in graph.objects(None, MF.entries):
        for entry in graph.items(listed):
            if str(graph.value(entry, MF.action)).startswith("file:"):
                yield test(graph, entry, path.parent, assumed)


def test(graph, entry, folder, assumed):
    action, result = local(graph.value(entry, MF.action)), graph.value(entry, MF.result)
    return Test(
        name=f"{folder.parent.name}/{folder.name}#{str(entry).rsplit('#')[-1]}",
        kind=str(graph.value(entry, RDF.type)).rsplit("#")[-1],
        action=action,
        result=local(result) if str(result).startswith("file:") else None,
        base=f"{assumed}{action.relative_to(folder)}" if assumed else action.as_uri(),
        said={str(predicate).rsplit("#")[-1] for predicate in graph.predicates(entry)},
    )


def local(address):
    return Path(unquote(urlparse(str(address)).path))
