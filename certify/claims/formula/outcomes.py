"""The four verdicts: certified, refuted (by a word, or by a wrong float execution), unknown, unsupported."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, ClassVar

from certify.common.files import write_text
from certify.common.readable import Readable
from certify.common.verdicts import OWN_WORK, WithExitStatus
from certify.requests.vacuity import Vacuity, find_vacuity, find_vacuous_lengths
from constructions.arguments import typed
from constructions.deadline import TimeIsUp
from constructions.errors import InputError
from constructions.language.alphabets import parse_word
from constructions.language.syntax import TRUE, Formula
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.check import Accepted, check_text
from proofs.formula.common.extremes import Extreme
from proofs.formula.discharge import Line
from proofs.formula.on_words import GreatestError, find_greatest_error
from proofs.words.replay import Counterexample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from certify.claims.floats.survey import FloatRow
    from certify.claims.formula.runs import WordTrace
    from certify.common.output_guard import OutputGuard
    from constructions.running.numpy_network import NumpyNetwork
    from constructions.running.torch_network import TorchNetwork

Path = str | PathLike[str]


@dataclass(frozen=True, kw_only=True, repr=False)
class Outcome(Readable, WithExitStatus):
    """The fields common to all verdicts.

    ``allowed_error`` is None where heads may err by 1/4, ``runs`` where no float model is claimed; ``places`` has the
    files that the request was read from.
    """

    verdict: ClassVar[str]
    formula: Formula | None
    alphabet: tuple[str, ...]
    lengths: Lengths
    regime: Regime | None
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    transformer: Transformer | None = None
    lines: tuple[Line, ...] = ()
    allowed_error: Fraction | None = None
    runs: FloatRow | None = None
    places: OutputGuard | None = field(default=None, compare=False)

    @typed
    def run(self, word: str | Sequence[str]) -> WordTrace:
        """Run the network on a word: the values at every position.

        Raises:
            InputError: if there is no network, or the word does not fit it.
        """
        from certify.claims.formula.runs import run_transformer

        letters = parse_word(word, self.alphabet) if isinstance(word, str) else tuple(word)
        return run_transformer(self._network, letters)

    @typed
    def to_numpy(self, max_n: int | None = None, precision: str = "binary32",
                 accumulate: str | None = None) -> NumpyNetwork:
        """Return the network as a numpy program for words up to ``max_n``, by default the claim's.

        Raises:
            InputError, Unsupported: as ``constructions.running.numpy_network.to_numpy``.
        """
        from constructions.running.numpy_network import to_numpy

        return to_numpy(self._network, self.max_n if max_n is None else max_n, precision, accumulate)

    @typed
    def to_torch(self, max_n: int | None = None, precision: str = "binary32", fused: bool = False) -> TorchNetwork:
        """Return the network as a torch module; if ``fused``, with torch's own attention.

        Raises:
            ImportError: without torch.
            InputError, Unsupported: as ``to_numpy``.
        """
        from constructions.running.to_torch import to_torch

        return to_torch(self._network, self.max_n if max_n is None else max_n, precision, fused)

    @typed
    def save(self, path: Path) -> None:
        """Write the certificate, whole or not at all.

        Raises:
            InputError: if nothing was certified, or the file cannot be written.
        """
        raise InputError(f"{os.fspath(path)}: nothing is written, since the verdict is {self.verdict}")

    @property
    def _network(self) -> Transformer:
        if self.transformer is None:
            raise InputError(f"there is no network: the verdict is {self.verdict}")
        return self.transformer

    @cached_property
    def vacuity(self) -> Vacuity | None:
        """The reason why a claim is vacuous: the formula is constantly true or false; None if it is not."""
        return find_vacuity(self.formula, self.alphabet, self.max_n) if self.formula else None

    @property
    def given(self) -> Formula | None:
        """The assumption at all positions that the claim is about; None if it is about every position."""
        return None if self.transformer is None or self.transformer.given == TRUE else self.transformer.given

    @cached_property
    def vacuous_lengths(self) -> list[int]:
        """The lengths at which the assumption holds at no position of a word; empty if time is up."""
        if self.given is None:
            return []
        try:
            return find_vacuous_lengths(self.given, self.alphabet, self.lengths)
        except TimeIsUp:
            return []

    @property
    def max_n(self) -> int:
        """The greatest length."""
        return self.lengths.last

    @cached_property
    def greatest_error(self) -> GreatestError | None:
        """The greatest error of a head on a word, with the word, as far as it is found; None if no head errs.

        If a deadline passes meanwhile, only its bound is returned, since the verdict was found before.
        """
        if self.transformer is None or self.worst_error is None:
            return None
        try:
            return find_greatest_error(self.transformer, self.lines, self.lengths)
        except TimeIsUp:
            return GreatestError(Fraction(0), self.worst_error.upper, reason="time is up")

    @property
    def worst(self) -> Line | None:
        """The attention obligation with the largest bound."""
        weighed = [line for line in self.lines if line.worst and line.worst.worst]
        return max(weighed, key=worst_upper, default=None)

    @property
    def worst_error(self) -> Extreme | None:
        """The largest bound over all inputs, some of which may occur on no word, with its n and i."""
        return self.worst.worst.worst if self.worst and self.worst.worst else None


def worst_upper(line: Line) -> Fraction:
    """Return the bound of a line that has a worst case."""
    assert line.worst and line.worst.worst
    return line.worst.worst.upper


@dataclass(frozen=True, kw_only=True, repr=False)
class Certified(Outcome):
    """Proved for every word of these lengths; the independent checker has accepted ``certificate``."""

    verdict = "certified"
    certificate: str

    @typed
    def save(self, path: Path) -> None:
        """Write the certificate, whole or not at all.

        Raises:
            InputError: if the file cannot be written, or is the one that the network was read from.
        """
        if self.places:
            self.places.check_no_input(os.fspath(path))
        write_text(os.fspath(path), self.certificate)

    def check(self) -> Accepted:
        """Check the certificate once more with the independent checker.

        Raises:
            Refusal: if the certificate is not accepted.
        """
        return check_text(self.certificate.encode(), work=OWN_WORK)


@dataclass(frozen=True, kw_only=True, repr=False)
class Refuted(Outcome):
    """Refuted by a replayed word."""

    verdict = "refuted"
    counterexample: Counterexample


@dataclass(frozen=True, kw_only=True, repr=False)
class WithoutProof(Outcome):
    """Neither certified nor refuted by a word, for this ``reason``."""

    reason: str


@dataclass(frozen=True, kw_only=True, repr=False)
class RefutedRun(WithoutProof):
    """Right over the real numbers, but an execution under the float model is wrong, replayed bit by bit."""

    verdict = "refuted"


@dataclass(frozen=True, kw_only=True, repr=False)
class Unknown(WithoutProof):
    """Neither proved nor refuted; the reason is what was not proved."""

    verdict = "unknown"


@dataclass(frozen=True, kw_only=True, repr=False)
class UnsupportedClaim(WithoutProof):
    """Not handled: the reason names the construct."""

    verdict = "unsupported"
