"""The exact case check of feed-forward outputs: right units pass, wrong ones do not, and Z3 never contradicts it."""

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.network.meanings import Meaning, Near, Position, Truth
from constructions.network.transformer import Coefficients, FeedForward, Layer, Transformer, Unit
from proofs.enclosures.feed_forward import enclose_output
from proofs.enclosures.intervals import Interval, point
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.obligation import (
    FALSE_BOX,
    FREE_BOX,
    TRUE_BOX,
    FeedForwardObligation,
    InputCase,
    oblige_feed_forward,
)
from proofs.formula.feed_forward.second import proves_feed_forward
from proofs.formula.feed_forward.worst_case import check_cases

Units = tuple[tuple[Coefficients, Fraction, Fraction], ...]
F = Fraction


def obligation(units: Units, bias: Fraction, cases: list[InputCase]) -> FeedForwardObligation:
    return FeedForwardObligation(1, "out", units, bias, tuple(cases), up_to(6))


def passes(task: FeedForwardObligation) -> bool:
    try:
        check_cases(task)
    except NotDerived:
        return False
    return True


def output(units: Units, bias: Fraction, at: dict[str, Fraction]) -> Fraction:
    return bias + sum(
        (write * max(sum((w * at[x] for x, w in reads.items()), offset), F(0)) for reads, offset, write in units), F(0)
    )


def kinks(task: FeedForwardObligation, case: InputCase) -> list[dict[str, Fraction]]:
    """Corners of the box, and inputs where some unit changes its sign along an edge."""
    box = dict(case.box)
    names = list(box)
    found = [
        dict(zip(names, corner, strict=True))
        for corner in itertools.product(
            *(sorted({box[x].lower, (box[x].lower + box[x].upper) / 2, box[x].upper}) for x in names)
        )
    ]
    for at in list(found):
        for reads, offset, _ in task.units:
            for x, weight in reads.items():
                knee = at[x] - (sum((w * at[y] for y, w in reads.items()), offset)) / weight
                if box[x].lower <= knee <= box[x].upper:
                    found.append({**at, x: knee})
    return found


def random_task(rng: random.Random) -> FeedForwardObligation:
    """Small ReLU outputs: rounding, gated rounding and connectives, then zero to two random changes."""
    x, y, g = "x", "y", "g"
    half = F(1, 2)
    shapes: list[tuple[Units, Fraction]] = [
        ((({x: F(1)}, -F(1, 4), F(2)), ({x: F(1)}, -F(3, 4), -F(2))), F(0)),
        ((({x: F(1), g: -F(1)}, -F(1, 4), F(2)), ({x: F(1), g: -F(1)}, -F(3, 4), -F(2))), F(0)),
        ((({x: F(1), y: F(1)}, -F(1), F(1)),), F(0)),
        ((({x: F(1), y: -F(1)}, F(0), -F(1)), ({x: -F(1), y: F(1)}, F(0), -F(1))), F(1)),
        ((({x: F(1)}, -half, F(4)), ({x: F(1)}, -half, -F(4))), F(1)),
        ((({x: F(1), y: F(1)}, F(0), F(1)), ({x: -F(1), y: -F(1)}, F(2), F(1))), -F(1)),
        ((({x: F(1)}, F(0), F(1)), ({x: -F(1)}, F(1), F(1))), F(0)),
        ((({x: F(1)}, F(1), F(1)), ({y: F(1)}, F(1), F(1)), ({x: F(1), y: F(1)}, F(0), -F(1))), F(0)),
    ]
    units, bias = rng.choice(shapes)
    changed: list[list[Any]] = [[dict(reads), offset, write] for reads, offset, write in units]
    for _ in range(rng.choice([0, 0, 1, 2])):
        unit = rng.choice(changed)
        match rng.randrange(4):
            case 0:
                unit[1] += F(rng.choice([-1, 1]), rng.choice([1, 2, 4, 1000]))
            case 1:
                unit[2] *= rng.choice([F(-1), F(2), F(1, 2), F(1001, 1000)])
            case 2:
                unit[0][rng.choice([x, y, g])] = F(rng.choice([-2, -1, 1, 2]), rng.choice([1, 1, 3]))
            case 3:
                bias += F(rng.choice([-1, 1]), rng.choice([1, 4]))
    units = tuple((dict(reads), offset, write) for reads, offset, write in changed)
    boxes = {
        x: [FALSE_BOX, TRUE_BOX, FREE_BOX, point(F(0)), point(F(1))],
        y: [FALSE_BOX, TRUE_BOX, point(F(0)), point(F(1))],
        g: [point(F(0)), point(F(1)), point(F(1, 3))],
    }
    cases = []
    for _ in range(rng.randint(1, 3)):
        box = {name: rng.choice(boxes[name]) for name in sorted({name for reads, _, _ in units for name in reads})}
        middle = {name: (b.lower + b.upper) / 2 for name, b in box.items()}
        expected = output(units, bias, middle) if rng.random() < 0.8 else F(rng.randint(0, 1))
        cases.append(InputCase(tuple(box.items()), expected))
    return obligation(units, bias, cases)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 400, 50))
def test_case_check_and_z3_and_sampling_agree_on_random_outputs(first: int) -> None:
    proved = refuted = 0
    for seed in range(first, first + 50):
        task = random_task(random.Random(seed))
        exact, solver = passes(task), proves_feed_forward(task)
        wrong = [
            at for case in task.cases for at in kinks(task, case) if output(task.units, task.bias, at) != case.expected
        ]
        assert not (exact and not solver), seed
        assert not (exact and wrong), (seed, wrong[:1])
        assert not (solver and wrong), (seed, wrong[:1])
        for case in task.cases:
            enclosed = enclose_output(task.units, task.bias, dict(case.box))
            for at in kinks(task, case):
                assert enclosed.lower <= output(task.units, task.bias, at) <= enclosed.upper, seed
        proved, refuted = proved + exact, refuted + bool(wrong)
    assert proved >= 8 and refuted >= 8


def model(directions: dict[str, Meaning], units: tuple[Unit, ...], bias: dict[str, Fraction]) -> Transformer:
    return Transformer(("a", "b"), directions, {"a": {}, "b": {}}, {}, (Layer((), FeedForward(units, bias)),), "out")


def derived(
    directions: dict[str, Meaning], units: tuple[Unit, ...], bias: dict[str, Fraction] | None = None, max_n: int = 6
) -> bool:
    try:
        network = model(directions, units, bias or {})
        task = oblige_feed_forward(network, KnownValues(directions), up_to(max_n), 1, "out")
    except NotDerived:
        return False
    assert passes(task) <= proves_feed_forward(task)
    return passes(task)


ROUND = (Unit({"near": F(1)}, -F(1, 4), {"out": F(2)}), Unit({"near": F(1)}, -F(3, 4), {"out": -F(2)}))


def since(when: str = "true") -> dict[str, Meaning]:
    chi = parse_formula("Q_a since Q_b")
    return {
        "near": Near(chi, parse_formula(when)),
        "is_a": Truth(parse_formula("Q_a")),
        "one": Position(parse_expression("1")),
        "odd": Truth(parse_formula("ODD")),
        "out": Truth(chi),
    }


def test_rounding_is_exact_where_the_guard_holds_and_nowhere_else() -> None:
    assert derived(since(), ROUND)
    assert not derived(since("ODD"), ROUND)
    assert not derived(since("false"), ROUND)
    assert not derived(since("!FIRST"), ROUND)
    assert derived(since("ODD | EVEN"), ROUND)


@pytest.mark.parametrize(
    "change",
    [
        lambda u: u[:1],
        lambda u: u[1:],
        lambda u: u + u[:1],
        lambda u: (u[0], u[0]),
        lambda u: (Unit({"near": F(1)}, -F(1, 4) + F(1, 10**9), {"out": F(2)}), u[1]),
        lambda u: (Unit({"near": F(1)}, -F(1, 4), {"out": F(2) + F(1, 10**9)}), u[1]),
        lambda u: (Unit({"near": F(1), "one": F(1, 10**9)}, -F(1, 4), {"out": F(2)}), u[1]),
        lambda u: (Unit({"near": F(1), "is_a": F(1)}, -F(1, 4), {"out": F(2)}), u[1]),
    ],
)
def test_units_that_are_nearly_right_are_refused(change: object) -> None:
    assert not derived(since(), change(ROUND))  # type: ignore[operator]


def test_an_output_bias_must_be_right_too() -> None:
    assert not derived(since(), ROUND, {"out": F(1, 10**30)})


def test_a_gate_that_opens_only_where_the_guard_holds_makes_the_edge_false() -> None:
    chi = parse_formula("prev Q_a")
    directions: dict[str, Meaning] = {
        "even": Near(chi, parse_formula("ODD & !FIRST")),
        "odd": Near(chi, parse_formula("EVEN")),
        "alt": Position(parse_expression("(-1)^i")),
        "first": Truth(parse_formula("FIRST")),
        "out": Truth(chi),
    }

    def rounding(near: str, sign: int, edge: Fraction) -> tuple[Unit, ...]:
        reads = {near: F(1), "alt": -sign * F(1, 2), "first": -edge}
        return (Unit(reads, -F(1, 2) - F(1, 4), {"out": F(2)}), Unit(reads, -F(1, 2) - F(3, 4), {"out": -F(2)}))

    assert derived(directions, rounding("even", 1, F(1)) + rounding("odd", -1, F(1)))
    assert not derived(directions, rounding("even", 1, F(0)) + rounding("odd", -1, F(1)))
    assert not derived(directions, rounding("even", -1, F(1)) + rounding("odd", -1, F(1)))
    assert not derived(directions, rounding("even", 1, F(1)))


@pytest.mark.parametrize(
    "formula, expected",
    [
        ("Q_a", True),
        ("!Q_a", False),
        ("Q_a & true", True),
        ("Q_a | ODD", False),
        ("prev Q_a", False),
        ("Q_b", False),
        ("Q_a & (prev Q_a | !prev Q_a)", True),
        ("Q_a & (prev Q_a | !prev Q_b)", False),
    ],
)
def test_a_copy_means_exactly_what_is_decided_by_what_it_reads(formula: str, expected: bool) -> None:
    directions: dict[str, Meaning] = {"in": Truth(parse_formula("Q_a")), "out": Truth(parse_formula(formula))}
    assert derived(directions, (Unit({"in": F(1)}, F(0), {"out": F(1)}),)) == expected


def test_positions_are_decided_by_length_and_place() -> None:
    directions: dict[str, Meaning] = {"i": Position(parse_expression("i")), "out": Truth(parse_formula("!FIRST"))}
    cap = (Unit({"i": F(1)}, -F(1), {"out": F(1)}), Unit({"i": F(1)}, -F(2), {"out": -F(1)}))
    assert derived(directions, cap)
    assert not derived(directions, cap[:1], max_n=3)
    assert derived(directions, cap[:1], max_n=2)
    assert not derived({**directions, "out": Truth(parse_formula("!LAST"))}, cap)


def test_two_directions_of_one_formula_share_their_truth_and_two_nears_do_not_cancel() -> None:
    a, b = parse_formula("prev Q_a"), parse_formula("prev Q_b")
    cancel = (Unit({"x": F(1), "y": -F(1)}, F(0), {"out": F(1)}), Unit({"x": -F(1), "y": F(1)}, F(0), {"out": F(1)}))
    zero = Position(parse_expression("0"))
    assert derived({"x": Truth(a), "y": Truth(a), "out": zero}, cancel)
    assert not derived({"x": Truth(a), "y": Truth(b), "out": zero}, cancel)
    assert not derived({"x": Near(a), "y": Near(a), "out": zero}, cancel)
    assert not derived({"x": Near(a), "y": Truth(a), "out": zero}, cancel)


def test_a_near_direction_is_never_the_output_of_units() -> None:
    directions: dict[str, Meaning] = {"in": Truth(parse_formula("Q_a")), "out": Near(parse_formula("Q_a"))}
    assert not derived(directions, (Unit({"in": F(1)}, F(0), {"out": F(1)}),))


def test_a_box_open_in_two_directions_is_not_decided_and_not_proved() -> None:
    """max(x + y - 1, 0) over two free inputs is not constant: loose, never exact."""
    units: Units = (({"x": F(1), "y": F(1)}, -F(1), F(1)), ({"x": F(1), "y": F(1)}, -F(1), -F(1)))
    box = {"x": Interval(F(0), F(1)), "y": Interval(F(0), F(1))}
    enclosed = enclose_output(units, F(0), box)
    assert enclosed.lower <= 0 <= enclosed.upper
