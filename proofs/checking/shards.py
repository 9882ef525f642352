"""Certificates of softened transformers in shards, by any number of processes.

See docs/background/softened_rules.md, section 4.

The checks of a shard and of a length are the checker's own; this module checks that the shards are all words.
"""

from collections.abc import Mapping
from itertools import pairwise

from proofs.check.checker.chapters.softened.forms import prepare
from proofs.check.checker.chapters.softened.lengths import ShardResult
from proofs.check.checker.chapters.softened.prefixes import Word
from proofs.check.checker.chapters.softened.reading import Softened, read_softened
from proofs.check.checker.chapters.softened.shards import check_found, join_results, run_words, spend_on_words
from proofs.check.checker.chapters.softened.statement import check_heads, check_statement
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.reading.document import read_document
from proofs.check.checker.kernel.verdicts import expect, quote, require

__all__ = ["Shard", "ShardResult", "Softened", "check_shard", "finish", "read_softened_text"]

Shard = tuple[int, Word]
"""A length and a prefix."""


def read_softened_text(data: bytes, work: int = 1) -> Softened:
    """Read a certificate, with ``work`` times the default budget for all that is done with it.

    Raises:
        Malformed, Rejected: as `read_document` and `read_softened`.
    """
    budget = Budget(work)
    return read_softened(read_document(data, budget), budget)


def check_shard(given: Softened, n: int, prefix: Word) -> ShardResult:
    """Prove that the words of length n with the prefix are within the stated bounds; return the result.

    Raises:
        Malformed: if the claim has none of these words.
        Rejected: if a leftmost or rightmost head ties, or the rules prove no bound as small as a stated one.
        Incomplete: if the budget is exceeded.
    """
    expect_shard(given, n, prefix)
    forms = prepare(given.language.budget, given.transformer)
    check_heads(given)
    check_statement(given, n)
    spend_on_words(given, forms, n, prefix)
    return run_words(given, forms, n, prefix)


def finish(given: Softened, found: Mapping[Shard, ShardResult]) -> dict[str, int]:
    """Check that the shards are all words of the claim, each once, with the stated gaps; return the coverage.

    Raises:
        Malformed: if a shard is not part of the claim.
        Rejected: if they are not all words, or a gap is not the stated one.
    """
    for shard in found:
        expect_shard(given, *shard)
    by_length = {n: {prefix: one for (length, prefix), one in found.items() if length == n}
                 for n in given.claim.lengths}
    for n, shards in by_length.items():
        check_all_words(given, n, {prefix: one.words for prefix, one in shards.items()})
    return check_found(given, {n: join_results(shards.values()) for n, shards in by_length.items()})


def expect_shard(given: Softened, n: int, prefix: Word) -> None:
    """Raise Malformed if no word of the claim has this length and prefix."""
    fits = n in given.claim.lengths and len(prefix) <= n and {*prefix} <= {*given.claim.alphabet}
    expect(fits, "no shard: n = {}, prefix {}", n, quote(" ".join(prefix)))


def check_all_words(given: Softened, n: int, words: Mapping[Word, int]) -> None:
    """Check that shards with these prefixes, and these numbers of words, are all words of length n, each once.

    Proof. A word is in the shards of those prefixes that it begins with. If a word is in two shards, one of the
    prefixes begins with the other, and then also two that are neighbours in the order of words. So no word is in two
    shards, and each shard ran all of its words, all together as many as there are.
    """
    size, prefixes = len(given.claim.alphabet), sorted(words)
    overlap = any(other[: len(one)] == one for one, other in pairwise(prefixes))
    complete = all(number == size ** (n - len(prefix)) for prefix, number in words.items())
    is_all = complete and not overlap and sum(words.values()) == size**n
    require(is_all, "the shards at n = {} are not all words, each once", n)
