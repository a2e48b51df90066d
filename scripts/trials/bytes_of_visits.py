"""Where the bytes of a visit are: its records by type, its line in the index, its rows in the store."""

import json
import zlib
from collections import Counter

from trials import collection

CHUNK = 1 << 16


def report(folder):
    """Prints what changed and unchanged visits take in each place."""
    outcomes = outcomes_by_record(folder)
    bytes_of, visits = records(folder, outcomes)
    lines = index_lines(folder, outcomes)
    kinds = ("revisit", "response", "request", "metadata", "index line")
    print(f"{'bytes a visit':<14}" + "".join(f"{kind:>12}" for kind in kinds) + f"{'all':>9}{'visits':>10}")
    for outcome in sorted(visits):
        each = [bytes_of[outcome, kind] / visits[outcome] for kind in kinds[:4]] + [lines[outcome] / visits[outcome]]
        print(f"{outcome:<14}" + "".join(f"{number:>12.0f}" for number in each) + f"{sum(each):>9.0f}{visits[outcome]:>10,}")
    print()
    total = sum(visits.values())
    print("store, bytes a visit: " + ", ".join(f"{name} {size / total:.1f}" for name, size in tables(folder) if size / total >= 0.1))


def outcomes_by_record(folder):
    """Outcomes by file and offset of the visit's first record."""
    connection = collection.store(folder)
    query = "SELECT files.name, position, outcome FROM visits JOIN files ON files.id = visits.file"
    found = {(name, position): outcome for name, position, outcome in connection.execute(query)}
    connection.close()
    return found


def records(folder, outcomes):
    """Bytes by outcome and type of record, and visits by outcome. The records of a visit follow its first."""
    bytes_of, visits = Counter(), Counter()
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        outcome = None
        for offset, length, kind in members(path):
            if (path.name, offset) in outcomes:
                outcome = outcomes[path.name, offset]
                visits[outcome] += 1
            elif kind in ("revisit", "response", "warcinfo"):
                outcome = None
            bytes_of[outcome, kind] += length
    return bytes_of, visits


def members(path):
    """Offset, length and type of each record."""
    with path.open("rb") as file:
        data, offset = memoryview(file.read()), 0
    while offset < len(data):
        member, start, end = zlib.decompressobj(31), offset, offset
        text = b""
        while not member.eof:
            text += member.decompress(data[end : end + CHUNK])
            end += CHUNK
        end = min(end, len(data)) - len(member.unused_data)
        head = text[:400].decode("latin-1")
        yield start, end - start, head.split("WARC-Type: ", 1)[1].split("\r\n", 1)[0]
        offset = end


def index_lines(folder, outcomes):
    """Bytes of lines by outcome."""
    bytes_of = Counter()
    for path in (folder / "indexes").glob("*.cdxj"):
        for line in path.open():
            entry = json.loads(line.split(" ", 2)[2])
            bytes_of[outcomes.get((entry["filename"], int(entry["offset"])))] += len(line)
    return bytes_of


def tables(folder):
    """Tables and indexes of the store with their bytes, the largest first."""
    connection = collection.store(folder)
    found = connection.execute("SELECT name, SUM(pgsize) AS size FROM dbstat GROUP BY name ORDER BY size DESC").fetchall()
    connection.close()
    return found
