"""Numbers that all have one hash, which a file can choose, make no table slow: few of them are compared."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from proofs.check import check_text
from tests.check import handmade
from tests.check import handmade_weightings as weightings
from tests.check.handmade import Json, dump, position, truth

PRIME = 2**61 - 1  # Python's hash of an integer is its remainder
BY_PLACE = f"{PRIME}*i^2"
BY_ROW = f"{PRIME}*(i+5000*n)"


def with_number(made: Json, value: str, layer: int, query: Json, key: Json) -> Json:
    """Return the certificate with this number embedded, and read by all heads of a layer against 0."""
    model = made["transformer"]
    model["directions"] = {"number": position(value)} | model["directions"]
    model["position_embedding"] = {"number": value} | model["position_embedding"]
    made["claim"] |= {"regime": "unstated", "causal": False}
    for head in model["layers"][layer]["heads"]:
        head["queries"].append(query)
        head["keys"].append(key)
    return made


def in_units(max_n: int) -> Json:
    """Return a unit that reads the number, and never writes."""
    directions = {"number": position(BY_ROW), "is": truth("Q_a"), "out": truth("Q_a")}
    units = [{"reads": {"is": "1"}, "bias": "0", "writes": {"out": "1"}},
             {"reads": {"number": "-1"}, "bias": "0", "writes": {"out": "1"}}]
    return handmade.certificate("Q_a", "ab", max_n, directions, {"is": "a"}, {"number": BY_ROW}, [], units, "out",
                                regime="unstated")


NUMBER: Json = {"number": "1"}
MADE: dict[str, tuple[Callable[[int], Json], int]] = {
    "keys of additive heads": (lambda n: with_number(weightings.since_by_counts("relu", n), BY_PLACE, 1, {}, NUMBER),
                               200),
    "queries of additive heads": (
        lambda n: with_number(weightings.since_by_counts("relu", n), BY_PLACE, 1, NUMBER, {}), 200),
    "queries of steps": (lambda n: with_number(weightings.prev_by_steps("geometric", n), BY_ROW, 0, NUMBER, {}), 20),
    "queries of softmax": (lambda n: with_number(handmade.since_certificate(n), BY_ROW, 0, NUMBER, {}), 20),
    "rows of units": (in_units, 20)}


@pytest.mark.parametrize("name", MADE)
def test_numbers_of_one_hash_are_hardly_compared(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of comparisons is the same whether or not the hashes are equal."""
    compared: list[int] = []
    equals = Fraction.__eq__

    def count(x: Fraction, y: object) -> bool:
        compared[-1] += 1
        return equals(x, y)

    make, max_n = MADE[name]
    monkeypatch.setattr(Fraction, "__eq__", count)
    for number in (PRIME, PRIME + 2):
        compared.append(0)
        check_text(dump(make(max_n)).replace(str(PRIME).encode(), str(number).encode()))
    assert compared[0] <= compared[1] + 20 * max_n, compared
