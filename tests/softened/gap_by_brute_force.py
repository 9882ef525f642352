"""The gap of a head by its definition: all words, all positions, the two greatest scores; nothing of proofs."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

from constructions.network.run import run_hard
from constructions.network.transformer import Coefficients, Transformer


def scores(transformer: Transformer, layer: int, place: int, word: Sequence[str], i: int) -> list[Fraction]:
    """Return the scores of position i with every visible position, from the residual stream below the layer."""
    head = transformer.layers[layer - 1].heads[place - 1]
    below = Transformer(transformer.alphabet, transformer.directions, transformer.token_embedding,
                        transformer.position_embedding, transformer.layers[: layer - 1], transformer.output)
    stream = run_hard(below, word)

    def form(row: Coefficients, j: int) -> Fraction:
        return sum((c * stream[j - 1].get(name, Fraction(0)) for name, c in row.items()), Fraction(0))

    seen = [j for j in range(1, len(word) + 1)
            if head.mask == "none" or (j <= i if head.mask == "future" else j >= i)]
    return [sum((form(q, i) * form(k, j) for q, k in zip(head.queries, head.keys, strict=True)), Fraction(0))
            for j in seen]


def differences(transformer: Transformer, layer: int, place: int, n: int) -> list[Fraction]:
    """Greatest score less the next one, for every word of length n and every position that sees another one."""
    found = []
    for word in itertools.product(transformer.alphabet, repeat=n):
        for i in range(1, n + 1):
            ordered = sorted(scores(transformer, layer, place, word, i), reverse=True)
            if len(ordered) > 1:
                found.append(ordered[0] - ordered[1])
    return found
