"""RDF 1.1 in all its syntaxes."""

from foreign import rdf_tests

NAME = "RDF 1.1"
REPOSITORY = rdf_tests.REPOSITORY
CHOICES = []


def cases(folder):
    return rdf_tests.cases(folder, "rdf11")
