"""Critical constants: the smallest constant in front of the scores that still certifies, between two rationals.

At the upper end the network is certified by both provers and the independent checker; at the lower end a replayed word
refutes it. What lies between is as narrow as asked. Nothing is assumed about how the error depends on the constant: the
bracket holds *a* change from refuted to certified. Where the errors fall with the constant (as in all constructions of
[SHA]: docs/critical.md) it is the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.decide import Progress, Question, Search, certify_run, find_witness, question_of, sketch
from certify.auditing.results import Bracket, Critical, Witness
from certify.auditing.threshold import Threshold, find_threshold, read_probe, shortest_between
from certify.outcomes import Certified
from certify.request import Request
from constructions.network.lengths import Lengths
from constructions.network.sharpening import is_sharpened
from proofs.discharge import Line, Memory
from proofs.obligations.attention import forget_options

FURTHER = (Fraction(99, 100), Fraction(9, 10), Fraction(1, 2))
"""Where no word refutes just below, one is looked for at so much of the constant."""


class Bracketing:
    """The search for the critical constant of one claim."""

    def __init__(self, request: Request, width: Fraction, progress: Progress = lambda _: None):
        """``request`` says what is claimed, and how its network depends on the constant."""
        self.request = request
        self.width = width
        self.search = Search(progress=progress)

    def question(self, gamma: Fraction) -> Question:
        """The network with this constant."""
        return question_of(self.request.with_gamma(gamma))

    def critical(self, lengths: Lengths) -> Critical:
        """The bracket of the constant at ``lengths.last``, and of that which certifies all ``lengths``."""
        n = lengths.last
        here, note = self.bracket(n)
        found = self._result(n, here, note)
        if here is not None:
            every, place = self._largest(lengths, here)
            if isinstance(certify_run(self.question(every.passes), lengths, self.search), Certified):
                found = replace(found, up_to=Bracket(every.fails, every.passes), up_to_n=place)
        forget_options()
        return found

    def _largest(self, lengths: Lengths, here: Refined) -> tuple[Refined, int]:
        """The largest bracket over all lengths, and the length that needs it."""
        largest, place = here, lengths.last
        for n in lengths:
            if not all(line.proved for line in self._lines(largest.passes, Lengths(n, n))):
                other, _ = self.bracket(n)
                if other is not None and other.passes > largest.passes:
                    largest, place = other, n
        return largest, place

    def bracket(self, n: int) -> tuple[Refined | None, str]:
        """The refined bracket for this length alone, or why there is none."""
        self.search.progress(f"critical constant at n = {n}")
        lengths = Lengths(n, n)
        threshold = find_threshold(lambda gamma: read_probe(self._lines(gamma, lengths), self.request.allowed_error),
                                   self.request.gamma, self.width / 4)
        if isinstance(threshold, str):
            return None, threshold
        return self._refine(threshold, lengths)

    def _lines(self, gamma: Fraction, lengths: Lengths) -> Sequence[Line]:
        self.search.exact = Memory()  # no other constant gives the same obligations
        return sketch(self.question(gamma), lengths, self.search)

    def _refine(self, threshold: Threshold, lengths: Lengths) -> tuple[Refined | None, str]:
        """The ends as short numbers, certified and refuted in earnest."""
        step = threshold.passes * self.width / 4
        passes = shortest_between(threshold.passes, threshold.passes + step)
        if not isinstance(certify_run(self.question(passes), lengths, self.search), Certified):
            return None, f"not certified at {passes}, where the exact prover alone proves it"
        near = shortest_between(threshold.fails - 2 * step, threshold.fails)
        for fails in (near, *(near * share for share in FURTHER)):
            witness = find_witness(self.question(fails), lengths, self._lines(fails, lengths), self.search)
            if witness:
                return Refined(fails, passes, witness), "" if fails == near else "no word found between the two ends"
        return None, f"certified at {passes}; no word found that refutes {near * FURTHER[-1]} or more"

    def _result(self, n: int, here: Refined | None, note: str) -> Critical:
        claimed, temperature = self.request.gamma, self._temperature(n)
        if here is None:
            return Critical(n, None, Bracket(temperature, temperature), Bracket(Fraction(1), Fraction(1)), None,
                            temperature, note)
        slack = Bracket(claimed / here.passes, claimed / here.fails)
        return Critical(n, Bracket(here.fails, here.passes),
                        Bracket(temperature * slack.lower, temperature * slack.upper), slack, here.witness,
                        temperature, note)

    def _temperature(self, n: int) -> Fraction:
        """The claimed temperature of the last row."""
        heads = self.request.network.heads()
        return min((head.temperature.evaluate(i=n, n=n) for _, _, head in heads if is_sharpened(head)),
                   default=Fraction(1))


@dataclass(frozen=True)
class Refined(Threshold):
    """A threshold whose upper end is certified and whose lower end is refuted by ``witness``."""

    witness: Witness
