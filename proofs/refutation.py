"""Looking for the shortest word that breaks a claim, once some obligation is not proved.

Short lengths are searched word by word. Beyond them words are made for the heads that may err: for those that attend to
truths the worst input is read as a word, or Z3 finds one, and for those that look up a count any word with that count
will do. Words of few symbols are tried where an obligation fails otherwise. Every word is replayed before it is
reported.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from constructions.language.semantics import satisfies, truth_values
from constructions.language.syntax import Count, is_symbolic
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs import by_z3
from proofs.discharge import TOLERATED_ERROR, Line
from proofs.exact.attention import WeighedSweep, find_worst_input, weigh
from proofs.exact.attention import find_violations as find_violations_of_sweeps
from proofs.exact.lookup import LookupExtreme, find_violations
from proofs.obligations.attention import AttentionObligation, realizable
from proofs.obligations.composition import symbolic_truth
from proofs.obligations.lookup import LookupObligation
from proofs.obligations.targets import Target
from proofs.replay import Counterexample, InexactHardAttention, find_miss

EXHAUSTIVE_WORDS = 600
"""All words are tried, length by length, while their number stays below this."""
SOLVER_QUERIES = 200
RANDOM_WORDS = 2000
"""So many words are drawn where nothing better than chance makes one with a given count."""
BITS = 192


def find_counterexample(transformer: Transformer, lengths: Lengths, lines: Sequence[Line],
                        tolerance: Fraction | None = None) -> Counterexample | None:
    """The counterexample with the shortest word that the search finds; None says nothing about the claim.

    With a ``tolerance`` every head must err by no more than that, and not only as its meaning says.
    """
    try:
        exhausted = exhaustive_length(len(transformer.alphabet), lengths)
        words = itertools.chain(
            all_words(transformer.alphabet, range(lengths.first, exhausted + 1)),
            _words_breaking_heads(transformer, exhausted, lines, tolerance),
            _words_with_counts(transformer, exhausted, lines, tolerance),
            _simple_words(transformer.alphabet, range(exhausted + 1, lengths.last + 1)),
        )
        return next((miss for word in words if (miss := find_miss(transformer, word, BITS, tolerance))), None)
    except InexactHardAttention:
        return None


def exhaustive_length(symbols: int, lengths: Lengths) -> int:
    """The largest length up to which all words are few enough to be tried; that before the first, if none is.

    >>> exhaustive_length(2, Lengths(1, 64)), exhaustive_length(1, Lengths(1, 4)), exhaustive_length(2, Lengths(12, 64))
    (8, 4, 11)
    """
    length, total = lengths.first - 1, 0
    while length < lengths.last and total + symbols ** (length + 1) <= EXHAUSTIVE_WORDS:
        length += 1
        total += symbols**length
    return length


def all_words(alphabet: Sequence[str], lengths: Iterable[int]) -> Iterator[tuple[str, ...]]:
    """Every word of these lengths, in their order.

    >>> list(all_words("a", [1, 2]))
    [('a',), ('a', 'a')]
    """
    for n in lengths:
        yield from itertools.product(alphabet, repeat=n)


def _words_breaking_heads(transformer: Transformer, beyond: int, lines: Iterable[Line],
                          tolerance: Fraction | None) -> Iterator[tuple[str, ...]]:
    """Words longer than ``beyond`` on which some failing head certainly errs, shortest first."""
    violations, bound = [], TOLERATED_ERROR if tolerance is None else tolerance
    for line in lines:
        if isinstance(line.obligation, AttentionObligation) and not line.proved:
            weighed = [weigh(s, BITS) for s in line.obligation.sweeps if s.n > beyond]
            violations += [(n, i, truth, sweep, line.obligation.target)
                           for n, i, truth, sweep in find_violations_of_sweeps(weighed, bound)]
    violations.sort(key=lambda violation: violation[:3])
    for n, i, truth, sweep, target in violations[:SOLVER_QUERIES]:
        word = read_worst_input(target, transformer.alphabet, sweep, i, truth, bound)
        if word is None:
            try:
                word = by_z3.find_word(target, transformer.alphabet, sweep, i, truth, bound)
            except by_z3.Undecided:
                continue
        if word is not None:
            assert len(word) == n
            yield word


def read_worst_input(target: Target, alphabet: Sequence[str], weighed: WeighedSweep, i: int, truth: bool,
                     bound: Fraction) -> tuple[str, ...] | None:
    """The input with the worst error at row i as a word, if symbols decide all atoms."""
    if not all(is_symbolic(atom) for atom in target.atoms):
        return None
    letters = realizable(target.atoms, alphabet)
    by_letter = {letters.index(tuple(symbolic_truth(atom, symbol) for atom in target.atoms)): symbol
                 for symbol in reversed(alphabet)}
    word = dict.fromkeys(range(1, weighed.sweep.n + 1), alphabet[0])
    for step, choice in zip(weighed.sweep.steps, find_worst_input(weighed, truth, bound, i), strict=False):
        word[step.j] = next(symbol for letter, symbol in by_letter.items() if step.choices[letter] == choice)
    return tuple(word.values())


def _words_with_counts(transformer: Transformer, beyond: int, lines: Sequence[Line],
                       tolerance: Fraction | None) -> Iterator[tuple[str, ...]]:
    """Words longer than ``beyond`` that bring a head which looks up a count into a case where it errs.

    A failing head has such cases. If it is a feed-forward output that fails, the cases are those in which the heads
    behind it err most, and all other counts at the same place.
    """
    cases: set[tuple[int, int, bool, int, Count]] = set()
    layers = {line.layer for line in lines if line.kind == "feed-forward" and not line.proved}
    for line in lines:
        if not isinstance(lookup := line.obligation, LookupObligation):
            continue
        bound = tolerance or lookup.tolerance
        if not line.proved and bound is not None:
            cases |= {(case.row.n, case.row.i, case.here, case.others, lookup.count)
                      for case in find_violations(lookup, BITS, bound)}
        elif any(line.layer <= layer for layer in layers) and line.worst:
            for extreme in line.worst.extremes:
                assert isinstance(extreme, LookupExtreme)
                row = extreme.case.row
                cases |= {(row.n, row.i, extreme.case.here, others, lookup.count)
                          for others in range(len(row.targets[0]))}
    for n, i, here, others, count in sorted(cases, key=lambda case: case[:4]):
        if n > beyond and (word := find_word_with_count(transformer.alphabet, count, n, i, here, others)):
            yield word


def find_word_with_count(alphabet: Sequence[str], count: Count, n: int, i: int, here: bool,
                         others: int) -> tuple[str, ...] | None:
    """A word of length n with so many other positions counted at i, where this one is counted as ``here`` says."""
    looked_at = range(1, i + 1) if count.side == "left" else range(i, n + 1)
    if is_symbolic(count.operand):
        by_truth = {satisfies(count.operand, (symbol,), 1): symbol for symbol in alphabet}
        chosen = set([j for j in looked_at if j != i][:others]) | ({i} if here else set())
        word = tuple(by_truth.get(j in chosen, "") for j in range(1, n + 1))
        return word if all(word) else None
    draw = random.Random(n * n + i)
    for k in range(RANDOM_WORDS):
        word = tuple(alphabet[0] if draw.randrange(10) < k % 10 else draw.choice(alphabet) for _ in range(n))
        truths = truth_values(count.operand, word)
        if truths[i - 1] == here and sum(truths[j - 1] for j in looked_at) == others + here:
            return word
    return None


def _simple_words(alphabet: Sequence[str], lengths: Iterable[int]) -> Iterator[tuple[str, ...]]:
    """Words of one symbol, and of one symbol with another at one end."""
    for n in lengths:
        for symbol in alphabet:
            yield (symbol,) * n
            for other in alphabet:
                if other != symbol and n > 1:
                    yield (other, *(symbol,) * (n - 1))
                    yield (*(symbol,) * (n - 1), other)
