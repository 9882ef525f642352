"""What the tests of ``proofs/coq/compile_formula.v`` share: Python's networks in Coq, compared there with Coq's own.

Two networks are equal as data, or Coq does not accept that one is the other. The text of a theorem's file is a function
of the network's parameters, the meanings and the formula, so equal data print the same, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from constructions.compiler import PRINTED_GAMMA, compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.positional import mentions_length
from constructions.language.predicates import definitions_of
from constructions.language.syntax import Formula
from constructions.regimes import Regime, Sharpening
from proofs.by_coq.kernel import Coq
from proofs.by_coq.library import needed_sources
from proofs.by_coq.transformer_file import rational, theorem_file
from tests.with_coq import coq_or_skip, library_of

COMPILER = "compile_formula.v"
_IMPORTS = """\
From Coq Require Import Reals QArith ZArith List Bool.
From Certify Require Import formula network meaning well_defined check regime compile_formula.
Import ListNotations.
Open Scope Q_scope.
"""


@dataclass(frozen=True)
class Question:
    """A formula to be compiled by both."""

    formula: Formula
    alphabet: Sequence[str]
    regime: Regime
    gamma: Fraction = PRINTED_GAMMA
    refused: Formula | None = None
    """If given, the formula that is asked in its place, and that both refuse: over the same symbols."""


@cache
def library_with_compiler(coq: Coq) -> Path:
    """The compiled library of the checker, and the compiler beside it."""
    compiled, folder = library_of(coq), Path(mkdtemp(prefix="certify-compiler-"))
    for file in compiled.glob("*.vo"):
        (folder / file.name).symlink_to(file)
    for name, text in needed_sources(COMPILER).items():
        if not (folder / name).with_suffix(".vo").exists():
            (folder / name).write_text(text, encoding="utf-8")
            run = coq.compile(folder / name, folder)
            assert run.accepted, f"{name}: {run.complaint}"
    return folder


def in_coq(question: Question, number: int) -> str:
    """A module that prints ``number`` and what came out: same, refused, or what differs."""
    try:
        network = compile_formula(question.formula, question.alphabet, question.regime, question.gamma)
        expected = "Some (network, meanings)"
    except (InputError, Unsupported):
        raise AssertionError("ask about refusals with `refusal`") from None
    definitions, _, _ = theorem_file(network, question.formula).partition("\n(* For every length n")
    body = definitions[definitions.index("Open Scope Q_scope.") + len("Open Scope Q_scope."):]
    return (f"Module Q{number}.\n{body}\nGoal {_build(question)} = {expected}.\n"
            f'Proof. tryif (vm_compute; reflexivity) then idtac "same {number}" else idtac "other {number}". Abort.\n'
            f"End Q{number}.\n")


def _build(question: Question) -> str:
    users = [definition.name for definition in definitions_of([question.formula])]
    regime = question.regime
    flags = f"{str(regime.causal).lower()} {str(regime.sharpening is Sharpening.POSITION).lower()}"
    with_length = "; ".join(str(mentions_length(question.formula) and bool(users)).lower() for _ in users)
    return (f"build (Regime {flags}) {rational(question.gamma)} {len(question.alphabet)} "
            f"(fun name => nth name [{with_length}] false) claim")


def answers(questions: Sequence[Question], folder: Path) -> list[str]:
    """For each question ``same`` or ``other``."""
    coq = coq_or_skip()
    library = library_with_compiler(coq)
    source = folder / "comparisons.v"
    source.write_text(_IMPORTS + "".join(map(in_coq, questions, range(len(questions)))), encoding="utf-8")
    run = coq.compile(source, library)
    assert run.accepted, run.complaint
    found = dict(re.findall(r"(?m)^(?:same|other) (\d+)$", run.printed) and
                 [(int(number), word) for word, number in re.findall(r"(?m)^(same|other) (\d+)$", run.printed)])
    return [found.get(number, "silent") for number in range(len(questions))]
