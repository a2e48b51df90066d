"""Graphs as rdflib writes them: each in every syntax, twice with other names of blank nodes and another order, and once with one
triple more. Prints a JSON object a line."""
import json
import random
import sys
import warnings

from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.compare import isomorphic

TRIPLES = {"turtle": "turtle", "nt": "nt", "xml": "xml", "pretty-xml": "xml", "json-ld": "json-ld"}
QUADS = {"nquads": "nquads", "trig": "trig"}
warnings.simplefilter("ignore")  # it says so when it loses triples
NAME = "http://e.example/"


def name(text):
    return URIRef(NAME + text)


def mixed(rng):
    """Names, literals of all kinds, blank nodes that link each other at random, and a list."""
    graph, nodes = Graph(), [BNode() for _ in range(rng.randint(1, 8))]
    literals = [Literal("é \"q\" \\ \n\t<&>"), Literal("tag", lang="en-GB"), Literal(7), Literal("1.50", datatype=XSD.decimal)]
    for _ in range(rng.randint(1, 40)):
        subject = rng.choice(nodes + [name("s"), name("t?a=1&b=2")])
        graph.add((subject, name("p%d" % rng.randint(0, 2)), rng.choice(nodes + literals + [name("o")])))
    Collection(graph, BNode(), [Literal(rng.randint(0, 1)) for _ in range(5)])
    return graph


def cycles(rng):
    """Rings of blank nodes without anything to tell them apart."""
    graph = Graph()
    for _ in range(2):
        ring = [BNode() for _ in range(rng.randint(3, 7))]
        for one, other in zip(ring, ring[1:] + ring[:1]):
            graph.add((one, name("next"), other))
            graph.add((other, name("back"), one))
    return graph


def cube(rng):
    """Blank nodes as the corners of a cube: every corner is like every other one."""
    graph, corners = Graph(), [BNode() for _ in range(8)]
    for corner in range(8):
        for bit in (1, 2, 4):
            graph.add((corners[corner], name("edge"), corners[corner ^ bit]))
    return graph


def alike(rng):
    """Things that differ only in what hangs two steps further on."""
    graph = Graph()
    for n in range(6):
        one, other = BNode(), BNode()
        graph.add((name("s"), name("has"), one))
        graph.add((one, RDF.type, name("Thing")))
        graph.add((one, name("part"), other))
        graph.add((other, name("value"), Literal(n // 2)))
    return graph


def again(triples, rng):
    """The same triples with new names of blank nodes, in another order."""
    names = {}

    def new(term):
        return names.setdefault(term, BNode("n%x" % rng.getrandbits(64))) if isinstance(term, BNode) else term

    triples = [tuple(map(new, triple)) for triple in triples]
    rng.shuffle(triples)
    return triples


def keep(texts, syntax, kind, graph):
    """Keeps what rdflib reads back whole: its JSON-LD and its prettier XML lose triples of rings and lists."""
    text = graph.serialize(format=syntax)
    again = type(graph)().parse(data=text, format=kind)
    is_whole = len(again) == len(graph)
    # With a list the number may be right and the list another one. Such graphs are small enough to compare.
    if not isinstance(graph, Dataset) and (None, RDF.first, None) in graph:
        is_whole = isomorphic(graph, again)
    if is_whole:
        texts[syntax] = [kind, text]


def written(triples, rng):
    texts = {}
    for syntax, kind in TRIPLES.items():
        graph = Graph()
        for triple in again(triples, rng):
            graph.add(triple)
        keep(texts, syntax, kind, graph)
    return texts


def written_named(triples, rng):
    """The triples in two named graphs and the default one, which share blank nodes."""
    texts = {}
    for syntax, kind in QUADS.items():
        dataset = Dataset()
        for triple in again(triples, rng):
            graph = dataset.default_graph if triple[1] == name("p0") else dataset.graph(name("g%d" % len(triple[1])))
            graph.add(triple)
        keep(texts, syntax, kind, dataset)
    return texts


for seed in range(int(sys.argv[1])):
    rng = random.Random(seed)
    graph = (mixed, cycles, cube, alike)[seed % 4](rng)
    if seed % 8 < 4:
        # Hung up at a name, the nodes are still all alike, and rdflib can write them in every syntax.
        for node in sorted(set(graph.subjects()) - set(graph.subjects(RDF.first))):
            graph.add((name("root"), name("has"), node))
    old = list(graph)
    subjects = sorted({term for triple in old for term in triple if isinstance(term, BNode)})
    new = old + [(subjects[rng.randrange(len(subjects))], name("more"), Literal("one more"))]
    writer = written_named if seed % 16 == 4 else written
    print(json.dumps({"seed": seed, "old": [writer(old, rng), writer(old, rng)], "new": writer(new, rng), "triples": len(set(old))}))
