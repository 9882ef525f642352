"""The Coq library: complete, without holes; with Coq installed, it accepts right networks and rejects wrong ones."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.network.transformer import Head, Mask, Transformer
from constructions.regimes import ALL_REGIMES, Regime
from constructions.statements import STATEMENTS
from proofs.to_coq import theorem_file

LIBRARY = Path(__file__).resolve().parents[2] / "proofs" / "coq"
SOURCES = sorted(LIBRARY.glob("*.v"))
HOLES = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|native_compute|Guard Checking|bypass_check)\b")
ALLOWED = {"sig_not_dec", "sig_forall_dec", "functional_extensionality_dep", "classic"}


def listed_files() -> list[str]:
    lines = (LIBRARY / "_CoqProject").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.endswith(".v")]


def test_the_project_lists_every_file_once() -> None:
    assert sorted(listed_files()) == [path.name for path in SOURCES]


def test_files_come_after_those_they_need() -> None:
    seen: set[str] = set()
    for name in listed_files():
        needed = re.findall(r"From Certify Require Import ([^.]*)\.\s", (LIBRARY / name).read_text(encoding="utf-8"))
        assert set(" ".join(needed).split()) <= seen, name
        seen.add(name.removesuffix(".v"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_file_has_a_hole(path: Path) -> None:
    assert HOLES.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_file_begins_with_what_is_proved(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("(* ")


def test_each_statement_has_its_coq_file() -> None:
    assert {statement.stem for statement in STATEMENTS} - {path.stem for path in SOURCES} == set()


# -- with Coq ----------------------------------------------------------------------------------------------------------

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed (Debian: coq)")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the library, compiled."""
    folder = tmp_path_factory.mktemp("library")
    for path in [*SOURCES, LIBRARY / "_CoqProject"]:
        shutil.copy(path, folder)
    subprocess.run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["make", "-j2"], cwd=folder, check=True, capture_output=True)
    return folder


def accepted(library: Path, transformer: Transformer, text: str, alphabet: str = "ab") -> bool:
    """Whether Coq proves that the transformer computes the formula, with the allowed axioms only."""
    path = library / "network_under_test.v"
    path.write_text(theorem_file(transformer, parse_formula(text, alphabet)), encoding="utf-8")
    command = ["coqc", "-Q", str(library), "Certify", str(path)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode == 0:
        assert axioms(outcome.stdout) == ALLOWED
    return outcome.returncode == 0


def axioms(printed: str) -> set[str]:
    """The names, without their modules, in the answer to ``Print Assumptions``."""
    names = [line.split()[0] for line in printed.splitlines() if line[:1].strip() and line != "Axioms:"]
    return {name.rpartition(".")[2] for name in names}


def build(text: str, regime: Regime) -> Transformer:
    return compile_formula(parse_formula(text, "ab"), "ab", regime)


@needs_coq
@pytest.mark.exhaustive
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_every_regime_is_proved_for_every_length(compiled: Path, regime: Regime) -> None:
    text = "prev Q_a since (Q_b -> O Q_a)" if regime.causal else "(next Q_a until Q_b) | prev (Q_a since Q_b)"
    assert accepted(compiled, build(text, regime), text)


@needs_coq
@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [
    "ODD(#<[Q_a])", "3*#<[Q_a] - 2*#>[prev Q_b] != 5", "PRIME & #<[ODD] == #>[Q_a] | LAST",
])
def test_counting_is_proved_for_every_length(compiled: Path, text: str) -> None:
    assert accepted(compiled, build(text, Regime()), text)


def changed_head(transformer: Transformer, layer: int, **changes: object) -> Transformer:
    """The transformer with the first head of a layer (from 0) changed."""
    part = transformer.layers[layer]
    head: Head = replace(part.heads[0], **changes)  # type: ignore[arg-type]
    layers = list(transformer.layers)
    layers[layer] = replace(part, heads=(head, *part.heads[1:]))
    return replace(transformer, layers=tuple(layers))


@needs_coq
@pytest.mark.exhaustive
@pytest.mark.parametrize("changes", [
    {"temperature": parse_expression("1/i")},
    {"temperature": parse_expression("3/n")},
    {"mask": Mask.PAST},
    {"mask": Mask.NONE},
])
def test_a_network_with_another_mask_or_temperature_is_not_proved(compiled: Path, changes: dict[str, object]) -> None:
    text = "Q_a since Q_b"
    transformer = build(text, Regime())
    layer = next(number for number, part in enumerate(transformer.layers) if part.heads)
    assert not accepted(compiled, changed_head(transformer, layer, **changes), text)


@needs_coq
@pytest.mark.exhaustive
def test_half_the_sharpness_is_still_proved(compiled: Path) -> None:
    assert accepted(compiled, changed_head(build("Q_a since Q_b", Regime()), 0, temperature=parse_expression("2/n")),
                    "Q_a since Q_b")


@needs_coq
@pytest.mark.exhaustive
def test_a_network_is_not_proved_to_compute_another_formula(compiled: Path) -> None:
    assert not accepted(compiled, build("Q_a since Q_b", Regime()), "Q_b since Q_a")


@needs_coq
@pytest.mark.exhaustive
def test_a_users_predicate_is_proved(compiled: Path) -> None:
    predicates = parse_predicate_definitions(["THIRD(k,n) := k % 3 == 1 and not k > n"])
    formula = parse_formula("THIRD(#<[Q_a]) | THIRD", "ab", predicates=predicates)
    path = compiled / "with_predicate.v"
    path.write_text(theorem_file(compile_formula(formula, "ab", Regime()), formula), encoding="utf-8")
    subprocess.run(["coqc", "-Q", str(compiled), "Certify", str(path)], check=True, capture_output=True)
