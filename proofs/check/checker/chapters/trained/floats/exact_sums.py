"""Numbers that are equal in all executions, as their sums are exact.

See docs/background/floats_rules.md, section 7, Exact sums.

Numbers are integers over 2^44; the weights of a *whole* network are multiples of 2^-44.
"""

from collections.abc import Iterator, Sequence
from operator import mul

from ...float_models.reading import Format
from ..reading.dyadics import Matrix, Vector
from ..reading.network import Affine, AttentionStep, Network, UnitsStep
from ..zonotopes.affine import FRACTION, AffineForm, Linear, known_by_sizes, widened
from ..zonotopes.packed_integers import READABLE
from .dyadics import rounded
from .rounding import roundings


def is_whole(network: Network) -> bool:
    """Return whether all weights, biases and tables, norms excepted, are multiples of 2^-44."""
    return all(entry % (1 << max(0, -table.power - FRACTION)) == 0 for table in tables_of(network)
               for row in (table.rows if isinstance(table, Matrix) else [table.entries]) for entry in row)


def tables_of(network: Network) -> Iterator[Matrix | Vector]:
    """Yield the matrices and vectors of a network, norms excepted."""
    yield network.tokens
    if network.positions is not None:
        yield network.positions
    maps: list[Affine] = [network.unembedding]
    for step in network.steps:
        maps += [step.norm.of] if step.norm is not None and step.norm.of is not None else []
        if isinstance(step, AttentionStep):
            maps += [one for head in step.heads for one in (head.query, head.key, head.value)]
            yield from (head.out for head in step.heads)
            yield from [step.bias] if step.bias else []
        elif isinstance(step, UnitsStep):
            maps += [step.inward, step.outward, *([step.gate] if step.gate else [])]
    for one in maps:
        yield one.weight
        yield from [one.bias] if one.bias else []


def numbers_of(x: AffineForm) -> Sequence[int] | None:
    """Return the numbers that a form is, if it has no symbol and no radius."""
    return None if any(x.radii) or any(abs(row) >= READABLE for row in x.rows) else x.rows


def sum_is_exact(terms: Sequence[int], form: Format, power: int) -> bool:
    """Return whether the sum of these products over 2^power is exact, in any order and fused or not: lemma G."""
    some = [term for term in terms if term]
    grid = min(((term & -term).bit_length() - 1 for term in some), default=power)
    most = max(sum(term for term in some if term > 0), -sum(term for term in some if term < 0))
    return most <= 1 << form.precision + grid and form.least <= grid - power and (
        most.bit_length() - power <= form.greatest)


def as_stored(x: int, form: Format, power: int) -> int | None:
    """Round x / 2^power to the format, in units; None unless all executions agree (not up to 2^e) and it is whole."""
    if x and (abs(x) - 1).bit_length() <= power + form.least:
        return None
    m, k = rounded((x, -power), form)
    found, rest = divmod(m << max(0, k + FRACTION), 1 << max(0, -k - FRACTION))
    return None if rest else found


def rounded_form(x: AffineForm, form: Format) -> AffineForm:
    """Return the form with each coordinate, whose sizes are tight, rounded; one number if both its ends become that.

    Proof. Rounding is monotone: what is between two numbers is rounded to what is between those of the two.
    """
    halves, numbers = roundings(form, x.sizes), []
    for centre, reach, half in zip(*known_by_sizes(x), halves, strict=True):
        ends = {as_stored(end, form, FRACTION) for end in (centre - reach, centre + reach)} if reach < half else {None}
        numbers.append(ends.pop() if len(ends) == 1 else None)
    return with_numbers(widened(x, halves), numbers)


def product_of(maps: Linear, numbers: Sequence[int], sums: Format, storage: Format) -> list[int | None]:
    """Return what is stored of numbers times whole weights plus bias; None where the sum may be inexact."""
    found: list[int | None] = []
    for column, bias in zip(maps.columns, maps.bias, strict=True):
        terms = [*map(mul, column, numbers), bias << FRACTION]
        found.append(as_stored(sum(terms), storage, 2 * FRACTION) if sum_is_exact(terms, sums, 2 * FRACTION) else None)
    return found


def with_numbers(x: AffineForm, numbers: Sequence[int | None]) -> AffineForm:
    """Replace coordinates of the form by these numbers, where they are not None."""
    known = [(row, radius, size) if number is None else (number, 0, abs(number))
             for row, radius, size, number in zip(x.rows, x.radii, x.sizes, numbers, strict=True)]
    rows, radii, sizes = map(list, zip(*known, strict=True))
    return x._replace(rows=rows, radii=radii, sizes=sizes)
