"""Numbers of right words by length, from lemmas about the network; docs/background/counting.md, section 5."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.trained.claim import Row, WordsClaim, last_offset
from constructions.trained.claim_form import claim_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.weights import ONE, Weights
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import WORDS, certificate_text, counts_to_json, run_to_json
from proofs.trained.counting.words import Lemma, negated
from proofs.words.tracking import State, track

RIGHT, OPEN, WRONG = -2, -1, 0
"""Verdicts on a word; WRONG + p if its letter p is wrong."""
Followed = tuple[int, tuple[State, ...]]
"""The verdict on a word, and the states of the claim and, unless it is wrong, of the lemmas."""


@dataclass(frozen=True)
class CountedWords:
    """The weights of the counted words of length n, of those proved right, and of wrong ones by place."""

    n: int
    total: Fraction
    right: Fraction
    wrong: Mapping[int, Fraction] = field(default_factory=dict)


def count_by_length(network: TrainedNetwork, claim: WordsClaim, lemmas: Sequence[Lemma],
                    weights: Sequence[Weights] | None = None) -> list[CountedWords]:
    """Return, for each length, the weights of its words, as far as lemmas decide them.

    Counted are words after whose last letter a case with a row holds.

    Raises:
        Unsupported: if a formula looks ahead.
    """
    verdicts, (first, last) = Verdicts(claim, lemmas), claim.lengths
    if weights is None and not verdicts.own:
        return [one for one in verdicts.sums(every_word(claim, last)) if one.n >= first]
    found = []
    for number, n in enumerate(range(first, last + 1)):
        weighed = every_word(claim, n) if weights is None else weights[number]
        found.append([*verdicts_at(network, claim, lemmas, n).sums(weighed)][-1])
    return found


def verdicts_at(network: TrainedNetwork, claim: WordsClaim, lemmas: Sequence[Lemma], n: int) -> "Verdicts":
    """Return the verdicts on words of n letters, by the lemmas at whose offsets these have rows."""
    longest = last_offset(network, len(claim.before) + n + len(claim.after), claim.offsets)
    return Verdicts(claim, [one for one in lemmas if one.claim.offsets == claim.offsets
                            or one.claim.offsets[0] <= longest])


def total_of_words(claim: WordsClaim, weights: Weights) -> Fraction:
    """Return the weight of all counted words of the length of an automaton."""
    return [*Verdicts(claim, []).sums(weights)][-1].total


def every_word(claim: WordsClaim, n: int) -> Weights:
    """Return the automaton that gives each word of n letters the weight 1."""
    return letters_weigh(n, [ONE] * len(claim.alphabet))


def letters_weigh(n: int, letters: Sequence[Fraction]) -> Weights:
    """Return the automaton that weighs a word of n letters by the product of its letters' weights."""
    return Weights((ONE,), (0,) * n, (tuple(((0, 0, weight),) if weight else () for weight in letters),), (ONE,))


class Verdicts:
    """The product of a claim and lemmas, as an automaton that reads words."""

    def __init__(self, claim: WordsClaim, lemmas: Sequence[Lemma]) -> None:
        self.claim, self.lemmas = claim, [lemma.claim for lemma in lemmas]
        self.trackers = [track(one) for one in (claim, *self.lemmas)]
        self.own = any(lemma.offsets != claim.offsets for lemma in self.lemmas)
        self.needed = [frozenset(row for row in case.above) for case in claim.cases]
        self.steps: dict[tuple[Followed, int, int], Followed] = {}

    @property
    def start(self) -> Followed:
        """The verdict and the states before the first letter."""
        states = tuple(tracker.start for tracker in self.trackers)
        is_judged = self.claim.empty and self.claim.read == "each"
        return self.verdict(0, RIGHT, states) if is_judged else RIGHT, states

    def sums(self, weights: Weights) -> Iterator[CountedWords]:
        """Yield the weights of words of 0, 1, … letters."""
        reached = {(self.start, state): weight for state, weight in enumerate(weights.start) if weight}
        for n in range(len(weights.columns) + 1):
            yield self.counted(n, reached, weights.end)
            if n == len(weights.columns):
                return
            new: dict[tuple[Followed, int], Fraction] = {}
            for (followed, source), found in reached.items():
                for letter, row in enumerate(weights.tables[weights.columns[n]]):
                    for state, target, weight in row:
                        if state == source:
                            key = self.step(followed, letter, n + 1), target
                            new[key] = new.get(key, 0) + found * weight
            reached = new

    def counted(self, n: int, reached: Mapping[tuple[Followed, int], Fraction], end: Sequence[Fraction]
                ) -> CountedWords:
        """Return the weights by verdict."""
        by: dict[int, Fraction] = {}
        for ((verdict, states), state), weight in reached.items():
            if self.rows(states[0]):
                by[verdict] = by.get(verdict, Fraction(0)) + weight * end[state]
        return CountedWords(n, sum(by.values(), Fraction(0)), by.get(RIGHT, Fraction(0)),
                            {verdict: weight for verdict, weight in sorted(by.items()) if verdict >= WRONG})

    def step(self, followed: Followed, letter: int, n: int) -> Followed:
        """Return what follows a letter, the n-th."""
        key = (followed, letter, n)
        if key not in self.steps:
            before, states = followed
            after = tuple(tracker.step(one, letter) for tracker, one in zip(self.trackers, states, strict=False))
            if self.claim.read == "each" and before >= WRONG:
                self.steps[key] = before, after
            else:
                verdict = self.verdict(n, before if self.claim.read == "each" else RIGHT, after)
                is_over = verdict >= WRONG and self.claim.read == "each"
                self.steps[key] = verdict, after[:1] if is_over else after
        return self.steps[key]

    def verdict(self, n: int, before: int, states: Sequence[State]) -> int:
        """Return the verdict after a judged letter, from that before it."""
        needed, proved = self.rows(states[0]), set[Row]()
        if not needed:
            return before
        for lemma, row in self.known(n, states):
            if negated(row) in needed:
                return WRONG + n
            if lemma.margin >= self.claim.margin and lemma.offsets == self.claim.offsets:
                proved.add(row)
        return max(before, RIGHT if needed <= proved else OPEN)

    def rows(self, state: State) -> frozenset[Row]:
        """Return the rows that the claim requires in a state."""
        return frozenset[Row]().union(*(self.needed[case] for case in state.cases))

    def known(self, n: int, states: Sequence[State]) -> Iterator[tuple[WordsClaim, Row]]:
        """Yield the rows that lemmas prove at the n-th letter, in the states of the claim and of the lemmas."""
        for lemma, state in zip(self.lemmas, states[1:], strict=True):
            if n <= lemma.lengths[1]:
                yield from ((lemma, row) for case in state.cases for row in lemma.cases[case].above)


def word_counts_text(network: TrainedNetwork, claim: WordsClaim, lemmas: Sequence[Lemma],
                     right: Sequence[tuple[Fraction, Fraction]], weights: Sequence[Weights] | None,
                     run: FloatModel | None = None) -> str:
    """Return the certificate of a count of words: docs/background/counting.md, section 5."""
    return certificate_text(
        WORDS, "parts", network, claim_to_json(claim),
        {"parts": [lemma.to_json(claim_to_json(lemma.claim), claim) for lemma in lemmas]}, run_to_json(run, claim),
        counts_to_json(right, weights))
