"""A real SPARQL endpoint on a free port of loopback, which it prints.

GET or POST /sparql answers queries, POST with update=... changes the data; POST /reload loads the data again as it is, with new
names for its blank nodes and in another order.
"""

import random
import socket

import uvicorn
from rdflib import BNode, Graph
from rdflib_endpoint import SparqlEndpoint

DATA = """
@prefix ex: <http://example.org/> .
ex:berlin ex:name "Berlin"@de , "Berlin"@en ; ex:population 3645000 ; ex:mayor [ ex:name "Kai" ; ex:since 2023 ] .
ex:paris ex:name "Paris"@fr ; ex:population 2161000 ; ex:mayor [ ex:name "Anne" ; ex:since 2014 ] .
ex:rome ex:name "Roma"@it ; ex:population 2873000 .
"""

graph = Graph()


def load(triples):
    names = {}
    renamed = lambda term: names.setdefault(term, BNode()) if isinstance(term, BNode) else term
    triples = [tuple(renamed(term) for term in triple) for triple in triples]
    random.shuffle(triples)
    graph.remove((None, None, None))
    for triple in triples:
        graph.add(triple)


load(Graph().parse(data=DATA, format="turtle"))
app = SparqlEndpoint(graph=graph, path="/sparql", enable_update=True)


@app.post("/reload")
def reload():
    load(list(graph))
    return {"triples": len(graph)}


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
