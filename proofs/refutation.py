"""Looking for the shortest word that breaks a claim, once some obligation is not proved.

Short lengths are searched word by word. Beyond them Z3 finds words on which a failing head must err, and words made of
few symbols are tried where an obligation fails at a known length. Every word is replayed before it is reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from constructions.network.transformer import Transformer
from proofs import by_z3
from proofs.discharge import TOLERATED_ERROR, Line
from proofs.replay import Counterexample, InexactHardAttention, find_miss
from proofs.worst_case import WeighedSweep, find_violations, weigh

EXHAUSTIVE_WORDS = 600
"""All words are tried, length by length, while their number stays below this."""
SOLVER_QUERIES = 200
BITS = 192


def find_counterexample(transformer: Transformer, max_n: int, lines: Sequence[Line]) -> Counterexample | None:
    """The counterexample with the shortest word that the search finds; None says nothing about the claim."""
    try:
        exhausted = exhaustive_length(len(transformer.alphabet), max_n)
        words = itertools.chain(
            all_words(transformer.alphabet, exhausted),
            _words_breaking_heads(transformer, exhausted, lines),
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
        if line.obligation and not line.proved:
            weighed: list[WeighedSweep] = [weigh(s, BITS) for s in line.obligation.sweeps if s.n > beyond]
            violations += [(n, i, truth, sweep, line.obligation.target)
                           for n, i, truth, sweep in find_violations(weighed, TOLERATED_ERROR)]
    violations.sort(key=lambda violation: violation[:3])
    for n, i, truth, sweep, target in violations[:SOLVER_QUERIES]:
        try:
            word = by_z3.find_word(target, transformer.alphabet, sweep, i, truth, TOLERATED_ERROR)
        except by_z3.Undecided:
            continue
        if word is not None:
            assert len(word) == n
            yield word


def _simple_words(alphabet: Sequence[str], lengths: Iterable[int]) -> Iterator[tuple[str, ...]]:
    """Words of one symbol, and of one symbol with another at one end."""
    for n in lengths:
        for symbol in alphabet:
            yield (symbol,) * n
            for other in alphabet:
                if other != symbol and n > 1:
                    yield (other, *(symbol,) * (n - 1))
                    yield (*(symbol,) * (n - 1), other)



