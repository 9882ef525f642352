"""The closed form of a critical constant, derived from the worst input at the certified end of its bracket.

The exact prover finds the head and the input with the largest error. This error is a quotient of sums of powers of x =
e^(-gamma), and gamma is a root where it equals the allowed error. The root is reported only if it certainly lies in the
bracket. It is the critical constant of that input: no smaller constant is enough, and the network's critical constant
lies between it and the certified end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from certify.claims.critical.brackets import ClosedForm
from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.irrational_temperatures import IrrationalTemperature, constant_text, power_of_x, tau_of
from certify.claims.critical.limits import limit_text
from certify.claims.critical.powers import ErrorForm, error_form
from certify.claims.critical.roots import Root, root_in
from certify.claims.critical.wording import NO_ROOT, equation_text, gamma_text, minimal_polynomial_text
from constructions.language.syntax import Comparison, Count, difference
from constructions.network.meanings import Others, Truth
from constructions.network.sharpening import Place
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval
from proofs.formula.common.extremes import Extreme
from proofs.formula.discharge import ALLOWED_ERROR, Line


@dataclass(frozen=True)
class FormOfHead:
    """A root in the bracket, and its input: of the head at ``place``, row i = ``row``.

    ``limit`` is its limit as n grows; empty if unknown. For a head with an irrational ``temperature``, form and root
    are those of x^(1/temperature).
    """

    place: Place
    row: int
    form: ErrorForm
    root: Root
    limit: str
    temperature: IrrationalTemperature | None = None


def find_closed_form(network: Transformer, doubled: Transformer, lines: Sequence[Line],
                     bracket: Interval) -> FormOfHead | None:
    """Return the first head whose worst input attains the allowed error in the bracket, by decreasing error.

    ``network`` has the constant of the upper end, and ``lines`` are its obligations; ``doubled`` has twice that
    constant. A head has no form if that changes more than its scores, which should double.
    """
    for line, extreme in _extremes(lines):
        if _doubles(network, doubled, line, extreme) and (found := _form_of(network, line, extreme, bracket)):
            return found
    return None


def _form_of(network: Transformer, line: Line, extreme: Extreme, bracket: Interval) -> FormOfHead | None:
    """Return the root of the form of one worst input, if it certainly lies in the bracket."""
    try:
        temperature = tau_of(network, line, extreme)
    except NoClosedForm:
        return None
    place, allowed = (line.layer, line.place), _allowed(network, line)
    if temperature is not None:
        form = error_form(temperature.terms(extreme), bracket.upper)
        root = root_in(form, allowed, temperature.narrowed(bracket))
        return FormOfHead(place, extreme.i, form, root, "", temperature) if root else None
    form = error_form(extreme.terms(), bracket.upper)
    root = root_in(form, allowed, bracket)
    if root is None:
        return None
    return FormOfHead(place, extreme.i, form, root, limit_text(network, line, extreme, allowed, bracket))


def _extremes(lines: Sequence[Line]) -> Iterator[tuple[Line, Extreme]]:
    found = [(line, extreme) for line in lines if line.worst for extreme in line.worst.extremes
             if extreme.weighting.is_softmax]
    yield from sorted(found, key=lambda pair: -pair[1].upper)


def _doubles(network: Transformer, doubled: Transformer, line: Line, extreme: Extreme) -> bool:
    """Return whether twice the constant doubles the scores of this row and changes nothing else that they depend on."""
    if network.directions != doubled.directions or network.position_embedding != doubled.position_embedding:
        return False
    head, other = (each.head(line.layer, line.place) for each in (network, doubled))
    if head.temperature.may_be_irrational and head.temperature != other.temperature:
        return False
    ratio = head.temperature.evaluate(i=extreme.i, n=extreme.n) / other.temperature.evaluate(i=extreme.i, n=extreme.n)
    queries = tuple({name: weight * 2 / ratio for name, weight in query.items()} for query in head.queries)
    return replace(head, queries=queries, temperature=other.temperature) == other


def _allowed(network: Transformer, line: Line) -> Fraction:
    """Return the allowed error of the head: 1/4 for an approximate truth, divided among the counts of a comparison."""
    assert line.obligation
    if isinstance(meaning := line.obligation.meaning, Others):
        return ALLOWED_ERROR / max(_weights(network, meaning.count), default=1)
    return line.obligation.allowed_error or ALLOWED_ERROR


def _weights(network: Transformer, count: Count) -> Iterator[int]:
    """Yield the sum of absolute coefficients of each comparison that contains this count."""
    for meaning in network.directions.values():
        if isinstance(meaning, Truth) and isinstance(meaning.formula, Comparison):
            term = difference(meaning.formula)
            if any(other is count for _, other in term.coefficients):
                yield sum(abs(weight) for weight, _ in term.coefficients)


def describe(found: FormOfHead) -> ClosedForm:
    """Return the closed form for reports."""
    root, temperature = found.root, found.temperature
    if temperature is not None:
        power = partial(power_of_x, temperature)
        gamma = NO_ROOT if root.inverse is None else constant_text(temperature, root)
        return ClosedForm(found.place, found.row, gamma, equation_text(root.excess, power),
                          minimal_polynomial_text(root, power), "")
    return ClosedForm(found.place, found.row, gamma_text(root), equation_text(root.excess),
                      minimal_polynomial_text(root), found.limit)
