"""Google's tests of its robots.txt parser, read out of the C++ in which they are written.

A test is a block of string constants and calls; those whose strings are made in loops are left out. Agents and URLs may be
any there; a crawl has a name and asks for whole URLs, so calls without are left out too.
"""

import ast
import re

from foreign.case import Case, encoded

NAME = "robots.txt"
REPOSITORY = "robotstxt"
CHOICES = [
    ("GoogleOnly_|ID_LineSyntax_Line 6", "Google's own additions to the RFC"),
    ("ID_Encoding", "URLs are escaped before they are asked about, and unescaped characters are what they stand for (RFC 9309, 2.2.2)"),
]
STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
TEST = re.compile(r"^TEST\(RobotsUnittest, (\w+)\) \{\n(.*?)^\}", re.M | re.S)
CONSTANT = re.compile(rf"(?:string_view|std::string) (\w+)\s*=\s*({STRING});")
ARGUMENT = rf"\s*({STRING}|\w+)\s*"
CALL = re.compile(rf"EXPECT_(TRUE|FALSE)\(\s*IsUserAgentAllowed\({ARGUMENT},{ARGUMENT},{ARGUMENT}\)\)")


def cases(folder):
    source = re.sub(r"^\s*//.*$", "", (folder / "robots_test.cc").read_text(), flags=re.M)
    for name, body in TEST.findall(source):
        constants = {}
        for number, statement in enumerate(re.finditer(f"{CONSTANT.pattern}|{CALL.pattern}", body)):
            constant, text, verdict, *arguments = statement.groups()
            if constant:
                constants[constant] = strings(text)
            else:
                yield from call(f"{name} {number}", verdict == "TRUE", [value(constants, argument) for argument in arguments])


def strings(text):
    """Adjacent literals of C++ are near enough to those of Python, but for their bytes."""
    return ast.literal_eval("(" + re.sub(r'"((?:[^"\\]|\\.)*)"', r'b"\1"' if text.isascii() else r'"\1"', text) + ")")


def value(constants, argument):
    return constants.get(argument) if re.fullmatch(r"\w+", argument) else strings(argument)


def call(name, allowed, arguments):
    if not all(arguments):
        return
    body, agent, url = (text.encode() if isinstance(text, str) else text for text in arguments)
    question = {"ask": "robots", "body": encoded(body), "agent": agent.decode(), "url": url.decode()}
    yield Case(f"{name}: {agent.decode()} at {url.decode()}", [question], lambda answers: differs(allowed, answers[0]))


def differs(allowed, answer):
    if "error" in answer:
        return answer["error"]
    return None if answer["allows"] == allowed else f"{'forbidden' if allowed else 'allowed'}, and should not be"
