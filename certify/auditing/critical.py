"""Critical constants: the smallest factor of the scores that still certifies, between two rationals.

At the upper end the main path certifies the network; at the lower end a replayed word refutes it. The bracket is as
narrow as requested. Nothing is assumed about the error as a function of the constant: the bracket contains *a* change
from refuted to certified. Where the errors fall with the constant (as in all constructions of [SHA]:
docs/background/critical.md) it is the only one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from certify.auditing.decide import (
    AuditSearch,
    ClaimedNetwork,
    certify_run,
    describe_counterexample,
    find_witness,
    network_of,
    open_slacks,
    read_probe,
    sketch,
)
from certify.auditing.results import CriticalConstant, HeadTemperature, Witness, outward
from certify.claims.critical.brackets import ClosedForm, CriticalBracket, Refuted, find_bracket
from certify.claims.critical.threshold import LARGEST_FACTOR, NoChange, Probe, rational_nearby
from certify.claims.formula.outcomes import Certified
from certify.requests.request import Request
from constructions.language.expressions import Expression, at_place, enclose_constant
from constructions.network.lengths import Lengths
from constructions.network.sharpening import Place, is_sharpened
from constructions.network.transformer import Transformer
from proofs.enclosures.expressions import enclose_at
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Line, Progress
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.every_word import SlackOnEveryWord, slack_on_every_word
from proofs.words.classes.enclosing import enclose_word
from proofs.words.classes.norms import NO_NORMS
from proofs.words.margins.claim import Read
from proofs.words.replay import find_miss

BITS = 256
"""The precision at which one word is evaluated, in bits."""
BY_MARGINS = "certified by margins, from the joint error of the heads (certify list guides critical)"
ALL_BY_MARGINS = ("every constant that was tried certifies, the smallest by margins: on no word of this length does "
                  "the joint error of the heads come near the other truth")
NOT_CERTIFIED = "the fast search refutes none of the constants that were tried, and the smallest is not certified"
NOT_FOLLOWED = "the joint error of the heads is not examined here (certify list guides critical)"
SHARES = (Fraction(1), Fraction(99, 100), Fraction(9, 10), Fraction(1, 2))
"""The shares of the constant just below the change at which words are searched for, in this order."""
FURTHER = tuple(Fraction(share, 16) for share in range(15, 0, -1))
"""The shares at lengths where margins are not examined: with words extended from the length SHORT."""
SHORT = 8


@dataclass(frozen=True)
class WordAt:
    """A word, the reading of the number behind a slack, and whether it should be above 1 there."""

    word: tuple[str, ...]
    read: Read
    truth: bool

    def room(self, number: SlackOnEveryWord) -> Fraction:
        """Return the least distance of the number beyond 0 or 1 on the word; negative if it falls short."""
        read = {number.network.output: Fraction(1)}
        value = enclose_word(number.network, self.word, self.read.position, BITS, read, NO_NORMS)
        return value.lower - 1 if self.truth else -value.upper


class NetworkAtConstants:
    """The network of a claim as a function of the constant, for words of these lengths."""

    def __init__(self, request: Request, lengths: Lengths, search: AuditSearch):
        """Store the ``request``: the claim, and the network as a function of the constant."""
        self.request = request
        self.lengths = lengths
        self.search = search
        self._latest: tuple[Fraction, ClaimedNetwork] | None = None

    def at(self, constant: Fraction) -> ClaimedNetwork:
        """Return the network with this constant, compiled once per constant."""
        if self._latest is None or self._latest[0] != constant:
            self._latest = constant, network_of(self.request.with_gamma(constant))
        return self._latest[1]

    def lines(self, constant: Fraction) -> Sequence[Line]:
        """Return the exact prover's lines for every obligation; equal obligations are discharged once."""
        return sketch(self.at(constant), self.lengths, self.search)

    def probe(self, constant: Fraction) -> Probe:
        """Return whether every obligation is proved by the exact prover."""
        return read_probe(self.lines(constant), self.request.allowed_error)

    def certifies(self, constant: Fraction) -> bool:
        """Return whether both provers and the independent checker certify the network."""
        return isinstance(certify_run(self.at(constant), self.lengths, self.search), Certified)

    def refute(self, constant: Fraction, _nearest: Fraction) -> Refuted[Witness] | None:
        """Return a replayed word that refutes the network with this constant, if one is found."""
        witness = find_witness(self.at(constant), self.lengths, self.lines(constant), self.search)
        return Refuted(constant, witness) if witness else None

    def has_new_words(self) -> bool:
        """Return whether the results of probes may have changed since the last call."""
        return False


@dataclass
class SharedResults:
    """The shared state of searches about one network: the words nearest to the other truth, by slack and length.

    ``certified`` is what the main path certified, ``by_margins`` the part of it that rests on margins; at the lengths
    ``not_followed`` margins were not tried, and at those ``not_certified`` all constants pass, but the smallest was not
    certified.
    """

    words: dict[tuple[str, int], list[WordAt]] = field(default_factory=dict)
    by_margins: set[tuple[Lengths, Fraction]] = field(default_factory=set)
    not_followed: set[int] = field(default_factory=set)
    not_certified: set[int] = field(default_factory=set)
    certified: set[tuple[Lengths, Fraction]] = field(default_factory=set)

    def stretched(self, n: int, alphabet: Sequence[str]) -> dict[tuple[str, ...], None]:
        """Return words of length n: constant ones, and shorter found words with the first or last letter repeated."""
        found = {(letter,) * n: None for letter in alphabet}
        for (_, length), places in self.words.items():
            for word in (place.word for place in places if length < n):
                found |= {(word[0],) * (n - length) + word: None, word + (word[-1],) * (n - length): None}
        return found


class ComparisonsAtConstants(NetworkAtConstants):
    """A network that compares counts as a function of the constant, where words decide the joint error of its heads.

    Probes evaluate the words found nearest to the other truth so far. All words are searched if there is none yet, and
    to certify; this may find further words: ``has_new_words``.
    """

    def __init__(self, request: Request, lengths: Lengths, search: AuditSearch, shared: SharedResults,
                 together: Lengths | None = None):
        """Store ``shared``, which is extended; ``together`` are the lengths up to the last that is requested next."""
        super().__init__(request, lengths, search)
        self.together = together or lengths
        self.shared = shared
        self._new_words = False

    def probe(self, constant: Fraction) -> Probe:
        """Return whether the exact prover proves every obligation, or the found words do not refute the open ones."""
        lines = self.lines(constant)
        numbers = self._open_numbers(constant, lines)
        if not numbers:
            return read_probe(lines, None)
        return min((self._probe_number(number, n) for number in numbers for n in self.lengths),
                   key=lambda found: (found.passes, -(found.margin or 0)))

    def _probe_number(self, number: SlackOnEveryWord, n: int) -> Probe:
        if not self.shared.words.get((number.direction, n)) and not self._decide(number, n):
            return Probe(False)
        room = min(each.room(number) for each in self.shared.words[number.direction, n])
        return Probe(room > 0, -float(room))

    def _open_numbers(self, constant: Fraction, lines: Sequence[Line]) -> list[SlackOnEveryWord]:
        """Return the numbers behind the open slacks; none if nothing is open, or words do not decide all of it."""
        network = self.at(constant).network
        try:
            numbers = [slack_on_every_word(network, slack, self.lengths) for slack in open_slacks(lines, network)]
        except NotDerived:
            return []
        if all(each.is_small for each in numbers):
            return numbers
        self.shared.not_followed.add(self.lengths.last)
        return []

    def _decide(self, number: SlackOnEveryWord, n: int) -> bool:
        """Return whether the number is right on all words of a length; the nearest word is stored."""
        self.search.progress(f"all words of length {n}: {number.direction}")
        found = number.decide(n)
        if found.least is not None:
            least, words = found.least, self.shared.words.setdefault((number.direction, n), [])
            word = WordAt(least.word, least.read, least.truth)
            self._new_words |= word not in words and found.verdict != "certified"
            words += [word] if word not in words else []
        return found.verdict == "certified"

    def certifies(self, constant: Fraction) -> bool:
        """Return whether the main path certifies the network; words near the other truth are stored."""
        if (self.lengths, constant) in self.shared.certified:
            return True
        lines = self.lines(constant)
        numbers = self._open_numbers(constant, lines)
        if not numbers and self._certifies_with_shorter(constant):
            return True
        is_likely = numbers or all(line.proved for line in lines)
        if not is_likely or not all(self._decide(number, n) for number in numbers for n in self.lengths):
            return False
        if is_certified := super().certifies(constant):
            self.shared.certified.add((self.lengths, constant))
            self.shared.by_margins |= {(self.lengths, constant)} if numbers else set()
        return is_certified

    def _certifies_with_shorter(self, constant: Fraction) -> bool:
        """Return whether the main path also certifies the shorter requested words; nothing else is needed then."""
        claimed, together = self.at(constant), self.together
        if together == self.lengths or not all(line.proved for line in sketch(claimed, together, self.search)):
            return False
        if is_certified := isinstance(certify_run(claimed, together, self.search), Certified):
            self.shared.certified.add((together, constant))
        return is_certified

    def refute(self, constant: Fraction, nearest: Fraction) -> Refuted[Witness] | None:
        """Return a stored word that refutes the claim, replayed; else search for one."""
        claimed = self.at(constant)
        for n in self.lengths:
            for near in (each for (_, length), found in self.shared.words.items() if length == n for each in found):
                if found := find_miss(claimed.network, near.word):
                    return Refuted(constant, describe_counterexample(found, claimed))
        return super().refute(constant, nearest)

    def has_new_words(self) -> bool:
        """Return whether a word was found since the last call that no earlier probe used."""
        found, self._new_words = self._new_words, False
        return found


class Bracketing:
    """The search for the critical constants of one claim."""

    def __init__(self, request: Request, width: Fraction, requested: Sequence[int] = (),
                 progress: Progress = lambda _: None):
        """Store the ``request`` (claim, and network as a function of the constant) and all ``requested`` lengths."""
        self.claimed = Interval(*enclose_constant(request.gamma))
        self._start = rational_nearby(request.gamma)
        self.request = request.with_gamma(self._start)
        self.width = width
        self.requested = requested
        self.search = AuditSearch(progress=progress)
        self._shared = SharedResults()

    def critical(self, lengths: Lengths) -> CriticalConstant:
        """Return the bracket of the constant at ``lengths.last``, and of the one that certifies all ``lengths``."""
        n = lengths.last
        found = self.bracket(n, lengths)
        gamma = _ends(found)
        if isinstance(found, NoChange) or gamma is None or found.refuted is None:
            return CriticalConstant(n, None, note=self._why_none(n, found))
        slack = Interval(self.claimed.lower / gamma.upper, self.claimed.upper / gamma.lower)
        largest, place = self._over_all(lengths, gamma)
        wide = found.refuted.constant != found.nearest
        notes = ["no word found between the two ends"] * wide
        notes += [NOT_FOLLOWED] * (wide and n in self._shared.not_followed)
        notes += [BY_MARGINS] * ((Lengths(n, n), gamma.upper) in self._shared.by_margins)
        return CriticalConstant(n, gamma, slack, self._temperatures(n, slack), found.refuted.witness, "; ".join(notes),
                                largest, place, None if wide else self._form(n, gamma))

    def bracket(self, n: int, together: Lengths | None = None) -> CriticalBracket[Witness] | NoChange:
        """Return the bracket for this length only, or why there is none; ``together`` are requested next."""
        self.search.progress(f"critical constant at n = {n}")
        claim = self._over(Lengths(n, n), together)
        while True:
            found = find_bracket(claim, self._start, self.width, SHARES)
            if found is NoChange.ALL_PASS and not claim.certifies(self._start / LARGEST_FACTOR):
                self._shared.not_certified.add(n)
            if claim.has_new_words():
                continue
            if isinstance(found, NoChange) or found.is_certified:
                return self._refuted_further(n, found) if n in self._shared.not_followed else found
            return find_bracket(self._by_main_path(Lengths(n, n)), self._start, self.width, SHARES)

    def _refuted_further(self, n: int,
                         found: CriticalBracket[Witness] | NoChange) -> CriticalBracket[Witness] | NoChange:
        """Return the bracket with a lower end; if there is none, from the nearest words of a shorter length."""
        if isinstance(found, NoChange) or found.refuted is not None or n <= SHORT:
            return found
        self.bracket(SHORT)
        claim = self._over(Lengths(n, n))
        for share in FURTHER:
            constant = found.nearest * share
            claimed = claim.at(constant)
            for word in self._shared.stretched(n, claimed.network.alphabet):
                if miss := find_miss(claimed.network, word):
                    return replace(found, refuted=Refuted(constant, describe_counterexample(miss, claimed)))
        return found

    def _by_main_path(self, lengths: Lengths) -> NetworkAtConstants:
        return NetworkAtConstants(self.request, lengths, self.search)

    def _over(self, lengths: Lengths, together: Lengths | None = None) -> NetworkAtConstants:
        if self.request.allowed_error is not None:
            return self._by_main_path(lengths)
        return ComparisonsAtConstants(self.request, lengths, self.search, self._shared, together)

    def _over_all(self, lengths: Lengths, here: Interval) -> tuple[Interval | None, int]:
        """Return the bracket of a constant that certifies all lengths, and the length that needs it; or None and 0.

        If the constant of the last length certifies all together, each of them passes there, since a proof for every n
        is one for each: no other length needs a larger one, and none is probed.
        """
        if self._over(lengths).certifies(here.upper):
            return here, lengths.last
        largest, place = self._largest(lengths, here)
        if place != lengths.last and self._over(lengths).certifies(largest.upper):
            return largest, place
        return None, 0

    def _largest(self, lengths: Lengths, here: Interval) -> tuple[Interval, int]:
        """Return the bracket of the largest constant over all lengths, and the length that needs it."""
        largest, place, left = here, lengths.last, lengths
        while n := self._first_failing(left, largest.upper):
            other = _ends(self.bracket(n))
            if other is not None and other.upper > largest.upper:
                largest, place = other, n
            if n == lengths.last:
                break
            left = Lengths(n + 1, lengths.last)
        return largest, place

    def _first_failing(self, lengths: Lengths, constant: Fraction) -> int | None:
        """Return the first length at which a probe fails; lengths whose obligations are proved together are skipped."""
        first, last = lengths.first, lengths.last
        if first == last:
            return None if self._over(lengths).probe(constant).passes else first
        if all(line.proved for line in self._over(lengths).lines(constant)):
            return None
        middle = (first + last) // 2
        return (self._first_failing(Lengths(first, middle), constant)
                or self._first_failing(Lengths(middle + 1, last), constant))

    def _form(self, n: int, bracket: Interval) -> ClosedForm | None:
        """Return the exact number in a bracket of one length."""
        from certify.claims.critical.closed_forms import describe, find_closed_form  # sympy takes a while to load

        claim, constant = self._over(Lengths(n, n)), bracket.upper
        found = find_closed_form(claim.at(constant).network, claim.at(2 * constant).network, claim.lines(constant),
                                 bracket)
        return describe(found) if found else None

    def _why_none(self, n: int, found: CriticalBracket[Witness] | NoChange) -> str:
        smallest = self._start / LARGEST_FACTOR
        if isinstance(found, NoChange):
            all_by_margins = found is NoChange.ALL_PASS and (Lengths(n, n), smallest) in self._shared.by_margins
            if found is NoChange.ALL_PASS and n in self._shared.not_certified:
                return NOT_CERTIFIED
            return ALL_BY_MARGINS if all_by_margins else found
        if not found.is_certified:
            return f"not certified at {found.passes}, and not refuted by the fast search"
        more = f"; {NOT_FOLLOWED}" if n in self._shared.not_followed else ""
        return f"certified at {found.passes}; no word found that refutes {found.nearest * SHARES[-1]} or more{more}"

    def _temperatures(self, n: int, slack: Interval) -> tuple[HeadTemperature, ...]:
        network = self.request.network
        together = heads_by_temperature(network, sorted({*self.requested, n}))
        return tuple(_critical_temperature(network, heads, n, slack) for heads in together)


def _critical_temperature(network: Transformer, heads: tuple[Place, ...], n: int, slack: Interval) -> HeadTemperature:
    """Return the temperature of some heads at row i = n, and the critical one."""
    claimed = temperature_of(network, heads[0])
    found, rounded = enclose_at(claimed, n, n), claimed.evaluate(i=n, n=n)
    if found.is_point:
        return HeadTemperature(heads, found.lower, slack.scaled(found.lower))
    critical = slack * found
    return HeadTemperature(heads, rounded, outward(critical.lower, critical.upper), str(at_place(claimed, n, n)))


def _ends(found: CriticalBracket[Witness] | NoChange) -> Interval | None:
    """Return the refuted and the certified end, if there are both."""
    if isinstance(found, NoChange) or not found.is_certified or found.refuted is None:
        return None
    return Interval(found.refuted.constant, found.passes)


def heads_by_temperature(network: Transformer, lengths: Sequence[int]) -> tuple[tuple[Place, ...], ...]:
    """Return the heads that depend on temperature, grouped by equal temperatures at row i = n of all these lengths."""
    together: dict[tuple[object, ...], list[Place]] = {}
    for layer, number, head in network.heads():
        if is_sharpened(head):
            place = (layer, number)
            together.setdefault(tuple(_last_row(network, place, n) for n in lengths), []).append(place)
    return tuple(map(tuple, together.values()))


def temperature_of(network: Transformer, place: Place) -> Expression:
    """Return the temperature of a head."""
    layer, number = place
    return network.layers[layer - 1].heads[number - 1].temperature


def _last_row(network: Transformer, place: Place, n: int) -> object:
    """Return the temperature of a head at row i = n; the expression if it is irrational."""
    found = enclose_at(temperature_of(network, place), n, n)
    return found.lower if found.is_point else str(at_place(temperature_of(network, place), n, n))
