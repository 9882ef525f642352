"""All words of one length under hard attention, exactly.

Claim       ``survey_words`` is exact for the words of length n with the prefix: its gap and its ties are the first to
            occur in the order of words (by the order of the alphabet), positions, layers, heads.
Method      If every head is future-masked, all words are run at once, layer by layer (prefix_automaton.py), and score
            profiles are found along winning paths (query_winner_pairs.py). Words are run one by one (word_tree.py) if a
            head sees later positions, if a forbidden tie occurs (only the first one is reported), or if words have too
            many different prefixes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from constructions.errors import InputError
from constructions.network.transformer import Transformer
from proofs.softened.findings import Survey, Where, taken
from proofs.softened.heads import HardAttention, Tied
from proofs.softened.layers import LayerRun
from proofs.softened.prefix_automaton import PrefixAutomaton, TooManyStates, expect_room, first_automaton, run_layer
from proofs.softened.profile_bounds import JointBounds
from proofs.softened.query_winner_pairs import QueryWinnerPairs as Pairs
from proofs.softened.score_profiles import ScoreProfiles
from proofs.softened.stack import Stack
from proofs.softened.winning_paths import HeadSteps
from proofs.softened.word_tree import PrefixTreeTraversal

Heads = Mapping[Where, ScoreProfiles | JointBounds]
ZERO = Fraction(0)


def survey_words(transformer: Transformer, n: int, prefix: Sequence[str] = ()) -> Survey:
    """Survey hard attention on all words of length n that begin with ``prefix``.

    Raises:
        InputError: if the prefix is longer, or not over the alphabet, or an embedding is not defined at some position.
        Unsupported: if a head is soft and not uniform.
    """
    if n < 1 or len(prefix) > n:
        raise InputError(f"words of length {n} that begin with {len(prefix)} given symbols, expected at most n >= 1")
    for symbol in prefix:
        if symbol not in transformer.alphabet:
            raise InputError(f"prefix: {symbol!r}, expected a symbol of the alphabet {' '.join(transformer.alphabet)}")
    letters = [transformer.alphabet.index(symbol) for symbol in prefix]
    stack = Stack(transformer, n)
    if stack.below == len(stack.layers):
        try:
            return _described(stack, prefix, _run_together(stack, letters))
        except (Tied, TooManyStates):
            stack = Stack(transformer, n)
    PrefixTreeTraversal(stack).run(letters)
    return _described(stack, prefix, {where: head.finish() for where, head in _hard_heads(stack)})


def _described(stack: Stack, prefix: Sequence[str], heads: Heads) -> Survey:
    """Return the survey; after a forbidden tie it has no heads and forms."""
    alphabet, gaps, numbers = stack.transformer.alphabet, stack.gaps, stack.numbers
    words = len(alphabet) ** (stack.n - len(prefix))
    if gaps.tie:
        return Survey(alphabet, stack.n, words, None, gaps.tie, None, stack.find_x_max(prefix), {}, {})
    forms = {(number, form): taken(numbers[x] for x in found) for number, layer in enumerate(stack.layers, start=1)
             for form, found in layer.feedforward.taken.items()}
    return Survey(alphabet, stack.n, words, gaps.gap, None, gaps.averaged, stack.find_x_max(prefix), heads, forms)


def _hard_heads(stack: Stack) -> list[tuple[Where, HardAttention]]:
    return [((number, place), head) for number, layer in enumerate(stack.layers, start=1)
            for place, head in enumerate(layer.heads, start=1) if isinstance(head, HardAttention)]


# -- all words at once -------------------------------------------------------------------------------------------------


def _run_together(stack: Stack, prefix: Sequence[int]) -> Heads:
    """Run all layers on all words, note gaps and averaged ties, and return the score profiles of heads.

    Raises:
        Tied: if a head that must not tie does.
        TooManyStates: if words have too many different prefixes.
    """
    automaton = first_automaton(stack.starts, prefix)
    found: dict[Where, ScoreProfiles | JointBounds] = {}
    for number, layer in enumerate(stack.layers, start=1):
        following = run_layer(layer, automaton)
        for place, head in enumerate(layer.heads, start=1):
            if isinstance(head, HardAttention):
                pairs = _pairs(stack, layer, place, automaton, prefix)
                _note(stack, pairs, (number, place))
                found[number, place] = pairs.finish()
        automaton = following
    return found


def _pairs(stack: Stack, layer: LayerRun, place: int, automaton: PrefixAutomaton, prefix: Sequence[int]) -> Pairs:
    head = layer.heads[place - 1]
    assert isinstance(head, HardAttention)
    read = [[[layer.read[vector][place - 1] for vector, _ in steps] for steps in level] for level in automaton[:-1]]
    head_steps = HeadSteps(automaton, read, prefix)
    expect_room(head_steps.number_of_moves * len(head.won), automaton)
    return Pairs(head, head_steps, stack.n)


def _note(stack: Stack, pairs: Pairs, where: Where) -> None:
    """Note the gap of a head, and its tie, at their first occurrences."""
    gaps, losses = stack.gaps, pairs.losses()
    gap = min((loss for loss in losses if loss), default=None)
    if gap is not None and (gaps.gap is None or gap <= gaps.gap.value):
        gaps.word, gaps.i = pairs.first(gap)
        gaps.note_gap(gap, *where)
    if ZERO in losses:
        gaps.word, gaps.i = pairs.first(ZERO)
        gaps.note_averaged(*where)
