"""Comparisons and products by ReLUs: the exact check against every count, truth and error at its ends, and Z3."""

import itertools
import random
from fractions import Fraction

import pytest

from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.syntax import Comparison, difference
from constructions.network.lengths import up_to
from constructions.network.meanings import Anything, Mean, Meaning, Others, Position, Product, Truth
from constructions.network.transformer import Coefficients, FeedForward, Layer, Transformer, Unit
from proofs.enclosures.intervals import Interval
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.formula.families import family_of
from proofs.formula.feed_forward.counting import range_of
from proofs.formula.feed_forward.second import proves_feed_forward
from proofs.formula.feed_forward.worst_case import check_cases, group_units

F = Fraction
Units = list[tuple[Coefficients, Fraction, Fraction]]
RELATIONS = {"<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__}
KNEES = {">=": [-1], ">": [0], "<": [-1], "<=": [0], "==": [-1, 0], "!=": [-1, 0]}
"""The steps of the output as a function of T: from k to k + 1."""


def step(row: Coefficients, constant: Fraction, k: int, sign: int) -> Units:
    return [(row, constant - k - F(1, 4), F(2 * sign)), (row, constant - k - F(3, 4), F(-2 * sign))]


def network(text: str, directions: dict[str, Meaning], row: Coefficients, constant: Fraction) -> tuple[Units, Fraction]:
    """Return the units that decide ``text`` from the form, which is near its difference."""
    relation = parse_formula(text).relation  # type: ignore[attr-defined]
    falling = relation in ("<", "<=", "!=")
    units: Units = []
    for place, k in enumerate(KNEES[relation]):
        units += step(row, constant, k, (-1 if falling else 1) * (1 if place == 0 else -1))
    return units, F(falling)


def directions_for(text: str) -> dict[str, Meaning]:
    formula = parse_formula(text)
    assert isinstance(formula, Comparison)
    found: dict[str, Meaning] = {"out": Truth(formula), "one": Position(parse_expression("1"))}
    for k, (_, count) in enumerate(difference(formula).coefficients):
        found[f"h{k}"], found[f"is{k}"] = Others(count), Truth(count.operand)
    return found


def form_for(text: str) -> tuple[Coefficients, Fraction]:
    term = difference(parse_formula(text))  # type: ignore[arg-type]
    row = {f"{kind}{k}": F(number) for k, (number, _) in enumerate(term.coefficients) for kind in ("h", "is")}
    return row, F(term.constant)


def is_proved(directions: dict[str, Meaning], units: Units, bias: Fraction, bounds: dict[str, Interval],
              max_n: int = 5) -> bool:
    parts = tuple(Unit(reads, offset, {"out": write}) for reads, offset, write in units)
    layer = Layer((), FeedForward(parts, {"out": bias} if bias else {}))
    transformer = Transformer(("0", "1"), directions, {"0": {}, "1": {}}, {}, (layer,), "out")
    try:
        written = WrittenDirection(transformer, KnownValues(directions), up_to(max_n), 1, 0, "out", None, bounds)
        task = family_of(written).oblige(written)
        check_cases(task)
    except NotDerived:
        return False
    assert proves_feed_forward(task)
    return True


def within(error: Fraction, text: str) -> dict[str, Interval]:
    return {name: Interval(-error, error) for name, m in directions_for(text).items() if isinstance(m, Others)}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("relation", list(RELATIONS))
@pytest.mark.parametrize("term", ["#<[Q_1]", "2*#<[Q_1] - #>[Q_0]", "3*#>[Q_1] - 1", "#<[Q_1] - #<[Q_0]"])
def test_every_relation_is_proved_up_to_a_quarter_and_not_beyond(relation: str, term: str) -> None:
    text = f"{term} {relation} 1"
    directions, (row, constant) = directions_for(text), form_for(text)
    comparison = parse_formula(text)
    assert isinstance(comparison, Comparison)
    total = sum(abs(number) for number, _ in difference(comparison).coefficients)
    units, bias = network(text, directions, row, constant)
    assert is_proved(directions, units, bias, within(F(1, 4) / total, text))
    assert not is_proved(directions, units, bias, within(F(1, 4) / total + F(1, 10**9), text))


def brute_right(text: str, units: Units, bias: Fraction, bounds: dict[str, Interval], max_n: int) -> bool:
    """Every (n, i), every count, truth here, and error at its ends or 0."""
    formula = parse_formula(text)
    assert isinstance(formula, Comparison)
    term = difference(formula)
    for n in range(1, max_n + 1):
        for i in range(1, n + 1):
            lengths = [i if count.side == "left" else n + 1 - i for _, count in term.coefficients]
            for others, here in itertools.product(itertools.product(*(range(length) for length in lengths)),
                                                  itertools.product((0, 1), repeat=len(lengths))):
                counts = [m + b for m, b in zip(others, here, strict=True)]
                value = term.constant + sum(k * c for (k, _), c in zip(term.coefficients, counts, strict=True))
                expected = RELATIONS[formula.relation](value, 0)
                for errors in itertools.product((0, 1, 2), repeat=len(lengths)):
                    at = {"one": F(1)}
                    for k, (m, b, e) in enumerate(zip(others, here, errors, strict=True)):
                        at[f"h{k}"] = m + (F(0), bounds[f"h{k}"].lower, bounds[f"h{k}"].upper)[e]
                        at[f"is{k}"] = F(b)
                    output = bias
                    for reads, offset, write in units:
                        output += write * max(sum((c * at[x] for x, c in reads.items()), offset), F(0))
                    if output != expected:
                        return False
    return True


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 160, 40))
def test_random_changes_are_never_proved_wrongly(first: int) -> None:
    proved = wrong = 0
    for seed in range(first, first + 40):
        rng = random.Random(seed)
        text = rng.choice(["#<[Q_1]", "2*#<[Q_1] - #>[Q_0]", "#<[Q_1] - #<[Q_0]"]) + f" {rng.choice(list(RELATIONS))} 1"
        directions, (row, constant) = directions_for(text), form_for(text)
        units, bias = network(text, directions, row, constant)
        for _ in range(rng.choice([0, 1, 1, 2])):
            k = rng.randrange(len(units))
            reads, offset, write = units[k]
            match rng.randrange(4):
                case 0:
                    offset += F(rng.choice([-1, 1]), rng.choice([1, 2, 10, 1000]))
                case 1:
                    write *= rng.choice([F(-1), F(2), F(1001, 1000)])
                case 2:
                    reads = {name: w * (2 if name == rng.choice(list(reads)) else 1) for name, w in reads.items()}
                case 3:
                    reads, offset, write = {x: 3 * w for x, w in reads.items()}, 3 * offset, write / 3
            units[k] = reads, offset, write
        bounds = {name: Interval(-F(rng.randint(0, 3), 40), F(rng.randint(0, 3), 40)) for name in within(F(0), text)}
        by_rule, right = is_proved(directions, units, bias, bounds, 4), brute_right(text, units, bias, bounds, 4)
        assert right or not by_rule, seed
        proved, wrong = proved + by_rule, wrong + (not right)
    assert proved >= 8 and wrong >= 8


def test_what_a_comparison_needs_besides_its_counts() -> None:
    text = "#<[Q_1] - #>[Q_0] > 1"
    directions, (row, constant) = directions_for(text), form_for(text)
    units, bias = network(text, directions, row, constant)
    bounds = within(F(1, 100), text)
    assert is_proved(directions, units, bias, bounds)
    assert not is_proved(directions, units, bias, {"h0": bounds["h0"]}), "every bound has to be proved"
    for changed in ({**row, "h0": F(2)}, {**row, "h1": F(1)}, {k: w for k, w in row.items() if k != "is0"},
                    {k: w for k, w in row.items() if k not in ("h1", "is1")}):
        assert not is_proved(directions, *network(text, directions, changed, constant), bounds)
    for other in ("#<[Q_1] - #>[Q_0] > 2", "#<[Q_1] - #>[Q_0] >= 1", "#>[Q_1] - #>[Q_0] > 1"):
        assert not is_proved({**directions, "out": Truth(parse_formula(other))}, units, bias, bounds)
    opposite_difference = Truth(parse_formula("2 <= #<[Q_1] - #>[Q_0]"))
    assert is_proved({**directions, "out": opposite_difference}, units, bias, bounds), "a factor of -1"
    negated = Truth(parse_formula("!(#<[Q_1] - #>[Q_0] > 1)"))
    opposite = [(reads, offset, -write) for reads, offset, write in units]
    assert is_proved({**directions, "out": negated}, opposite, F(1), bounds)
    for meaning in (Anything(), Mean(directions["h0"].count)):  # type: ignore[union-attr]
        assert not is_proved({**directions, "h0": meaning}, units, bias, bounds)


@pytest.mark.parametrize("length, operand", [("i", "Q_1"), ("n-i+1", "Q_1"), ("2*i", "Q_1"), ("i", "prev Q_1")])
def test_a_product_is_made_of_a_reciprocal_and_a_truth(length: str, operand: str) -> None:
    reciprocal, formula = parse_expression(f"1/({length})"), parse_formula(operand)
    directions: dict[str, Meaning] = {"r": Position(reciprocal), "is": Truth(formula),
                                      "out": Product(reciprocal, formula)}
    units: Units = [({"r": F(1)}, F(0), F(1)), ({"r": F(1), "is": -F(1)}, F(0), -F(1))]
    assert is_proved(directions, units, F(0), {})
    assert not is_proved(directions, units[:1], F(0), {})
    assert not is_proved({**directions, "out": Product(parse_expression("1/(i+1)"), formula)}, units, F(0), {})
    assert not is_proved({**directions, "out": Product(reciprocal, parse_formula("Q_0"))}, units, F(0), {})
    copy: Units = [({"in": F(1)}, F(0), F(1))]
    assert is_proved({**directions, "in": Product(reciprocal, formula)}, copy, F(0), {})


def test_units_of_one_form_up_to_a_factor_are_one_function() -> None:
    units = (({"x": F(1), "y": F(2)}, F(1), F(1)), ({"y": F(-4), "x": F(-2)}, F(0), F(3)), ({"x": F(1)}, F(0), F(1)))
    functions = group_units(units)
    assert [dict(function.reads) for function in functions] == [{"x": F(1), "y": F(2)}, {"x": F(1)}]
    assert functions[0].pieces == ((F(1), F(1), F(1)), (F(-2), F(0), F(3)))
    assert functions[0].range_on(Interval(F(-2), F(1))) == Interval(F(1), F(12))


def test_the_range_of_a_difference_counts_every_count_as_far_as_it_goes() -> None:
    term = difference(parse_formula("3*#<[Q_1] - 2*#>[Q_0] > 4"))  # type: ignore[arg-type]
    assert range_of(term, 2, 5) == (-12, 2)
    assert range_of(term, 5, 5) == (-6, 11)
