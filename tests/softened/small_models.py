"""Small random uniform-tieless transformers, and what brute force says of them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything
from constructions.network.run import embed, run_hard
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit, combine
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import is_uniform
from proofs.enclosures.intervals import Interval, point
from proofs.words.replay import Residual as Enclosed

ONE, ZERO = Fraction(1), Fraction(0)
NAMES = ("one", "bit", "place", "u", "v")


def random_transformer(seed: int, layers: int = 2) -> Transformer:
    """Masks of all kinds, biases, several heads and score components; positions break most ties."""
    draw = random.Random(seed)

    def number() -> Fraction:
        return Fraction(draw.randint(-3, 3), draw.randint(1, 2))

    def row(size: int = 2) -> Coefficients:
        return {name: x for name in draw.sample(NAMES, size) if (x := number())}

    def head(number_of_head: int) -> Head:
        places = [{"one": ONE}, *(row(1) for _ in range(draw.randint(0, 1)))]
        keys = [{"place": Fraction(draw.choice((-1, 1)) * 97, 7), **row(1)}, *(row() for _ in places[1:])]
        uniform = draw.random() < Fraction(1, 4)
        return Head(f"head {number_of_head}", "random", draw.choice(list(Mask)), Weighting.AVERAGE_HARDMAX,
                    parse_expression("1"), tuple({} if uniform else query for query in places), tuple(keys),
                    {name: row(1) or {"one": ONE} for name in draw.sample(("u", "v"), draw.randint(1, 2))})

    def feedforward() -> FeedForward:
        units = tuple(Unit(row(), number(), {draw.choice(("u", "v")): number()}) for _ in range(draw.randint(0, 2)))
        return FeedForward(units, {"u": number()} if draw.random() < Fraction(1, 2) else {})

    return Transformer(
        ("0", "1"), dict.fromkeys(NAMES, Anything()), {"0": {}, "1": {"bit": ONE}},
        {"one": parse_expression("1"), "place": parse_expression("i^2/(n+1)")},
        tuple(Layer(tuple(head(k) for k in range(draw.randint(1, 2))), feedforward()) for _ in range(layers)), "u")


def all_words(transformer: Transformer, n: int) -> Iterator[tuple[str, ...]]:
    return product(transformer.alphabet, repeat=n)


def gap_by_hand(transformer: Transformer, n: int) -> Fraction | None:
    """Return the least difference of the two greatest scores in heads that are not uniform; 0 for a tie."""
    return min((difference for place in range(len(transformer.layers)) for word in all_words(transformer, n)
                for difference in _differences(transformer, place, word)), default=None)


def _differences(transformer: Transformer, place: int, word: Sequence[str]) -> Iterator[Fraction]:
    """Yield the score differences of the heads of one layer, at every position."""
    heads = [head for head in transformer.layers[place].heads if not is_uniform(head)]
    stream = run_hard(replace(transformer, layers=transformer.layers[:place]), word) if heads else ()
    for head in heads:
        for i, vector in enumerate(stream, start=1):
            scores = sorted(sum((combine(q, vector) * combine(k, stream[j - 1])
                                 for q, k in zip(head.queries, head.keys, strict=True)), ZERO)
                            for j in head.mask.visible(i, len(stream)))
            yield from (high - low for low, high in list(pairwise(scores))[-1:])


def x_max_by_hand(transformer: Transformer, n: int) -> Fraction:
    return max(abs(x) for word in all_words(transformer, n) for vector in embed(transformer, word)
               for x in vector.values())


def departures(hard: list[dict[str, Fraction]], soft: list[Enclosed]) -> list[dict[str, Interval]]:
    """Return the enclosed absolute differences, by position and direction."""
    return [{name: absolute(enclosed.get(name, point(ZERO)) + point(-exact.get(name, ZERO)))
             for name in {*exact, *enclosed}} for exact, enclosed in zip(hard, soft, strict=True)]


def absolute(x: Interval) -> Interval:
    return Interval(max(x.lower, -x.upper, ZERO), max(x.upper, -x.lower))
