"""Networks of ``compile_formula`` beside those of ``build`` in ``compile_formula.v``.

Coq is asked whether they are equal as data: every number, every meaning, every order. The text of a network
(``CoqFile``) is a function of these, so equal networks are equal files, byte for byte.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from constructions.compiler import PRINTED_GAMMA, compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.predicates import definitions_of
from constructions.language.syntax import TRUE, Formula
from constructions.regimes import Regime, Sharpening
from proofs.every_n import KernelAnswer
from proofs.every_n.kernel import find_answer
from proofs.every_n.transformer_file import CoqFile, rational
from tests.with_coq import larger_library_of, staying_coq_or_skip, whole_library_of

_IMPORTS = """\
From Coq Require Import String Reals QArith ZArith List Bool.
From Certify Require Import formula network user_predicates meaning well_defined check regime compile_formula.
Import ListNotations RowNotations.
Open Scope Q_scope.
"""
_COMPARISON = """\
Goal {built} = {expected}.
Proof. tryif (vm_compute; reflexivity) then idtac "same {number}" else idtac "other {number}". Abort.
"""
_INSTANCE = """\
From Certify Require Import compile_correct.
Theorem network_computes : defined network /\\ computes users network claim.
Proof.
  refine (proj2 (build_computes users {regime} {gamma} {size} (fun _ => false) claim network meanings _ _));
    vm_compute; reflexivity.
Qed.
Print Assumptions network_computes.
"""


@dataclass(frozen=True)
class Question:
    """A formula to be compiled here and in Coq."""

    formula: Formula
    alphabet: Sequence[str]
    regime: Regime
    gamma: Fraction = PRINTED_GAMMA


def differing(questions: Sequence[Question], folder: Path,
              change: Callable[[str], str] = lambda text: text) -> list[Question]:
    """Return the questions on which Coq's answer differs, or only one of both rejects the formula.

    ``change`` is made to what Coq is asked.
    """
    coq = staying_coq_or_skip()
    source = folder / "comparisons.v"
    text = _IMPORTS + "".join(map(_comparison, questions, range(len(questions))))
    source.write_text(change(text), encoding="utf-8")
    run = coq.compile(source, larger_library_of(coq))
    assert run.accepted, run.complaint
    found = {int(number): word for word, number in re.findall(r"(?m)^(same|other) (\d+)$", run.printed)}
    assert sorted(found) == list(range(len(questions))), run.printed[:400]
    return [question for number, question in enumerate(questions) if found[number] != "same"]


def proved_by_theorem(question: Question, folder: Path) -> KernelAnswer:
    """Return whether Coq accepts the network's theorem as an instance of ``build_computes``, without ``check``."""
    coq = staying_coq_or_skip()
    network = compile_formula(question.formula, question.alphabet, question.regime, question.gamma)
    definitions = CoqFile(network, question.formula).text("")
    instance = _INSTANCE.format(regime=_regime(question.regime), gamma=rational(question.gamma),
                                size=len(question.alphabet))
    source = folder / "instance.v"
    source.write_text(_IMPORTS + definitions + "\n" + instance, encoding="utf-8")
    return find_answer(coq, whole_library_of(coq), source, besides=None)


def _comparison(question: Question, number: int) -> str:
    """Return a module that prints whether both are the same."""
    formula, alphabet = question.formula, question.alphabet
    try:
        network = compile_formula(formula, alphabet, question.regime, question.gamma)
        expected = "Some (network, meanings)"
    except (InputError, Unsupported):
        network, expected = compile_formula(TRUE, alphabet, Regime()), "None"
    _, _, definitions = CoqFile(network, formula).text("").partition("Open Scope Q_scope.\n")
    comparison = _COMPARISON.format(built=_built(question), expected=expected, number=number)
    return f"Module Q{number}.\n{definitions}\n{comparison}End Q{number}.\n"


def _built(question: Question) -> str:
    users = definitions_of([question.formula])
    with_length = "; ".join(_boolean(user.depends_on_n) for user in users)
    return (f"build {_regime(question.regime)} {rational(question.gamma)} {len(question.alphabet)} "
            f"(fun name => nth name [{with_length}] false) claim")


def _regime(regime: Regime) -> str:
    return f"(Regime {_boolean(regime.causal)} {_boolean(regime.sharpening is Sharpening.POSITION)})"


def _boolean(value: bool) -> str:
    return str(value).lower()
