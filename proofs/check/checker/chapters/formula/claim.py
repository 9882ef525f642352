"""Obligations on the transformer as a whole; docs/reference/certificate.md, section 3, Claim.

The output, the subformulas, the lengths and the alphabet are those of the *claim*; none is taken from the network that
is to be proved right.
"""

from ...kernel.language import Place
from ...kernel.numbers import ONE
from ...kernel.reading.records import HARD, Truth
from ...kernel.verdicts import quote, refuse, require, within
from .proof import ProofContext


def check_output(proof: ProofContext) -> int:
    """Check that the output means the claimed formula, and some direction each subformula; return their number.

    A comparison with counts is one formula T R 0, in which each count occurs once or not at all. So the subformulas are
    those that remain when comparisons are normalised: a formula that only cancelled counts mention is not one.
    """
    claimed = Truth(proof.claim.formula)
    require(proof.directions[proof.transformer.output] == claimed, "the output does not mean the claimed formula")
    meant = {meaning.formula for meaning in proof.directions.values() if isinstance(meaning, Truth)}
    parts = proof.language.below([proof.claim.formula])
    missing = [place for place in parts if place not in meant]
    if missing:
        shown = proof.language.write_short(missing[0])
        refuse("no direction means the truth of the subformula {}", shown)
    return len(parts)


def check_network(proof: ProofContext) -> None:
    """Check that no head is hard, all embeddings and temperatures have values (even if unread), and the regime."""
    heads = proof.transformer.heads
    hard = [head for head in heads if head.weighting in HARD]
    require(not hard, "the weighting of a head is not the expected softmax")
    for name, place in proof.transformer.position_embedding.items():
        with within(f"position embedding {quote(name)}"):
            check_embedding_values(proof, place)
    for head in heads:
        with within(f"the temperature of head {quote(head.name)}"):
            check_temperatures(proof, head.temperature)
    if proof.claim.causal:
        check_causal(proof)


def check_embedding_values(proof: ProofContext, place: Place) -> None:
    """Check that an embedding has a value at every (n, i), bounded in the temperature regime ([SHA] Theorem 20a)."""
    is_bounded = proof.claim.regime == "temperature"
    for n, firsts in proof.lengths([place]):
        limits = [first * first for first in firsts] if proof.counts else [1] * n  # the least of those of equal rows
        values = proof.columns.enclosures(place, n)
        large = [(first, i) for i, (ends, limit, first) in enumerate(zip(values, limits, firsts, strict=True), 1)
                 if is_bounded and any(abs(x.numerator) > limit * x.denominator for x in ends)]
        if large:
            first, i = min(large)
            limit = limits[i - 1]
            refuse("regime: it is not in -{}..{} at n = {}, i = {}", limit, limit, first, i)


def check_temperatures(proof: ProofContext, place: Place) -> None:
    """Check that a temperature is positive at every (n, i), and 1 in the position regime."""
    depends_on_position = "i" in proof.language.leaves(place)
    for n, firsts in proof.lengths([place]):
        temperatures = (proof.columns.enclosures(place, n) if depends_on_position
                        else [proof.language.enclose_at(place, n, 1)])
        for i, (temperature, most) in enumerate(temperatures, 1):
            if temperature.numerator <= 0 or (proof.claim.regime == "position" and not temperature == most == ONE):
                require(temperature > 0, "it is {} at n = {}, i = {}", temperature, firsts[i - 1], i)
                refuse("regime: it is not 1 everywhere")


def check_causal(proof: ProofContext) -> None:
    """Check that every head is future-masked, and that nothing depends on n."""
    heads, placed = proof.transformer.heads, proof.transformer.position_embedding
    require(all(head.mask == "future" for head in heads), "causal: a head is not future-masked")
    expressions = [*placed.values(), *(head.temperature for head in heads)]
    mentioned = any("n" in proof.language.leaves(place) for place in expressions)
    require(not mentioned, "causal: an embedding or a temperature mentions n")
    require(all(head.weighting != "relu-over-n" for head in heads), "causal: the weights of relu-over-n mention n")
