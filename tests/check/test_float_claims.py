"""An accepted claim about float executions has no wrong one, and a changed claim is not accepted."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs.check import Malformed, Rejected, check_text
from proofs.check.checker.chapters.float_models.reading import Format as FormatOfChecker
from proofs.check.checker.chapters.floats import forms, hidden_units, rounding, softmax
from proofs.check.checker.chapters.floats.proving import prove_floats
from proofs.check.checker.checking import read_within
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.requirements import ANYTHING
from tests.check import handmade
from tests.check.float_executions import Class, Format, Network, roundings, wrong_outputs
from tests.check.handmade_floats import exact_since, gated_prev

Json = dict[str, Any]


def tiny(precision: int, wide: int, **fields: Any) -> Class:
    return Class(Format(precision, -14, 14), Format(wide, -14, 14), **fields)


def since(word: str, i: int) -> bool:
    return word[:i].rstrip("a").endswith("b")


def prev(word: str, i: int) -> bool:
    return i > 1 and word[i - 2] == "1"


def with_floats(made: Json, *claims: Json) -> bytes:
    return handmade.dump({**made, "floats": list(claims)})


def accepts(made: Json, claim: Json) -> bool:
    try:
        check_text(with_floats(made, claim))
    except Rejected:
        return False
    return True


@pytest.mark.one_in(8)
@pytest.mark.parametrize("normalised", ["before", "after"])
@pytest.mark.parametrize(
    ("make", "wanted", "precision", "wide", "max_n", "base"),
    [
        (handmade.since_certificate, since, 4, 10, 2, "e"),
        (handmade.since_certificate, since, 4, 10, 2, "2"),
        (handmade.since_certificate, since, 7, 7, 2, "e"),
        (handmade.since_certificate, since, 8, 8, 4, "e"),
        (handmade.since_certificate, since, 8, 12, 3, "2"),
        (exact_since, since, 4, 8, 4, "e"),
        (exact_since, since, 4, 12, 4, "2"),
        (exact_since, since, 7, 7, 3, "e"),
        (exact_since, since, 8, 8, 4, "e"),
        (gated_prev, prev, 4, 9, 2, "e"),
        (gated_prev, prev, 4, 9, 2, "2"),
        (gated_prev, prev, 7, 7, 2, "e"),
        (gated_prev, prev, 8, 8, 4, "e"),
        (gated_prev, prev, 8, 12, 4, "either"),
    ],
)
def test_what_is_accepted_has_no_wrong_run(
    make: Callable[[int], Json],
    wanted: Callable[[str, int], bool],
    precision: int,
    wide: int,
    max_n: int,
    base: str,
    normalised: str,
) -> None:
    runs, made = tiny(precision, wide, normalised=normalised, exp_base=base), make(max_n)
    assert accepts(made, runs.claim(max_n))
    assert list(wrong_outputs(made, runs, max_n, wanted)) == []


CORPUS = Path(__file__).parents[1] / "corpus" / "accepted"
COUNTED: dict[str, Callable[[str, int], bool]] = {
    "of_a_predicate_on_a_count": lambda word, i: word[:i].count("a") % 2 == 1,
    "of_a_comparison": lambda word, i: word[:i].count("a") >= word[i - 1 :].count("b"),
}


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("normalised", ["before", "after"])
def test_what_is_accepted_of_counts_has_no_wrong_run(name: str, normalised: str) -> None:
    made = json.loads((CORPUS / f"floats_{name}.cert").read_text(encoding="utf-8"))
    runs = Class(Format(12, -60, 60), Format(16, -60, 60), normalised=normalised)
    assert accepts(made, runs.claim(3))
    assert list(wrong_outputs(made, runs, 3, COUNTED[name])) == []


LOW: dict[str, Callable[[str, int], bool]] = {
    "an_average": lambda word, i: word[:i].count("1") > word[:i].count("0"),
    "a_predicate_on_a_count": lambda word, i: word[:i].count("a") % 2 == 1,
    "counts_of_both_sides": lambda word, i: word[:i].count("a") >= word[i - 1 :].count("b"),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", LOW)
@pytest.mark.parametrize("normalised", ["before", "after"])
@pytest.mark.parametrize(("precision", "wide"), [(3, 8), (4, 12), (5, 5), (6, 6), (8, 24)])
def test_what_is_accepted_by_the_value_of_counts_has_no_wrong_run(
    name: str,
    precision: int,
    wide: int,
    normalised: str,
) -> None:
    made = json.loads((CORPUS / f"floats_of_{name}_in_bfloat16.cert").read_text(encoding="utf-8"))
    runs = Class(Format(precision, -20, 20), Format(wide, -20, 20), normalised=normalised)
    accepted = [n for n in (1, 2, 3) if accepts(made, runs.claim(n))]
    assert accepted == [1, 2, 3] or (precision == wide and accepted == [1, 2])
    assert list(wrong_outputs(made, runs, accepted[-1], LOW[name])) == []


def test_slack_from_an_average_leaves_room_for_what_is_rounded() -> None:
    """With 3/8 of its weights slack is just 1 in places: 8 bits keep it so, and 3 do not."""
    made = json.loads((CORPUS / "floats_of_an_average_in_bfloat16.cert").read_text(encoding="utf-8"))
    (unit,) = made["transformer"]["layers"][0]["feedforward"]["units"]
    claims = [tiny(precision, 24).claim(6) for precision in (3, 8)]
    found = []
    for factor in (Fraction(1), Fraction(3, 8), Fraction(1, 4)):
        changed = json.loads(json.dumps(made))
        (one,) = changed["transformer"]["layers"][0]["feedforward"]["units"]
        one["reads"] = {name: str(Fraction(c) * factor) for name, c in unit["reads"].items()}
        found.append([accepts(changed, claim) for claim in claims])
    assert found == [[True, True], [False, True], [False, False]]


WEAK = exact_since(3, "7/4", ("11/50", "11/50"))


def test_a_wrong_run_exists_and_is_refused() -> None:
    assert next(wrong_outputs(WEAK, tiny(4, 4), 3, since))[:2] == ("bca", 2)
    assert not accepts(WEAK, tiny(4, 4).claim(3))


def every_near_number(form: Format) -> list[Fraction]:
    """All numbers of the format in 0..1/4 and 3/4..5/4 that are multiples of 2^-10."""
    return [
        x
        for k in (*range(257), *range(768, 1281))
        for x in [Fraction(k, 1024)]
        if (x.numerator << 30) % x.denominator == 0 and x.numerator.bit_length() <= form.precision
    ]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("precision", [4, 5, 8])
@pytest.mark.parametrize("make", [gated_prev, handmade.prev_certificate])
def test_a_feed_forward_part_is_accepted_only_if_it_is_right_for_every_near_number(
    make: Callable[[int], Json],
    precision: int,
) -> None:
    runs, made, wrong = tiny(precision, precision), make(2), 0
    network = Network(made["transformer"], runs)
    for x in every_near_number(runs.storage):
        held = network.run("11")[1] | {"at_even": frozenset({x}), "is[prev]": frozenset({Fraction(0)})}
        for y in (Fraction(0), Fraction(1, 4), Fraction(5, 4)):  # of the head whose gate is shut
            got = network.feed(made["transformer"]["layers"][0]["feedforward"], held | {"at_odd": frozenset({y})})
            wrong += got["is[prev]"] != {Fraction(x > Fraction(1, 2))}
    assert (wrong == 0) == (make is gated_prev)
    if wrong:
        with pytest.raises(Rejected, match=r"a unit may be rounded|has an error bound"):
            check_text(with_floats(made, runs.claim(2)))


WIDE = tiny(8, 24)
BASE: Json = {**WIDE.claim(8), "exp_ulp": "4"}


@pytest.mark.parametrize(
    "change",
    [
        {"sums": "float(9,-14,14)"},  # below scores
        {"sums": "float(4,-14,14)", "scores": "float(4,-14,14)"},
        {"inputs": "float(2,-14,14)"},
        {"inputs": "float(9,-14,14)"},
        {"weights": "float(25,-14,14)"},
        {"softmax": "float(24,-4,14)"},
        {"sums": "float(24,-4,14)"},
        {"sums": "float(24,-14,3)"},
        {"storage": "float(8,-14,3)", "inputs": "float(8,-14,3)"},
        {"scores": "float(24,-14,3)"},
        {"exp_ulp": "2097153"},
        {"exp_ulp": "9" * 1000},
    ],
)
def test_a_claim_that_says_more_is_rejected(change: Json) -> None:
    made = exact_since(8)
    assert accepts(made, BASE)
    with pytest.raises(Rejected):
        check_text(with_floats(made, BASE | change))


@pytest.mark.parametrize("exp_ulp", ["-1", "0", "49/100"])
def test_a_claim_about_exponentials_that_no_run_has_is_malformed(exp_ulp: str) -> None:
    with pytest.raises(Malformed, match="exp_ulp: expected 1/2 or more"):
        check_text(with_floats(exact_since(8), BASE | {"exp_ulp": exp_ulp}))


@pytest.mark.parametrize(
    ("field", "outer"), [("inputs", "storage"), ("storage", "sums"), ("scores", "sums"), ("weights", "softmax")]
)
@pytest.mark.parametrize("wider", ["float(8,-15,14)", "float(8,-14,15)"])
def test_a_format_is_within_another_only_with_its_exponents(field: str, outer: str, wider: str) -> None:
    narrow = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(8,-14,14)")
    made, claim = exact_since(2), {**WIDE.claim(2), **narrow}
    others = ("storage", "inputs") if field == "storage" else (field,)
    with pytest.raises(Rejected, match=f"{field} is not within {outer}"):
        check_text(with_floats(made, claim | dict.fromkeys(others, wider)))


def test_rounding_errs_by_what_the_lemma_says() -> None:
    form = FormatOfChecker(3, -4, 4)
    worst = Fraction(0)
    for k in range(1, 513):
        most = Fraction(k, 64)
        worst = max(worst, *(
            abs(x - y)
            for j in range(k * 4 - 4, k * 4 + 1)
            for x in [Fraction(j, 256)]
            for y in roundings(Format(3, -4, 4), x) - ({Fraction(0)} if x >= Fraction(1, 16) else set())
        ))
        assert worst <= rounding.rounding_error(form, most)
    assert rounding.rounding_error(form, Fraction(1)) == Fraction(1, 16) + Fraction(1, 16)
    assert rounding.rounding_error(form, Fraction(33, 32)) == Fraction(1, 16) + Fraction(1, 16)
    assert rounding.rounding_error(form, Fraction(2) - Fraction(1, 64)) == Fraction(1, 8) + Fraction(1, 16)


def test_no_format_is_one_step_narrower_than_what_is_proved() -> None:
    made = exact_since(4)
    assert [p for p in range(3, 8) if accepts(made, tiny(p, 24).claim(4))] == [4, 5, 6, 7]
    assert [p for p in range(4, 12) if accepts(made, tiny(4, p).claim(4))] == [8, 9, 10, 11]


def test_the_greatest_length_is_not_raised() -> None:
    made = handmade.since_certificate(16)
    assert [n for n in range(1, 17) if accepts(made, tiny(6, 24).claim(n))] == [*range(1, 15)]


MALFORMED: list[tuple[Json, str]] = [
    ({"storage": "binary8"}, "storage: expected"),
    ({"storage": "float(24,-126,127)"}, "storage: expected"),
    ({"storage": "float(08,-126,127)"}, "storage: expected"),
    ({"storage": "float(65,-126,127)"}, "limits"),
    ({"storage": "float(1,-126,127)"}, "limits"),
    ({"storage": "float(8,-16385,127)"}, "limits"),
    ({"storage": "float(8,-1,127)"}, "limits"),
    ({"storage": "float(8,-126,99999)"}, "limits"),
    ({"storage": 8}, "expected a string"),
    ({"name": ""}, "1 to 100 characters"),
    ({"name": "x" * 101}, "1 to 100 characters"),
    ({"normalised": "never"}, "normalised: expected"),
    ({"exp_ulp": "0.5"}, "exp_ulp: expected"),
    ({"exp_ulp": "9" * 1001}, "exp_ulp: expected"),
    ({"exp_base": "10"}, "exp_base: expected"),
    ({"block": -1}, "block: expected"),
    ({"block": True}, "block: expected"),
    ({"max_n": 0}, "max_n: expected"),
    ({"max_n": 9}, "max_n: expected"),
]


@pytest.mark.parametrize(("change", "reason"), MALFORMED)
def test_a_claim_out_of_the_format_is_malformed(change: Json, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        check_text(with_floats(exact_since(8), BASE | change))


@pytest.mark.parametrize("claims", [[], [BASE, BASE], [{**BASE, "name": str(k)} for k in range(33)], {}, None])
def test_the_list_of_claims_is_not_empty_nor_long_nor_repeats_a_name(claims: Any) -> None:
    with pytest.raises(Malformed, match="floats: "):
        check_text(handmade.dump({**exact_since(8), "floats": claims}))


def test_a_least_length_above_the_greatest_is_malformed() -> None:
    with pytest.raises(Malformed, match="max_n: expected 5 to 8"):
        check_text(with_floats(handmade.starting(exact_since(8), 5), {**BASE, "max_n": 4}))


def test_keys_are_all_there_in_their_order() -> None:
    claim = {key: BASE[key] for key in reversed(BASE)}
    for wrong in (claim, {key: BASE[key] for key in BASE if key != "block"}, {**BASE, "more": 1}):
        with pytest.raises(Malformed, match="expected the keys"):
            check_text(with_floats(exact_since(8), wrong))


def test_every_field_is_printed_and_the_name_is_quoted() -> None:
    name = "fine\naccepted: \u00e9"
    claim = {
        "name": name,
        "storage": "bfloat16",
        "inputs": "float(7,-100,100)",
        "sums": "binary64",
        "scores": "binary32",
        "softmax": "float(30,-200,200)",
        "weights": "float(20,-99,99)",
        "normalised": "after",
        "exp_ulp": "7/2",
        "exp_base": "2",
        "block": 4,
        "max_n": 7,
    }
    lines = check_text(with_floats(exact_since(8), claim)).lines
    text = " ".join(line.strip() for line in lines)
    for part in (
        ascii(name),
        "1..7",
        "storage bfloat16",
        "inputs float(7,-100,100)",
        "sums binary64",
        "scores binary32",
        "softmax float(30,-200,200)",
        "weights float(20,-99,99)",
        "normalised after the weighted sum",
        "base 2",
        "7/2 units",
        "blocks of 4 positions",
        "exactly 0.0 or 1.0",
    ):
        assert part in text
    assert all(line.isascii() and line.isprintable() for line in lines)


# -- what else a network may hold --------------------------------------------------------------------------------------


def holding_any(entry: str) -> Json:
    made = exact_since(4)
    model = made["transformer"]
    model["directions"]["junk"] = {"kind": "any"}
    model["token_embedding"]["a"]["junk"] = entry
    return made


@pytest.mark.parametrize("entry", ["1", "9" * 1000])
def test_a_direction_of_which_nothing_is_known_is_rejected(entry: str) -> None:
    check_text(handmade.dump(holding_any(entry)))
    with pytest.raises(Rejected, match="no bounds of 'junk', of kind any"):
        check_text(with_floats(holding_any(entry), {**BASE, "max_n": 4}))


def test_a_number_that_nobody_reads_must_be_finite() -> None:
    made = exact_since(4)
    made["claim"]["regime"] = "unstated"
    made["transformer"]["directions"]["unread"] = handmade.position("10^64*n")
    made["transformer"]["position_embedding"]["unread"] = "10^64*n"
    check_text(handmade.dump(made))
    with pytest.raises(Rejected, match="embedding, direction 'unread': a number could be beyond the greatest"):
        check_text(with_floats(made, {**BASE, "max_n": 4}))


def test_a_unit_that_writes_nothing_must_be_finite() -> None:
    made = exact_since(4)
    made["transformer"]["layers"][0]["feedforward"]["units"].append(
        {"reads": {"n": "10000"}, "bias": "0", "writes": {}}
    )
    check_text(handmade.dump(made))
    with pytest.raises(Rejected, match=r"layer 1, feed-forward: a (number|sum) could be beyond the greatest"):
        check_text(with_floats(made, {**BASE, "max_n": 4}))


def test_values_that_are_not_truths_are_not_ranked() -> None:
    """With values e^(k-N) at weights e^-k all products are equal: their sum errs like that of any numbers."""
    ranked: list[bool] = []
    for weight in ("1/2", "1"):
        made = exact_since(8)
        made["transformer"]["layers"][0]["heads"][0]["values"] = {"near": {"good": weight}}
        budget = Budget()
        given = read_within(with_floats(made, BASE), ANYTHING, budget).given
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(softmax.Softmax, "prove_near", lambda self, spread, errors, known: ranked.append(known))
            prove_floats(given)
    assert {*ranked[: len(ranked) // 2]} == {False} and {*ranked[len(ranked) // 2 :]} == {True}


# -- a weakened rule accepts a wrong execution -------------------------------------------------------------------------


def test_without_the_bound_on_heads_a_wrong_run_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(softmax, "excess", lambda sums, false, true: Fraction(0))
    monkeypatch.setattr(softmax.Softmax, "sums", lambda *given: [softmax.Sums(Fraction(0), Fraction(0))])
    assert accepts(WEAK, tiny(4, 4).claim(3)) and next(wrong_outputs(WEAK, tiny(4, 4), 3, since), None)


def test_without_grids_a_unit_that_rounds_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    made, claim = handmade.prev_certificate(2), tiny(8, 8).claim(2)
    assert not accepts(made, claim)
    for module in (forms, hidden_units):
        monkeypatch.setattr(module, "fits", lambda form, grid, magnitude: True)
    assert accepts(made, claim)
