"""The models of examples/models, which are not from the paper: their verdicts, critical constants and model files."""

import importlib
import itertools
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.claims.formula.outcomes import Certified, Refuted
from certify.network import Network
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.json_form import read_transformer, transformer_to_json, write_canonical
from examples.models import first_by_index, first_by_marker, flip_flop, matching_bracket, recent_write
from tests.models.brackets import balanced_prefixes
from tests.sabotage.ground_truth import own_misses

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "models"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


def refuting_word(net: Network, max_n: int, min_n: int = 1) -> tuple[str, ...]:
    """Return the word of the counterexample, which the second forward pass agrees to be one."""
    outcome = net.certify(max_n, min_n)
    assert isinstance(outcome, Refuted)
    found = outcome.counterexample
    assert (found.direction, found.position) in own_misses(net.build(), found.word)
    return found.word


@pytest.mark.parametrize("stem", [stem for stem in SCRIPTS if stem != "first_by_logarithm"])
def test_each_model_file_is_what_its_script_writes(stem: str, tmp_path: Path) -> None:
    module = importlib.import_module(f"examples.models.{stem}")
    module.build().save(str(tmp_path / "model.json"))
    assert (tmp_path / "model.json").read_bytes() == (FOLDER / f"{stem}.json").read_bytes()


def test_every_model_file_is_canonical() -> None:
    for path in sorted(FOLDER.glob("*.json")):
        if path.stem != "first_by_logarithm":
            text = path.read_text(encoding="utf-8")
            assert write_canonical(transformer_to_json(read_transformer(text))) == text


def test_each_script_has_its_model_file() -> None:
    assert [path.stem for path in sorted(FOLDER.glob("*.json"))] == SCRIPTS


@pytest.mark.parametrize(
    "build, max_n",
    [(first_by_marker.build, 16), (first_by_index.build, 16), (flip_flop.build, 8), (matching_bracket.build, 8),
     *(pytest.param(*larger, marks=pytest.mark.exhaustive) for larger in [
         (first_by_marker.build, 64), (first_by_index.build, 64), (flip_flop.build, 20),
         (matching_bracket.build, 16)])],
)
def test_the_right_models_are_certified(build: Callable[[], Network], max_n: int) -> None:
    assert isinstance(build().certify(max_n), Certified)


def test_first_by_marker_is_critical_at_ln_of_3_times_the_others() -> None:
    """ln 9 = 2.197224... at n = 4 and ln 45 = 3.806662... at n = 16."""
    assert isinstance(first_by_marker.build("2197225/1000000").certify(4), Certified)
    assert refuting_word(first_by_marker.build("2197224/1000000"), 4) == ("0", "1", "1", "1")
    assert isinstance(first_by_marker.build("3806663/1000000").certify(16), Certified)
    assert refuting_word(first_by_marker.build("3806662/1000000"), 16) == ("0", *"1" * 15)


@pytest.mark.exhaustive
def test_first_by_marker_is_critical_at_ln_189_at_n_64() -> None:
    assert isinstance(first_by_marker.build("5241748/1000000").certify(64), Certified)
    assert refuting_word(first_by_marker.build("5241747/1000000"), 64, 60) == ("0", *"1" * 63)


@pytest.mark.exhaustive
def test_first_by_marker_as_shipped_suffices_exactly_up_to_n_135() -> None:
    """3(n - 1) <= e^6 = 403.4...; shorter words are no harder."""
    assert isinstance(first_by_marker.build("6").certify(135, min_n=135), Certified)
    assert refuting_word(first_by_marker.build("6"), 136, 135) == ("0", *"1" * 135)


@pytest.mark.parametrize(
    "build, word",
    [
        (first_by_index.build, ("0", *"1" * 11)),
        (flip_flop.build, (*("w1",) * 11, "w0")),
        pytest.param(matching_bracket.build, tuple("())))))))))))")[:12], marks=pytest.mark.exhaustive),
    ],
    ids=["first_by_index", "flip_flop", "matching_bracket"],
)
def test_ties_one_apart_are_critical_at_ln_4(build: Callable[[str], Network], word: tuple[str, ...]) -> None:
    """c = 1.386294 is 3.6e-7 below ln 4; the critical c is about 3/4^n below: 7.2e-7 at n = 11, 1.8e-7 at n = 12."""
    assert isinstance(build("1386295/1000000").certify(12), Certified)
    assert isinstance(build("1386294/1000000").certify(11), Certified)
    assert len(refuting_word(build("1386294/1000000"), 12)) == len(word) == 12
    assert own_misses(build("1386294/1000000").build(), word)


@pytest.mark.parametrize("n, above, below", [(4, "1374064", "1374063"), (8, "1386249", "1386248")])
def test_the_flip_flop_is_critical_where_the_powers_sum_to_a_third(n: int, above: str, below: str) -> None:
    """x + x^2 + x^3 = 1/3 at c = 1.37406312..., x + ... + x^7 = 1/3 at c = 1.38624856..."""
    assert isinstance(flip_flop.build(f"{above}/1000000").certify(n), Certified)
    assert len(refuting_word(flip_flop.build(f"{below}/1000000"), n)) == n


def test_recent_write_is_right_on_short_words_and_wrong_where_the_bonus_runs_out() -> None:
    assert isinstance(recent_write.build("8").certify(8), Certified)
    assert refuting_word(recent_write.build("8"), 20) == ("w1", *("i",) * 8)


def test_recent_write_needs_a_bonus_that_grows_with_n() -> None:
    """n - 1 + ln(3(1 - x^(n-1))/(1 - x))/2 with x = e^-2 is 8.622012817... at n = 9, 9.62201286... at n = 10."""
    assert isinstance(recent_write.build("8622013/1000000").certify(9), Certified)
    assert refuting_word(recent_write.build("8622012/1000000"), 9) == ("w1", *("i",) * 8)
    assert refuting_word(recent_write.build("8622013/1000000"), 10) == ("w1", *("i",) * 9)


def test_the_formula_of_matching_bracket_is_balance_by_a_stack() -> None:
    formula = parse_formula(matching_bracket.balanced())
    for n in range(1, 6):
        for word in itertools.product("()[]", repeat=n):
            assert truth_values(formula, word) == balanced_prefixes(word, matching_bracket.DEPTH), word


@pytest.mark.parametrize("word, balanced", [("([])[()]", True), ("([)]", False), ("((()))", False), ("[]()", True)])
def test_the_formula_of_matching_bracket_on_longer_words(word: str, balanced: bool) -> None:
    formula = parse_formula(matching_bracket.balanced())
    assert truth_values(formula, tuple(word))[-1] is balanced is balanced_prefixes(word, 2)[-1]


def test_the_claims_file_about_models_names_each_of_them() -> None:
    claims = tomllib.loads((FOLDER.parent / "claims" / "models.toml").read_text(encoding="utf-8"))["claim"]
    assert len({claim["name"] for claim in claims}) == len(claims)
    assert {(FOLDER.parent / "claims" / claim["model"]).resolve() for claim in claims} == set(FOLDER.glob("*.json"))
