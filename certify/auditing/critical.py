"""Critical constants: the smallest constant in front of the scores that still certifies, between two rationals.

At the upper end the network is certified by both provers and the independent checker; at the lower end a replayed word
refutes it. What lies between is as narrow as asked. Nothing is assumed about how the error depends on the constant: the
bracket holds *a* change from refuted to certified. Where the errors fall with the constant (as in all constructions of
[SHA]: docs/critical.md) it is the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from certify.auditing.decide import ClaimedNetwork, Search, certify_run, find_witness, network_of, sketch
from certify.auditing.probes import read_probe
from certify.auditing.results import ClosedForm, CriticalConstant, HeadTemperature, Witness
from certify.outcomes import Certified
from certify.request import Request
from certify.search.brackets import CriticalBracket, Refuted, find_bracket
from certify.search.threshold import NoChange, Probe
from constructions.network.lengths import Lengths
from constructions.network.sharpening import Place, is_sharpened
from constructions.network.transformer import Transformer
from proofs.discharge import Line, Progress
from proofs.enclosures.intervals import Interval

SHARES = (Fraction(1), Fraction(99, 100), Fraction(9, 10), Fraction(1, 2))
"""Where no word refutes just below the change, one is looked for at so much of that constant."""


class NetworkAtConstants:
    """What is known of the network of a claim at one constant, for words of these lengths."""

    def __init__(self, request: Request, lengths: Lengths, search: Search):
        """``request`` says what is claimed, and how its network depends on the constant."""
        self.request = request
        self.lengths = lengths
        self.search = search

    def at(self, constant: Fraction) -> ClaimedNetwork:
        """The network with this constant."""
        return network_of(self.request.with_gamma(constant))

    def lines(self, constant: Fraction) -> Sequence[Line]:
        """What the exact prover alone says of every obligation; no other constant gives the same ones."""
        return sketch(self.at(constant), self.lengths, Search(progress=self.search.progress))

    def probe(self, constant: Fraction) -> Probe:
        """Whether every obligation is proved by the exact prover."""
        return read_probe(self.lines(constant), self.request.allowed_error)

    def certifies(self, constant: Fraction) -> bool:
        """Whether both provers and the independent checker certify the network."""
        return isinstance(certify_run(self.at(constant), self.lengths, self.search), Certified)

    def refute(self, constant: Fraction, _nearest: Fraction) -> Refuted[Witness] | None:
        """A replayed word that refutes the network with this constant, if one is found."""
        witness = find_witness(self.at(constant), self.lengths, self.lines(constant), self.search)
        return Refuted(constant, witness) if witness else None


class Bracketing:
    """The search for the critical constants of one claim."""

    def __init__(self, request: Request, width: Fraction, asked: Sequence[int] = (),
                 progress: Progress = lambda _: None):
        """``request`` says what is claimed, and how its network depends on the constant; ``asked`` are all lengths."""
        self.request = request
        self.width = width
        self.asked = asked
        self.search = Search(progress=progress)

    def critical(self, lengths: Lengths) -> CriticalConstant:
        """The bracket of the constant at ``lengths.last``, and of that which certifies all ``lengths``."""
        n = lengths.last
        found = self.bracket(n)
        gamma = _ends(found)
        if isinstance(found, NoChange) or gamma is None or found.refuted is None:
            return CriticalConstant(n, None, note=self._why_none(found))
        slack = Interval(self.request.gamma / gamma.upper, self.request.gamma / gamma.lower)
        largest, place = self._over_all(lengths, gamma)
        return CriticalConstant(
            n, gamma, slack, self._temperatures(n, slack), found.refuted.witness,
            "" if found.refuted.constant == found.nearest else "no word found between the two ends", largest, place,
            self._form(n, gamma))

    def bracket(self, n: int) -> CriticalBracket[Witness] | NoChange:
        """The bracket for this length alone, or why there is none."""
        self.search.progress(f"critical constant at n = {n}")
        return find_bracket(self._over(Lengths(n, n)), self.request.gamma, self.width, SHARES)

    def _over(self, lengths: Lengths) -> NetworkAtConstants:
        return NetworkAtConstants(self.request, lengths, self.search)

    def _over_all(self, lengths: Lengths, here: Interval) -> tuple[Interval | None, int]:
        """The bracket of a constant that certifies all lengths, and the length that needs it; None and 0 if none is.

        Where the constant of the last length certifies all together, each of them alone passes there, since what is
        proved for every n is proved for one: no other length needs a larger one, and none is probed.
        """
        if self._over(lengths).certifies(here.upper):
            return here, lengths.last
        largest, place = self._largest(lengths, here)
        if place != lengths.last and self._over(lengths).certifies(largest.upper):
            return largest, place
        return None, 0

    def _largest(self, lengths: Lengths, here: Interval) -> tuple[Interval, int]:
        """The bracket of the largest constant over all lengths, and the length that needs it."""
        largest, place = here, lengths.last
        for n in lengths:
            if not self._over(Lengths(n, n)).probe(largest.upper).passes:
                other = _ends(self.bracket(n))
                if other is not None and other.upper > largest.upper:
                    largest, place = other, n
        return largest, place

    def _form(self, n: int, bracket: Interval) -> ClosedForm | None:
        """The exact number in a bracket of this length alone."""
        from certify.symbols.closed_forms import describe, find_closed_form  # sympy takes a while to load

        claim, constant = self._over(Lengths(n, n)), bracket.upper
        found = find_closed_form(claim.at(constant).network, claim.at(2 * constant).network, claim.lines(constant),
                                 bracket)
        return describe(found) if found else None

    def _why_none(self, found: CriticalBracket[Witness] | NoChange) -> str:
        if isinstance(found, NoChange):
            return found
        if not found.is_certified:
            return f"not certified at {found.passes}, where the exact prover alone proves it"
        return f"certified at {found.passes}; no word found that refutes {found.nearest * SHARES[-1]} or more"

    def _temperatures(self, n: int, slack: Interval) -> tuple[HeadTemperature, ...]:
        network = self.request.network
        together = heads_by_temperature(network, sorted({*self.asked, n}))
        claimed = [(heads, _last_row(network, heads[0], n)) for heads in together]
        return tuple(HeadTemperature(heads, temperature, slack.scaled(temperature)) for heads, temperature in claimed)


def _ends(found: CriticalBracket[Witness] | NoChange) -> Interval | None:
    """The refuted and the certified end, if there are both."""
    if isinstance(found, NoChange) or not found.is_certified or found.refuted is None:
        return None
    return Interval(found.refuted.constant, found.passes)


def heads_by_temperature(network: Transformer, lengths: Sequence[int]) -> tuple[tuple[Place, ...], ...]:
    """The heads to which temperature matters; those together that have the same at row i = n of all these lengths."""
    together: dict[tuple[Fraction, ...], list[Place]] = {}
    for layer, number, head in network.heads():
        if is_sharpened(head):
            place = (layer, number)
            together.setdefault(tuple(_last_row(network, place, n) for n in lengths), []).append(place)
    return tuple(map(tuple, together.values()))


def _last_row(network: Transformer, place: Place, n: int) -> Fraction:
    """The temperature of a head at row i = n."""
    layer, number = place
    return network.layers[layer - 1].heads[number - 1].temperature.evaluate(i=n, n=n)
