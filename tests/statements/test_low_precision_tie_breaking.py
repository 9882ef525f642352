from fractions import Fraction
from itertools import product

import pytest

from constructions.network.run import embed
from constructions.network.transformer import Head
from tests.statements.helpers import SINCE, UNTIL
from tests.statements.low_precision import low_precision_network


def scores(head: Head, vectors: list[dict[str, Fraction]], i: int) -> dict[int, Fraction]:
    def form(row: dict[str, Fraction], j: int) -> Fraction:
        return sum((weight * vectors[j - 1].get(name, Fraction(0)) for name, weight in row.items()), Fraction(0))

    queries = [form(dict(row), i) for row in head.queries]
    return {j: sum((q * form(dict(row), j) for q, row in zip(queries, head.keys, strict=True)), Fraction(0))
            for j in head.mask.visible(i, len(vectors))}


@pytest.mark.parametrize(("text", "nearest"), [(SINCE, max), (UNTIL, min)])
def test_scores_are_different_multiples_of_gamma_and_the_nearest_that_decides_leads(text: str, nearest: type) -> None:
    network = low_precision_network(text, 6, gamma=Fraction(4))
    (head,) = [head for _, _, head in network.heads()]
    (decides,) = head.keys[0]
    for length in range(1, 7):
        for marked in product((0, 1), repeat=length):
            vectors = [{**vector, decides: Fraction(mark)}
                       for vector, mark in zip(embed(network, ("a",) * length), marked, strict=True)]
            for i in range(1, length + 1):
                found = scores(head, vectors, i)
                assert all(score % 4 == 0 for score in found.values())
                assert len(set(found.values())) == len(found)
                sought = [j for j in found if marked[j - 1]] or list(found)
                assert max(found, key=lambda j: found[j]) == nearest(sought)
