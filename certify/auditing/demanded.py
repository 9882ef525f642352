"""Demands of claims on a network besides small errors: gaps, position embeddings, and float executions.

Gaps: on every word, the greatest score is attained once and exceeds the next by at least a bound. Position embeddings:
only the listed ones are used, or their absolute values are bounded. Floats: every execution under a float model is
right, too. A length stays certified if every execution is right, is refuted if a wrong one was found and replayed, and
is else unknown.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from certify.auditing.claims import Demands
from certify.auditing.decide import ClaimedNetwork
from certify.auditing.results import ClaimAnswer, LengthVerdict, Verdict, Witness, outward
from certify.claims.floats.show import describe_refutation
from certify.claims.floats.survey import FloatRow, Proved, find_row
from certify.common.numbers import enclosed
from certify.common.words import show_word
from constructions.language.brackets import Bracket
from constructions.language.expressions import Expression
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from proofs.enclosures.expressions import enclose_at
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.intervals import Interval, point
from proofs.floats.execution.replay import Refutation
from proofs.formula.failures import NotDerived
from proofs.softened.gap import Gap, find_gap


def decide_gaps(claimed: ClaimedNetwork, least: Expression, lengths: Lengths) -> ClaimAnswer:
    """Return the verdict at every length on the gaps of all heads that prefer some positions to others.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i).
    """
    check_defined(claimed.network, lengths)
    return ClaimAnswer(tuple(_decide_length(claimed, least, n) for n in lengths), measure="smallest gap",
                       least_matters=True)


def _decide_length(claimed: ClaimedNetwork, least: Expression, n: int) -> LengthVerdict:
    smallest: LengthVerdict | None = None
    for where, gap in _gaps(claimed, n):
        if isinstance(gap, NotDerived):
            return LengthVerdict(n, "unknown", where=where, reason=str(gap))
        if gap.value is None and not gap.tied:
            continue
        value, bound = gap.value or Fraction(0), enclose_at(least, gap.i, n)
        stated = bound if bound.is_point else outward(bound.lower, bound.upper)
        word = show_word(gap.word)
        found = f"position {gap.i} of {word}, {where}"
        if value < bound.lower:
            witness = Witness(f"the gap of {where}", n, point(value), stated, claimed.show(gap.word), word, gap.i,
                              "at least")
            return LengthVerdict(n, "refuted", point(value), stated, found, witness=witness)
        if value < bound.upper:
            return LengthVerdict(n, "unknown", point(value), stated, found,
                                 f"the enclosures are too wide to tell whether the gap is at least {least}")
        if smallest is None or smallest.error is None or value < smallest.error.lower:
            smallest = LengthVerdict(n, "certified", point(value), stated, found)
    return smallest or LengthVerdict(n, "vacuous", reason="no head has two positions to choose from")


def _gaps(claimed: ClaimedNetwork, n: int) -> Iterator[tuple[str, Gap | NotDerived]]:
    for layer, place, head in claimed.network.heads():
        if any(head.queries):
            try:
                yield f"layer {layer}, head {place}", find_gap(claimed.network, layer, place, n)
            except NotDerived as reason:
                yield f"layer {layer}, head {place}", reason


# -- position embeddings -----------------------------------------------------------------------------------------------


def find_embedding_beyond(network: Transformer, demands: Demands, lengths: Lengths) -> tuple[Verdict, str] | None:
    """Find a violation of the claims about position embeddings; None if there is none.

    The constant 1 and numerical predicates are always allowed.
    """
    undecided = ""
    embedded = {str(value): value for value in network.position_embedding.values()
                if not isinstance(value, Bracket) and str(value) != "1"}
    if demands.embeddings is not None:
        more = [text for text in embedded if text not in demands.embeddings]
        if more:
            besides = ", ".join(demands.embeddings) or "nothing"
            return "refuted", f"the network embeds {', '.join(more)} besides {besides}"
    if demands.embedding_bound is not None:
        for n, i in lengths.rows():
            bound = enclose_at(demands.embedding_bound, i, n)
            for text, value in embedded.items():
                found = enclose_at(value, i, n)
                least = max(found.lower, -found.upper, Fraction(0))
                most = max(abs(found.lower), abs(found.upper))
                if least > bound.upper:
                    return "refuted", (f"the position embedding {text} is {_shown(found)} at i = {i}, n = {n}, claimed "
                                       f"to be at most {_shown(bound)}")
                if most > bound.lower and not undecided:
                    undecided = (f"the enclosures are too wide to tell whether the position embedding {text} is at "
                                 f"most {demands.embedding_bound} at i = {i}, n = {n}")
    return ("unknown", undecided) if undecided else None


def _shown(number: Interval) -> str:
    return str(number.lower) if number.is_point else enclosed(number.lower, number.upper)


# -- float executions --------------------------------------------------------------------------------------------------


def decide_runs(answer: ClaimAnswer, float_model: FloatModel, progress: Callable[[str], None]) -> ClaimAnswer:
    """Return the verdict at every length, including all executions under the float model, with certificates."""
    rows, certificates = {row.n: row for row in answer.rows}, []
    for text in answer.certificates:
        proved = Proved.read(text)
        found = find_row(proved, float_model, progress)
        certificates.append(proved.with_floats([found]))
        rows |= {n: _row(rows[n], found) for n in found.lengths if not _is_certified(n, found)}
    return replace(answer, rows=tuple(rows.values()), certificates=tuple(certificates))


def _is_certified(n: int, found: FloatRow) -> bool:
    return found.certified is not None and n <= found.certified.last


def _row(row: LengthVerdict, found: FloatRow) -> LengthVerdict:
    wrong = found.refutation
    if wrong is not None and wrong.n == row.n:
        return replace(row, verdict="refuted", reason=describe_refutation(wrong), witness=witness_of_run(wrong, found))
    return replace(row, verdict="unknown", reason=f"certified over the real numbers, but not in every execution under "
                                                  f"{found.float_model.name}: {found.reason}")


def witness_of_run(wrong: Refutation, found: FloatRow) -> Witness:
    """Return the word and the wrong value on it; a number that is not finite is replaced by the format's largest one.

    No command shows it: `certify run` is over the real numbers, where the network is right.
    """
    value = found.float_model.storage.largest if wrong.value is None else wrong.value
    word = show_word(wrong.word)
    return Witness(f"in a float execution, {wrong.direction}", wrong.n, outward(value, value),
                   point(Fraction(int(wrong.expected))), "", word, wrong.position)
