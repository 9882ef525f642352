"""The meaning of `--precision FORMAT` and `--weighting NAME`, and the options that they exclude."""

from collections.abc import Callable, Collection

from constructions.errors import InputError
from constructions.network.lengths import Lengths, up_to
from constructions.network.weightings import Weighting
from constructions.regimes import Sharpening
from constructions.statements.low_precision import FORMATS
from constructions.statements.other_weightings import read_weighting

LONGEST = 64
"""The default of the greatest length of words that a network for low precision is built for."""


def check_precision(name: str, option: str) -> None:
    """Raise InputError unless this is a format that networks are built for."""
    if name not in FORMATS:
        raise InputError(f"{option}: found {name!r}, expected one of {', '.join(FORMATS)}")


def check_low_precision(precision: str, regime: str | None, given: Collection[str],
                        spell: Callable[[str], str]) -> None:
    """Raise InputError if the format has no constructions, or another option excludes them."""
    check_precision(precision, spell("precision"))
    if regime not in (None, Sharpening.POSITION):
        raise InputError(f"{spell('regime')}: {regime!r} needs i/n, which a format rounds, expected position with "
                         f"{spell('precision')}")
    for name in ("as_printed", "attention", "temperature"):
        if name in given:
            raise InputError(f"{spell(name)}: the constructions for low precision do not take it, expected it without "
                             f"{spell('precision')}")


def lengths_served(precision: str | None, longest: int | None) -> Lengths | None:
    """Return the lengths that a network is built for, where none are claimed: needed for low precision only.

    Raises:
        InputError: if there is a longest, and it would be ignored.
    """
    if precision is None and longest is not None:
        raise InputError("--max-n: only the networks for low precision depend on it, expected it with --precision")
    return None if precision is None else up_to(LONGEST if longest is None else longest)


# -- --weighting -------------------------------------------------------------------------------------------------------


def find_weighting(name: str | None, given: Collection[str], spell: Callable[[str], str]) -> Weighting:
    """Return the weighting of all heads of a formula's network; softmax by default.

    Raises:
        InputError: if the name is unknown, or another given option requires softmax.
    """
    if name is None:
        return Weighting.SOFTMAX
    for other in ("as_printed", "attention", "precision"):
        if other in given:
            raise InputError(f"{spell(other)}: {spell('weighting')} says how attention is built, too, expected one of "
                             "the two")
    return read_weighting(name, spell("weighting"))
