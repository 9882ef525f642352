"""The shortest true sentence about a certificate, from the lines that the checker prints.

The action that checks a repository (`.github/actions/check`) runs this file from a checkout, with the standard library
only: it imports nothing else.
"""

import re
from collections.abc import Sequence

LENGTHS = re.compile(r"(?:for every n in|on every word of length) (\d+)(?:\.\.(\d+)| or more)")
FORMULA = "the output is exactly 1 where the formula holds, and exactly 0 where not"
REFUTED, VACUOUS = "the claim that follows is FALSE", "the claim that follows is VACUOUS"


def headline(lines: Sequence[str]) -> str:
    """Summarise what is proved in a few words; the checker writes the lines itself, and quotes all names.

    >>> headline(["alphabet     'a', 'b'", "claim        on every word of length 2..5 over the alphabet, at offset 0:"])
    'a claim about all words of length 2 to 5 is proved'
    """
    if is_refutation(lines):
        shown = {"wrong execution": "wrong in a float execution", "wrong word": "wrong on a word"}
        return next((text for name, text in shown.items() if any(line.startswith(name) for line in lines)),
                    "wrong on an input")
    if lines[0].startswith(VACUOUS):
        return "a vacuous claim"
    words = words_of_lengths(lines)
    if words is None:
        return "a claim about all allowed inputs is proved"
    return f"right on {words}" if FORMULA in beginning_of_claim(lines) else f"a claim about {words} is proved"


def is_refutation(lines: Sequence[str]) -> bool:
    """Return whether the checker states that the claim is false."""
    return lines[0].startswith(REFUTED)


def is_of_every_length(lines: Sequence[str]) -> bool:
    """Return whether the claim is about words of every length."""
    found = LENGTHS.search(beginning_of_claim(lines))
    return found is not None and found[2] is None


def words_of_lengths(lines: Sequence[str]) -> str | None:
    """Describe the words of the claim by their lengths; None if it is not about all words of some lengths."""
    found = LENGTHS.search(beginning_of_claim(lines))
    if found is None:
        return None
    least = int(found[1])
    if found[2] is None:
        return "all words" if least <= 1 else f"all words of length >= {least}"
    if least <= 1:
        return f"all words of length <= {found[2]}"
    return f"all words of length {least}" + (f" to {found[2]}" if least < int(found[2]) else "")


def beginning_of_claim(lines: Sequence[str]) -> str:
    """Return the first lines of the claim, which contain its words."""
    start = next(place for place, line in enumerate(lines) if line.startswith("claim "))
    return " ".join(line.strip() for line in lines[start:start + 3])
