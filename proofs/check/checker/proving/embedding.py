"""Embedding; docs/certificate.md, section 5: tokens or positions alone make a direction what it means."""

from __future__ import annotations

from ..numbers import ZERO
from ..reading.records import Truth
from ..verdicts import quote, require
from .proof import Proof


def check_embedding(proof: Proof, name: str) -> int:
    """The number of cells (symbol, n, i) at which the direction is proved to hold what it means.

    Raises:
        Rejected: if it does not, somewhere.
    """
    by_position = name in proof.transformer.position_embedding
    return check_position_embedding(proof, name) if by_position else check_token_embedding(proof, name)


def check_position_embedding(proof: Proof, name: str) -> int:
    """No token writes it, and the embedding is the stated number, or the truth, at every (n, i)."""
    place = proof.transformer.position_embedding[name]
    proof.budget.spend(len(proof.claim.alphabet))
    by_token = any(name in row for row in proof.transformer.token_embedding.values())
    fits = proof.is_known(proof.directions[name]) and not by_token
    require(fits, "a position embedding does not make it what it means")
    cells = 0
    for n, i in proof.rows():
        got, wanted = proof.language.value_at(place, n, i), proof.number(name, n, i)
        require(got == wanted, "it is {}, expected {}, at n = {}, i = {}", got, wanted, n, i)
        cells += len(proof.claim.alphabet)
    return cells


def check_token_embedding(proof: Proof, name: str) -> int:
    """It means the truth of a formula over symbols, and each symbol's entry (0 if there is none) is that truth."""
    meaning, language = proof.directions[name], proof.language
    if not (isinstance(meaning, Truth) and language.is_of_symbols(meaning.formula)):
        require(False, "token embeddings do not make it what it means")
        return 0
    positions = sum(proof.claim.lengths)
    for symbol in proof.claim.alphabet:
        got = proof.transformer.token_embedding[symbol].get(name, ZERO)
        wanted = int(language.truths_at_symbol(symbol, [meaning.formula])[meaning.formula])
        require(got == wanted, "symbol {} has {}, expected {}", quote(symbol), got, wanted)
    return positions * len(proof.claim.alphabet)
