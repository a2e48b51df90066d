"""One round: a collection is crawled again and again under faults, then in peace, and then everything has to be right."""

import json
import random
import shutil
import signal
import subprocess
import time
from itertools import zip_longest

from trials import collection, judges, manners
from trials.crawl import Crawl
from trials.damage import Damage
from trials.living_pages import LATE
from trials.machine import kinds
from trials.place import Place
from trials.unsteady_web import UnsteadyWeb

ACTS = 7
DELAY = 0.03
KILLED, REFUSED = -signal.SIGKILL, 1
INTERRUPTED, INTERRUPTED_TWICE = 11, 13
# How long the crawl may take, with the faults over, until every page is held as it is: hosts that were in trouble are left
# alone for a while, pages that failed rest.
SETTLES_WITHIN = 150
# A capture's place, which goes with an archive file.
PLACE = ("file", "position", "length")
# What a process is to do; without a goal it goes on.
GOALS = [["--until-idle"], ["--until-idle"], ["--once"], []]
# In so many acts a name has no address yet.
UNKNOWN_ACTS = 2
# How a run may be told to end.
ENDINGS = [None, None, None, "kill", "kill", "term", "hup", "int", "twice"]
SIGNALS = {
    "kill": signal.SIGKILL,
    "term": signal.SIGTERM,
    "hup": signal.SIGHUP,
    "int": signal.SIGINT,
    "twice": signal.SIGTERM,
}


class Failed(Exception):
    """A check did not hold."""


class Round:
    def __init__(self, seed, program, folder, faketime):
        self.program = program
        self.random = random.Random(seed)
        self.place = Place(folder, faketime)
        self.web = UnsteadyWeb(random.Random(seed + 1), folder)
        self.damage = Damage(self.random, self.place.folder)
        self.acknowledged, self.met = [], []
        self.act_ends, self.forgetful_acts, self.hurried_acts = {}, set(), set()

    def run(self):
        self.place.prepare()
        self.web.start()
        collection.make(self.program, self.place.folder, self.settings(), self.web.pages.seeds())
        for number in range(1, ACTS + 1):
            self.act(number)
        self.settle()
        self.judge()

    def settings(self):
        return {
            "schedule": {"cycle": "200ms", "budget": 60, "policy": "age"},
            "fetch": {
                "delay": f"{DELAY * 1000:.0f}ms",
                "connect_timeout": "2s",
                "first_byte_timeout": "1500ms",
                "total_timeout": "4s",
                "allow_private": True,
                "ca_file": str(self.web.authority),
                "resolve": self.web.resolve(late_is_known=False),
            },
            "archive": {"roll": "40kB"},
        }

    def act(self, number):
        """One process under faults."""
        if self.random.random() < 0.1:
            self.try_without_archive()
        self.met += self.damage.draw()
        self.web.pages.change(self.random)
        self.web.begin_act(number, is_calm=False)
        goal, ending, faults = self.draw()
        crawl = self.start(number, goal, faults)
        if ending:
            self.tell(crawl, ending)
        code = crawl.end()
        self.end_faults(faults)
        if code not in (0, INTERRUPTED):
            self.forgetful_acts.add(number + 1)
        names = [fault.name() for fault in faults]
        self.met += names + [ending] * bool(ending) + sorted(self.web.met)
        self.last = f"act {number}: {' '.join(['run', *goal, *names])}, {ending or 'not told to end'}: exit code {code}"
        self.check(crawl, code, right_codes(goal, ending, faults))

    def draw(self):
        """What a process is to do, how it is told to end, and what happens to it."""
        available = kinds(self.place.is_mounted, self.place.faketime is not None)
        chosen = self.random.sample(available, self.random.choice([0, 1, 1, 2, 3]))
        goal, ending = self.random.choice(GOALS), self.random.choice(ENDINGS)
        # Who has no goal has to be told.
        return goal, ending or (None if goal else "term"), [kind(self.random, self.place) for kind in chosen]

    def start(self, number, goal, faults):
        settings = [f"schedule.policy={self.random.choice(['age', 'everfresh'])}"]
        if number > UNKNOWN_ACTS:
            settings.append(f'fetch.resolve."{LATE}"=127.0.0.1:{self.web.ports[LATE]}')
        offset = self.place.offset
        arguments = [*goal, *(argument for setting in settings for argument in ("--set", setting))]
        crawl = Crawl(self.program, self.place.folder, arguments, faults)
        if self.place.offset > offset:
            self.hurried_acts.add(number)
        return crawl

    def end_faults(self, faults):
        for fault in faults:
            fault.after()
        if self.place.offset < 0:
            # The clock is right again, which sets it forward.
            self.hurried_acts.add(self.web.act + 1)
        self.place.offset = 0

    def try_without_archive(self):
        """An archive that is gone altogether is more likely away: the crawl refuses, and nothing is forgotten."""
        archive, away = self.place.folder / "archive", self.place.folder / "away"
        if not any(archive.glob("*.warc.gz")):
            return
        archive.rename(away)
        crawl = Crawl(self.program, self.place.folder, ["--once"], [])
        code = crawl.end()
        if archive.exists():
            shutil.rmtree(archive)
        away.rename(archive)
        self.met.append("archive-away")
        self.last = "run --once without an archive"
        self.check(crawl, code, {REFUSED})

    def tell(self, crawl, ending):
        """Waits for a moment and ends the crawl, having seen what it had acknowledged by then."""
        self.web.wait_for_requests(self.random.randrange(0, 150), seconds=self.random.uniform(1, 8))
        self.see()
        crawl.over.set()
        # Who is stopped hears nothing.
        crawl.signal(signal.SIGCONT)
        crawl.signal(SIGNALS[ending])
        if ending == "twice":
            time.sleep(self.random.uniform(0, 0.2))
            crawl.signal(signal.SIGTERM)

    def check(self, crawl, code, right):
        self.act_ends[self.web.act] = crawl.ended_at
        complaints = list(crawl.complaints)
        if code not in right:
            complaints.append(f"exit code {code}, not one of {sorted(right)}: {crawl.said['stderr'][-600:].strip()}")
        if complaints:
            raise Failed(f"{self.last}: {'; '.join(complaints)}")
        self.see()

    def see(self):
        """What a reader sees now has to begin with what a reader saw before."""
        exported = subprocess.run([self.program, "export", "visits", "-C", self.place.folder], capture_output=True)
        if exported.returncode != 0:
            # No room for what a reader needs is no loss; whether there is one shows later.
            return
        visits = [json.loads(line) for line in exported.stdout.splitlines()]
        for number, (before, now) in enumerate(zip_longest(self.acknowledged, visits), start=1):
            if before is None:
                break
            if now is None or now != before and not self.has_lost_its_place(number, before, now):
                raise Failed(f"visit {number} was acknowledged as {before} and is {now}")
        self.acknowledged = visits

    def has_lost_its_place(self, number, before, now):
        same = {key for key in before if key not in PLACE and before[key] == now[key]}
        return number in self.damage.may_be_lost and len(same) == len(before) - len(PLACE) and now["file"] is None

    def settle(self):
        """With the faults over, runs until every page is held as it is."""
        self.web.begin_act(ACTS + 1, is_calm=True)
        settings = self.settings()
        settings["fetch"]["resolve"] = self.web.resolve(late_is_known=True)
        (self.place.folder / "everfresh.toml").write_text(collection.toml(settings))
        until, act = time.monotonic() + SETTLES_WITHIN, ACTS
        while True:
            act += 1
            self.web.begin_act(act, is_calm=True)
            crawl = Crawl(self.program, self.place.folder, ["--until-idle"], [])
            self.last = f"run {act - ACTS} after the faults"
            self.check(crawl, crawl.end(), {0})
            stale = self.stale_pages()
            if not stale:
                return
            if time.monotonic() > until:
                raise Failed(f"{len(stale)} pages are stale after {SETTLES_WITHIN} s of peace, {stale[0]} the first")
            time.sleep(1)

    def stale_pages(self):
        """Pages whose copy is not the current version."""
        store = collection.store(self.place.folder)
        held = dict(store.execute("SELECT url, payload FROM copies JOIN pages ON pages.id = copies.page"))
        store.close()
        return sorted(url for url, payload in self.web.pages.payloads().items() if held.get(url) != payload)

    def judge(self):
        found = judges.disagreements(self.place.folder)
        found += manners.violations(self.web.log, DELAY, self.act_ends, self.forgetful_acts, self.hurried_acts)
        if found:
            raise Failed("; ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else ""))

    def close(self):
        self.web.stop()


def right_codes(goal, ending, faults):
    """The exit codes that are right for such a run."""
    codes = set().union(*(fault.codes for fault in faults))
    codes |= {0} if goal else set()
    codes |= set().union(*(fault.codes_at_end for fault in faults)) if ending else set()
    codes |= {None: set(), "kill": {KILLED}, "twice": {INTERRUPTED, INTERRUPTED_TWICE}}.get(ending, {INTERRUPTED})
    return codes
