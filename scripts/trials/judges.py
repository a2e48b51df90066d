"""Whether archive, index and store say the same, by what warcio and pywb find and SQLite reads."""

import base64
import json
import subprocess
import sys
from pathlib import Path

from trials import collection


def disagreements(folder):
    """Everything in which archive, index and store differ, in words."""
    judged = subprocess.run([sys.executable, Path(__file__).parent / "judge_archive.py", folder], capture_output=True, check=True)
    judged = json.loads(judged.stdout)
    captures, files = known(folder)
    lines = index_lines(folder)
    found = list(judged["errors"])
    found += different_files(folder, files)
    found += misplaced(captures, judged["records"])
    found += differing("indexes", lines, "the store", {key: None for key in captures})
    found += unlike_pywb(lines, judged)
    return found


def known(folder):
    """The captures in the store by file and offset, and the length of each file."""
    store = collection.store(folder)
    captures = {}
    place = "SELECT files.name, {0}.position, {0}.length, {1}.url, {0}.payload, {0}.revisit FROM visits"
    pages = place.format("visits", "pages") + " JOIN pages ON pages.id = visits.page JOIN files ON files.id = visits.file"
    parts = place.format("parts", "parts") + " JOIN parts ON parts.visit = visits.id JOIN files ON files.id = parts.file"
    for query in (pages, parts):
        for name, position, length, url, payload, revisit in store.execute(query):
            captures[name, position] = (length, url, payload, bool(revisit))
    files = dict(store.execute("SELECT name, length FROM files WHERE length > 0"))
    store.close()
    return captures, files


def different_files(folder, files):
    there = {path.name: path.stat().st_size for path in (folder / "archive").glob("*.warc.gz")}
    found = differing("archive", there, "the store", files)
    for name, length in files.items():
        if there.get(name, length) != length:
            found.append(f"{name} has {there[name]} bytes, the store knows {length}")
    indexes = {path.name.replace(".cdxj", ".warc.gz"): None for path in (folder / "indexes").glob("*")}
    return found + differing("the folder of indexes", indexes, "the archive", files)


def misplaced(captures, records):
    """Captures that are not where the store says, and records of captures whose original is missing."""
    by_place = {(record["file"], record["offset"]): record for record in records}
    originals = {(record["uri"], record["date"]) for record in records if record["type"] == "response"}
    found = []
    for place, (length, url, payload, is_revisit) in captures.items():
        record = by_place.get(place)
        if record is None:
            found.append(f"warcio finds no record at {place}")
            continue
        expected = ("revisit" if is_revisit else "response", url, length, f"sha1:{base64.b32encode(payload).decode()}")
        if expected != (record["type"], record["uri"], record["length"], record["payload"]):
            found.append(f"{place} is {record}, the store says {expected}")
        if is_revisit and tuple(record["refers"]) not in originals:
            found.append(f"{place} refers to {record['refers']}, which is not there")
    return found


def index_lines(folder):
    """The lines of all index files by file and offset."""
    lines = {}
    for path in sorted((folder / "indexes").glob("*.cdxj")):
        text = path.read_text().splitlines()
        if text != sorted(text):
            lines[path.name, "order"] = "not sorted"
        for line in text:
            entry = json.loads(line.split(" ", 2)[2])
            lines[entry["filename"], int(entry["offset"])] = line
    return lines


def unlike_pywb(lines, judged):
    """Differences to what pywb's own indexer makes. Records that refer to a lost one stay in their files, unlisted."""
    originals = {(record["uri"], record["date"]) for record in judged["records"] if record["type"] == "response"}
    stray = {
        (record["file"], record["offset"])
        for record in judged["records"]
        if record["type"] == "revisit" and tuple(record["refers"]) not in originals
    }
    theirs = {place(line): told(line) for line in judged["lines"]}
    found = differing("indexes", lines, "pywb", {key: None for key in theirs if key not in stray})
    for key, line in lines.items():
        if key in theirs and told(line) != theirs[key]:
            found.append(f"{key}: our index says {told(line)}, pywb {theirs[key]}")
    return found


def place(line):
    entry = json.loads(line.split(" ", 2)[2])
    return entry["filename"], int(entry["offset"])


def told(line):
    """What a line says, however it writes numbers."""
    key, time, fields = line.split(" ", 2)
    return key, time, {name: str(value) for name, value in json.loads(fields).items()}


def differing(one_name, one, other_name, other):
    """What is in one and not in the other."""
    only_one, only_other = sorted(set(one) - set(other), key=str), sorted(set(other) - set(one), key=str)
    found = []
    for name, stranger, only in ((one_name, other_name, only_one), (other_name, one_name, only_other)):
        if only:
            found.append(f"{name} has {len(only)} that {stranger} has not, {only[0]} the first")
    return found
