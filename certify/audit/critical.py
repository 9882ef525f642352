"""Critical constants: the smallest constant in front of the scores that still certifies, between two rationals.

At the upper end the network is certified by both provers and the independent checker; at the lower end a replayed word
refutes it. What lies between is as narrow as asked. Nothing is assumed about how the error depends on the constant: the
bracket holds *a* change from refuted to certified. Where the errors fall with the constant (as in all constructions of
[SHA]: docs/critical.md) it is the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.audit.claims import NetworkSubject
from certify.audit.decide import Question, Search, certify_run, find_witness, sketch
from certify.audit.results import Bracket, Critical, Witness
from certify.outcomes import Certified
from constructions.network.lengths import Lengths
from constructions.network.sharpening import is_sharpened
from proofs.discharge import Line

LARGEST_FACTOR = Fraction(2) ** 20
"""Constants are looked for between this many times the claimed one and its reciprocal."""
BACK_OFF = (1, 4, 16, 256, 4096, 65536)
"""Where no word refutes just below, it is looked for so many widths below."""


@dataclass(frozen=True)
class Threshold:
    """Constants on either side of a change: the obligations fail at ``fails`` and pass at ``passes``."""

    fails: Fraction
    passes: Fraction


class Bracketing:
    """The search for the critical constant of one claim."""

    def __init__(self, subject: NetworkSubject, search: Search):
        """``subject`` says what is claimed, and how its network depends on the constant."""
        self.subject = subject
        self.demands = subject.demands
        self.search = search

    def question(self, gamma: Fraction) -> Question:
        """The network with this constant."""
        return Question(self.subject.build(gamma), self.subject.regime, self.demands.delta,
                        self.subject.run_command(gamma))

    def critical(self, lengths: Lengths) -> Critical:
        """The bracket of the constant at ``lengths.last``, and of that which certifies all ``lengths``."""
        n = lengths.last
        here, note = self.bracket(Lengths(n, n))
        found = self._result(n, here, note)
        if here is None or found.gamma is None:
            return found
        if isinstance(certify_run(self.question(found.gamma.upper), lengths, self.search), Certified):
            return replace(found, up_to=found.gamma, up_to_n=n)
        every, _ = self.bracket(lengths)
        return replace(found, up_to=Bracket(every.fails, every.passes) if every else None,
                       up_to_n=every.witness.n if every and every.witness else n)

    def bracket(self, lengths: Lengths) -> tuple[Refined | None, str]:
        """The refined bracket for these lengths, or why there is none."""
        self.search.progress(f"critical constant at n = {lengths}")
        threshold = find_threshold(lambda gamma: self._passes(gamma, lengths), self.demands.gamma,
                                   self.demands.width / 4)
        if isinstance(threshold, str):
            return None, threshold
        return self._refine(threshold, lengths)

    def _passes(self, gamma: Fraction, lengths: Lengths) -> bool:
        return all(line.proved for line in self._lines(gamma, lengths))

    def _lines(self, gamma: Fraction, lengths: Lengths) -> Sequence[Line]:
        return sketch(self.question(gamma), lengths, self.search)

    def _refine(self, threshold: Threshold, lengths: Lengths) -> tuple[Refined | None, str]:
        """The ends as short numbers, certified and refuted in earnest."""
        step = threshold.passes * self.demands.width / 4
        passes = shortest_between(threshold.passes, threshold.passes + step)
        if not isinstance(certify_run(self.question(passes), lengths, self.search), Certified):
            return None, f"not certified at {passes}, where the exact prover alone proves it"
        for widths in BACK_OFF:
            fails = shortest_between(threshold.fails - (widths + 1) * step, threshold.fails - (widths - 1) * step)
            if fails <= 0:
                break
            lines = self._lines(fails, lengths)
            witness = find_witness(self.question(fails), lengths, lines, self.search)
            if witness:
                note = "" if widths == 1 else "no word refutes the constants between"
                return Refined(fails, passes, witness), note
        return Refined(Fraction(0), passes, None), "no word found that refutes a smaller constant"

    def _result(self, n: int, here: Refined | None, note: str) -> Critical:
        claimed, temperature = self.demands.gamma, self._temperature(n)
        if here is None:
            return Critical(n, None, Bracket(temperature, temperature), Bracket(Fraction(1), Fraction(1)), None,
                            temperature, note)
        slack = Bracket(claimed / here.passes, claimed / here.fails) if here.fails else Bracket(
            claimed / here.passes, LARGEST_FACTOR)
        return Critical(n, Bracket(here.fails, here.passes),
                        Bracket(temperature * slack.lower, temperature * slack.upper), slack, here.witness,
                        temperature, note)

    def _temperature(self, n: int) -> Fraction:
        """The claimed temperature of the last row."""
        network = self.subject.build(self.demands.gamma)
        return min((head.temperature.evaluate(i=n, n=n) for _, _, head in network.heads() if is_sharpened(head)),
                   default=Fraction(1))


@dataclass(frozen=True)
class Refined(Threshold):
    """A threshold whose upper end is certified and whose lower end is refuted by ``witness``."""

    witness: Witness | None


def find_threshold(passes: Callable[[Fraction], bool], start: Fraction, width: Fraction) -> Threshold | str:
    """Constants of relative distance at most ``width`` on either side of a change, or why there is none.

    >>> found = find_threshold(lambda x: x * x >= 2, Fraction(3), Fraction(1, 10**6))
    >>> found.fails**2 < 2 <= found.passes**2, found.passes / found.fails - 1 <= Fraction(1, 10**6)
    (True, True)
    """
    low = high = start
    if passes(start):
        while passes(low := low / 2):
            high = low
            if start / low > LARGEST_FACTOR:
                return "every constant that was tried certifies: nothing competes for attention"
    else:
        while not passes(high := high * 2):
            low = high
            if high / start > LARGEST_FACTOR:
                return "no constant that was tried certifies"
    while high - low > width * low:
        middle = shortest_between(low + (high - low) * Fraction(2, 5), low + (high - low) * Fraction(3, 5))
        low, high = (low, middle) if passes(middle) else (middle, high)
    return Threshold(low, high)


def shortest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator in [low, high].

    >>> str(shortest_between(Fraction(1386, 1000), Fraction(142, 100)))
    '7/5'
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = Fraction(whole - 1)
    return below + 1 / shortest_between(1 / (high - below), 1 / (low - below))
