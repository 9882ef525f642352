"""Statements about the number of right inputs, and the verdict that certified bounds give; docs/howto/counts.md."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from certify.requests.arguments import Exact, exact_text
from certify.requests.quantities import read_share
from constructions.errors import InputError

_WHOLE = re.compile(r"[0-9]{1,999}|[0-9]{1,3}(,[0-9]{3}){1,333}", re.ASCII)
STATED = ("at_least", "at_most", "exactly")


@dataclass(frozen=True)
class Amount:
    """A share of all inputs, or a number of inputs."""

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
        if not total and "refuted" not in found:
            return "vacuous"
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
    """Return an amount: a whole number is one of inputs; a percentage, fraction or decimal from 0 to 1 is a share.

    The text "1" could be either, and is rejected; the integer is one input.

    >>> read_amount("99.9 %", "").value, read_amount("9,899", ""), read_amount("1.0", "").is_share
    (Fraction(999, 1000), Amount(value=Fraction(9899, 1), is_share=False), True)

    Raises:
        InputError: naming the place.
    """
    text = exact_text(where, value).strip()
    if _WHOLE.fullmatch(text) and not isinstance(value, Fraction):
        amount = Fraction(text.replace(",", ""))
        if amount == 1 and isinstance(value, str):
            raise InputError(f"{where}: found {text}, expected 100% for all inputs, or a number of inputs above 1")
        return Amount(amount, False)
    expected = ", or a whole number of inputs"
    if isinstance(value, str) and not {*"%./"} & {*text}:
        raise InputError(f"{where}: found {text or 'nothing'}, expected a share such as 99.9% or 0.999{expected}")
    return Amount(read_share(text, where, expected), True)


def read_count_question(given: Mapping[str, Any], spelled: Callable[[str], str] = str) -> CountQuestion:
    """Return the question of options, keys or arguments; messages have their names as ``spelled``.

    Raises:
        InputError: naming the first malformed one, or a number of inputs that have ``weights``.
    """
    found = {name: read_amount(value, spelled(name)) for name in STATED if (value := given.get(name)) is not None}
    for name, amount in found.items() if given.get("weights") is not None else ():
        if not amount.is_share:
            raise InputError(f"{spelled(name)}: found {amount.value} inputs, expected a share such as 99.9%, as inputs "
                             "have weights")
    question = CountQuestion(None, **found)
    if (within := given.get("within")) is None:
        return question
    return replace(question, within=read_share(exact_text(spelled("within"), within), spelled("within")))
