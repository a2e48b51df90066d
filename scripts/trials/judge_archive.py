"""Says what is in the archive of a collection by the eyes of others; to be run by the Python that has warcio and pywb.

    target/python/bin/python scripts/trials/judge_archive.py COLLECTION

Prints one JSON document: every record that warcio reads, digests checked, and every line that pywb's indexer makes.
"""

import io
import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
from pywb.indexer.cdxindexer import write_cdx_index  # noqa: E402
from warcio.archiveiterator import ArchiveIterator  # noqa: E402


def records(path):
    with path.open("rb") as file:
        iterator = ArchiveIterator(file, check_digests="raise")
        for record in iterator:
            record.content_stream().read()
            field = record.rec_headers.get_header
            found = {"file": path.name, "type": record.rec_type, "uri": field("WARC-Target-URI"), "date": field("WARC-Date")}
            found["payload"] = field("WARC-Payload-Digest")
            found["refers"] = [field("WARC-Refers-To-Target-URI"), field("WARC-Refers-To-Date")]
            # The iterator knows where a record lies once it has read it.
            yield found | {"offset": iterator.get_record_offset(), "length": iterator.get_record_length()}


def lines(path):
    with path.open("rb") as file:
        out = io.BytesIO()
        write_cdx_index(out, file, path.name, cdxj=True, sort=True)
    return out.getvalue().decode().splitlines()


def main():
    archive, errors, found, indexed = Path(sys.argv[1]) / "archive", [], [], []
    for path in sorted(archive.glob("*.warc.gz")):
        try:
            found += records(path)
            indexed += lines(path)
        except Exception as error:  # whatever their tools complain of is what we want to know
            errors.append(f"{path.name}: {type(error).__name__}: {error}")
    json.dump({"errors": errors, "records": found, "lines": indexed}, sys.stdout)


if __name__ == "__main__":
    main()
