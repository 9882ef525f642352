"""Hostile inputs 1 to 18, numbered as in the project's list of how checkers fell; each is refused for its reason.

A record of that list that this format does not have is mapped to the nearest attack, as each docstring says.
More of 3 is in test_check_robust.py.
"""

from fractions import Fraction
from typing import Any

import pytest

from proofs.check import Rejected, RequiredClaim, check_text
from tests.check import handmade
from tests.check.handmade import dump, edit
from tests.check.hostile import BOUND, HEAD, MODEL, SINCE, UNITS, incomplete, malformed, rejected


def test_the_base_is_accepted() -> None:
    check_text(dump(SINCE))


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"[]\n", b"null\n", b'"certify-certificate"\n', b"{", b"}"])
def test_01_empty_or_header_only(data: bytes) -> None:
    """1: an empty file, a header only."""
    malformed(data, "not JSON|format: expected")
    malformed(b'{\n "format": "certify-certificate",\n "version": 1\n}\n', "expected the keys")


def test_02_nothing_covered() -> None:
    """2: nothing is claimed: no length, no symbol, no direction, no bounds."""
    for max_n in (0, -1):
        malformed(edit(SINCE, "claim", "max_n", value=max_n), "max_n")
    malformed(edit(edit(SINCE, "claim", "alphabet", value=[]), "transformer", "alphabet", value=[]), "alphabet")
    malformed(edit(SINCE, "transformer", "directions", value={}), "unknown or misplaced")
    rejected(edit(SINCE, "bounds", value=[]), "exactly one entry")
    empty = edit(SINCE, "transformer", "layers", value=[])
    rejected(edit(empty, "bounds", value=[]), "token embeddings do not make it what it means")


def test_03_truncated() -> None:
    """3: the last step is removed (its text or its part of the proof)."""
    data = dump(SINCE)
    malformed(data[:-1], "not the one spelling")
    malformed(data[:-3], "not JSON")
    rejected(edit(SINCE, *UNITS, 1, drop=True), "the output")
    rejected(edit(SINCE, *UNITS, value=[]), "token embeddings do not make it what it means")


def test_04_trailing_data() -> None:
    """4: data after the end, two certificates in one file."""
    data = dump(SINCE)
    malformed(data + b"\n", "not the one spelling")
    malformed(data + b" ", "not the one spelling")
    malformed(data + data, "not JSON: Extra data")


def test_05_another_claim() -> None:
    """5: a right certificate of another formula, alphabet, length or regime than the one asked for."""
    for expected in (
        RequiredClaim(formula="Q_a since Q_b"),
        RequiredClaim(alphabet=("a", "b")),
        RequiredClaim(max_n=6),
        RequiredClaim(regime="position"),
        RequiredClaim(causal=True),
    ):
        with pytest.raises(Rejected, match="claim differs"):
            check_text(dump(SINCE), expected)


def test_06_claim_edited() -> None:
    """6: the claim is edited to more than is shown: longer words, causal, another regime, another formula."""
    exact = handmade.since_certificate(2, errors=("1/21", "1/21"))
    check_text(dump(exact))
    rejected(edit(exact, "claim", "max_n", value=3), r"below the worst case at n = 3, i = \d")
    rejected(edit(SINCE, "claim", "causal", value=True), "causal: an embedding or a temperature mentions n")
    rejected(edit(SINCE, "claim", "regime", value="position"),
             "the temperature of head 'head': regime: it is not 1 everywhere")
    rejected(edit(SINCE, "claim", "formula", value="Q_b"), "does not mean the claimed formula")
    loud = edit(SINCE, "transformer", "position_embedding", "time", value="n*i/n")
    rejected(edit(loud, "transformer", "directions", "time", "value", value="n*i/n"), "it is not in -1..1")
    loud = edit(SINCE, "transformer", "position_embedding", "one", value="3/2")
    rejected(edit(loud, "transformer", "directions", "one", "value", value="3/2"), "it is not in -1..1")
    past = handmade.until_certificate(3)
    rejected(edit(past, "claim", "causal", value=True), "not future-masked")


def test_07_tampered_weights() -> None:
    """7: weights are tampered with; there is no hash to fix, everything is recomputed."""
    rejected(edit(SINCE, *HEAD, "queries", 0, "one", value="2"), "below the worst case")
    rejected(edit(SINCE, *UNITS, 0, "bias", value="-1/5"), "the output")
    rejected(edit(SINCE, "transformer", "token_embedding", "c", "stop", value="2"), "symbol 'c' has 2, expected 1")
    rejected(edit(SINCE, "transformer", "position_embedding", "time", value="i/(n+1)"), "it is 1/2, expected 1")


def find_least(side: str) -> int:
    low, high = -1, 10**13 // 4
    while high - low > 1:
        middle = (low + high) // 2
        try:
            check_text(dump(edit(SINCE, *BOUND, side, value=str(Fraction(middle, 10**13)))))
            high = middle
        except Rejected:
            low = middle
    return high


@pytest.mark.parametrize("side", ["error_if_false", "error_if_true"])
def test_08_bound_too_small_by_one_unit(side: str) -> None:
    """8: (an exp bound below the true value:) a stated error one unit of 10^-13 below what can be proved."""
    least = find_least(side)
    check_text(dump(edit(SINCE, *BOUND, side, value=str(Fraction(least, 10**13)))))
    rejected(edit(SINCE, *BOUND, side, value=str(Fraction(least - 1, 10**13))), f"{side} .* below the worst case")


def test_09_senseless_bounds() -> None:
    """9: a negative bound, a bound above 1/4 (which would not be an error bound that rounds)."""
    rejected(edit(SINCE, *BOUND, "error_if_false", value="-1/100"), "expected 0 to 1/4")
    rejected(edit(SINCE, *BOUND, "error_if_true", value="250001/1000000"), "expected 0 to 1/4")
    rejected(edit(SINCE, *BOUND, "error_if_true", value="1"), "expected 0 to 1/4")


@pytest.mark.parametrize("gain", ["9" * 12, "9" * 20, "9" * 900])
def test_10_huge_arguments_of_exp(gain: str) -> None:
    """10: arguments of exp of 10^12 are enclosed, and far beyond refused by a limit before anything large exists.

    Where all gaps are that large no exponential is needed, unless the bound is below e^-60.
    """
    made = edit(SINCE, *HEAD, "queries", 0, "one", value=gain)
    check_text(dump(made))
    none = edit(made, *BOUND, "error_if_false", value="0")
    if len(gain) > 300:
        incomplete(none, "an argument of exp of 2.1024 or more")
    else:
        rejected(none, "error_if_false 0 is below the worst case")
    check_text(dump(edit(SINCE, *HEAD, "queries", 0, "one", value="1000000")))


def test_11_mask() -> None:
    """11: a row that omits or adds positions: another mask than the target needs."""
    rejected(edit(SINCE, *HEAD, "mask", value="past"), "neither read nor decided by this mask")
    rejected(edit(SINCE, *HEAD, "mask", value="none"), "expected a mask")
    malformed(edit(SINCE, *HEAD, "mask", value="strict"), "mask")
    rejected(edit(SINCE, *HEAD, "weighting", value="rightmost-hardmax"), "expected softmax")


@pytest.mark.parametrize("temperature", ["0", "-1/n", "1/(n-3)", "1-1/n", "0^(i-1)", "1/(i-i)"])
def test_12_division_by_zero(temperature: str) -> None:
    """12: a denominator that is or can be zero: temperatures that are not positive, or have no value."""
    rejected(edit(SINCE, *HEAD, "temperature", value=temperature), "the temperature of head 'head': it is|has no value")


def test_13_exactly_a_quarter() -> None:
    """13: the stated error may be exactly 1/4, and not 1/4 + 2^-3000."""
    check_text(dump(edit(SINCE, *BOUND, "error_if_false", value="1/4")))
    rejected(edit(SINCE, *BOUND, "error_if_false", value=str(Fraction(1, 4) + Fraction(1, 2**3000))), "0 to 1/4")


def test_13_rounding_is_tight() -> None:
    """13: rounding units that start or end beside 1/4 and 3/4."""
    for k in (0, 1):
        for sign in (1, -1):
            bias = Fraction(UNITS_BIAS[k]) + sign * Fraction(1, 10**200)
            made = edit(SINCE, *UNITS, k, "bias", value=str(bias))
            rejected(made, "the output")


UNITS_BIAS = ["-1/4", "-3/4"]


def test_14_wrong_combinations() -> None:
    """14: (Farkas multipliers:) units whose slopes do not cancel, a unit of two inexact directions."""
    rejected(edit(SINCE, *UNITS, 1, "writes", "is[since]", value="-1"), "the output changes while .*'near' goes")
    rejected(edit(SINCE, *UNITS, 0, "writes", "is[since]", value="-2"), "the output")
    two = handmade.prev_certificate(3)
    made = edit(two, *UNITS, 0, "reads", value={"parity": "1", "at_even": "1", "at_odd": "1"})
    rejected(made, "a unit changes sign and depends on 2 directions that are not exact|the output changes")
    units = [{"reads": {"at_even": "1", "at_odd": "1"}, "bias": "-1", "writes": {"is[prev]": w}} for w in ("1", "-1")]
    rejected(edit(two, *UNITS, value=units), "the output is 0, expected 1|the output changes")


def test_15_missing_case() -> None:
    """15: a case is missing: `prev` without its guard at position 1, a head for one parity only."""
    prev = handmade.prev_certificate(4)
    guard = edit(prev, "transformer", "directions", "at_odd", "when", value="ODD")
    rejected(guard, "below the worst case at n = 4, i = 1")
    made = edit(prev, *UNITS, 2, "reads", "first", drop=True)
    rejected(edit(made, *UNITS, 3, "reads", "first", drop=True), "the output changes while .*'at_odd' goes")
    made = edit(prev, "transformer", "directions", "at_even", "when", value="EVEN & !LAST")
    rejected(made, "the output changes while .*'at_even' goes")


def test_16_forward_references() -> None:
    """16: a part that reads what is written later, or by itself, or twice; entries out of order."""
    reads = {"good": "1", "is[since]": "1"}
    rejected(edit(SINCE, *HEAD, "values", "near", value=reads), "layer 1 reads 'is.since.' too early")
    rejected(edit(SINCE, *HEAD, "values", "near", value={"near": "1"}), "layer 1 reads 'near' too early")
    sibling = edit(handmade.uniform_certificate(3), *HEAD[:-1], 1, "values", "mean past", value={"mean future": "1"})
    rejected(sibling, "layer 1 reads 'mean future' too early")
    unit = {"reads": {"is[since]": "1"}, "bias": "0", "writes": {"is[since]": "1"}}
    rejected(edit(SINCE, *UNITS, value=[*SINCE["transformer"]["layers"][0]["feedforward"]["units"], unit]), "too early")
    twice = edit(SINCE, *HEAD[:-1], value=[MODEL["layers"][0]["heads"][0]] * 2)
    rejected(twice, "'near' is written twice")
    again = {"reads": {"one": "1"}, "bias": "-2", "writes": {"good": "1"}}
    rejected(edit(SINCE, *UNITS, value=[again]), "'good' is written twice")
    prev = handmade.prev_certificate(3)
    rejected(edit(prev, "bounds", value=prev["bounds"][::-1]), "bounds: expected exactly one entry")


@pytest.mark.parametrize(
    "path",
    [
        ("x",),
        ("claim", "x"),
        ("transformer", "x"),
        (*HEAD, "x"),
        (*UNITS, 0, "x"),
        (*BOUND, "x"),
        ("transformer", "layers", 0, "x"),
        ("transformer", "directions", "near", "x"),
    ],
)
def test_17_unknown_parts(path: tuple[Any, ...]) -> None:
    """17: unknown keys, versions, kinds and flags are never skipped."""
    malformed(edit(SINCE, *path, value=1), "expected the keys")
    for version in (0, 2, -1):
        malformed(edit(SINCE, "version", value=version), "version")
        malformed(edit(SINCE, "transformer", "version", value=version), "version")
    malformed(edit(SINCE, "format", value="certify-transformer"), "format")
    malformed(edit(SINCE, "transformer", "directions", "near", "kind", value="roughly"), "kind")
    malformed(edit(SINCE, "claim", "regime", value="any"), "regime")


def test_18_holes() -> None:
    """18: a direction that nothing establishes, a meaning that nothing proves, a near direction without bounds."""
    hole = edit(SINCE, "transformer", "directions", value={**MODEL["directions"], "hole": handmade.truth("Q_c")})
    rejected(hole, "direction 'hole': symbol 'c' has 0, expected 1")
    rejected(edit(SINCE, "bounds", value=[]), "bounds: expected exactly one entry")
    exact = edit(SINCE, "transformer", "directions", "near", value=handmade.truth(handmade.SINCE))
    rejected(edit(exact, "bounds", value=[]), "a head cannot write a direction of kind truth")
    embedded = edit(SINCE, "transformer", "directions", "is[a]", value=handmade.near("Q_a"))
    rejected(embedded, "no direction means the truth of the subformula")
