"""Certificates that the independent checker accepts, read for the exporters."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.common.files import read_text
from constructions.errors import InputError, WithoutAnswer
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs import check
from proofs.floats.claims import FloatClaim, read_float_claims


class NotAccepted(WithoutAnswer, Exception):
    """The checker rejects the certificate: nothing is exported from it."""

    verdict = "rejected"


class OtherKind(InputError):
    """An accepted certificate of another kind than expected; ``kind`` describes it."""

    def __init__(self, path: str, kind: str, expected: str) -> None:
        """Make a message of one line."""
        super().__init__(f"{path}: a certificate {kind}, {expected}")
        self.kind = kind


@dataclass(frozen=True)
class StatedErrors:
    """The stated errors of one direction that a head writes."""

    layer: int
    head: int
    direction: str
    error_if_false: Fraction
    error_if_true: Fraction


@dataclass(frozen=True)
class Sealed:
    """Claim, transformer, bounds and float claims of an accepted certificate."""

    claim: Mapping[str, Any]
    lengths: Lengths
    transformer: Transformer
    bounds: tuple[StatedErrors, ...]
    floats: tuple[FloatClaim, ...]
    digest: str

    @property
    def regime(self) -> str:
        """The regime of the claim in words."""
        return f"{self.claim['regime']}{', causal' if self.claim['causal'] else ''}"

    @property
    def weightings(self) -> tuple[str, ...]:
        """A line that names the weightings of the heads, unless all are softmax."""
        found = self.transformer.weightings()
        return () if self.transformer.has_softmax_alone else (f"weighting {', '.join(found)}",)

    @property
    def statement(self) -> tuple[str, ...]:
        """The claim in plain lines."""
        symbols = ", ".join(self.transformer.alphabet)
        return (f"formula   {self.claim['formula']}", f"alphabet  {{{symbols}}}", f"regime    {self.regime}",
                *self.weightings,
                f"claim     for {self.lengths.claim}, every word of length n and every position: the output is exactly "
                "1 if the formula holds there, else 0")

    @property
    def names(self) -> str:
        """The digest of the certificate in one line."""
        return f"certificate sha256 {self.digest}"


def read_sealed(path: str) -> Sealed:
    """Read and check the certificate in a file.

    Raises:
        InputError: if the file cannot be read or is not a certificate.
        NotAccepted: if the checker rejects it.
    """
    return read_sealed_text(read_text(path), path)


def read_accepted_file(text: str, path: str) -> check.Accepted:
    """Return the content and the claim in words of a certificate that the checker accepts.

    Raises:
        InputError: if the text is not a certificate, or the checker exceeds a limit of its own.
        NotAccepted: if the checker rejects it.
    """
    try:
        return check.check_text(text.encode())
    except check.Rejected as error:
        raise NotAccepted(f"{path}: rejected: {error}") from None
    except check.Incomplete as error:
        raise InputError(f"{path}: incomplete: {error}") from None
    except check.Refusal as error:
        raise InputError(f"{path}: {check.verdict_of(error)}: {error}, expected a certificate") from None


def read_sealed_text(text: str, path: str, takes_given: bool = False) -> Sealed:
    """Return the certificate with this text; messages name the ``path``; ``takes_given`` admits an assumption.

    Raises:
        InputError: if the text is not a certificate of a formula.
        NotAccepted: if the checker rejects it.
    """
    given = read_accepted_file(text, path).given
    if not isinstance(given, check.Certificate):
        kinds = {check.Softened: "of a softened transformer", check.MarginFile: "about margins"}
        kind = kinds.get(type(given), "of a trained network")
        raise OtherKind(path, kind, "expected one of a formula")
    data = read_json(text, path)
    claim = data["claim"]
    if "given" in claim and not takes_given:
        raise OtherKind(path, f"about words where {claim['given']} holds", "which is not shown here")
    bounds = tuple(StatedErrors(entry["layer"], entry["head"], entry["direction"], Fraction(entry["error_if_false"]),
                                Fraction(entry["error_if_true"])) for entry in data["bounds"])
    lengths = Lengths(claim.get("min_n", 1), claim["max_n"])
    floats = read_float_claims(data["floats"], lengths) if "floats" in data else ()
    return Sealed(claim, lengths, transformer_from_json(data["transformer"], path, claim.get("given")), bounds, floats,
                  hashlib.sha256(text.encode()).hexdigest())
