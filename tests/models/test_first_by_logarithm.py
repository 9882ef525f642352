"""Attention to the first position at a temperature in 1/ln n: certified from n = 2 on, and critical where it says."""

from pathlib import Path

import pytest

from certify.claims.formula.outcomes import Certified, Refuted
from constructions.errors import InputError
from examples.models import first_by_logarithm, first_by_marker
from tests.tiers import few_and_all

MODEL = Path(__file__).resolve().parent.parent.parent / "examples" / "models" / "first_by_logarithm.json"


def test_the_model_file_is_what_its_script_writes(tmp_path: Path) -> None:
    first_by_logarithm.build().save(str(tmp_path / "model.json"))
    assert (tmp_path / "model.json").read_text(encoding="utf-8") == MODEL.read_text(encoding="utf-8")


@pytest.mark.parametrize("max_n", few_and_all(16, 64))
def test_twice_ln_n_suffices_from_n_2_on(max_n: int) -> None:
    assert isinstance(first_by_logarithm.build().certify(max_n, min_n=first_by_logarithm.MIN_N), Certified)


def test_n_3_decides_the_constant_in_front_of_ln_n() -> None:
    """ln 6/ln 3 = 1.630929..."""
    assert isinstance(first_by_logarithm.build("1630930/1000000").certify(32, min_n=2), Certified)
    outcome = first_by_logarithm.build("1630929/1000000").certify(32, min_n=2)
    assert isinstance(outcome, Refuted)
    assert (outcome.counterexample.word, outcome.counterexample.position) == (("0", "1", "1"), 3)


def test_ln_n_alone_is_too_little_everywhere() -> None:
    outcome = first_by_logarithm.build("1").certify(8, min_n=2)
    assert isinstance(outcome, Refuted) and outcome.counterexample.word == ("0", "1")


def test_ln_1_is_no_temperature() -> None:
    with pytest.raises(InputError, match="n = 1"):
        first_by_logarithm.build().certify(8)


@pytest.mark.parametrize(
    "n, above, below",
    [(2, "1098613", "1098612"), (3, "1791760", "1791759"), (8, "3044523", "3044522"), (32, "4532600", "4532599")],
)
def test_the_critical_inverse_temperature_is_ln_of_3_times_the_others(n: int, above: str, below: str) -> None:
    """ln 3 = 1.0986122..., ln 6 = 1.7917594..., ln 21 = 3.0445224..., ln 93 = 4.5325994..., by rational constants."""
    assert isinstance(first_by_marker.build(f"{above}/1000000").certify(n, min_n=n), Certified)
    outcome = first_by_marker.build(f"{below}/1000000").certify(n, min_n=n)
    assert isinstance(outcome, Refuted) and len(outcome.counterexample.word) == n
