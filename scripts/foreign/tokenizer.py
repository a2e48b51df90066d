"""html5lib's tests of the HTML tokenizer: characters are text, and an a leads where its href says.

Only tests that begin as a page does, and without elements whose content is no markup: these are for the tree to tell.
"""

import json
import re

from foreign.markup import HIDDEN, shows

NAME = "HTML tokens"
REPOSITORY = "html5lib-tests"
CHOICES = []
APART = HIDDEN | {"title", "textarea", "xmp", "plaintext", "svg", "math"}


def cases(folder):
    for path in sorted((folder / "tokenizer").glob("*.test")):
        for test in json.loads(path.read_text()).get("tests", []):
            source, tokens = test["input"], test["output"]
            if test.get("doubleEscaped"):
                source, tokens = unescaped(source), [[unescaped(part) for part in token] for token in tokens]
            if is_page(test, source, tokens):
                yield shows(f"{path.name}: {test['description']}", source.encode(), ("#document", {}, list(nodes(tokens))))


def unescaped(text):
    """Some tests escape twice what JSON cannot have."""
    if not isinstance(text, str):
        return text
    return re.sub(r"\\+u([0-9A-Fa-f]{4})", lambda found: chr(int(found[1], 16)), text)


def is_page(test, source, tokens):
    begins = "Data state" in test.get("initialStates", ["Data state"])
    text = source + json.dumps(tokens, ensure_ascii=False)
    encodable = not re.search("[\ud800-\udfff]", text) and "\0" not in source
    return begins and encodable and not any(token[0] == "StartTag" and token[1] in APART for token in tokens)


def nodes(tokens):
    for token in tokens:
        if token[0] == "Character":
            yield token[1]
        elif token[0] == "StartTag":
            yield (token[1], token[2], [])
