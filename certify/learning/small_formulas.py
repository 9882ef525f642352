"""The best of some small formulas for an answer that none describes exactly, and the words on which it is wrong.

Family      Last letters, first letters, which of two letters came last, factors and subsequences,
            parities and comparisons of counts; their negations; conjunctions and disjunctions of two.
Method      All are ranked on a sample, as bit vectors: all short words, and prefixes of random ones. For the first few,
            all wrong words up to the length are counted, in the product of formula and automaton. So the results on the
            formula are exact; that it is the best is established on the sample only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.learning.counts import Test, combinations
from certify.learning.differences import Differences, count_words, differences
from certify.learning.question import OUT, LearningQuestion
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.syntax import Formula, Symbol, subformulas
from constructions.regular.cover_automata import Marked
from constructions.trained.claim import Case, When
from proofs.words.tracking import Tracker, track

MOST_LETTERS = 4
SAMPLE, DRAWN = 4096, 256
"""The sample: the number of short words, and of longer ones of each length."""
COUNTED = 6
"""The number of single formulas, and of compound ones of each kind, whose wrong words are counted."""
MOST_COEFFICIENT = 2
MOST_LAST = 8
Bits = NDArray[np.bool_]
Values = NDArray[np.int64]


@dataclass(frozen=True)
class Guess:
    """A formula, the number of formulas searched, the number of words (of 1 letter or more), and the wrong ones."""

    formula: Formula
    among: int
    words: int
    wrong: Differences


def best_formula(question: LearningQuestion, found: Marked, longest: int, part: int, choice: int) -> Guess | None:
    """Find the best formula for the condition of an alternative; None for large alphabets."""
    if len(question.claim.alphabet) > MOST_LETTERS:
        return None
    sample = _Sample(question, found, longest, part, choice)
    texts, among = _ranked(question, sample)
    from_first = replace(question, claimed_from=1)
    best: tuple[int, int, Formula, Differences] | None = None
    for text in texts:
        formula = parse_formula(text, question.claim.alphabet)
        try:
            wrong = differences(from_first, found, longest, _Guessed(question, formula, part, choice), expressed=False)
        except Unsupported:
            continue
        key = wrong.total, len(subformulas(formula))
        if best is None or key < best[:2]:
            best = (*key, formula, wrong)
    return None if best is None else Guess(best[2], among, sum(sample.judged[1:]), best[3])


class _Guessed:
    """The formula as an expected answer for ``differences``."""

    def __init__(self, question: LearningQuestion, formula: Formula, part: int, choice: int) -> None:
        case = Case(When(formula), question.parts[part][choice])
        self.tracker: Tracker = track(replace(question.claim, automaton=None, predicates=(), cases=(case,)))
        self._question, self._part, self._choice = question, part, choice

    def fails(self, code: int, cases: Sequence[int]) -> bool:
        return code != OUT and (self._question.choices(code)[self._part] == self._choice) != bool(cases)


class _Sample:
    """Words as a prefix tree: ``parent`` and ``letter`` of each node (0 is the empty word), ``levels`` by length.

    ``weight`` is the number of words that it represents, ``target`` whether the alternative is its answer.
    """

    def __init__(self, question: LearningQuestion, found: Marked, longest: int, part: int, choice: int) -> None:
        steps, letters = found.automaton.steps, range(len(question.claim.alphabet))
        holds = [code != OUT and question.choices(code)[part] == choice for code in found.marks]
        live = _live(found)
        answered = [code != OUT for code in found.marks]
        self.judged = list(count_words(steps, found.automaton.start, answered, longest))
        parents, self_letters, states, draw = [0], [-1], [found.automaton.start], np.random.default_rng(0)
        self.levels, level = [slice(0, 1)], [0]
        for _ in range(longest):
            longer = [(node, letter) for node in level for letter in letters if live[steps[states[node]][letter]]]
            if len(parents) + len(longer) > SAMPLE:
                longer = [longer[k] for k in sorted(draw.choice(len(longer), min(DRAWN, len(longer)), replace=False))]
            level = list(range(len(parents), len(parents) + len(longer)))
            self.levels.append(slice(len(parents), len(parents) + len(longer)))
            parents += [node for node, _ in longer]
            self_letters += [letter for _, letter in longer]
            states += [steps[states[node]][letter] for node, letter in longer]
        self.parent, self.letter = np.array(parents), np.array(self_letters)
        self.target = np.array([holds[state] for state in states])
        counts = np.array([found.marks[state] != OUT for state in states])
        self.weight = np.zeros(len(parents))
        for words, here in zip(self.judged[1:], self.levels[1:], strict=True):
            self.weight[here] = counts[here] * float(words) / max(1, counts[here].sum())

    def previous(self, bits: Bits) -> Bits:
        """Return where it held one letter ago."""
        return np.asarray(bits[self.parent] & (self.parent > 0))

    def since(self, kept: Bits, bits: Bits) -> Bits:
        """Return where ``bits`` held at some letter up to here, and ``kept`` at all later ones."""
        since = bits.copy()
        for here in self.levels[1:]:
            since[here] |= kept[here] & since[self.parent[here]]
        return since

    def once(self, bits: Bits) -> Bits:
        """Return where it held at some letter up to here."""
        return self.since(np.ones_like(bits), bits)

    def count(self, bits: Bits) -> Values:
        """Return at how many letters up to here it held."""
        found = bits.astype(np.int64)
        for here in self.levels[1:]:
            found[here] += found[self.parent[here]]
        return found


def _live(found: Marked) -> list[bool]:
    """Return the states from which a state inside the question is reachable."""
    live = [code != OUT for code in found.marks]
    for _ in live:
        live = [one or any(live[after] for after in row) for one, row in zip(live, found.automaton.steps, strict=True)]
    return live


class _Truth(NamedTuple):
    text: str
    bits: Bits


def _truths(question: LearningQuestion, sample: _Sample) -> Iterator[_Truth]:
    """Yield single formulas, the simplest first."""
    alphabet = question.claim.alphabet
    letters = range(len(alphabet))
    is_letter = [_Truth(f"{Symbol(symbol)}", sample.letter == letter) for letter, symbol in enumerate(alphabet)]
    nonempty = sample.parent >= 0
    nonempty[0] = False
    yield from (_Truth("true", nonempty), *is_letter)
    yield from (_Truth(f"prev {one.text}", sample.previous(one.bits)) for one in is_letter)
    first = np.zeros(len(sample.parent), bool)
    first[sample.levels[1]] = True
    for one in is_letter:
        yield _Truth(f"O ({one.text} & FIRST)", sample.once(one.bits & first))
        yield _Truth(f"ODD(#<[{one.text}])", sample.count(one.bits) % 2 == 1)
    yield _Truth("ODD", sample.count(nonempty) % 2 == 1)
    for one, other in permutations(is_letter, 2):
        yield _Truth(f"!{one.text} S {other.text}", sample.since(~one.bits, other.bits))
    factors = subsequences = is_letter
    for length in range(1, 5 if len(letters) < 3 else 3):
        yield from (_Truth(f"O ({one.text})", sample.once(one.bits)) for one in (*factors, *subsequences))
        if length < 3:
            factors = [_Truth(f"{here.text} & prev ({one.text})", here.bits & sample.previous(one.bits))
                       for here in is_letter for one in factors]
        subsequences = [_Truth(f"{here.text} & prev O ({one.text})",
                               here.bits & sample.previous(sample.once(one.bits)))
                        for here in is_letter for one in subsequences]
    yield from _of_counts(sample, alphabet, [sample.count(one.bits) for one in is_letter])
    yield from _of_last_letters(sample, is_letter)


def _of_counts(sample: _Sample, alphabet: Sequence[str], counts: Sequence[Values]) -> Iterator[_Truth]:
    """Yield sums of counts compared with -1, 0, 1, 2, and with the number that is best on the sample."""
    signs = sample.weight * np.where(sample.target, 1.0, -1.0)
    for one in combinations(len(alphabet)):
        if max(map(abs, one)) > MOST_COEFFICIENT:
            continue
        value = sum(number * count for number, count in zip(one, counts, strict=True))
        values, place = np.unique(value, return_inverse=True)
        above = np.bincount(place, signs)[::-1].cumsum()[::-1]
        for bound in sorted({-1, 0, 1, 2, int(values[above.argmax()]), int(values[above.argmin()])}):
            yield _Truth(Test(one, ">=", bound).text(alphabet), np.asarray(value >= bound))


def _of_last_letters(sample: _Sample, is_letter: Sequence[_Truth]) -> Iterator[_Truth]:
    """Yield the best functions of the last two and three letters, if they are short; shorter words are arbitrary."""
    signs = sample.weight * np.where(sample.target, 1.0, -1.0)
    for length in (2, 3):
        if len(is_letter) ** length > MOST_LAST:
            return
        chosen = []
        for letters in product(is_letter, repeat=length):
            bits, texts = letters[0].bits, [letters[0].text]
            for place, one in enumerate(letters[1:], start=1):
                before = one.bits
                for _ in range(place):
                    before = sample.previous(before)
                bits, texts = bits & before, [*texts, f"{'prev ' * place}{one.text}"]
            if signs[bits].sum() > 0:
                chosen.append(_Truth(f"({' & '.join(texts)})", bits))
        if chosen:
            yield _Truth(" | ".join(one.text for one in chosen), np.any([one.bits for one in chosen], axis=0))


def _ranked(question: LearningQuestion, sample: _Sample) -> tuple[list[str], int]:
    """Return the best formulas on the sample, and the number of distinct ones."""
    seen: dict[bytes, _Truth] = {}
    judged = sample.weight > 0
    for truth in _truths(question, sample):
        for one in (truth, _Truth(f"!({truth.text})", ~truth.bits)):
            seen.setdefault(one.bits[judged].tobytes(), one)
    texts = [one.text for one in seen.values()]
    bits = np.array([one.bits[judged] for one in seen.values()], dtype=np.float64)
    weight, target = sample.weight[judged], sample.target[judged]
    both = bits @ (bits * (weight * np.where(target, -1.0, 1.0))).T + weight[target].sum()
    alone = both.diagonal()
    chosen = [texts[k] for k in np.argsort(alone, kind="stable")[:COUNTED]]
    upper = np.triu_indices(len(texts), 1)
    for values, sign in ((both, "&"), (alone[:, np.newaxis] + alone - both, "|")):
        best = np.argsort(values[upper], kind="stable")[:COUNTED]
        chosen += [f"({texts[upper[0][k]]}) {sign} ({texts[upper[1][k]]})" for k in best]
    return chosen, len(texts) + 2 * len(upper[0])
