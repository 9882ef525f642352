"""The check: all words of every length, in shards. A shard is the words of one length with one prefix.

What shards find combines in any order, so that they can be checked by several processes: `check_shard` for each, and
`finish` for all.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product

from ...kernel.verdicts import Refusal, Rejected, TooLong, expect, quote, require, show, within
from .forms import LayerForms, prepare
from .lengths import ShardResult, TransformerAtLength, count_shared
from .prefixes import PrefixGraph, TablesFull, Word, begin_course
from .reading import Softened
from .seeing import Forgotten
from .statement import check_heads, check_statement
from .words import WordByWord

Shard = tuple[int, Word]
"""A length and a prefix."""

LAYER_STEPS, HEAD_STEPS = 2, 1  # the work of a layer and of a head at a position, if all that happens has been met


NOTHING = ShardResult(0, None, 0, 0)
TIES = "of these with ties"
"""What is counted if there are any."""


def check_softened(given: Softened) -> dict[str, int]:
    """Every obligation of the certificate, with one shard for each length; what was covered."""
    forms = prepare(given.language.budget, given.transformer)
    check_heads(given)
    for n in given.claim.lengths:
        check_statement(given, n)
    for n in given.claim.lengths:
        spend_on_words(given, forms, n, ())
    return finish(given, {(n, ()): run_words(given, forms, n, ()) for n in given.claim.lengths})


def check_shard(given: Softened, n: int, prefix: Word) -> ShardResult:
    """The words of length n with the prefix are within the stated bounds.

    Raises:
        Malformed: if there are no such words.
        Rejected: if a leftmost or rightmost head ties, or the rules prove no bound as small as a stated one.
        Incomplete: if there is more to do than the budget allows.
    """
    expect_shard(given, n, prefix)
    forms = prepare(given.language.budget, given.transformer)
    check_heads(given)
    check_statement(given, n)
    spend_on_words(given, forms, n, prefix)
    return run_words(given, forms, n, prefix)


def finish(given: Softened, found: Mapping[Shard, ShardResult]) -> dict[str, int]:
    """The shards that were checked are all words of the claim, each once, and have the stated gaps; what was covered.

    Raises:
        Malformed: if a shard is none of the claim.
        Rejected: if they are not all words, or a gap is not the stated one.
    """
    for shard in found:
        expect_shard(given, *shard)
    for n in given.claim.lengths:
        check_all_words(given, n, {prefix: shard.words for (length, prefix), shard in found.items() if length == n})
        check_gap(given, n, [shard.gap for (length, _), shard in found.items() if length == n])
    whole = reduce(join_results, found.values(), NOTHING)
    ties = {TIES: whole.ties} if whole.ties else {}
    return {"words": whole.words, "situations of heads": whole.situations, **ties, "vectors": whole.vectors}


def expect_shard(given: Softened, n: int, prefix: Word) -> None:
    """Raises: Malformed: if there are no such words."""
    fits = n in given.claim.lengths and len(prefix) <= n and {*prefix} <= {*given.claim.alphabet}
    expect(fits, "no shard: n = {}, prefix {}", n, quote(" ".join(prefix)))


def check_all_words(given: Softened, n: int, words: Mapping[Word, int]) -> None:
    """Shards with these prefixes, in which so many words were run, are all words of length n, each once.

    Proof. A word is in the shards of those prefixes that it begins with. Of two of them one begins with the other; if
    there are such prefixes, then also two that are neighbours in the order of words. So no word is in two shards, and
    each shard ran as many words as it has, all together as many as there are.
    """
    size, prefixes = len(given.claim.alphabet), sorted(words)
    overlap = any(other[: len(one)] == one for one, other in pairwise(prefixes))
    complete = all(number == size ** (n - len(prefix)) for prefix, number in words.items())
    is_all = complete and not overlap and sum(words.values()) == size**n
    require(is_all, "the shards at n = {} are not all words, each once", n)


def check_gap(given: Softened, n: int, gaps: Iterable[Fraction | None]) -> None:
    """The least of the gaps is the stated one."""
    least, stated = least_gap(gaps), given.gaps[n - 1]
    shown = ["none" if gap is None else show(gap) for gap in (least, stated)]
    require(least == stated, "the gap at n = {} is {}, not the stated {}", n, *shown)


def spend_on_words(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> None:
    """Counts the work of a shard, as far as nothing spares it; so that a claim of too many words ends at once.

    Raises:
        Incomplete: if it is more than is left.
    """
    size, shared = len(given.claim.alphabet), count_shared(forms)
    free = n - len(prefix)
    beginnings = len(prefix) + (free if size == 1 else size * (size**free - 1) // (size - 1))
    given.language.budget.spend(beginnings * steps_of_visit(forms[:shared]) +
                                size**free * (1 + n * steps_of_visit(forms[shared:])))


def steps_of_visit(forms: Sequence[LayerForms]) -> int:
    """The least work of layers at one position."""
    return sum(LAYER_STEPS + HEAD_STEPS * len(layer.heads) for layer in forms)


def run_words(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> ShardResult:
    """The words of a shard: all at once if words with a common prefix share all layers, else one after another.

    What is refused of all at once is run again word by word: then the first word with a fault is named, and the finer
    bounds decide. A shard with too many different prefixes is divided. Of what is given up nothing is used again: its
    tables are forgotten. The end of the budget is no such refusal; it ends the check.
    """
    if count_shared(forms) < len(forms):
        return run_one_by_one(given, forms, n, prefix)
    try:
        return run_together(given, forms, n, prefix)
    except (Forgotten, Rejected, TooLong):
        is_divided = False
    except TablesFull:
        is_divided = len(prefix) < n and len(given.claim.alphabet) > 1
    if not is_divided:
        return run_one_by_one(given, forms, n, prefix)
    return reduce(join_results, (run_words(given, forms, n, (*prefix, symbol)) for symbol in given.claim.alphabet))


def run_together(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> ShardResult:
    """The words of a shard, all at once.

    Raises:
        Refusal: if they are not all within the stated bounds, or there is more to do than the budget allows.
        Forgotten: if that takes finer bounds.
        TablesFull: if they have too many different prefixes.
    """
    at = TransformerAtLength(given, forms, n)
    try:
        return at.result(PrefixGraph(at).run(begin_course(at, prefix)))
    finally:
        at.memory.forget()


def run_one_by_one(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> ShardResult:
    """The words of a shard, one after another; tables that are full are emptied between words."""
    found, walk = NOTHING, begin(given, forms, n)
    for rest in product(given.claim.alphabet, repeat=n - len(prefix)):
        if walk.at.memory.is_full:
            found = join_results(found, end(walk))
            walk = begin(given, forms, n)
        run_word(walk, prefix + rest)
    return join_results(found, end(walk))


def begin(given: Softened, forms: Sequence[LayerForms], n: int) -> WordByWord:
    """A walk with empty tables."""
    with within(f"n = {n}"):
        return WordByWord(TransformerAtLength(given, forms, n))


def run_word(walk: WordByWord, word: Word) -> None:
    """One word; what goes wrong is said with the word and the position."""
    try:
        walk.run(word)
    except Refusal as refusal:
        where = f"n = {len(word)}, word {quote(' '.join(word))}, position {walk.position}"
        raise type(refusal)(f"{where}: {refusal}") from None


def end(walk: WordByWord) -> ShardResult:
    """What a walk showed; its tables are given up."""
    walk.at.memory.forget()
    return walk.at.result(walk.words)


def join_results(one: ShardResult, other: ShardResult) -> ShardResult:
    """What two showed together."""
    return ShardResult(one.words + other.words, least_gap((one.gap, other.gap)), one.situations + other.situations,
                       one.vectors + other.vectors, one.ties + other.ties)


def least_gap(gaps: Iterable[Fraction | None]) -> Fraction | None:
    """The least, None if there is none."""
    return min((gap for gap in gaps if gap is not None), default=None)
