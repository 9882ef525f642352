"""The verdicts, their words and exit statuses, and the wording of refusals.

accepted    every obligation of the claim is proved
rejected    an obligation cannot be proved, or the claim is not the required one; it may still be true
malformed   the file (or the request) is not in the format, or is larger than the format allows
unreadable  the file does not exist, or cannot be read
incomplete  the check ended early: it ran out of work or memory, or failed; nothing is known

Every refusal is one line. Text of the file appears in it only through `quote` and `show`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import NoReturn

LONGEST_QUOTE = 100  # characters of a text of the file in a message
EXACT_BITS = 200  # numbers with more bits are shown by their order of magnitude


class Refusal(Exception):
    """The reason why a file is not accepted; one of the kinds below."""


class Rejected(Refusal):
    """An obligation could not be proved, or the claim is not the required one."""


class TooCoarse(Rejected):
    """An obligation that enclosures of this width do not decide: narrower ones may prove it."""


class Malformed(Refusal):
    """The file is not a certificate of this version, or it is beyond a limit of its size."""


class Unreadable(Malformed):
    """The bytes of the file could not be read; nothing is wrong with them."""


class Incomplete(Refusal):
    """The check could not be completed; nothing is known about the claim."""


class TooLong(Incomplete):
    """A number would be longer than is allowed: a caller with another method may try it within its budget."""


ACCEPTED = "accepted"
WORDS = {Rejected: "rejected", TooCoarse: "rejected", Malformed: "malformed", Unreadable: "unreadable",
         Incomplete: "incomplete", TooLong: "incomplete"}
STATUS = {ACCEPTED: 0, "rejected": 1, "malformed": 2, "unreadable": 2, "incomplete": 3}
GRAVEST_FIRST = ("rejected", "malformed", "unreadable", "incomplete", ACCEPTED)


def verdict_of(refusal: Refusal) -> str:
    """Return the word for a refusal."""
    return WORDS[type(refusal)]


def require(condition: object, message: str, *values: object) -> None:
    """Raise Rejected unless an obligation holds; the values replace ``{}`` in the message, formatted only then."""
    if not condition:
        refuse(message, *values)


def refuse(message: str, *values: object) -> NoReturn:
    """Reject with this message; the values replace ``{}``."""
    raise Rejected(message.format(*map(show, values)))


def expect(condition: object, message: str, *values: object) -> None:
    """Raise Malformed unless a rule of the format holds; the values replace ``{}`` in the message."""
    if not condition:
        raise Malformed(message.format(*map(show, values)))


@contextmanager
def within(where: str) -> Iterator[None]:
    """Prefix the message of a refusal with its location."""
    try:
        yield
    except Refusal as refusal:
        raise type(refusal)(f"{where}: {refusal}") from None


def quote_all(names: Iterable[str]) -> str:
    """Return names as ASCII literals, none shortened, since a claim is printed in full."""
    return ", ".join(map(ascii, names))


def quote(value: object) -> str:
    """Return a text of the file as an ASCII literal, shortened; of another JSON value, its type or the value itself."""
    if isinstance(value, str):
        return literal(value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + "...")
    if isinstance(value, dict | list | tuple):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return show(value)


def literal(text: str) -> str:
    """Return a text as an ASCII literal in single quotes; quotes inside are escaped, so that its end is unambiguous."""
    escaped = ascii(text)
    return escaped if escaped.startswith("'") else "'" + escaped[1:-1].replace("'", "\\'") + "'"


def show(value: object) -> str:
    """Return a number exactly if it is short, else by its order of magnitude; any other value as it is."""
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        if bits > EXACT_BITS:
            exponent = value.numerator.bit_length() - value.denominator.bit_length()
            return f"{'-' if value < 0 else ''}2^{exponent} or so"
    return str(value)
