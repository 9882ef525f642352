"""The table of the rules of docs/background/obligations.md: which function proves what is written to a direction.

A row names the module of the rule, in this chapter or in one that builds on it; it is imported when it is first needed.
So the check of a certificate reads this table and the modules of the rules that it uses. Where several rules apply, the
first one decides.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from ...kernel.language import Place
from ...kernel.numbers import ZERO
from ...kernel.reading.records import (
    ADDITIVE,
    ApproximateCount,
    ApproximateTruth,
    Average,
    ExactCount,
    Head,
    Mean,
    Meaning,
    Neuron,
    PositionalNumber,
    Slack,
    Truth,
)
from ...kernel.verdicts import Rejected
from .proof import ProofContext

Proved = TypeVar("Proved")


class WrittenDirection(NamedTuple):
    """A direction and its writers: heads of one layer, or the hidden units and the bias of a feed-forward block."""

    name: str
    meaning: Meaning
    heads: Sequence[Head] = ()
    units: Sequence[Neuron] = ()
    bias: Fraction = ZERO


class Covered(NamedTuple):
    """The number of rows (n, i) that are proved; for a near direction, the number at which its guard can hold."""

    rows: int
    guarded: int | None = None


class Family(NamedTuple):
    """A rule: the test whether it applies, its module among the chapters, and the function there that proves it."""

    recognises: Callable[[ProofContext, WrittenDirection], bool]
    file: str
    function: str


def is_additive(_: ProofContext, written: WrittenDirection) -> bool:
    """Return whether heads write the direction whose weights do not depend on other positions."""
    return bool(written.heads) and written.heads[0].weighting in ADDITIVE


def by_heads(*kinds: type[Meaning]) -> Callable[[ProofContext, WrittenDirection], bool]:
    """Return the test whether heads write a direction of one of these kinds."""
    return lambda _, written: bool(written.heads) and isinstance(written.meaning, kinds)


def attends(proof: ProofContext, written: WrittenDirection) -> bool:
    """Return whether a head writes a truth by queries that are equal in every word."""
    return bool(written.heads) and isinstance(written.meaning, ApproximateTruth) and all(
        map(proof.is_known, meanings_of_queries(proof, written.heads)))


def looks_up_a_sum(proof: ProofContext, written: WrittenDirection) -> bool:
    """Return whether a head writes a truth by queries that read counts through their approximations."""
    return isinstance(written.meaning, ApproximateTruth) and any(
        isinstance(meaning, ApproximateCount) for meaning in meanings_of_queries(proof, written.heads))


def is_by_value(proof: ProofContext, written: WrittenDirection) -> bool:
    """Return whether a feed-forward block writes an output that one sum of counts decides."""
    read = [proof.directions[source] for unit in written.units for source in unit.reads]
    on_count = isinstance(written.meaning, Truth) and is_on_count(proof, written.meaning.formula)
    return not written.heads and (
        isinstance(written.meaning, ExactCount) or any(isinstance(one, Mean | Average) for one in read)
        or (on_count and any(isinstance(one, Slack) for one in read)))


def is_on_count(proof: ProofContext, formula: Place) -> bool:
    """Return whether a formula is a predicate on a single count."""
    operator, operands, _ = proof.language.nodes[formula]
    return operator == "on" and proof.language.nodes[operands[1]].operator != "T"


def meanings_of_queries(proof: ProofContext, heads: Sequence[Head]) -> Iterator[Meaning]:
    """Return the meanings of the directions that queries read."""
    return (proof.directions[source] for head in heads for query in head.queries for source in query)


FAMILIES = (
    Family(is_additive, "weightings.deciding", "check_additive"),
    Family(by_heads(PositionalNumber), "formula.uniform", "check_equal_scores"),
    Family(by_heads(Mean, Average), "sums.means", "check_mean_of_counts"),
    Family(attends, "formula.attention.attention", "check_attention"),
    Family(looks_up_a_sum, "sums.lookup_of_sums", "check_lookup_of_sum"),
    Family(lambda _, written: bool(written.heads), "sums.lookup.lookup", "check_lookup"),
    Family(lambda proof, written: written.name in proof.words, "margin.every_word", "check_on_every_word"),
    Family(is_by_value, "sums.by_value", "check_by_value"),
    Family(lambda _, written: not written.heads, "formula.feed_forward.by_cases", "check_by_cases"))

PATHS = "formula.attention.shortest_path", "check_paths"
COUNTS_THAT_UNITS_READ = "sums.counts", "find_interval"
HEADS_WITH_RATIONALS = "irrational.heads", "with_rationals"
SPARSE_COSTS, SPARSE_MEANS = ("weightings.sparse", "SparseKernel"), ("weightings.sparse", "is_sparse_mean_near")
OTHER_GAPS, RECURRENT_WEIGHTS = ("weightings.gaps", "GapsOfOtherWeightings"), ("weightings.geometric", "Passes")
"""Further functions of rules: where gaps do not decide, where counts are read, and for other weightings."""


def prove(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove what is written to a direction by the first rule that applies; return the covered rows."""
    family = next(family for family in FAMILIES if family.recognises(proof, written))
    covered: Covered = load(family.file, family.function)(proof, written)
    return covered


def attempt(first: Callable[[], Proved], second: Callable[[], Proved], has_second: bool = True) -> Proved:
    """Return the result of the first method, or else of the second one (with connectives taken apart), if there is one.

    Raises:
        Rejected: if neither succeeds; with the reason of the first.
    """
    try:
        return first()
    except Rejected as refusal:
        with suppress(Rejected):
            if has_second:
                return second()
        raise refusal from None


def load(file: str, name: str) -> Any:
    """Import a function or class of a module among the chapters on its first use."""
    return getattr(import_module(f"..{file}", __package__), name)
