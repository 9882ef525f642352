"""A word that breaks a claim, in one sentence and as a JSON object."""

from fractions import Fraction
from typing import Any

from certify.common.numbers import decimal_lower, decimal_upper, enclosed, ends_to_json
from certify.common.words import show_word
from constructions.language.printer import format_briefly
from constructions.network.meanings import Average, Mean, Meaning, Near, Others, Position, Product, Slack, Total, Truth
from proofs.enclosures.intervals import AtLeast, Interval
from proofs.words.replay import Counterexample

LEAST_WIDTH = Fraction(1, 10**30)
"""Wider than any enclosure of an irrational number, narrower than any interval of allowed values."""
DIGITS = 30


def describe_counterexample(found: Counterexample) -> str:
    """Describe in one sentence the word, the position, the value of the direction and the expected value."""
    value = enclosed(found.value.lower, found.value.upper)
    return (f"on the word {show_word(found.word)} (n = {len(found.word)}) at position {found.position}, "
            f"{found.direction} is {value}, expected {describe_expected(found)}")


def describe_expected(found: Counterexample) -> str:
    """Return the allowed values and why."""
    values = _describe_allowed(found.allowed)
    match found.meaning:
        case Near(formula) | Truth(formula) | Slack(formula) | Product(_, formula) if found.expected is not None:
            return f"{values} because {format_briefly(formula)} is {str(found.expected).lower()} there"
        case Mean() | Average() | Total() | Others():
            return f"{values}, {found.meaning}"
        case Position(value):
            return f"{values}, the value of {value}"
    return values


def _describe_allowed(allowed: Interval | AtLeast) -> str:
    if isinstance(allowed, AtLeast):
        return f"a number of at least {allowed.lower}"
    if allowed.is_point:
        return str(allowed.lower)
    if _is_irrational(allowed):
        return enclosed(allowed.lower, allowed.upper)
    return f"a number in [{allowed.lower}, {allowed.upper}]"


def _is_irrational(allowed: Interval) -> bool:
    """Return whether it encloses one irrational number; other allowed intervals are wider."""
    return allowed.upper - allowed.lower < LEAST_WIDTH


def _ends_in_json(allowed: Interval | AtLeast) -> list[str | None]:
    if isinstance(allowed, Interval) and not allowed.is_point and _is_irrational(allowed):
        return [decimal_lower(allowed.lower, DIGITS), decimal_upper(allowed.upper, DIGITS)]
    return [str(allowed.lower), None if allowed.upper is None else str(allowed.upper)]


def counterexample_to_json(found: Counterexample) -> dict[str, Any]:
    """Return word, position, direction, expected interval (a missing end is null) and the enclosed value."""
    return {
        "word": list(found.word),
        "position": found.position,
        "direction": found.direction,
        "subformula": _formula_text(found.meaning),
        "expected": found.expected,
        "allowed": _ends_in_json(found.allowed),
        **ends_to_json(found.value, "value_"),
    }


def _formula_text(meaning: Meaning) -> str | None:
    match meaning:
        case Truth(formula) | Near(formula) | Slack(formula) | Product(_, formula):
            return format_briefly(formula)
    return None
