"""From samples to one document, and from the document to the table that is printed."""

import os
import platform
from statistics import median, median_low

MEGABYTE = 1_000_000

# What everfresh must reach here: what is meant, where the document has it, the least and the most it may be.
GOALS = [
    ("times Scrapy's rate", ("ratios", "scrapy"), 15, None),
    ("times spider's rate (aim: 1)", ("ratios", "spider"), 0.5, None),
    ("CPU µs a page (aim: 180)", ("clients", "everfresh", "cpu_us_per_page"), None, 350),
    ("peak MB", ("clients", "everfresh", "peak_mb"), None, 300),
    ("pages not archived exactly once", ("clients", "everfresh", "amiss"), None, 0),
    ("pages of the second run without a 304 and a revisit record", ("second_run", "amiss"), None, 0),
    ("mean bytes of a revisit record", ("second_run", "revisit_bytes"), None, 999),
]


def document(pages, samples, second):
    """All that the bench found. `samples` has the runs of each client; `second` is everfresh's second run, or None."""
    clients = {name: client(runs) for name, runs in samples.items()}
    result = {"pages": pages, "cpus": os.cpu_count(), "machine": platform.platform(), "clients": clients}
    result |= {"ratios": {}, "rooms": {}, "second_run": {}}
    if "everfresh" in clients:
        rate = clients["everfresh"]["pages_per_second"]
        others = {name: other["pages_per_second"] for name, other in clients.items() if name != "everfresh"}
        result["ratios"] = {name: rate / other for name, other in others.items()}
        result["rooms"] = typical(samples["everfresh"]).says.get("rooms", {})
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


def verdict(result, name, place, least, most):
    """One goal held against the document; a figure that was not measured is neither met nor missed."""
    measured = result
    for key in place:
        measured = measured.get(key, {})
    if measured == {}:
        return {"goal": name, "measured": None, "met": None}
    met = (least is None or measured >= least) and (most is None or measured <= most)
    asked = f"at least {least}" if most is None else f"at most {most}"
    return {"goal": name, "asked": asked, "measured": measured, "met": met}


def table(result):
    """The document as lines for a person."""
    yield f"{'client':12}{'pages':>9}{'pages/s':>10}{'CPU µs/page':>13}{'peak MB':>9}  archived"
    for name, figures in result["clients"].items():
        archived = {None: "nothing", 0: "every page"}.get(figures.get("amiss"), "NOT ALL")
        yield row(name, figures, archived)
    if result["second_run"]:
        yield row("… again", result["second_run"], "revisit records")
    for name, ratio in result["ratios"].items():
        yield f"everfresh is {ratio:.2f} times as fast as {name}"
    if result["rooms"]:
        yield "CPU µs a page by room: " + ", ".join(f"{room} {spent:.0f}" for room, spent in result["rooms"].items())
    for goal in result["goals"]:
        if goal["met"] is not None:
            yield f"{'met   ' if goal['met'] else 'MISSED'} {goal['goal']}: {goal['measured']:,.5g} ({goal['asked']})"


def row(name, figures, archived):
    return (
        f"{name:12}{figures['pages']:>9,}{figures['pages_per_second']:>10,.0f}{figures['cpu_us_per_page']:>13,.0f}"
        f"{figures['peak_mb']:>9,.0f}  {archived}"
    )
