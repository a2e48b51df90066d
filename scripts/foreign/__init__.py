"""The suites of others, one a file, in the order of the table.

A suite has a NAME, the REPOSITORY whose folder it is read from, its `cases(folder)`, and CHOICES: differences that are meant,
each as a pattern that is looked for in the name of a case and what differs in it, and why.
"""

import importlib

SUITES = [
    importlib.import_module(f"foreign.{name}")
    for name in (
        "rdf_canon",
        "rdf_11",
        "rdf_12",
        "json_ld",
        "query_results",
        "json_parsing",
        "json_canonical",
        "csv_spectrum",
        "xml_conformance",
        "urls",
        "host_names",
        "query_charsets",
        "index_keys",
        "encodings",
        "page_charsets",
        "tokenizer",
        "tree_construction",
        "pages",
        "feed_validator",
        "feed_links",
        "dates",
        "robots",
    )
]
