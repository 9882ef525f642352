"""All words of one length under hard attention, exactly.

Claim       ``survey_words`` is exact for every word of length n that begins with the prefix: its gap and its ties are
            the first to occur in the order of words (by the order of the alphabet), positions, layers, heads.
Method      Where every head is future-masked, all words at once, layer by layer (courses.py), and what heads meet is
            found along routes (routes.py, contests.py). One by one (walk.py) where a head sees what follows; where one
            ties that must not, as nothing but the first tie is asked for then; and where words have too little in
            common.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from constructions.errors import InputError
from constructions.network.transformer import Transformer
from proofs.softened.findings import Survey, Where, taken
from proofs.softened.heads import HardAttention, Tied
from proofs.softened.layers import LayerRun
from proofs.softened.prefix_automaton import Course, TooManyStates, expect_room, first_course, run_layer
from proofs.softened.profile_bounds import Profile
from proofs.softened.query_winner_pairs import Contests
from proofs.softened.score_profiles import ScoreProfiles
from proofs.softened.stack import Stack
from proofs.softened.winning_paths import Readings
from proofs.softened.word_tree import Walk

Heads = Mapping[Where, ScoreProfiles | Profile]
ZERO = Fraction(0)


def survey_words(transformer: Transformer, n: int, prefix: Sequence[str] = ()) -> Survey:
    """What hard attention does on all words of length n that begin with ``prefix``.

    Raises:
        InputError: if the prefix is no prefix of such a word, or an embedding is not defined at some position.
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
    Walk(stack).run(letters)
    return _described(stack, prefix, {where: head.finish() for where, head in _hard_heads(stack)})


def _described(stack: Stack, prefix: Sequence[str], heads: Heads) -> Survey:
    """What was found; after a tie nothing more is known of heads and forms."""
    alphabet, leads, numbers = stack.transformer.alphabet, stack.leads, stack.numbers
    words = len(alphabet) ** (stack.n - len(prefix))
    if leads.tie:
        return Survey(alphabet, stack.n, words, None, leads.tie, None, stack.find_x_max(prefix), {}, {})
    forms = {(number, form): taken(numbers[x] for x in found) for number, layer in enumerate(stack.layers, start=1)
             for form, found in layer.feedforward.taken.items()}
    return Survey(alphabet, stack.n, words, leads.gap, None, leads.averaged, stack.find_x_max(prefix), heads, forms)


def _hard_heads(stack: Stack) -> list[tuple[Where, HardAttention]]:
    return [((number, place), head) for number, layer in enumerate(stack.layers, start=1)
            for place, head in enumerate(layer.heads, start=1) if isinstance(head, HardAttention)]


# -- all words at once -------------------------------------------------------------------------------------------------


def _run_together(stack: Stack, prefix: Sequence[int]) -> Heads:
    """All layers on all words; what the heads met. Gaps are noted, and ties that are averaged.

    Raises:
        Tied: if a head ties that must not.
        TooManyStates: if words have too little in common.
    """
    course = first_course(stack.starts, prefix)
    found: dict[Where, ScoreProfiles | Profile] = {}
    for number, layer in enumerate(stack.layers, start=1):
        following = run_layer(layer, course)
        for place, head in enumerate(layer.heads, start=1):
            if isinstance(head, HardAttention):
                contests = _contests(stack, layer, place, course, prefix)
                _note(stack, contests, (number, place))
                found[number, place] = contests.finish()
        course = following
    return found


def _contests(stack: Stack, layer: LayerRun, place: int, course: Course, prefix: Sequence[int]) -> Contests:
    head = layer.heads[place - 1]
    assert isinstance(head, HardAttention)
    read = [[[layer.read[vector][place - 1] for vector, _ in steps] for steps in level] for level in course[:-1]]
    readings = Readings(course, read, prefix)
    expect_room(readings.number_of_moves * len(head.won), course)
    return Contests(head, readings, stack.n)


def _note(stack: Stack, contests: Contests, where: Where) -> None:
    """Note the gap of a head, and its tie, where they occur first."""
    leads, losses = stack.leads, contests.losses()
    gap = min((loss for loss in losses if loss), default=None)
    if gap is not None and (leads.gap is None or gap <= leads.gap.value):
        leads.word, leads.i = contests.first(gap)
        leads.note_gap(gap, *where)
    if ZERO in losses:
        leads.word, leads.i = contests.first(ZERO)
        leads.note_averaged(*where)
