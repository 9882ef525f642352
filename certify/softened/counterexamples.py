"""What breaks a claim about softening: a tie, shown with its scores, or a word that is moved too far, replayed."""

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from certify.formula.doubles import DoubleNetwork
from certify.frame.shards import steps_per_word
from certify.softened.results import Moved, Tie
from constructions.errors import InternalError
from constructions.language.expressions import Expression, parse_expression
from constructions.network.run import run_hard, scaled_scores
from constructions.network.transformer import Transformer
from constructions.statements.theorem_26_uniform_tieless import soften
from proofs.softened.findings import Survey
from proofs.softened.gap import Word
from proofs.softened.search import find_departure


def describe_tie(transformer: Transformer, survey: Survey) -> Tie:
    """The tie that a survey met, from an exact run of the layers below it.

    Raises:
        InternalError: if that run does not tie.
    """
    tie = survey.tie
    assert tie
    head = transformer.layers[tie.layer - 1].heads[tie.head - 1]
    stream = run_hard(replace(transformer, layers=transformer.layers[: tie.layer - 1]), tie.word)
    scores = scaled_scores(head, stream)[tie.i - 1]
    visible = head.mask.visible(tie.i, len(tie.word))
    best = max(scores)
    winners = tuple(j for j, score in zip(visible, scores, strict=True) if score == best)
    if len(winners) == 1:
        raise InternalError(f"a survey found a tie on {tie.word} that an exact run does not find")
    return Tie(tie.word, tie.i, tie.layer, tie.head, head.name, best, winners)


def find_moved(transformer: Transformer, survey: Survey, n: int, temperature: Expression) -> Moved | None:
    """A word of length n that is provably moved by more than 1/4 at this temperature, if one is found.

    In an irrational one ln and sqrt are rounded down where words are looked for, and enclosed in the replay.
    """
    rounded = temperature.evaluate(n=n)
    return replay(transformer, temperature, rounded, likely_words(transformer, n, rounded, seeds(survey)))


def seeds(survey: Survey) -> list[Word]:
    """Words where the search for others begins."""
    return [survey.gap.word] if survey.gap else []


def replay(transformer: Transformer, temperature: Expression, rounded: Fraction, words: list[Word]) -> Moved | None:
    """The first of the words that is provably moved by more than 1/4; ``rounded`` is the temperature there."""
    found = find_departure(transformer, temperature, words)
    return Moved(found.word, found.i, found.norm, rounded) if found else None


STEPS = 20_000_000
"""A search takes about so many multiplications."""
KEPT = 3
"""So many words are handed on, those that move farthest first."""
LEAST_TRIED, STARTS = 40, 4
AT_ONCE = 256


def likely_words(transformer: Transformer, n: int, temperature: Fraction, seeds: Iterable[Word]) -> list[Word]:
    """Words of length n that move far at this temperature: of all if they are few, else found by climbing from seeds.

    The search is the same every time. Where numbers are too large or too small for it, the seeds are all there is.
    """
    given = [seed for seed in seeds if len(seed) == n]
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _search(transformer, n, temperature, given)
    except (OverflowError, FloatingPointError):
        return given


def _search(transformer: Transformer, n: int, temperature: Fraction, seeds: Sequence[Word]) -> list[Word]:
    sketch = _Sketch(transformer, n, temperature)
    room = max(LEAST_TRIED, STEPS // (2 * steps_per_word(transformer, n)))
    if len(transformer.alphabet) ** n <= room:
        return sketch.farthest(itertools.product(transformer.alphabet, repeat=n))
    draw = random.Random(0)
    sketch.run([*seeds, *(tuple(draw.choices(transformer.alphabet, k=n)) for _ in range(room // 4))])
    for start in sketch.farthest(sketch.known)[:STARTS]:
        sketch.climb(start, room)
    return sketch.farthest(sketch.known)


class _Sketch:
    """A transformer of one length, hard and soft, in doubles; ``known`` has the greatest 1-norm of the difference."""

    def __init__(self, transformer: Transformer, n: int, temperature: Fraction):
        self.alphabet, self.n = transformer.alphabet, n
        self.hard = DoubleNetwork(transformer, n)
        self.soft = DoubleNetwork(soften(transformer, parse_expression(str(temperature))), n)
        self.known: dict[Word, float] = {}

    def farthest(self, words: Iterable[Word]) -> list[Word]:
        """The KEPT words that move farthest."""
        chosen = list(words)
        self.run(chosen)
        return sorted(chosen, key=self.known.__getitem__, reverse=True)[:KEPT]

    def climb(self, word: Word, room: int) -> None:
        """Change one letter at a time for the better, while fewer than ``room`` words are known."""
        while len(self.known) < room:
            changed = [(*word[:place], symbol, *word[place + 1 :])
                       for place, symbol in itertools.product(range(self.n), self.alphabet)]
            self.run(changed)
            best = max(changed, key=self.known.__getitem__)
            if self.known[best] <= self.known[word]:
                return
            word = best

    def run(self, words: Iterable[Word]) -> None:
        """See that these words are known."""
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        for start in range(0, len(new), AT_ONCE):
            part = new[start : start + AT_ONCE]
            hard, soft = (network.run(part).held for network in (self.hard, self.soft))
            moved = sum(np.abs(hard[name] - soft[name]) for name in hard)
            self.known.update(zip(part, np.max(moved, axis=1).tolist(), strict=True))
