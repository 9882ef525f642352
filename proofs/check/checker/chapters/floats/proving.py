"""Proof of a claim about a float model, from an accepted certificate.

See docs/background/floats_rules.md, sections 3 and 4.

Directions are enclosed writer by writer, in the order of their stages, as the certificate itself is proved.
"""

from collections.abc import Mapping
from dataclasses import replace

from ...kernel.numbers import ONE, ZERO, divide
from ...kernel.reading.records import Mean, Neuron
from ...kernel.verdicts import Rejected, quote, require, within
from ..float_models.reading import FloatClaim
from ..float_models.roundoff import WITHIN, expect_sensible
from ..formula.composition import Writer, find_writers
from ..formula.families import load
from ..formula.proof import ProofContext
from ..formula.records import Certificate
from .enclosures import FloatEnclosures
from .feed_forward import FeedForwards
from .forms import Arithmetic, FloatValue, exactly
from .heads import Heads
from .rounding import nearest


def prove_floats(certificate: Certificate) -> None:
    """Prove all claims about float models of a certificate that was proved over the reals."""
    for claim in certificate.floats:
        with within(f"floats {quote(claim.name)}"):
            prove_float_claim(certificate, claim)


def prove_float_claim(certificate: Certificate, claim: FloatClaim) -> None:
    """Prove one claim, for words up to its max_n."""
    softmax = all(head.weighting == "softmax" for head in certificate.transformer.heads)
    require(softmax, "float executions have rules for softmax only")
    expect_sensible(claim, WITHIN)
    require(claim.sum_ulp == 1, "sums that are cut off have rules for trained networks only")
    require("integers" not in claim.also, "sums of whole numbers have rules for trained networks only")
    proof = ProofContext(replace(certificate, claim=replace(certificate.claim, max_n=claim.max_n)))
    if has_known_roundings(proof, claim):
        proof = load("irrational.heads", "of_rationals")(proof)
    try:
        FloatProof(proof, claim, False).prove()
    except Rejected:
        if not any(isinstance(meaning, Mean) for meaning in proof.directions.values()):
            raise  # nothing is looked up
        FloatProof(proof, claim, True).prove()


def has_known_roundings(proof: ProofContext, claim: FloatClaim) -> bool:
    """Return whether numbers are irrational, all of them stored as the lower ends of their enclosures are.

    Claim. Then the executions are those of the network with these rationals. Proof. Only the roundings to S of
    embeddings and of inverses of temperatures enter one. Both ends of an enclosure are rounded to one number, so the
    irrational number is, too. Heads of that network err by a little more (`of_rationals`); nothing else may read them.
    """
    language, budget, transformer = proof.language, proof.budget, proof.transformer
    places = {(place, False) for place in transformer.position_embedding.values()}
    places |= {(head.temperature, True) for head in transformer.heads}
    irrational = sorted(one for one in places if language.may_be_irrational(one[0]))
    for place, is_inverted in irrational:
        for n, _ in proof.lengths([place]):
            for ends in set(proof.columns.enclosures(place, n)):
                if ends.lower < ends.upper:
                    stored = {nearest(budget, claim.storage, divide(budget, ONE, end) if is_inverted else end)
                              for end in ends}
                    require(len(stored) == 1 and None not in stored,
                            "{} is irrational, and its stored number is not determined", language.write_short(place))
    return bool(irrational)


class FloatProof:
    """Proof of a certificate under one float model."""

    def __init__(self, proof: ProofContext, claim: FloatClaim, by_rows: bool) -> None:
        """Prepare the proofs of the parts; ``by_rows`` allows rule 7 for lookups, slower than rules 3 and 4."""
        self._proof, self._claim = proof, claim
        self._writers: Mapping[str, Writer] = find_writers(proof.transformer)
        self._arithmetic = Arithmetic(proof.budget, claim)
        self._enclosures = FloatEnclosures(proof, self._arithmetic, self._writers)
        self._heads = Heads(proof, self._arithmetic, self._enclosures, by_rows)
        self._feed_forwards = FeedForwards(proof, self._arithmetic, self._enclosures)

    def prove(self) -> None:
        """Prove every direction, and then that all numbers are finite, also unused ones."""
        for name, writer in self._writers.items():
            with within(f"{writer.label}, direction {quote(name)}"):
                self._check_direction(name, writer)
        self._check_finite()

    def _check_direction(self, name: str, writer: Writer) -> None:
        layers = self._proof.transformer.layers
        if writer.head:
            self._heads.check(self._enclosures.head_of(name), name)
        elif writer.layer:
            self._feed_forwards.check(layers[writer.layer - 1].feedforward, name)
        self._enclosures.everywhere(name)

    def _check_finite(self) -> None:
        """Check that all units, also those without outputs, and all outputs are finite."""
        enclosed = {name: self._enclosures.everywhere(name) for name in self._proof.directions}
        for number, layer in enumerate(self._proof.transformer.layers, 1):
            with within(f"layer {number}, feed-forward"):
                terms = {name: [(self._arithmetic.constant(self._claim.storage, bias), exactly(ONE))]
                         for name, bias in layer.feedforward.bias.items()}
                for unit_ in layer.feedforward.units:
                    activation = self._activation(unit_, enclosed)
                    for name, weight in unit_.writes.items():
                        terms.setdefault(name, []).append((self._arithmetic.weight(weight), activation))
                for written in terms.values():
                    self._arithmetic.stored(self._arithmetic.sum(written))

    def _activation(self, unit_: Neuron, enclosed: Mapping[str, FloatValue]) -> FloatValue:
        """Enclose a unit's activation, as an input of the next sum."""
        arithmetic = self._arithmetic
        terms = [(arithmetic.constant(self._claim.storage, unit_.bias), exactly(ONE)),
                 *((arithmetic.weight(c), arithmetic.input(enclosed[name])) for name, c in unit_.reads.items())]
        form = arithmetic.stored(arithmetic.sum(terms))
        return arithmetic.input(FloatValue(max(form.low, ZERO), max(form.high, ZERO), form.error, form.grid))
