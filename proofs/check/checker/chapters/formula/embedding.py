"""Embedding; docs/background/obligations.md: tokens or positions alone make a direction hold its meaning."""

from ...kernel.numbers import ZERO
from ...kernel.reading.records import Truth
from ...kernel.verdicts import quote, refuse, require
from .proof import ProofContext


def check_embedding(proof: ProofContext, name: str) -> int:
    """Return the number of cells (symbol, n, i) at which the direction is proved to hold its meaning.

    If positions embed it, no token writes it, and the embedding is the stated number, or the truth, at every (n, i).
    Where both are one expression (or formula) there is nothing to compare; claim.py checks that every embedding has a
    value everywhere.
    """
    if name not in proof.transformer.position_embedding:
        return check_token_embedding(proof, name)
    place = proof.transformer.position_embedding[name]
    proof.budget.spend(len(proof.claim.alphabet))
    by_token = any(name in row for row in proof.transformer.token_embedding.values())
    fits = proof.is_known(proof.directions[name]) and not by_token
    require(fits, "a position embedding does not make it what it means")
    stated = proof.places_of([name])
    if stated != [place]:
        for n, firsts in proof.lengths([place, *stated]):
            got, wanted = proof.columns.numbers(place, n), proof.known_numbers(name, n)
            rows = enumerate(zip(got, wanted, firsts, strict=True), 1)
            differing = [(first, i) for i, (x, y, first) in rows if x != y]
            if differing:  # named by the first length of which it is the row
                first, i = min(differing)
                refuse("it is {}, expected {}, at n = {}, i = {}", got[i - 1], wanted[i - 1], first, i)
    return sum(proof.claim.lengths) * len(proof.claim.alphabet)


def check_token_embedding(proof: ProofContext, name: str) -> int:
    """Check that a direction means a formula over symbols, and that each symbol's entry (0 if absent) is its truth."""
    meaning, language = proof.directions[name], proof.language
    if not (isinstance(meaning, Truth) and language.is_of_symbols(meaning.formula)):
        refuse("token embeddings do not make it what it means")
    positions, where = sum(proof.claim.lengths), proof.symbols.where(meaning.formula)
    proof.budget.spend(len(proof.claim.alphabet))
    for number, symbol in enumerate(proof.claim.alphabet):
        got = proof.transformer.token_embedding[symbol].get(name, ZERO)
        wanted = where >> number & 1
        if got != wanted:
            refuse("symbol {} has {}, expected {}", quote(symbol), got, wanted)
    return positions * len(proof.claim.alphabet)
