"""The verdicts, their words and exit statuses, and how a refusal is worded.

accepted    every obligation of the claim is proved
rejected    an obligation cannot be proved, or the claim is not the one asked for; this does not say that it is false
malformed   the file (or what was asked) is not in the format, or is larger than the format allows
unreadable  there is no such file, or it cannot be read
incomplete  the check ended before it was done: it ran out of work or memory, or failed; nothing is known

Every refusal is one line. What a file says appears in it only through `quote` and `show`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import NoReturn

LONGEST_QUOTE = 100  # characters of a text of the file in a message
EXACT_BITS = 200  # numbers with more bits are shown by their order of magnitude


class Refusal(Exception):
    """Why a file is not accepted; one of the kinds below."""


class Rejected(Refusal):
    """An obligation could not be proved, or the claim is not the one asked for."""


class TooCoarse(Rejected):
    """An obligation that enclosures of this width leave open: narrower ones may prove it."""


class Malformed(Refusal):
    """The file is not a certificate of this version, or it is beyond a limit of its size."""


class Unreadable(Malformed):
    """There are no bytes to be read; nothing is wrong with them."""


class Incomplete(Refusal):
    """The check could not be completed; nothing is known about the claim."""


class TooLong(Incomplete):
    """A number would be longer than is allowed: who has another way may try it, as work and memory are left."""


ACCEPTED = "accepted"
WORDS = {Rejected: "rejected", TooCoarse: "rejected", Malformed: "malformed", Unreadable: "unreadable",
         Incomplete: "incomplete", TooLong: "incomplete"}
STATUS = {ACCEPTED: 0, "rejected": 1, "malformed": 2, "unreadable": 2, "incomplete": 3}
GRAVEST_FIRST = ("rejected", "malformed", "unreadable", "incomplete", ACCEPTED)


def verdict_of(refusal: Refusal) -> str:
    """Return the word for a refusal."""
    return WORDS[type(refusal)]


def require(condition: object, message: str, *values: object) -> None:
    """An obligation. The values take the places of ``{}`` in the message, and are only shown if it fails.

    Raises:
        Rejected: unless the condition holds.
    """
    if not condition:
        refuse(message, *values)


def refuse(message: str, *values: object) -> NoReturn:
    """What an obligation says that does not hold."""
    raise Rejected(message.format(*map(show, values)))


def expect(condition: object, message: str, *values: object) -> None:
    """A rule of the format, likewise.

    Raises:
        Malformed: unless the condition holds.
    """
    if not condition:
        raise Malformed(message.format(*map(show, values)))


@contextmanager
def within(where: str) -> Iterator[None]:
    """Adds to what goes wrong where it does."""
    try:
        yield
    except Refusal as refusal:
        raise type(refusal)(f"{where}: {refusal}") from None


def quote_all(names: Iterable[str]) -> str:
    """Names as ASCII literals, none of them shortened: what is claimed is said whole."""
    return ", ".join(map(ascii, names))


def quote(value: object) -> str:
    """Return a text of the file as an ASCII literal, not too long; of any other value of JSON what it is."""
    if isinstance(value, str):
        return literal(value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + "...")
    if isinstance(value, dict | list | tuple):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return show(value)


def literal(text: str) -> str:
    """Return a text in single quotes, in ASCII, so that nobody can tell where it ends but by its end."""
    escaped = ascii(text)
    return escaped if escaped.startswith("'") else "'" + escaped[1:-1].replace("'", "\\'") + "'"


def show(value: object) -> str:
    """Return a number, exactly if it is short, else by its order of magnitude; anything else as it is."""
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        if bits > EXACT_BITS:
            exponent = value.numerator.bit_length() - value.denominator.bit_length()
            return f"{'-' if value < 0 else ''}2^{exponent} or so"
    return str(value)
