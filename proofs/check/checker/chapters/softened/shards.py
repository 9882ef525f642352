"""The check: all words of every length. A *shard* is the words of one length with one prefix.

The results of shards combine in any order, so that a shard may be divided, or several processes may check some each.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import product

from ...kernel.verdicts import Refusal, Rejected, TooLong, quote, require, show, within
from .forms import LayerForms, prepare
from .lengths import ShardResult, TransformerAtLength, count_shared, least_gap
from .prefixes import PrefixGraph, TablesFull, Word, build_automaton
from .reading import Softened
from .statement import check_heads, check_statement
from .visible_keys import ValuesDropped
from .words import WordByWord

LAYER_STEPS, HEAD_STEPS = 2, 1  # of work for a layer and for a head at a position, if all results are cached
NOTHING = ShardResult(0, None, 0, 0)
TIES = "of these with ties"
"""The coverage key of ties; printed only if there are any."""


def check_softened(given: Softened) -> dict[str, int]:
    """Prove every obligation of the certificate, with one shard for each length; return the coverage."""
    forms = prepare(given.language.budget, given.transformer)
    check_heads(given)
    for n in given.claim.lengths:
        check_statement(given, n)
    for n in given.claim.lengths:
        spend_on_words(given, forms, n, ())
    return check_found(given, {n: run_words(given, forms, n, ()) for n in given.claim.lengths})


def check_found(given: Softened, found: Mapping[int, ShardResult]) -> dict[str, int]:
    """Check that all words of each length were run, and that their least gap is the stated one; return the coverage."""
    for n in given.claim.lengths:
        is_all = found[n].words == len(given.claim.alphabet) ** n
        require(is_all, "the shards at n = {} are not all words, each once", n)
        least, stated = found[n].gap, given.gaps[n - 1]
        shown = ["none" if gap is None else show(gap) for gap in (least, stated)]
        require(least == stated, "the gap at n = {} is {}, not the stated {}", n, *shown)
    whole = join_results(found.values())
    ties = {TIES: whole.ties} if whole.ties else {}
    return {"words": whole.words, "score profiles": whole.profiles, **ties, "vectors": whole.vectors}


def spend_on_words(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> None:
    """Charge the least work of a shard in advance, so that a claim of too many words ends at once.

    Raises:
        Incomplete: if it is more than is left.
    """
    size, shared = len(given.claim.alphabet), count_shared(forms)
    free = n - len(prefix)
    beginnings = len(prefix) + (free if size == 1 else size * (size**free - 1) // (size - 1))
    given.language.budget.spend(beginnings * steps_of_visit(forms[:shared]) +
                                size**free * (1 + n * steps_of_visit(forms[shared:])))


def steps_of_visit(forms: Sequence[LayerForms]) -> int:
    """Return the least work of layers at one position."""
    return sum(LAYER_STEPS + HEAD_STEPS * len(layer.heads) for layer in forms)


def run_words(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> ShardResult:
    """Run the words of a shard: all at once if words with a common prefix share all layers, else one after another.

    A refused shard is run again word by word: then the first word with a fault is named, and the finer bounds decide. A
    shard with too many different prefixes is divided. The tables of an abandoned run are dropped. The end of the budget
    is not caught; it ends the check.
    """
    if count_shared(forms) < len(forms):
        return run_one_by_one(given, forms, n, prefix)
    try:
        return run_together(given, forms, n, prefix)
    except (ValuesDropped, Rejected, TooLong):
        is_divided = False
    except TablesFull:
        is_divided = len(prefix) < n and len(given.claim.alphabet) > 1
    if not is_divided:
        return run_one_by_one(given, forms, n, prefix)
    return join_results(run_words(given, forms, n, (*prefix, symbol)) for symbol in given.claim.alphabet)


def run_together(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> ShardResult:
    """Run the words of a shard, all at once.

    Raises:
        Refusal: if a bound is exceeded, or the budget is.
        ValuesDropped: if finer bounds are needed.
        TablesFull: if they have too many different prefixes.
    """
    at = TransformerAtLength(given, forms, n)
    try:
        return at.result(PrefixGraph(at).run(build_automaton(at, prefix)))
    finally:
        at.memory.forget()


def run_one_by_one(given: Softened, forms: Sequence[LayerForms], n: int, prefix: Word) -> ShardResult:
    """Run the words of a shard, one after another; full tables are emptied between words."""
    found, walk = NOTHING, begin(given, forms, n)
    for rest in product(given.claim.alphabet, repeat=n - len(prefix)):
        if walk.at.memory.is_full:
            found = join_results((found, end(walk)))
            walk = begin(given, forms, n)
        run_word(walk, prefix + rest)
    return join_results((found, end(walk)))


def begin(given: Softened, forms: Sequence[LayerForms], n: int) -> WordByWord:
    """Return a run with empty tables."""
    with within(f"n = {n}"):
        return WordByWord(TransformerAtLength(given, forms, n))


def run_word(walk: WordByWord, word: Word) -> None:
    """Run one word; a refusal names the word and the position."""
    try:
        walk.run(word)
    except Refusal as refusal:
        where = f"n = {len(word)}, word {quote(' '.join(word))}, position {walk.position}"
        raise type(refusal)(f"{where}: {refusal}") from None


def end(walk: WordByWord) -> ShardResult:
    """Return the result of a run, and drop its tables."""
    walk.at.memory.forget()
    return walk.at.result(walk.words)


def join_results(found: Iterable[ShardResult]) -> ShardResult:
    """Combine the results of shards."""
    return reduce(lambda one, other: ShardResult(
        one.words + other.words, least_gap((one.gap, other.gap)), one.profiles + other.profiles,
        one.vectors + other.vectors, one.ties + other.ties), found, NOTHING)
