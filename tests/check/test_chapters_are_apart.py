"""Who checks certificates of formulas runs the kernel and one chapter; what is loaded is looked at from outside."""

import ast
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from certify.claims.trained.float_decision import decide_floats
from examples.trained.zoo import plans
from proofs.check.checker.chapters.formula import families
from proofs.enclosures.float_models.model import presets

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus" / "accepted"
LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
from checker.command import main
assert main([sys.argv[2]]) == 0
print("LOADED", *(module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "checker"))
"""
CHECKER = ROOT / "proofs" / "check" / "checker"
MOST_LINES = 4600


def files_loaded(path: Path) -> set[Path]:
    """Return the files of the checker that a check of this file loads."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", LOADED, str(ROOT / "proofs" / "check"), str(path)],
                         capture_output=True, text=True, check=True)
    (line,) = (line for line in run.stdout.splitlines() if line.startswith("LOADED"))
    return {Path(name).relative_to(CHECKER) for name in line.split()[1:]}


def loaded(path: Path) -> set[str]:
    """Return the chapters that a check of this file loads."""
    return {name.parts[1] for name in files_loaded(path) if name.parts[0] == "chapters" and len(name.parts) > 2}


def lines_of(files: Iterable[Path]) -> int:
    return sum(len((CHECKER / file).read_text(encoding="utf-8").splitlines()) for file in files)


@pytest.mark.parametrize(("name", "chapters"), [
    ("by_hand_since", {"formula"}), ("by_hand_uniform", {"formula"}), ("square_many", {"formula", "sums"}),
    ("irrational_keys_and_temperature", {"formula", "irrational"}),
    ("weighting_sparsemax_since", {"formula", "weightings"}),
    ("weighting_relu_since", {"formula", "sums", "weightings"}),
    ("floats_since", {"formula", "sums", "floats", "float_models"}), ("softened_recent", {"softened"}),
    ("trained_mean", {"trained", "word_semantics"}),
    ("trained_wrong_word", {"trained", "word_semantics"})])
def test_a_file_loads_its_own_chapter_and_those_it_builds_on(name: str, chapters: set[str]) -> None:
    assert loaded(CORPUS / f"{name}.cert") == chapters


@pytest.mark.parametrize("name", [
    "by_hand_since", "by_hand_until", "by_hand_prev", "by_hand_next", "by_hand_causal", "by_hand_boolean",
    "by_hand_uniform", "usual_since", "low_precision_average", "low_precision_both_sides", "a_temporal_tautology"])
def test_the_text_that_decides_a_formula_of_softmax_is_short(name: str) -> None:
    assert lines_of(files_loaded(CORPUS / f"{name}.cert")) <= MOST_LINES


@pytest.mark.parametrize(("name", "most"), [
    ("square_many", 4678), ("tomita_1", 4673), ("majority", 4827), ("from_length_2", 5064),
    ("a_difference_that_is_square", 5172), ("comparisons_by_saturation", 5446)])
def test_what_needs_more_rules_is_short(name: str, most: int) -> None:
    """Paths, a predicate, comparisons; irrational numbers, a sum that is looked up, and several at once."""
    assert lines_of(files_loaded(CORPUS / f"{name}.cert")) <= most


@pytest.mark.parametrize(("name", "most"), [
    ("trained_wrong_word", 5428), ("trained_roundings_wrong_word", 5133), ("trained_wrong_run", 5396),
    ("trained_wrong_input_run", 5178), ("trained_lengths", 5732), ("trained_suffixes", 5557),
    ("trained_tracks_wrong_input", 5330), ("trained_tracks_by_windows", 6320), ("trained_tracks_by_nodes", 6320),
    ("trained_tracks_in_exact_numbers", 4204), ("trained_tracks_input_by_input", 4824),
    ("trained_words_count", 5831), ("trained_tracks_count", 6870),
    ("trained_rounded_means_by_classes", 7587), ("trained_whole_words_by_classes", 6264),
    ("trained_float_executions_by_classes", 8416), ("trained_float_executions_both_ways", 8557),
    ("trained_float_executions_of_means", 8538), ("trained_track_runs_by_classes", 8426)])
def test_what_decides_a_trained_network_is_loaded_as_it_is_needed(name: str, most: int) -> None:
    """A wrong word; any length; inputs in tracks; a cover by words and classes; float executions."""
    assert lines_of(files_loaded(CORPUS / f"{name}.cert")) <= most


@pytest.mark.one_in(8)
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.cert")), ids=lambda path: path.stem)
def test_no_certificate_loads_nine_thousand_lines(path: Path) -> None:
    assert lines_of(files_loaded(path)) < 9_000


@pytest.mark.parametrize("name", ["majority", "dyck_1"])
def test_no_float_certificate_of_the_zoo_loads_nine_thousand_lines(name: str, tmp_path: Path) -> None:
    """Balls, and forms in the first attention: most of the rules at once."""
    plan = plans()[name]
    network = plan.network()
    claim = replace(plan.claim(network), lengths=(1, 4), offsets=(0, 0))
    found = decide_floats(network, claim, presets()["bfloat16/binary32"])
    assert found.certificate
    (tmp_path / "floats.cert").write_text(found.certificate, encoding="utf-8")
    assert lines_of(files_loaded(tmp_path / "floats.cert")) < 9_000


def test_the_text_of_the_kernel_and_of_formulas_is_short() -> None:
    """All of it, whether a formula needs it or not."""
    assert lines_of(file for part in ("kernel", "chapters/formula") for file in (CHECKER / part).rglob("*.py")) <= 4_683


def test_only_the_table_of_the_rules_names_what_other_chapters_have() -> None:
    """And what it names is there."""
    named = {path.name for path in (CHECKER / "chapters" / "formula").rglob("*.py")
             for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.Constant)
             and str(node.value).startswith(("sums.", "irrational.", "weightings.", "margin."))}
    assert named == {"families.py"}
    rows = [one for one in vars(families).values() if isinstance(one, tuple) and len(one) == 2]
    assert len(rows) == 7 and all(map(callable, (families.load(*row) for row in rows)))
    assert all(callable(families.load(family.file, family.function)) for family in families.FAMILIES)


def test_the_whole_folder_is_short() -> None:
    assert lines_of((ROOT / "proofs" / "check").rglob("*.py")) <= 26_925


@pytest.mark.parametrize("name", ["by_hand_since", "tomita_1", "square_many", "majority"])
def test_what_a_plain_formula_does_not_need_is_not_loaded(name: str) -> None:
    names = {str(file) for file in files_loaded(CORPUS / f"{name}.cert")}
    assert not [one for one in names if "irrational" in one or "lookup_of_sums" in one or "words" in one]
    assert not {"parts.py", "same_claim.py", "kernel/language/definitions.py"} & names


def test_the_package_loads_a_chapter_when_a_name_of_it_is_asked_for() -> None:
    """And each name of the package is there."""
    asked = "[name for name in sys.modules if '.chapters.' in name]"
    code = (f"import sys, proofs.check as check; print({asked}); "
            "print(*(getattr(check, name) is None for names in check.PLACES.values() for name in names)); "
            f"print(bool({asked}))")
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    first, names, last = run.stdout.splitlines()
    assert (first, last) == ("[]", "True") and "True" not in names
