"""Networks and the lengths up to which all runs under a float model are certified; each is proved on its first use."""

from dataclasses import dataclass
from functools import cache

from certify.claims.floats.survey import Proved
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from constructions.network.transformer import Transformer
from proofs.enclosures.float_models.model import FloatModel, presets
from proofs.floats.verdict import FloatProof, FloatVerdict

FORMULAS = {
    "since": ("(!Q_c) S Q_b", "abc"),
    "until": ("(!Q_c) U Q_b", "abc"),
    "prev": ("prev Q_a", "ab"),
    "next": ("next Q_a", "ab"),
    "nested": ("Q_1 since prev Q_0", "01"),
    "odd": ("ODD(#<[Q_1])", "01"),
    "majority": ("2*#<[Q_1] > #<[true]", "01"),
    "both sides": ("#<[Q_a] >= #>[Q_b]", "ab"),
}


@dataclass(frozen=True)
class Case:
    """A formula, the format that its network is built for (None: the network of [SHA]), a class, a length."""

    name: str
    built_for: str | None
    run: str
    last: int

    def __str__(self) -> str:
        return f"{self.name}, {f'for {self.built_for}' if self.built_for else 'usual'}, {self.run} to {self.last}"


@cache
def proved(name: str, built_for: str | None, last: int) -> Proved:
    """Return the certificate over the real numbers."""
    formula, alphabet = FORMULAS[name]
    outcome = certify(formula, tuple(alphabet), last, precision=built_for)
    assert isinstance(outcome, Certified)
    return Proved.read(outcome.certificate)


@cache
def verdict_of(case: Case, run_class: FloatModel) -> FloatVerdict:
    """Return the verdict about the case's network in a class that may be another one."""
    found = proved(case.name, case.built_for, case.last)
    return FloatProof(found.transformer, found.bounds, run_class).verdict(found.lengths)


def certified(case: Case, run_class: FloatModel | None = None) -> Transformer:
    """Return the network, certified in all executions under the model."""
    verdict = verdict_of(case, run_class or presets()[case.run])
    assert verdict.holds, verdict.fault
    return proved(case.name, case.built_for, case.last).transformer
