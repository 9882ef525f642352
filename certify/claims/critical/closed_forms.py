"""The closed form of a critical constant, derived from the worst input at the certified end of its bracket.

The exact prover says which input of which head errs most there; its error is a quotient of sums of powers of x =
e^(-gamma), and where it is what is allowed, gamma is a root. That root is reported if it certainly lies in the bracket,
and nothing else is. It is the critical constant of that input: no smaller constant is enough, and what the network
needs lies between it and the certified end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from certify.claims.critical.brackets import ClosedForm
from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.irrational_temperatures import IrrationalTemperature, constant_text, heat_of, power_of_x
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
    """A root in the bracket, and the input that it comes from: of the head at ``place``, row i = ``row``.

    ``limit`` says where it tends as n grows; empty if that is not known. Of a head with an irrational temperature,
    ``heat``, form and root are those of x^(1/heat).
    """

    place: Place
    row: int
    form: ErrorForm
    root: Root
    limit: str
    heat: IrrationalTemperature | None = None


def find_closed_form(network: Transformer, doubled: Transformer, lines: Sequence[Line],
                     bracket: Interval) -> FormOfHead | None:
    """Return the first head whose worst input reaches what is allowed in the bracket, those that err most first.

    ``network`` has the constant of the upper end, and ``lines`` are its obligations; ``doubled`` has twice that
    constant. Where that changes more than a head's scores, which should double, the head has no form.
    """
    for line, extreme in _extremes(lines):
        if _doubles(network, doubled, line, extreme) and (found := _form_of(network, line, extreme, bracket)):
            return found
    return None


def _form_of(network: Transformer, line: Line, extreme: Extreme, bracket: Interval) -> FormOfHead | None:
    """Return the root of the form of one worst input, if it certainly lies in the bracket."""
    try:
        heat = heat_of(network, line, extreme)
    except NoClosedForm:
        return None
    place, allowed = (line.layer, line.place), _allowed(network, line)
    if heat is not None:
        form = error_form(heat.terms(extreme), bracket.upper)
        root = root_in(form, allowed, heat.narrowed(bracket))
        return FormOfHead(place, extreme.i, form, root, "", heat) if root else None
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
    """Whether twice the constant doubles the scores of this row, and changes nothing else that they depend on."""
    if network.directions != doubled.directions or network.position_embedding != doubled.position_embedding:
        return False
    head, other = (each.head(line.layer, line.place) for each in (network, doubled))
    if head.temperature.may_be_irrational and head.temperature != other.temperature:
        return False
    heat = head.temperature.evaluate(i=extreme.i, n=extreme.n) / other.temperature.evaluate(i=extreme.i, n=extreme.n)
    queries = tuple({name: weight * 2 / heat for name, weight in query.items()} for query in head.queries)
    return replace(head, queries=queries, temperature=other.temperature) == other


def _allowed(network: Transformer, line: Line) -> Fraction:
    """What the head may err by: 1/4 of what is near a truth; divided among the counts of a comparison."""
    assert line.obligation
    if isinstance(meaning := line.obligation.meaning, Others):
        return ALLOWED_ERROR / max(_weights(network, meaning.count), default=1)
    return line.obligation.allowed_error or ALLOWED_ERROR


def _weights(network: Transformer, count: Count) -> Iterator[int]:
    """How often all counts of a comparison that has this one are counted together."""
    for meaning in network.directions.values():
        if isinstance(meaning, Truth) and isinstance(meaning.formula, Comparison):
            term = difference(meaning.formula)
            if any(other is count for _, other in term.coefficients):
                yield sum(abs(weight) for weight, _ in term.coefficients)


def describe(found: FormOfHead) -> ClosedForm:
    """What reports say of it."""
    root, heat = found.root, found.heat
    if heat is not None:
        power = partial(power_of_x, heat)
        gamma = NO_ROOT if root.inverse is None else constant_text(heat, root)
        return ClosedForm(found.place, found.row, gamma, equation_text(root.excess, power),
                          minimal_polynomial_text(root, power), "")
    return ClosedForm(found.place, found.row, gamma_text(root), equation_text(root.excess),
                      minimal_polynomial_text(root), found.limit)
