"""The list of all families of writers; the first one that recognises a written direction derives its obligation."""

from typing import Any

from proofs.formula.additive.family import COUNTING, SELECTING, SUM_LOOKUP
from proofs.formula.attention.family import ATTENTION
from proofs.formula.attention.guarded import GUARDED
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.family import WriterFamily
from proofs.formula.feed_forward.family import BY_CASES, BY_VALUE
from proofs.formula.lookup.family import LOOKUP
from proofs.formula.lookup_of_sums.family import LOOKUP_OF_SUM
from proofs.formula.stick_breaking.family import STICK_BREAKING
from proofs.formula.uniform.family import MEAN, UNIFORM

FAMILIES: tuple[WriterFamily[Any], ...] = (
    BY_VALUE, BY_CASES, COUNTING, SELECTING, SUM_LOOKUP, UNIFORM, MEAN, LOOKUP_OF_SUM, LOOKUP, STICK_BREAKING,
    GUARDED, ATTENTION)


def family_of(written: WrittenDirection) -> WriterFamily[Any]:
    """Return the family of a written direction, by the rules of docs/background/obligations.md, section 5."""
    return next(family for family in FAMILIES if family.recognises(written))
