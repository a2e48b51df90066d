"""A case of a suite: what is asked of everfresh, and in what its answers differ from what the suite expects."""

import base64
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Case:
    """`differs` takes the answers, one a question, and says in words what is wrong with them; None if nothing is."""

    name: str
    questions: list
    differs: Callable


def data(body, media_type, base="http://a.example/d", any_order=False):
    """What does this document of data say?"""
    return {"ask": "data", "body": encoded(body), "media_type": media_type, "base": base, "any_order": any_order}


def page(body, content_type=None, url="http://a.example/d/"):
    """What is on this page?"""
    return {"ask": "page", "body": encoded(body), "content_type": content_type, "url": url}


def url(reference, base=None):
    """What is the normal form of this reference?"""
    return {"ask": "url", "reference": reference, "base": base}


def encoded(body):
    return base64.b64encode(body).decode()


def is_read(name, question):
    """A document that is to be read."""
    return Case(name, [question], lambda answers: refusal(answers[0]))


def is_refused(name, question):
    """A document that breaks the rules of its format."""
    return Case(name, [question], lambda answers: None if "error" in answers[0] else "read, and should not be")


def is_same(name, one, other):
    """Two documents that say the same."""

    def differs(answers):
        wrong = refusal(answers[0]) or refusal(answers[1])
        if wrong is None and answers[0]["digest"] != answers[1]["digest"]:
            wrong = f"judged as different: {answers[0]['statements']} and {answers[1]['statements']} statements"
        return wrong

    return Case(name, [one, other], differs)


def are_different(name, questions):
    """Documents of which no two say the same, by names of their own."""

    def differs(answers):
        seen, wrong = {}, []
        for label, answer in zip(questions, answers):
            if "digest" in answer:
                wrong += [f"{label} is judged as {seen[answer['digest']]}"] if answer["digest"] in seen else []
                seen[answer["digest"]] = label
        return "; ".join(wrong) or None

    return Case(name, list(questions.values()), differs)


def refusal(answer):
    return f"not read: {answer['error']}" if "error" in answer else None
