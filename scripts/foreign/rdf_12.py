"""RDF 1.2, what is new in it; the tests of 1.1 that it repeats are counted there."""

from foreign import rdf_tests

NAME = "RDF 1.2"
REPOSITORY = rdf_tests.REPOSITORY
CHOICES = []


def cases(folder):
    return rdf_tests.cases(folder, "rdf12")
