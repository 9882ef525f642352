"""What `--precision FORMAT` denotes, and what it does not go with."""

from collections.abc import Callable, Collection
from fractions import Fraction

from constructions.compiler import PRINTED_GAMMA
from constructions.errors import InputError
from constructions.network.lengths import Lengths, up_to
from constructions.regimes import Sharpening
from constructions.statements.low_precision import FORMATS, GAMMA

LONGEST = 64
"""The words that a network counts in have at most so many symbols, if nothing is said."""


def usual_gamma(precision: str | None) -> Fraction:
    """The constant in front of the scores if none is given: as [SHA] prints it, or for low precision."""
    return PRINTED_GAMMA if precision is None else GAMMA


def check_precision(name: str, option: str) -> None:
    """Raise InputError unless this is a format that networks are built for."""
    if name not in FORMATS:
        raise InputError(f"{option}: found {name!r}, expected one of {', '.join(FORMATS)}")


def check_low_precision(precision: str, regime: str | None, given: Collection[str],
                        spell: Callable[[str], str]) -> None:
    """Raise InputError if the format has no constructions, or another option asks for what they do not have."""
    check_precision(precision, spell("precision"))
    if regime not in (None, Sharpening.POSITION):
        raise InputError(f"{spell('regime')}: {regime!r} needs i/n, which a format rounds, expected position with "
                         f"{spell('precision')}")
    for name in ("as_printed", "attention", "temperature"):
        if name in given:
            raise InputError(f"{spell(name)}: the constructions for low precision do not take it, expected it without "
                             f"{spell('precision')}")


def lengths_served(precision: str | None, longest: int | None) -> Lengths | None:
    """The lengths that a network is built for, where none are claimed: it depends on them for low precision only.

    Raises:
        InputError: if there is a longest, and it would be ignored.
    """
    if precision is None and longest is not None:
        raise InputError("--max-n: only the networks for low precision depend on it, expected it with --precision")
    return None if precision is None else up_to(LONGEST if longest is None else longest)
