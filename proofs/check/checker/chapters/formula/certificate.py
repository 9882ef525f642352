"""Every obligation of a certificate, and then that nothing was left out.

What must be covered follows from the claim alone: its lengths, its alphabet, the rows at which a guard holds. Each
chapter says how many rows it proved; the two numbers are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ...kernel.numbers import ZERO
from ...kernel.reading.records import (
    ADDITIVE,
    SPARSE,
    Anything,
    ApproximateCount,
    ApproximateTruth,
    Average,
    FeedForward,
    Head,
    Mean,
    PositionalNumber,
    kind_of,
)
from ...kernel.verdicts import quote, require, within
from .attention import check_attention
from .claim import check_network, check_output
from .composition import Writer, find_writers
from .counting import check_by_value, is_by_value
from .coverage import Coverage, check_errors, count_rows
from .embedding import check_embedding
from .feed_forward import check_feed_forward
from .irrational import with_rationals
from .lookup import check_lookup
from .lookup_of_sums import check_lookup_of_sum, reads_counts
from .proof import Proof
from .records import Certificate
from .uniform import check_mean, check_uniform


def prove_certificate(certificate: Certificate) -> Coverage:
    """What was covered, if every obligation of the claim is proved.

    Raises:
        Rejected: if an obligation is not proved.
        Incomplete: if the budget does not suffice.
    """
    proof, coverage = Proof(certificate), Coverage()
    writers = find_writers(proof.transformer)
    check_bounds(proof, writers)
    coverage.subformulas = check_output(proof)
    check_network(proof)
    require(writers.keys() == proof.directions.keys(), "a direction is not covered")
    for name, writer in writers.items():
        if not isinstance(proof.directions[name], Anything):  # it may hold any number: nothing is proved from it
            with within(f"{writer.place}, direction {quote(name)}"):
                check_direction(proof, coverage, name, writer)
    return coverage


def check_bounds(proof: Proof, writers: Mapping[str, Writer]) -> None:
    """One entry for every near and others direction that a head writes, in the order in which they are written.

    Raises:
        Rejected: if an entry is missing, doubled, foreign or misplaced.
    """
    wanted = [(writer.layer, writer.head, name) for name, writer in writers.items()
              if writer.head and isinstance(proof.directions[name], ApproximateTruth | ApproximateCount)]
    found = [(bound.layer, bound.head, bound.direction) for bound in proof.bounds]
    require(found == wanted,
            "bounds: expected exactly one entry for every near direction, in the order they are written")


def check_direction(proof: Proof, coverage: Coverage, name: str, writer: Writer) -> None:
    """The writer makes the direction what it means, at every row of the claim."""
    rows = count_rows(proof, name)
    if not writer.layer:
        done, wanted = check_embedding(proof, name), rows * len(proof.claim.alphabet)
        coverage.embedding_cells += done
    elif writer.head:
        all_heads = proof.transformer.layers[writer.layer - 1].heads
        heads = [all_heads[number - 1] for number in (writer.head, *writer.more)]
        done, wanted = find_rule(heads[0].weighting)(proof, coverage, heads, name), rows
        coverage.head_rows += done
    else:
        part = proof.transformer.layers[writer.layer - 1].feedforward
        done, wanted = check_part(proof, part, name), rows
        coverage.feed_forward_rows += done
    require(done == wanted, "covered {} rows, expected {}", done, wanted)


def find_rule(weighting: str) -> Callable[[Proof, Coverage, Sequence[Head], str], int]:
    """What decides the heads of a weighting."""
    if weighting not in ADDITIVE:
        return check_head
    from .weightings.deciding import check_additive

    return check_additive


def check_head(proof: Proof, coverage: Coverage, heads: Sequence[Head], name: str) -> int:
    """What the one head writes to the direction is what the direction means; the number of rows covered.

    Weights that are not additive have one head (composition.py). Equal scores have equal weights of the sum 1, and
    lookups have rules, only for some weightings.
    """
    (head,), meaning = heads, proof.directions[name]
    if not isinstance(meaning, ApproximateTruth | ApproximateCount | PositionalNumber | Mean | Average):
        require(False, "a head cannot write a direction of kind {}", kind_of(meaning))
    attends = all(proof.is_known(proof.directions[source]) for query in head.queries for source in query)
    by_attention = isinstance(meaning, ApproximateTruth) and attends
    has_rule = by_attention or head.weighting in ("softmax", *SPARSE)
    require(has_rule, "a {} head has no rule for a direction of kind {}{}", head.weighting, kind_of(meaning),
            " with such queries" if isinstance(meaning, ApproximateTruth) else "")
    if isinstance(meaning, PositionalNumber):
        return check_uniform(proof, head, name)
    if isinstance(meaning, Mean | Average):
        return check_mean(proof, head, name, meaning)
    check_errors(proof.errors[name], isinstance(meaning, ApproximateTruth))
    proof = with_rationals(proof, head, name)
    if isinstance(meaning, ApproximateTruth) and attends:
        covered = guarded = check_attention(proof, head, name, meaning)
    elif isinstance(meaning, ApproximateTruth) and reads_counts(proof, head):
        covered, guarded = check_lookup_of_sum(proof, head, name, meaning)
    elif isinstance(meaning, ApproximateTruth | ApproximateCount):
        covered, guarded = check_lookup(proof, head, name, meaning)
    if isinstance(meaning, ApproximateTruth):
        coverage.guarded[name] = guarded
    return covered


def check_part(proof: Proof, part: FeedForward, name: str) -> int:
    """The feed-forward part makes the direction exactly what it means; the number of rows covered."""
    units, bias = proof.units_writing(part, name), part.bias.get(name, ZERO)
    rule = check_by_value if is_by_value(proof, name, units) else check_feed_forward
    return rule(proof, name, units, bias)


def worst_error(certificate: Certificate, kind: type[ApproximateTruth] | type[ApproximateCount]) -> Fraction:
    """The greatest stated error of the near directions, or of the others directions."""
    stated = [max(bound.error_if_false, bound.error_if_true) for bound in certificate.bounds
              if isinstance(certificate.transformer.directions[bound.direction], kind)]
    return max(stated, default=ZERO)

