"""Enclosure of the output of a feed-forward layer over a box of inputs, for running a network."""

from collections.abc import Mapping
from fractions import Fraction

from constructions.network.transformer import Coefficients
from proofs.enclosures.intervals import Interval, enclose_form, point

Units = tuple[tuple[Coefficients, Fraction, Fraction], ...]
"""For each unit its linear form, its bias, and its weight in the output."""


def enclose_output(units: Units, bias: Fraction,
                   box: Mapping[str, Interval]) -> Interval:
    """Enclose the output over a box; exact where every unit has a constant sign or depends on one free input.

    Units of constant sign are summed as one linear form first, so that opposite slopes cancel.
    """
    zero = bias * 0  # of the rationals in use
    constant, slopes, loose = bias, dict[str, Fraction](), point(zero)
    for reads, offset, write in units:
        activation = enclose_form(reads, box, zero) + point(offset)
        if activation.upper <= 0:
            continue
        if activation.lower >= 0:
            constant += write * offset
            for name, weight in reads.items():
                slopes[name] = slopes.get(name, zero) + write * weight
            continue
        free = [name for name in reads if name in box and not box[name].is_point]
        if len(free) == 1:
            return _split(units, bias, box, free[0], reads, offset)
        loose += Interval(zero, activation.upper).scaled(write)
    return enclose_form(slopes, box, zero) + point(constant) + loose


def _split(units: Units, bias: Fraction, box: Mapping[str, Interval], name: str,
           reads: Coefficients, offset: Fraction) -> Interval:
    """Return the hull of the output over the two halves, split where the unit's input is 0."""
    rest = enclose_form({k: w for k, w in reads.items() if k != name}, box, offset * 0).lower + offset
    knee = -rest / reads[name]
    halves = [enclose_output(units, bias, {**box, name: part})
              for part in (Interval(box[name].lower, knee), Interval(knee, box[name].upper))]
    return Interval(min(half.lower for half in halves), max(half.upper for half in halves))
