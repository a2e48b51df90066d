"""The clients under measurement. Each is one function: server in, `Sample` out."""

import json
import shutil
import subprocess

import measure
from measure import BenchError
from prepare import EVERFRESH, HERE, PYTHON, SITE, SPIDER, TARGET

CONNECTIONS = 32
BARE_SECONDS = 4

COLLECTION = TARGET / "bench-collection"
# All that the bench knows of our command line.
SETTINGS = ["fetch.delay=0s", f"fetch.connections={CONNECTIONS}", "fetch.allow_private=true"]
OVERRIDES = [word for setting in SETTINGS for word in ("--set", setting)]
INIT = [EVERFRESH, "init", COLLECTION]
ADD = [EVERFRESH, "add", "--collection", COLLECTION]
FIRST_RUN = [EVERFRESH, "run", "--collection", COLLECTION, "--until-idle", "--json", *OVERRIDES]
SECOND_RUN = [EVERFRESH, "run", "--collection", COLLECTION, "--until-idle", "--json", *OVERRIDES]


def bare(server, seconds=BARE_SECONDS):
    """wrk: asks for the pages and reads the answers, nothing else. The limit of this server on this machine."""
    limits = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s"]
    command = ["wrk", *limits, "-s", HERE / "pages.lua", server.origin, "--", SITE / "paths.txt"]
    sample = measure.run(command)
    if sample.says["failed"]:
        raise BenchError(f"{sample.says['failed']} requests of wrk failed: see error.log beside nginx's configuration")
    sample.seconds = sample.says["seconds"]  # it also waits before and after, which a crawler with an end does not
    return sample


def scrapy(server):
    return measure.run([PYTHON, HERE / "scrapy_crawl.py", f"{server.origin}/"])


def spider(server):
    return measure.run([SPIDER, f"{server.origin}/"])


def everfresh(server):
    """A crawl into a new collection, which `second_run` finds there. Pages count if the archive holds them once."""
    shutil.rmtree(COLLECTION, ignore_errors=True)
    quiet(INIT)
    quiet([*ADD, f"{server.origin}/"])
    sample = measure.run(FIRST_RUN)
    sample.says["archive"] = verified(server)
    sample.pages = sample.says["archive"]["archived_once"]
    return sample


def second_run(server):
    """Visits every page again, nothing having changed."""
    sample = measure.run(SECOND_RUN)
    sample.says["archive"] = verified(server)
    sample.pages = sample.says["archive"]["revisited"]
    return sample


def verified(server):
    """What the archive holds by now (verify.py)."""
    return json.loads(quiet([PYTHON, HERE / "verify.py", COLLECTION, server.origin, SITE / "paths.txt"]))


def quiet(command):
    outcome = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if outcome.returncode != 0:
        raise BenchError(f"ended with {outcome.returncode}: {measure.shown(command)}")
    return outcome.stdout


# In the order of the table.
CLIENTS = {"bare": bare, "scrapy": scrapy, "spider": spider, "everfresh": everfresh}
