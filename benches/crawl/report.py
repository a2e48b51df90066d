"""From samples to one document, and from the document to the table that is printed."""

import os
import platform
from statistics import median, median_low

MEGABYTE = 1_000_000

# What everfresh must reach in this bench: name, how to find it in the document, test, what the test asks.
GOALS = [
    ("times Scrapy's rate", lambda document: document["ratios"].get("scrapy"), lambda value: value >= 15, "at least 15"),
    ("times spider's rate", lambda document: document["ratios"].get("spider"), lambda value: value >= 0.5, "at least 0.5, aim 1"),
    ("CPU µs a page", lambda document: ours(document, "cpu_us_per_page"), lambda value: value <= 350, "at most 350, aim 180"),
    ("peak MB", lambda document: ours(document, "peak_mb"), lambda value: value < 300, "below 300"),
    ("pages not archived exactly once", lambda document: ours(document, "amiss"), lambda value: value == 0, "none"),
    ("pages not answered by 304 again", lambda document: again(document, "amiss"), lambda value: value == 0, "none"),
    ("bytes a revisit record", lambda document: again(document, "revisit_bytes"), lambda value: 0 < value < 1000, "a few hundred"),
]


def ours(document, figure):
    return document["clients"].get("everfresh", {}).get(figure)


def again(document, figure):
    return (document["second_run"] or {}).get(figure)


def document(pages, samples, second):
    """All that the bench found. `samples` has a list of runs for each client; `second` is the second run, if there was one."""
    clients = {name: client(runs) for name, runs in samples.items()}
    result = {"pages": pages, "cpus": os.cpu_count(), "machine": platform.platform(), "clients": clients}
    result |= {"ratios": {}, "rooms": None, "second_run": None}
    if "everfresh" in clients:
        rate = clients["everfresh"]["pages_per_second"]
        result["ratios"] = {name: rate / other["pages_per_second"] for name, other in clients.items() if name != "everfresh"}
        result["rooms"] = typical(samples["everfresh"]).says.get("rooms")
        clients["everfresh"]["amiss"] = max(pages - run.pages for run in samples["everfresh"])
    if second:
        result["second_run"] = client([second[0]]) | {
            "unchanged": second[1],
            "amiss": pages - min(second[0].pages, second[1]),
            "revisit_bytes": second[0].says["archive"]["mean_bytes"].get("revisit", 0),
        }
    result["goals"] = [verdict(result, *goal) for goal in GOALS]
    return result


def client(runs):
    """The median of each figure of one client, and its runs."""
    return {
        "pages": median_low(run.pages for run in runs),
        "pages_per_second": median(run.pages_per_second for run in runs),
        "cpu_us_per_page": median(run.cpu_us_per_page for run in runs),
        "peak_mb": median(run.peak_bytes for run in runs) / MEGABYTE,
        "requests": median_low(run.requests for run in runs),
        "runs": [vars(run) for run in runs],
    }


def typical(runs):
    """The run of median rate."""
    return sorted(runs, key=lambda run: run.pages_per_second)[len(runs) // 2]


def verdict(result, name, find, test, asked):
    measured = find(result)
    return {"goal": name, "asked": asked, "measured": measured, "met": None if measured is None else test(measured)}


def table(result):
    """The document as lines for a person."""
    yield f"{'client':12}{'pages':>9}{'pages/s':>10}{'CPU µs/page':>13}{'peak MB':>9}  archived"
    for name, figures in result["clients"].items():
        yield row(name, figures, "every page" if figures.get("amiss") == 0 else "NOT ALL" if name == "everfresh" else "nothing")
    if result["second_run"]:
        yield row("… again", result["second_run"], "revisit records")
    for name, ratio in result["ratios"].items():
        yield f"everfresh is {ratio:.2f} times as fast as {name}"
    if result["rooms"]:
        yield "CPU µs a page by room: " + ", ".join(f"{room} {spent:.0f}" for room, spent in result["rooms"].items())
    for goal in result["goals"]:
        if goal["met"] is not None:
            yield f"{'met   ' if goal['met'] else 'MISSED'} {goal['goal']}: {goal['measured']:.4g} ({goal['asked']})"


def row(name, figures, archived):
    return (
        f"{name:12}{figures['pages']:>9,}{figures['pages_per_second']:>10,.0f}{figures['cpu_us_per_page']:>13,.0f}"
        f"{figures['peak_mb']:>9,.0f}  {archived}"
    )
