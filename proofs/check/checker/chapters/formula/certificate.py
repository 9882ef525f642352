"""Every obligation of a certificate, and a check that none was left out.

The rows to cover follow from the claim only: its lengths, its alphabet, the rows at which a guard holds. Each rule
returns the number of rows that it proved; the two numbers are compared.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from ...kernel.numbers import QUARTER, ZERO
from ...kernel.reading.records import (
    ADDITIVE,
    SPARSE,
    Anything,
    ApproximateCount,
    ApproximateTruth,
    Average,
    Mean,
    PositionalNumber,
    kind_of,
)
from ...kernel.verdicts import TooCoarse, quote, require, within
from ...kernel.weights import Weigher
from .claim import check_network, check_output
from .composition import Writer, find_writers, names_in
from .embedding import check_embedding
from .families import HEADS_WITH_RATIONALS, Covered, WrittenDirection, attends, load, prove
from .proof import Errors, ProofContext
from .records import Certificate

PRECISIONS = 192, 768, 3072  # bits of weights, one after the other while they leave errors open; digits are a quarter


@dataclass
class Coverage:
    """The coverage of an accepted certificate; ``guarded`` has the number of rows of each near direction's guard."""

    embedding_cells: int = 0
    head_rows: int = 0
    feed_forward_rows: int = 0
    subformulas: int = 0
    guarded: dict[str, int] = field(default_factory=dict)


def prove_certificate(certificate: Certificate) -> Coverage:
    """Prove every obligation of the claim; return the coverage."""
    proof, coverage = ProofContext(certificate), Coverage()
    writers = find_writers(proof.transformer)
    check_bounds(proof, writers)
    coverage.subformulas = check_output(proof)
    check_network(proof)
    require(writers.keys() == proof.directions.keys(), "a direction is not covered")
    for name, writer in writers.items():
        if not isinstance(proof.directions[name], Anything):  # it may hold any number: nothing is proved from it
            with within(f"{writer.label}, direction {quote(name)}"):
                check_direction(proof, coverage, name, writer)
    return coverage


def check_bounds(proof: ProofContext, writers: Mapping[str, Writer]) -> None:
    """Check that there is one bound for every near and others direction that a head writes, in the order of writing."""
    wanted = [(writer.layer, writer.head, name) for name, writer in writers.items()
              if writer.head and isinstance(proof.directions[name], ApproximateTruth | ApproximateCount)]
    found = [(bound.layer, bound.head, bound.direction) for bound in proof.bounds]
    require(found == wanted,
            "bounds: expected exactly one entry for every near direction, in the order they are written")


def check_direction(proof: ProofContext, coverage: Coverage, name: str, writer: Writer) -> None:
    """Check that the writer makes a direction hold its meaning, at every row of the claim."""
    rows = count_rows(proof, name)
    if not writer.layer:
        done, wanted = check_embedding(proof, name), rows * len(proof.claim.alphabet)
        coverage.embedding_cells += done
    elif writer.head:
        all_heads = proof.transformer.layers[writer.layer - 1].heads
        heads = [all_heads[number - 1] for number in (writer.head, *writer.more)]
        covered = check_written_by_heads(proof, WrittenDirection(name, proof.directions[name], heads))
        done, wanted = covered.rows, rows
        coverage.head_rows += done
        if covered.guarded is not None:
            coverage.guarded[name] = covered.guarded
    else:
        part = proof.transformer.layers[writer.layer - 1].feedforward
        units, bias = proof.units_writing(part, name), part.bias.get(name, ZERO)
        done, wanted = prove(proof, WrittenDirection(name, proof.directions[name], units=units, bias=bias)).rows, rows
        coverage.feed_forward_rows += done
    require(done == wanted, "covered {} rows, expected {}", done, wanted)


def count_rows(proof: ProofContext, name: str) -> int:
    """Count the rows (n, i) of the claim at which a meaning is a condition: all, or those of a positional guard."""
    meaning = proof.directions[name]
    if not isinstance(meaning, ApproximateTruth) or not proof.language.is_positional(meaning.when):
        return sum(proof.claim.lengths)
    return sum(n + 1 - first for n, firsts in proof.lengths([meaning.when])
               for first, holds in zip(firsts, proof.columns.truths(meaning.when, n), strict=True) if holds)


def check_errors(errors: Errors, of_truth: bool) -> None:
    """Check that stated errors are not negative, and at most 1/4 for a truth, which the units can still round."""
    fits = min(errors) >= ZERO and (max(errors) <= QUARTER or not of_truth)
    require(fits, "the errors are {} and {}, expected 0 to 1/4 (others: 0 or more)", *errors)


def check_written_by_heads(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Check that the heads write to a direction what it means.

    Weights that are not additive have one head (composition.py). Only some weightings have rules for equal scores, with
    weights of the sum 1, and for lookups.
    """
    weighting, meaning = written.heads[0].weighting, written.meaning
    if weighting in ADDITIVE:
        return prove(proof, written)
    is_written = isinstance(meaning, ApproximateTruth | ApproximateCount | PositionalNumber | Mean | Average)
    require(is_written, "a head cannot write a direction of kind {}", kind_of(meaning))
    is_near = isinstance(meaning, ApproximateTruth)
    has_rule = attends(proof, written) or weighting in ("softmax", *SPARSE)
    require(has_rule, "a {} head has no rule for a direction of kind {}{}", weighting, kind_of(meaning),
            " with such queries" if is_near else "")
    ways: list[Callable[[], ProofContext]] = [lambda: proof, *(
        partial(proof.with_values, proof.language, Weigher(proof.budget, bits)) for bits in PRECISIONS[1:])]
    if isinstance(meaning, ApproximateTruth | ApproximateCount):
        check_errors(proof.errors[written.name], is_near)
        if reads_irrational(proof, written):
            make = load(*HEADS_WITH_RATIONALS)
            ways = [partial(make, proof, *written.heads, written.name, bits) for bits in (0, *PRECISIONS)]
    for way in ways[:-1]:
        with suppress(TooCoarse):
            return prove(way(), written)
    return prove(ways[-1](), written)


def reads_irrational(proof: ProofContext, written: WrittenDirection) -> bool:
    """Return whether some number that the heads read may be irrational."""
    places = [place for head in written.heads for place in (head.temperature, *proof.places_of(names_in(
        [*head.queries, *head.keys, head.values[written.name]])))]
    return any(map(proof.language.may_be_irrational, places))


def worst_error(certificate: Certificate, kind: type[ApproximateTruth] | type[ApproximateCount]) -> Fraction:
    """Return the greatest stated error of the near directions, or of the others directions."""
    stated = [max(bound.error_if_false, bound.error_if_true) for bound in certificate.bounds
              if isinstance(certificate.transformer.directions[bound.direction], kind)]
    return max(stated, default=ZERO)
