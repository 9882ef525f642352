"""What the claim asks of the transformer as a whole; docs/certificate.md, section 3, Claim.

The output and the subformulas are those of the *claim*, and so are the lengths and the alphabet; nothing is counted
from the network that is to be proved right.
"""

from __future__ import annotations

from ..numbers import ONE
from ..reading.records import Truth
from ..verdicts import quote, require
from .proof import Proof


def check_output(proof: Proof) -> int:
    """The output means the claimed formula, and some direction the truth of each subformula; their number.

    A comparison with counts is one formula T R 0, in which each count occurs once or not at all. So the subformulas
    are those that remain when comparisons are put together: what only counts that cancel speak of is none.

    Raises:
        Rejected: if a direction is missing.
    """
    claimed = Truth(proof.claim.formula)
    require(proof.directions[proof.transformer.output] == claimed, "the output does not mean the claimed formula")
    held = {meaning.formula for meaning in proof.directions.values() if isinstance(meaning, Truth)}
    parts = proof.language.below([proof.claim.formula])
    missing = [place for place in parts if place not in held]
    if missing:
        shown = proof.language.write_short(missing[0])
        require(False, "no direction means the truth of the subformula {}", shown)
    return len(parts)


def check_network(proof: Proof) -> None:
    """Embeddings and temperatures have a value at every (n, i), whatever reads them; the regime is the claimed one.

    Raises:
        Rejected: if one has none, or is not as the regime says.
    """
    heads = proof.transformer.heads
    softmax = all(head.weighting == "softmax" for head in heads)
    require(softmax, "the weighting of a head is not the expected softmax")
    for n, i in proof.rows():
        check_embeddings_at(proof, n, i)
        check_temperatures_at(proof, n, i)
    if proof.claim.causal:
        check_causal(proof)


def check_embeddings_at(proof: Proof, n: int, i: int) -> None:
    """Every position embedding has a value; in the temperature regime it is small ([SHA] Theorem 20a embeds i^2)."""
    limit = n * n if proof.counts else 1
    for name, place in proof.transformer.position_embedding.items():
        value = proof.language.value_at(place, n, i)
        fits = proof.claim.regime != "temperature" or abs(value) <= limit
        require(fits, "regime: embedding {} is not in -{}..{} at n = {}, i = {}", quote(name), limit, limit, n, i)


def check_temperatures_at(proof: Proof, n: int, i: int) -> None:
    """Every temperature is positive, and 1 in the position regime."""
    for head in proof.transformer.heads:
        heat = proof.language.value_at(head.temperature, n, i)
        require(heat > 0, "the temperature of head {} is {} at n = {}, i = {}", quote(head.name), heat, n, i)
        fits = heat == ONE or proof.claim.regime != "position"
        require(fits, "regime: the temperature of head {} is not 1 everywhere", quote(head.name))


def check_causal(proof: Proof) -> None:
    """All heads look to the left only, and nothing depends on n."""
    heads, placed = proof.transformer.heads, proof.transformer.position_embedding
    require(all(head.mask == "future" for head in heads), "causal: a head is not future-masked")
    expressions = [*placed.values(), *(head.temperature for head in heads)]
    mentioned = any("n" in proof.language.leaves(place) for place in expressions)
    require(not mentioned, "causal: an embedding or a temperature mentions n")
