"""Claims about float models in certificates: the key ``floats`` (docs/background/floats_rules.md, section 4)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructions.errors import InputError
from constructions.network.json_form import write_canonical
from constructions.network.lengths import Lengths
from proofs.enclosures.float_models.model import FIELDS, OPTIONAL, FloatModel, read_float_model

KEYS = ("name", *FIELDS, "max_n")
MOST_CLAIMS = 32


@dataclass(frozen=True)
class FloatClaim:
    """The claim that the theorem holds under the model, for all lengths of the certificate up to ``max_n``."""

    run: FloatModel
    max_n: int

    def to_json(self) -> dict[str, Any]:
        """Return the claim, its keys in their order."""
        return {**self.run.to_json(), "max_n": self.max_n}


def float_claims_to_json(claims: Sequence[FloatClaim], lengths: Lengths) -> list[dict[str, Any]]:
    """Return the list under ``floats`` in a certificate for these lengths.

    Raises:
        InputError: if two claims have one name, there are too many, or one is about lengths that the certificate does
            not cover.
    """
    _check(claims, lengths)
    return [claim.to_json() for claim in claims]


def read_float_claims(data: object, lengths: Lengths) -> tuple[FloatClaim, ...]:
    """Parse the claims of a certificate for these lengths.

    Raises:
        InputError: naming the first deviation from docs/background/floats_rules.md.
    """
    if not isinstance(data, list) or not 0 < len(data) <= MOST_CLAIMS:
        raise InputError(f"floats: expected a list of 1 to {MOST_CLAIMS} claims")
    claims = tuple(_read_claim(entry, f"floats, claim {place}") for place, entry in enumerate(data, start=1))
    _check(claims, lengths)
    return claims


def _read_claim(entry: object, where: str) -> FloatClaim:
    if not isinstance(entry, dict) or tuple(key for key in entry if key not in OPTIONAL) != KEYS:
        raise InputError(f"{where}: expected an object with the keys {', '.join(KEYS)}, in this order")
    name, max_n = entry["name"], entry["max_n"]
    if not isinstance(name, str):
        raise InputError(f"{where}: name is {name!r}, expected text")
    if not isinstance(max_n, int) or isinstance(max_n, bool):
        raise InputError(f"{where}: max_n is {max_n!r}, expected an integer")
    claim = FloatClaim(read_float_model(name, {key: entry[key] for key in (*FIELDS, *OPTIONAL) if key in entry}), max_n)
    if list(claim.to_json().items()) != list(entry.items()):
        raise InputError(f"{where}: a field is not spelled as it should be: {claim.to_json()}")
    return claim


def _check(claims: Sequence[FloatClaim], lengths: Lengths) -> None:
    if len(claims) > MOST_CLAIMS:
        raise InputError(f"floats: {len(claims)} claims, expected at most {MOST_CLAIMS}")
    names = [claim.run.name for claim in claims]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise InputError(f"floats: two claims are named {repeated[0]!r}, expected distinct names")
    for claim in claims:
        if not lengths.first <= claim.max_n <= lengths.last:
            raise InputError(f"floats: {claim.run.name}: max_n is {claim.max_n}, expected a number from "
                             f"{lengths.first} to {lengths.last}")


def claim_floats(certificate: str, claims: Sequence[FloatClaim]) -> str:
    """Return the sealed certificate with these claims about float models, in place of its own.

    Raises:
        InputError: if two claims have one name, there are too many, or one is about lengths that are not certified.
    """
    data: dict[str, Any] = json.loads(certificate)
    data.pop("floats", None)
    lengths = Lengths(data["claim"].get("min_n", 1), data["claim"]["max_n"])
    return write_canonical(data | ({"floats": float_claims_to_json(claims, lengths)} if claims else {}))
