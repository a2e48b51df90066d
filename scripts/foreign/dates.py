"""The dates that feedparser is tested with, read out of its tests.

Those that its own parser does not read are no case: a test that a function for one notation leaves others alone.
"""

import ast
import calendar

from foreign.case import Case

NAME = "Dates of feeds"
REPOSITORY = "feedparser"
CHOICES = []


def cases(folder):
    tree = ast.parse((folder / "tests/test_date_parsers.py").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) == 3 and isinstance(node.elts[0], ast.Name):
            text, expected = (ast.literal_eval(part) for part in node.elts[1:])
            name = f"{node.elts[0].id}: {text!r}"
            if text and expected:
                question = {"ask": "date", "text": text}
                yield Case(name, [question], lambda answers, expected=expected: differs(expected, answers[0]))


def differs(expected, answer):
    seconds = calendar.timegm(expected)
    return None if answer.get("seconds") == seconds else f"is {answer.get('seconds')}, and should be {seconds}"
