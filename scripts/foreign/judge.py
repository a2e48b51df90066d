"""everfresh's own answers to questions: a process that is asked in one go, and begun again if a question ends it."""

import json
import subprocess
import sys

from trials.program import ROOT

DIED = "the judge died"


def built(given):
    """The program that answers: the one given, or one built now."""
    if given:
        return given.absolute()
    if subprocess.run(["cargo", "build", "--quiet", "--package", "everfresh", "--example", "judge"], cwd=ROOT).returncode != 0:
        sys.exit(2)
    return ROOT / "target/debug/examples/judge"


def answers(program, questions):
    """An answer for each question, in order."""
    answered = []
    while len(answered) < len(questions):
        lines = "".join(json.dumps(question) + "\n" for question in questions[len(answered) :])
        done = subprocess.run([program], input=lines.encode(), capture_output=True)
        answered += [json.loads(line) for line in done.stdout.decode().splitlines()]
        if done.returncode != 0:
            answered.append({"error": f"{DIED}: {done.stderr.decode(errors='replace')[-200:]}"})
    return answered


def death(answer):
    """What the process said last, if this question ended it."""
    return answer["error"] if answer.get("error", "").startswith(DIED) else None
