"""Statements about the number of right inputs, and the verdict that certified bounds give; docs/howto/counts.md."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.requests.arguments import Exact, exact_text
from certify.requests.quantities import read_share
from constructions.errors import InputError
from constructions.language.expressions import parse_rational

_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+", re.ASCII)
STATED = ("at_least", "at_most", "exactly")


@dataclass(frozen=True)
class Amount:
    """A share of all inputs, or a number of inputs (the sum of their weights, if there are some)."""

    value: Fraction
    is_share: bool

    def of(self, total: Fraction) -> Fraction:
        """Return the number of inputs, of ``total``."""
        return self.value * total if self.is_share else self.value


@dataclass(frozen=True)
class CountQuestion:
    """A statement about the number of right inputs; without one, whether bounds are close.

    Close are bounds at most the share ``within`` of all inputs apart; if it is None, any but 0 and 100 %.
    """

    within: Fraction | None = None
    at_least: Amount | None = None
    at_most: Amount | None = None
    exactly: Amount | None = None

    @property
    def stated(self) -> Mapping[str, Amount]:
        """The stated amounts."""
        found = {name: getattr(self, name) for name in STATED}
        return {name: amount for name, amount in found.items() if amount is not None}

    def verdict(self, least: Fraction, most: Fraction, total: Fraction) -> str:
        """Return the verdict of certified bounds of the number of right inputs, of ``total``."""
        found = set(self._verdicts(least, most, total))
        if not found:
            return "certified" if self._is_close(least, most, total) else "unknown"
        return next(one for one in ("refuted", "unknown", "certified", "vacuous") if one in found)

    def _verdicts(self, least: Fraction, most: Fraction, total: Fraction) -> Iterator[str]:
        """Yield the verdict of each statement."""
        for name, amount in self.stated.items():
            value = amount.of(total)
            holds = {"at_least": least >= value, "at_most": most <= value, "exactly": least >= value >= most}
            fails = {"at_least": most < value, "at_most": least > value, "exactly": not least <= value <= most}
            is_vacuous = {"at_least": value <= 0, "at_most": value >= total, "exactly": False}
            yield ("vacuous" if is_vacuous[name] else "refuted" if fails[name] else
                   "certified" if holds[name] else "unknown")

    def _is_close(self, least: Fraction, most: Fraction, total: Fraction) -> bool:
        return least > 0 or most < total if self.within is None else most - least <= self.within * total


def read_amount(value: Exact, where: str) -> Amount:
    """Return an amount: an integer is a number of inputs; a text is a share if it has a % or is at most 1.

    >>> read_amount("99.9 %", "").value, read_amount("9,899", ""), read_amount(1, "").is_share
    (Fraction(999, 1000), Amount(value=Fraction(9899, 1), is_share=False), False)

    Raises:
        InputError: naming the place.
    """
    text = exact_text(where, value)
    text = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    try:
        amount = Fraction(0) if "%" in text else parse_rational(text)
    except InputError:
        amount = Fraction(-1)
    if amount < 0:
        raise InputError(f"{where}: found {text}, expected a share such as 99.9%, or a number of inputs")
    is_share = "%" in text or (amount <= 1 and not isinstance(value, int))
    return Amount(read_share(text, where), True) if is_share else Amount(amount, False)


def read_count_question(given: Mapping[str, Exact | None], spelled: Callable[[str], str] = str) -> CountQuestion:
    """Return the question of options, keys or arguments; messages have their names as ``spelled``.

    Raises:
        InputError: naming the first malformed one.
    """
    found = {name: read_amount(value, spelled(name)) for name in STATED if (value := given.get(name)) is not None}
    question = CountQuestion(None, **found)
    if (within := given.get("within")) is None:
        return question
    return replace(question, within=read_share(exact_text(spelled("within"), within), spelled("within")))
