"""Random small changes of a file that was printed for Coq, in the text itself: one number, one word or one entry."""

import random
import re
from collections.abc import Sequence

_CLASSES: Sequence[Sequence[str]] = [
    ("Unmasked", "FutureMasked", "PastMasked"),
    ("Add", "Sub", "Mul", "Div"),
    ("VarI", "VarN"),
    ("IntI", "IntN"),
    ("And", "Or", "Implies", "Iff", "Since", "Until"),
    ("Not", "Previous", "Next"),
    ("ODD", "EVEN", "FIRST", "LAST", "SQUARE", "POW2", "PRIME"),
    ("ToLeft", "ToRight"),
    ("AtMost", "Below", "AtLeast", "Above", "Equal", "Unequal"),
    ("true", "false"),
]
_ALTERNATIVES = {word: [other for other in words if other != word] for words in _CLASSES for word in words}
_WORD = re.compile(r"-?\b\d+(?![\w%])|\b\d+(?=%)|\bf\d+\b|\b(?:" + "|".join(_ALTERNATIVES) + r")\b")
_PARTS = {
    "temperature": re.compile(r"(?<=Masked )(\((?:Num|Div|Mul|Power).*?\)|Var[IN])(?= \[)"),
    "mask": re.compile(r"\b\w*(?:Unm|M)asked\b"),
    "bias": re.compile(r"(?<=\] )(?:\(.*?\)|\d+)(?= \[)"),
    "weight": re.compile(r"\|-> (?:\(.*?\)|\d+)"),
    "wire": re.compile(r"\d+ \|->|\(\d+%nat"),
    "position function": re.compile(r"(?<=nat, )(?:Formula|Bracket) .*?(?=\) \(\*)"),
    "meaning": re.compile(r"(?<=[\[;] )?\bIs(?:Truth|Slack|Near|Position|Product|Mean|Others) .*?(?= \(\*)"),
    "formula": re.compile(r"(?<=^Definition )f\d+ : formula := .*?(?=\.)", re.MULTILINE),
    "claim or output": re.compile(r"claim : formula := f\d+|\d+(?=%nat\.$)", re.MULTILINE),
    "entry": re.compile(r"(?<=\n    )\S.*?;\n|(?<=\[ )\S.*?;\n"),
}
PARTS = tuple(_PARTS)


def mutate_file(text: str, part: str, rng: random.Random) -> str | None:
    """Return the text with one such part changed; None if it has none, or none that can be changed."""
    places = [found.span() for found in _PARTS[part].finditer(text)]
    if not places:
        return None
    start, end = rng.choice(places)
    if part == "entry":
        return text[:start] + text[end:].lstrip()
    words = [found for found in _WORD.finditer(text, start, end) if not text[:found.start()].endswith("Definition ")]
    if not words:
        return None
    word = rng.choice(words)
    return text[:word.start()] + _another(word[0], text, rng) + text[word.end():]


def _another(word: str, text: str, rng: random.Random) -> str:
    if word in _ALTERNATIVES:
        return rng.choice(_ALTERNATIVES[word])
    if word.startswith("f"):
        return rng.choice([name for name in re.findall(r"^Definition (f\d+) ", text, re.MULTILINE) if name != word])
    number = int(word)
    others = {number + 1, number - 1, 2 * number, -number, 0} - {number}
    changed = rng.choice(sorted(others))
    return str(changed) if changed >= 0 or word.startswith("-") else f"({changed})"
