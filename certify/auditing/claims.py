"""Claims: what is said of a network, a statement about numbers or a program, and over which lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from certify.auditing.results import Verdict
from constructions.compiler import compile_formula
from constructions.language.expressions import Expression
from constructions.language.parser import alphabet_of, parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import Formula
from constructions.network.lengths import Lengths
from constructions.network.sharpening import change_model
from constructions.network.transformer import Transformer
from constructions.regimes import Regime

PARTS = ("statement", "proof step", "repair", "remark")
"""What a claim is to the statement it belongs to: the statement as printed, a step of its proof, a repair of either, or
something that the source does not say and that is worth knowing beside it."""
DEFAULT_WIDTH = Fraction(1, 10**6)


@dataclass(frozen=True)
class Demands:
    """What is claimed of a network beside its meanings, and which critical constants are asked for."""

    gamma: Fraction
    temperature: Expression | None = None
    delta: Fraction | None = None
    embeddings: tuple[str, ...] | None = None
    embedding_bound: Expression | None = None
    gap: Expression | None = None
    critical: tuple[int, ...] = ()
    width: Fraction = DEFAULT_WIDTH


@dataclass(frozen=True)
class FormulaSubject:
    """The transformer that is built for a formula."""

    text: str
    alphabet: tuple[str, ...] | None
    predicates: tuple[str, ...]
    regime: Regime
    as_printed: bool
    demands: Demands

    @property
    def formula(self) -> Formula:
        """The parsed formula."""
        return parse_formula(self.text, self.alphabet, parse_predicate_definitions(self.predicates))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The alphabet; that of the formula, if none is given."""
        return self.alphabet or alphabet_of(self.formula)

    def build(self, gamma: Fraction) -> Transformer:
        """The network with this constant in front of its scores.

        Raises:
            Unsupported: if the regime cannot express the formula.
        """
        return compile_formula(self.formula, self.symbols, self.regime, gamma, self.as_printed,
                               self.demands.temperature)

    def run_command(self, gamma: Fraction) -> list[str]:
        """The command, but for the word, that runs the network."""
        symbols = ("" if all(len(s) == 1 for s in self.symbols) else ",").join(self.symbols)
        return ["certify", "run", self.text, "--alphabet", symbols, "--gamma", str(gamma),
                *(["--regime", "position"] if self.regime.sharpening == "position" else []),
                *(["--causal"] if self.regime.causal else []), *(["--as-printed"] if self.as_printed else []),
                *(part for definition in self.predicates for part in ("--predicate", definition)),
                *(["--temperature", str(self.demands.temperature)] if self.demands.temperature else [])]


@dataclass(frozen=True)
class ModelSubject:
    """A transformer that somebody wrote; ``gamma`` multiplies the scores it has."""

    path: Path
    transformer: Transformer
    demands: Demands

    @property
    def regime(self) -> None:
        """A model claims no regime."""
        return

    def build(self, gamma: Fraction) -> Transformer:
        """The network with its scores multiplied by ``gamma``."""
        return change_model(self.transformer, gamma, self.demands.temperature)

    def run_command(self, gamma: Fraction) -> list[str]:
        """The command, but for the word, that runs the network."""
        return ["certify", "run", str(self.path), *(["--gamma", str(gamma)] if gamma != 1 else []),
                *(["--temperature", str(self.demands.temperature)] if self.demands.temperature else [])]


NetworkSubject = FormulaSubject | ModelSubject


@dataclass(frozen=True)
class ExamineSubject:
    """A statement about numbers, by its name in the registry of examinations."""

    name: str


@dataclass(frozen=True)
class ProgramSubject:
    """A program, and the name of what it should compute."""

    path: Path
    oracle: str


@dataclass(frozen=True)
class UndecidableSubject:
    """A statement that no instance decides."""

    why: str


Subject = FormulaSubject | ModelSubject | ExamineSubject | ProgramSubject | UndecidableSubject


@dataclass(frozen=True)
class Expected:
    """What a claims file expects: a verdict, the smallest counterexample, critical constants as decimals."""

    verdict: Verdict | None = None
    counterexample: tuple[str, int] | None = None
    constants: Mapping[int, str] | None = None


@dataclass(frozen=True)
class Claim:
    """One claim of a claims file; ``part`` is one of PARTS."""

    name: str
    statement: str
    says: str
    subject: Subject
    lengths: Lengths
    expected: Expected
    part: str = "statement"
    limit: str = ""
    note: str = ""
    digest: str = ""
