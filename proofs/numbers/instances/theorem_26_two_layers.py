"""Theorem 26 on a network of two tieless layers, run on every word.

Network     As in Section 3.1: d = d_k = 4 (one coordinate unused), one head per layer, no residual connection, future
            masks, alphabet 0, 1. Coordinates 1, [symbol is 1], j/n. The first layer scores j/n and attends to itself;
            the second scores [symbol is 1] + j/n and returns the place j/n of the last 1, or of itself if there is
            none. W^Q is 2 in one entry (√d_k = 2), all other parameters are 0 or 1: p_max = 2, x_max = 1. A layer's
            outputs are directions of their own here, so what the residual stream keeps is never read.
Instances   For each n the gap is the least one over all words, both layers and all positions, from the exact run; K1
            and K2 are those of the repaired Lemma 25, τ is at most the one of (3), and the soft run is enclosed on
            every word. There are 2^n of them: lengths above LONGEST are not examined, and stay undecided.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything
from constructions.network.run import Residual, run_hard, scaled_scores
from constructions.network.transformer import FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting
from proofs.enclosures.by_mpmath import confirm_by_mpmath
from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import BITS, instance, logarithm, undecided
from proofs.numbers.instances.examination import Examination, Instance
from proofs.numbers.instances.lemma_25_one_layer import constants
from proofs.numbers.instances.theorem_26_uniform_tieless import share_of_half_gap
from proofs.words.replay import run_soft

LONGEST = 6
ONE, QUARTER = Fraction(1), Fraction(1, 4)
COORDINATES = ("one", "mark", "place")
OUTPUT = "place after 2"


def _layer(number: int, keys: tuple[str, ...], kept: tuple[str, ...], temperature: Fraction) -> Layer:
    """Return a layer with a head of query 1 and the sum of ``keys`` as key, and units that pass on what is ``kept``."""
    def at(name: str, stage: str) -> str:
        return f"{name} {stage}"

    before, after = f"after {number - 1}", f"after {number}"
    head = Head(f"layer {number}", "Theorem 26", Mask.FUTURE, Weighting.SOFTMAX, parse_expression(str(temperature)),
                ({at("one", before): ONE},), ({at(key, before): ONE for key in keys},),
                {at(name, f"within {number}"): {at(name, before): ONE} for name in kept})
    units = tuple(Unit({at(name, f"within {number}"): ONE}, Fraction(0), {at(name, after): ONE}) for name in kept)
    return Layer((head,), FeedForward(units))


def two_layers(temperature: Fraction) -> Transformer:
    """Return the network at this temperature."""
    layers = (_layer(1, ("place",), COORDINATES, temperature), _layer(2, ("mark", "place"), ("place",), temperature))
    written = [name for layer in layers for head in layer.heads for name in head.values]
    written += [name for layer in layers for name in layer.feedforward.written()]
    return Transformer(
        alphabet=("0", "1"),
        directions=dict.fromkeys([*(f"{name} after 0" for name in COORDINATES), *written], Anything()),
        token_embedding={"0": {}, "1": {"mark after 0": ONE}},
        position_embedding={"one after 0": parse_expression("1"), "place after 0": parse_expression("i/n")},
        layers=layers,
        output=OUTPUT,
    )


def least_gap(n: int) -> Fraction:
    """Return the least gap over all words, layers and positions; 1 for n = 1, where none exists."""
    transformer = two_layers(ONE)
    return min((gap for word in product("01", repeat=n) for gap in _gaps(transformer, run_hard(transformer, word))),
               default=ONE)


def _gaps(transformer: Transformer, stream: list[Residual]) -> Iterator[Fraction]:
    for _, _, head in transformer.heads():
        for scores in scaled_scores(head, stream)[1:]:
            second, best = sorted(scores)[-2:]
            yield best - second


def temperature_of_theorem(n: int) -> Fraction:
    """Return a rational temperature that is at most the one of (3)."""
    gap = least_gap(n)
    share = share_of_half_gap(n, gap, ONE, constants(4, 2, Fraction(2), 2), 2)
    return min(gap, ONE) / 2 / (-logarithm(share).lower)


def output_error(transformer: Transformer, word: tuple[str, ...]) -> Interval:
    """Enclose the greatest |y_i - ŷ_i|_1 over the positions of a word."""
    stream = run_soft(transformer, word, BITS)
    confirm_by_mpmath(transformer, word, stream)
    found = [abs_difference(soft[OUTPUT], hard[OUTPUT])
             for soft, hard in zip(stream, run_hard(transformer, word), strict=True)]
    return Interval(max(error.lower for error in found), max(error.upper for error in found))


def abs_difference(x: Interval, y: Fraction) -> Interval:
    """Enclose |x - y|.

    >>> str(abs_difference(Interval(Fraction(0), Fraction(3)), Fraction(1)).upper)
    '2'
    """
    return Interval(max(x.lower - y, y - x.upper, Fraction(0)), max(x.upper - y, y - x.lower))


def _examine(n: int) -> Iterable[Instance]:
    if n > LONGEST:
        yield undecided(n, f"{2**n} words: not run above length {LONGEST}", QUARTER)
        return
    transformer = two_layers(temperature_of_theorem(n))
    for word in product("01", repeat=n):
        yield instance(n, f"word {''.join(word)}", output_error(transformer, word), QUARTER)


EXAMINATIONS = (
    Examination("theorem-26-two-layers", "Theorem 26",
                "|y_i - ŷ_i|_1 <= 1/4 with τ(n) from (3), for two tieless layers",
                f"every word of length n and every position, n <= {LONGEST}", _examine),
)
