"""Counts what a crawl archived, as read by warcio, so that our own reader does not judge our own writer.

    verify.py ARCHIVE ORIGIN PATHS

Every *.warc.gz under ARCHIVE is read; the pages expected are ORIGIN followed by each line of PATHS. Prints a JSON
object.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator


def records(archive):
    """Kind, address and compressed size of each record of each file."""
    for file in sorted(archive.rglob("*.warc.gz")):
        with file.open("rb") as stream:
            iterator = ArchiveIterator(stream)
            for record in iterator:
                address = record.rec_headers.get_header("WARC-Target-URI")
                iterator.read_to_end(record)
                yield record.rec_type, address, iterator.get_record_length()


def main():
    archive, origin, paths = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    expected = {origin + path for path in paths.read_text().split()}
    kinds, sizes, responses, revisits = Counter(), Counter(), Counter(), Counter()
    for kind, address, size in records(archive):
        kinds[kind] += 1
        sizes[kind] += size
        if address in expected:
            responses[address] += kind == "response"
            revisits[address] += kind == "revisit"
    report = {
        "pages": len(expected),
        "archived_once": sum(responses[address] == 1 for address in expected),
        "missing": sum(responses[address] == 0 for address in expected),
        "repeated": sum(responses[address] > 1 for address in expected),
        "revisited": sum(revisits[address] > 0 for address in expected),
        "records": dict(kinds),
        "mean_bytes": {kind: round(sizes[kind] / kinds[kind]) for kind in kinds},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
