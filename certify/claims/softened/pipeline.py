"""The main path of `certify model`: survey all words, choose a temperature, bound errors, seal, check; or refute."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

from certify.claims.formula.pipeline import Clock
from certify.claims.softened.counterexamples import describe_tie, find_moved
from certify.claims.softened.critical import find_critical
from certify.claims.softened.results import SoftenedLength, Softening, StageErrors
from certify.claims.softened.shards import Workers, check_certificate, check_number_of_words, survey_lengths
from constructions.arguments import typed
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import Expression, parse_expression
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.lengths import Lengths, up_to
from constructions.network.transformer import Head, Transformer
from constructions.network.validation import check_defined
from constructions.network.weightings import Weighting
from constructions.statements.average_hard_attention import temperature_with_ties
from constructions.statements.breaking_ties import break_ties
from constructions.statements.sparse_attention import SLOPES, exact_temperature, is_exact, law_of_exact_gaps
from constructions.statements.theorem_26_uniform_tieless import (
    Constants,
    constants_of,
    law_of_activations,
    law_of_gaps,
    soften,
)
from proofs.check import Refusal
from proofs.formula.discharge import Progress
from proofs.softened.certificate import seal_softened
from proofs.softened.errors import final_error, find_errors
from proofs.softened.search import ALLOWED
from proofs.softened.ties import survey_sides

ZERO = Fraction(0)


@typed
def soften_model(transformer: Transformer, max_n: int, temperature: Expression | None = None,
                 critical: Collection[int] = (), workers: Workers = Workers(),
                 progress: Progress = lambda _: None, breaks_ties: bool = False,
                 weighting: Weighting = Weighting.SOFTMAX) -> Softening:
    """Decide whether softmax moves a transformer with hard attention by at most 1/4, on every word up to ``max_n``.

    With sparsemax or entmax-1.5 as the ``weighting``, decide whether it computes exactly the same. The default
    ``temperature`` is that of Theorem 26, or, if positions tie, of the theorem with ties. Critical temperatures are
    searched at the lengths ``critical``. Leftmost and rightmost heads that tie refute it, unless ``breaks_ties``: then
    a term is added that breaks the ties.

    Raises:
        InputError: if an embedding or the temperature is not defined, or not positive, at some n, or the temperature
            depends on i, or the store cannot be written, or there is no such cluster.
        WorkLost: if workers died repeatedly.
    """
    clock, lengths = Clock(), up_to(max_n)
    transformer = transformer_from_json(transformer_to_json(transformer))  # in the order in which shards read it
    transformer = _without_temperatures(transformer)
    found = Softening("unknown", transformer, max_n, temperature=temperature, stated=temperature is not None,
                      weighting=weighting)
    if temperature and "i" in temperature.variables:
        raise InputError(f"temperature: found {temperature}, expected an expression in n only")
    check_defined(soften(transformer, temperature or parse_expression("1")), lengths)
    try:
        found = replace(found, constants=constants_of(transformer))
    except Unsupported as construct:
        return replace(found, verdict="unsupported", reason=str(construct), seconds=clock.total)
    if breaks_ties:
        found = _break_ties(found, lengths, progress)
        transformer = found.transformer
    found = replace(found, surveys=tuple(survey_lengths(transformer, lengths, workers)))
    clock.stamp("survey")
    if tied := next((survey for survey in found.surveys if survey.tie), None):
        return replace(found, verdict="refuted", tie=describe_tie(transformer, tied), seconds=clock.total,
                       stages=clock.stages)
    try:
        found = _bound_sparse(found) if found.is_sparse else _bound(found, progress)
    except Unsupported as construct:
        return replace(found, verdict="unsupported", reason=str(construct), seconds=clock.total)
    clock.stamp("bound")
    found = (_decide_sparse if found.is_sparse else _decide)(found, workers, progress)
    clock.stamp("seal and check" if found.certificate else "refute")
    found = replace(found, lengths=tuple(
        replace(row, critical=find_critical(transformer, row, progress)) if row.n in critical else row
        for row in found.lengths))
    clock.stamp("critical")
    return replace(found, seconds=clock.total, stages=clock.stages)


def _without_temperatures(transformer: Transformer) -> Transformer:
    """Return the transformer with temperature 1 in its hard heads: a file may state a negative one."""
    def of_head(head: Head) -> Head:
        return head if not head.weighting.is_hard else replace(head, temperature=parse_expression("1"))

    return replace(transformer, layers=tuple(
        replace(layer, heads=tuple(map(of_head, layer.heads))) for layer in transformer.layers))


def _break_ties(found: Softening, lengths: Lengths, progress: Progress) -> Softening:
    """Add a term that breaks ties to leftmost and rightmost heads that tie on some word."""
    check_number_of_words(found.transformer, lengths.last)
    sides = {}
    for n in lengths:
        progress(f"looking for ties at n = {n}")
        sides[n] = survey_sides(found.transformer, n)
    tied = sorted({where for at in sides.values() for where in at.tied})
    laws = {where: law_of_gaps({n: at.gaps.get(where) for n, at in sides.items()}) for where in tied}
    broken = break_ties(found.transformer, laws)
    return replace(found, transformer=broken, broken=tuple(tied), constants=constants_of(broken))


def _bound(found: Softening, progress: Progress) -> Softening:
    """Choose the temperature, and bound all stages at every length."""
    assert found.constants
    gap_law = law_of_gaps({survey.n: survey.gap.value if survey.gap else None for survey in found.surveys})
    x_law = law_of_activations({survey.n: survey.x_max.value if survey.x_max else ZERO for survey in found.surveys})
    tieless, with_ties = (temperature(found.constants, gap_law, x_law)
                          for temperature in (Constants.temperature, temperature_with_ties))
    theorem = with_ties if found.has_ties else tieless
    temperature = found.temperature or theorem
    rows = []
    for survey in found.surveys:
        progress(f"bounding the errors at n = {survey.n}")
        rounded = temperature.evaluate(n=survey.n)
        errors = find_errors(found.transformer, survey, survey.n, rounded)
        rows.append(SoftenedLength(survey.n, survey, theorem.evaluate(n=survey.n), with_ties.evaluate(n=survey.n),
                                   rounded, errors, final_error(errors)))
    return replace(found, lengths=tuple(rows), gap_law=gap_law, x_law=x_law, temperature=temperature)


def _bound_sparse(found: Softening) -> Softening:
    """Choose the temperature for sparsemax or entmax-1.5; the errors are 0."""
    gap_law = law_of_exact_gaps({survey.n: survey.gap.value if survey.gap else None for survey in found.surveys})
    theorem = exact_temperature(found.weighting, gap_law)
    temperature = found.temperature or theorem
    nothing: StageErrors = [{}] * (2 * len(found.transformer.layers))
    rows = tuple(SoftenedLength(survey.n, survey, theorem.evaluate(n=survey.n), None, temperature.evaluate(n=survey.n),
                                nothing, ZERO) for survey in found.surveys)
    return replace(found, lengths=rows, gap_law=gap_law, temperature=temperature)


def _decide_sparse(found: Softening, workers: Workers, progress: Progress) -> Softening:
    """Certify if the temperature is low enough and the checker accepts it."""
    for row in found.lengths:
        gap = row.survey.gap.value if row.survey.gap else None
        if not is_exact(found.weighting, row.temperature, gap):
            return replace(found, reason=(
                f"at n = {row.n} the temperature is {row.temperature}, expected at most {SLOPES[found.weighting]} "
                f"times the gap, {gap}: {found.weighting} may differ from hard attention"))
    return _seal_and_check(found, workers, progress)


def _decide(found: Softening, workers: Workers, progress: Progress) -> Softening:
    """Certify if the bounds are small enough and the checker accepts them; refute if a word is found."""
    beyond = [row for row in found.lengths if row.error > ALLOWED]
    if not beyond:
        return _seal_and_check(found, workers, progress)
    assert found.temperature
    for row in beyond:
        progress(f"looking for a word of length {row.n} that moves too far")
        if moved := find_moved(found.transformer, row.survey, row.n, found.temperature):
            return replace(found, verdict="refuted", moved=moved)
    return replace(found, reason=f"at n = {beyond[0].n} the bounds of the last stage exceed 1/4, and no word was found "
                                 "that moves farther than that")


def _seal_and_check(found: Softening, workers: Workers, progress: Progress) -> Softening:
    assert found.temperature
    progress("the independent checker runs every word")
    gaps = [row.survey.gap.value if row.survey.gap else None for row in found.lengths]
    errors: list[StageErrors] = [row.errors for row in found.lengths]
    certificate = seal_softened(found.transformer, found.max_n, found.temperature, gaps, errors, found.weighting)
    try:
        check_certificate(certificate, found.transformer, up_to(found.max_n), workers)
    except Refusal as reason:
        return replace(found, reason=f"the independent checker does not accept the certificate: {reason}")
    is_hard = any(head.weighting.is_hard for _, _, head in found.transformer.heads())
    return replace(found, verdict="certified" if is_hard else "vacuous", certificate=certificate)
