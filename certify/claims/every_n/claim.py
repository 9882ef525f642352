"""The claim of a theorem for every n, that a network computes a formula, and its name."""

import re
from dataclasses import dataclass

from certify.requests.request import Request
from certify.requests.run_command import RunCommand
from certify.requests.subjects import find_formula
from constructions.errors import InputError
from constructions.language.syntax import Formula
from constructions.network.transformer import Transformer
from constructions.regimes import Regime

MOST_CHARACTERS = 100


@dataclass(frozen=True)
class TheoremClaim:
    """A network and the formula that it should compute on words of every length; the regime, if one is stated.

    ``run_command`` runs the network on a word.
    """

    name: str
    network: Transformer
    formula: Formula
    regime: Regime | None = None
    run_command: RunCommand | None = None


def claim_theorem(request: Request, name: str) -> TheoremClaim:
    """Return the claim about the network of a request.

    Raises:
        InputError: if the meaning of the output is not a truth.
        Unsupported: if there is no such network.
    """
    network = request.network
    formula = find_formula(network)
    if formula is None:
        raise InputError(f"{request.description}: output {network.output!r}: its meaning is not a truth, expected the "
                         "truth of a formula")
    return TheoremClaim(identifier(name), network, formula, request.stated_regime, request.run_command)


def identifier(name: str) -> str:
    """Make an identifier of Coq from a name: letters, digits and _ only, at most MOST_CHARACTERS.

    >>> identifier("dyck-1 (depth 3)"), identifier("-")
    ('dyck_1_depth_3', 'network')
    """
    return re.sub(r"[^A-Za-z0-9]+", "_", name)[:MOST_CHARACTERS].strip("_") or "network"
