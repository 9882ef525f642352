"""Float claims in certificates, and float models in files: one spelling, and complaints in one line."""

import json
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.enclosures.float_models.model import presets, read_float_models
from proofs.floats.claims import FloatClaim, claim_floats, float_claims_to_json, read_float_claims
from proofs.formula.certificate import seal
from proofs.formula.discharge import discharge

CLAIMS = (FloatClaim(presets()["binary32"], 8), FloatClaim(presets()["bfloat16"].with_exp_ulp(Fraction(5, 2)), 3))


def test_a_certificate_has_its_float_claims_last_and_they_read_back() -> None:
    formula = parse_formula("prev Q_a", "ab")
    network = compile_formula(formula, ("a", "b"), Regime())
    lines = discharge(network, up_to(8), twice=False)
    data = json.loads(claim_floats(seal(formula, up_to(8), Regime(), network, lines), CLAIMS))
    assert list(data)[-1] == "floats"
    assert list(data["floats"][0]) == ["name", "storage", "inputs", "sums", "scores", "softmax", "weights",
                                       "normalised", "exp_ulp", "exp_base", "block", "max_n"]
    assert read_float_claims(data["floats"], up_to(8)) == CLAIMS
    assert "floats" not in json.loads(seal(formula, up_to(8), Regime(), network, lines))


@pytest.mark.parametrize(("change", "complaint"), [
    ({"max_n": 9}, "max_n is 9"), ({"max_n": "8"}, "max_n is '8'"), ({"sums": "binary33"}, "sums"),
    ({"storage": "binary64"}, "storage is binary64"), ({"exp_ulp": "8/2"}, "not spelled"),
    ({"exp_ulp": "-1"}, "exp_ulp"),
    ({"normalised": "never"}, "normalised is 'never'"), ({"block": True}, "block"), ({"storage": 3}, "storage is 3"),
    ({"scores": "float(24,-126,127)"}, "not spelled"), ({"exp_ulp": "99999999"}, "exp_ulp is 99999999"),
])
def test_a_malformed_claim_is_refused(change: dict[str, object], complaint: str) -> None:
    (entry,) = float_claims_to_json(CLAIMS[:1], up_to(8))
    with pytest.raises(InputError, match=complaint):
        read_float_claims([entry | change], up_to(8))


@pytest.mark.parametrize("data", [[], {}, [3], [{"name": "x"}], None])
def test_what_is_no_list_of_claims_is_refused(data: object) -> None:
    with pytest.raises(InputError, match="floats"):
        read_float_claims(data, up_to(8))


def test_names_of_claims_are_distinct() -> None:
    with pytest.raises(InputError, match="distinct"):
        float_claims_to_json(CLAIMS[:1] * 2, up_to(8))


@pytest.mark.parametrize("text", ["x", "a = 3", "[a]\nstorage = 'binary32'", "[a]\nwhat = 1"])
def test_a_malformed_file_of_classes_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_float_models(text, "mine.toml")
