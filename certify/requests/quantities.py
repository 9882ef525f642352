"""Numbers and expressions that users state beside a subject: from text to exact values."""

from fractions import Fraction

from constructions.errors import InputError
from constructions.language.expressions import (
    POSITION_AND_LENGTH,
    Constant,
    Expression,
    enclose_constant,
    parse_constant,
    parse_expression,
    parse_rational,
)
from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR
from constructions.network.validation import not_positive


def read_rational(text: str, option: str) -> Fraction:
    """Return a rational number of either sign.

    Raises:
        InputError: naming the option.
    """
    try:
        return parse_rational(text)
    except InputError as error:
        raise InputError(f"{option}: {error}") from None


def read_share(text: str, option: str, otherwise: str = "") -> Fraction:
    """Return a share between 0 and 1, such as 99.9%, 0.999 or 999/1000; errors add what is expected ``otherwise``.

    Raises:
        InputError: naming the option.
    """
    try:
        share = parse_rational(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except InputError:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise InputError(f"{option}: found {text or 'nothing'}, expected a share such as 99.9% or 0.999{otherwise}")
    return share


def read_positive(text: str, option: str) -> Fraction:
    """Return a positive rational.

    Raises:
        InputError: naming the option.
    """
    value = read_rational(text, option)
    if value <= 0:
        raise InputError(f"{option}: found {text}, expected a positive rational such as 3 or 1386/1000")
    return value


def read_constant(text: str, option: str) -> Constant:
    """Parse a positive number without variables, rational or not: 3, ln(4)/2, sqrt(2)+ln(3).

    Raises:
        InputError: naming the option.
    """
    try:
        constant = parse_constant(text)
    except InputError as error:
        raise InputError(f"{option}: {error}") from None
    if enclose_constant(constant)[0] <= 0:
        raise InputError(f"{option}: found {text}, expected a positive number such as 3, 1386/1000 or ln(4)")
    return constant


def read_allowed_error(text: str, option: str) -> Fraction:
    """Return a positive rational up to 1/4, where the feed-forward layers round.

    Raises:
        InputError: naming the option.
    """
    value = read_positive(text, option)
    check_allowed_error(value, option)
    return value


def check_allowed_error(value: Fraction, option: str) -> None:
    """Raise InputError if the allowed error of a head is too large: beyond 1/4 rounding does not remove it."""
    if value <= 0:
        raise InputError(f"{option}: found {value}, expected a number above 0")
    if value > ALLOWED_ERROR:
        raise InputError(f"{option}: found {value}, expected at most {ALLOWED_ERROR}: no layer rounds larger errors "
                         "away (Lemma 9)")


def read_expression(text: str, option: str, variables: frozenset[str] = POSITION_AND_LENGTH) -> Expression:
    """Return an expression in n and i, or in what ``variables`` are named.

    Raises:
        InputError: naming the option.
    """
    try:
        return parse_expression(text, variables)
    except InputError as error:
        raise InputError(f"{option}: {error}") from None


def read_lengths_to_bracket(text: str | None, lengths: Lengths, option: str = "--critical") -> list[int]:
    """Return the lengths at which critical constants are bracketed: those named, ``all`` or ``none``; else a few.

    >>> from constructions.network.lengths import up_to
    >>> [read_lengths_to_bracket(text, up_to(20)) for text in (None, "4, 8", "none")]
    [[4, 8, 16, 20], [4, 8], []]

    Raises:
        InputError: if it names something else than numbers.
    """
    if text == "none":
        return []
    if text == "all":
        return list(lengths)
    if text is None:
        return [n for n in lengths if n == lengths.last or (n >= 4 and n & (n - 1) == 0)]
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise InputError(f"{option}: found {text}, expected lengths such as 4,8,16, or all, or none")
    return [int(part) for part in parts]


def check_positive(expression: Expression, lengths: Lengths, option: str) -> None:
    """Raise InputError naming the option unless the expression has a positive value at every (n, i)."""
    try:
        for n, i in lengths.rows():
            if (found := not_positive(expression, i, n)) is not None:
                raise InputError(f"{expression} {found} at i = {i}, n = {n}, expected a positive number")
    except InputError as error:
        raise InputError(f"{option}: {error}") from None
