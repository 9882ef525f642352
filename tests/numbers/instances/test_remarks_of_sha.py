"""Remarks of [SHA] that are decided: layer norm, bounds of Edelman et al., widths, and the induction head in LTL."""

from fractions import Fraction
from itertools import product

import pytest

from certify.auditing.claims import AboutNetwork
from certify.auditing.claims_file import read_claims
from certify.common.shipped import examples_folder
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from tests.numbers.instances.helpers import examined, verdicts


@pytest.mark.parametrize("name", ["section-1-layer-norm", "section-3-2-stronger", "lemma-27-width"])
def test_the_remark_holds(name: str) -> None:
    assert all(verdicts(name, n) == {True} for n in (1, 2, 3, 17, 64, 200))


def test_layer_norm_moves_vectors_twice_as_far_apart_as_is_asked() -> None:
    (found,) = examined("section-1-layer-norm", 5)
    assert (found.value.lower, found.bound.lower, found.side) == (Fraction(10), Fraction(5), "at least")


def test_lemma_6_and_the_other_bound_are_the_same_at_two_positions() -> None:
    (found,) = examined("section-3-2-stronger", 2)
    assert found.value == found.bound


@pytest.mark.one_in(6)
@pytest.mark.parametrize("length", range(1, 7))
def test_the_induction_head_of_the_audit_is_one_and_not_what_the_last_two_symbols_say(length: int) -> None:
    claims = read_claims(str(examples_folder() / "claims" / "sha.toml")).claims
    (about,) = (claim.about for claim in claims if claim.name == "section-6-induction-head")
    assert isinstance(about, AboutNetwork)
    formula = parse_formula(about.request.subject.text, "abc")  # type: ignore[union-attr]
    two_symbols = parse_formula("Q_a & prev Q_a", "abc")
    differs = False
    for word in product("abc", repeat=length):
        for n in range(1, length + 1):
            earlier = [i for i in range(n - 1) if word[i] == word[n - 1]]
            expected = bool(earlier) and word[earlier[-1] + 1] == "a"
            assert truth_values(formula, word)[n - 1] == expected, (word, n)
            differs |= truth_values(two_symbols, word)[n - 1] != expected
    assert differs == (length >= 3)
