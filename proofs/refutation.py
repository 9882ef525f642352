"""Looking for the shortest word that breaks a claim, once some obligation is not proved.

Short lengths are searched word by word. Beyond them words are made for the heads that may err: Z3 finds words for those
that attend to truths, and for those that look up a count any word with that count will do. Words of few symbols are
tried where an obligation fails otherwise. Every word is replayed before it is reported.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

from constructions.language.semantics import satisfies, truth_values
from constructions.language.syntax import Count, is_symbolic
from constructions.network.transformer import Transformer
from proofs import by_z3
from proofs.attention import AttentionObligation
from proofs.discharge import TOLERATED_ERROR, Line
from proofs.lookup import LookupObligation
from proofs.lookup_worst_case import LookupExtreme, find_violations
from proofs.replay import Counterexample, InexactHardAttention, find_miss
from proofs.worst_case import find_violations as find_violations_of_sweeps
from proofs.worst_case import weigh

EXHAUSTIVE_WORDS = 600
"""All words are tried, length by length, while their number stays below this."""
SOLVER_QUERIES = 200
RANDOM_WORDS = 2000
"""So many words are drawn where nothing better than chance makes one with a given count."""
BITS = 192


def find_counterexample(transformer: Transformer, max_n: int, lines: Sequence[Line]) -> Counterexample | None:
    """The counterexample with the shortest word that the search finds; None says nothing about the claim."""
    try:
        exhausted = exhaustive_length(len(transformer.alphabet), max_n)
        words = itertools.chain(
            all_words(transformer.alphabet, exhausted),
            _words_breaking_heads(transformer, exhausted, lines),
            _words_with_counts(transformer, exhausted, lines),
            _simple_words(transformer.alphabet, range(exhausted + 1, max_n + 1)),
        )
        return next((miss for word in words if (miss := find_miss(transformer, word, BITS))), None)
    except InexactHardAttention:
        return None


def exhaustive_length(symbols: int, max_n: int) -> int:
    """The largest length up to max_n such that all words up to it are few enough to be tried.

    >>> exhaustive_length(2, 64), exhaustive_length(1, 4)
    (8, 4)
    """
    length = total = 0
    while length < max_n and total + symbols ** (length + 1) <= EXHAUSTIVE_WORDS:
        length += 1
        total += symbols**length
    return max(length, 1)


def all_words(alphabet: Sequence[str], max_n: int) -> Iterator[tuple[str, ...]]:
    """Every word of length 1 to max_n, shortest first.

    >>> list(all_words("a", 2))
    [('a',), ('a', 'a')]
    """
    for n in range(1, max_n + 1):
        yield from itertools.product(alphabet, repeat=n)


def _words_breaking_heads(transformer: Transformer, beyond: int, lines: Iterable[Line]) -> Iterator[tuple[str, ...]]:
    """Words longer than ``beyond`` on which some failing head certainly errs, shortest first."""
    violations = []
    for line in lines:
        if isinstance(line.obligation, AttentionObligation) and not line.proved:
            weighed = [weigh(s, BITS) for s in line.obligation.sweeps if s.n > beyond]
            violations += [(n, i, truth, sweep, line.obligation.target)
                           for n, i, truth, sweep in find_violations_of_sweeps(weighed, TOLERATED_ERROR)]
    violations.sort(key=lambda violation: violation[:3])
    for n, i, truth, sweep, target in violations[:SOLVER_QUERIES]:
        try:
            word = by_z3.find_word(target, transformer.alphabet, sweep, i, truth, TOLERATED_ERROR)
        except by_z3.Undecided:
            continue
        if word is not None:
            assert len(word) == n
            yield word


def _words_with_counts(transformer: Transformer, beyond: int, lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Words longer than ``beyond`` that bring a head which looks up a count into a case where it errs.

    A failing head has such cases. If it is a feed-forward output that fails, the cases are those in which the heads
    behind it err most, and all other counts at the same place.
    """
    cases: set[tuple[int, int, bool, int, Count]] = set()
    layers = {line.layer for line in lines if line.kind == "feed-forward" and not line.proved}
    for line in lines:
        if not isinstance(lookup := line.obligation, LookupObligation):
            continue
        if not line.proved and lookup.tolerance is not None:
            cases |= {(case.row.n, case.row.i, case.here, case.others, lookup.count)
                      for case in find_violations(lookup, BITS, lookup.tolerance)}
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
