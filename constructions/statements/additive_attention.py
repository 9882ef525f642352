"""Attention whose weights depend on their own pair only: counts, and temporal operators by counting.

Setting     Weightings that do not normalise (ReLU, also divided by n, and sigmoid): the output of a head is a sum over
            the visible positions, and scores that are known numbers of κ_i - κ_j make the weight any *bump*: a sum of
            weights of a d + b that is (nearly) 1 at one distance d and (nearly) 0 at every other integer.
Claim       A head of one score holds the count κ exactly, as a *total*. From it: ``left since right``: κ counts the
            positions that decide, where ¬left ∨ right, and the values are left ∧ right. At deciding positions κ
            differs, and κ_j = κ_i at the last of them only: a bump at 0 holds ``since``. ``prev φ``: κ counts all
            positions, the values are φ, and the bump is at 1. ``until`` and ``next`` are the mirror images, with past
            masks. Comparisons of counts are decided by feed-forward blocks: their difference is an exact integer. θ(κ):
            a bump at p - j, p = m + 1, where m other positions are counted; the values at j are θ(j) and θ(j-1), of
            which the truth of φ here selects θ(κ) (Theorem 20).
Not needed  A temperature, sharpness that grows with n, tie-breaking, and position embeddings except for θ, which is
            looked up in the embedding. A division by n is undone by the temperature, or by an embedding.
Source      Ours, as far as known. The weightings: docs/background/weightings.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.draft import ONE, Draft, linear_form
from constructions.errors import Unsupported
from constructions.language import syntax
from constructions.language.expressions import Expression, parse_expression
from constructions.language.printer import format_briefly
from constructions.network.meanings import Meaning, Near, Slack, Total, Truth
from constructions.network.transformer import Coefficients, Head, Mask
from constructions.regimes import Regime, Sharpening
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_09_rounding import rounding_units
from constructions.statements.saturated_comparison import decide
from constructions.statements.theorem_20_counting import bounded_difference, decide_predicate

ZERO = Fraction(0)
MASKS: Mapping[syntax.Side, Mask] = {"left": Mask.FUTURE, "right": Mask.PAST}
_SOUGHT: Mapping[type[syntax.Formula], str] = {
    syntax.Since: "last deciding position", syntax.Until: "next deciding position",
    syntax.Previous: "previous position",
    syntax.Next: "next position"}


@dataclass(frozen=True)
class TentHead:
    """One head of a bump: ``factor`` times the weight of the score ``slope`` * d + ``offset``."""

    factor: Fraction
    slope: Fraction
    offset: Fraction


Bump = tuple[TentHead, ...]


@dataclass(frozen=True)
class Additive:
    """The ways in which a weighting counts and selects.

    A head of the score ``counting`` with ``share`` times its values holds their sum. ``at(d)`` is a bump at the
    distance d for distances >= 0, ``around`` one at 0 for all distances. Bumps are 1 there and 0 elsewhere if
    ``is_exact``, otherwise nearly.
    """

    counting: Fraction
    share: Fraction
    at: Callable[[int, Fraction], Bump]
    around: Callable[[Fraction], Bump]
    is_exact: bool


def constant_temperature(regime: Regime) -> Expression:
    """Return the temperature of all heads of a weighting that does not need one."""
    return parse_expression("1")


def temperature_over_n(regime: Regime) -> Expression:
    """Return the temperature that undoes a division by n, in regimes whose temperatures may depend on n."""
    return parse_expression("1/n" if regime.sharpening is Sharpening.TEMPERATURE else "1")


def add_truth_by_additive_attention(draft: Draft, formula: syntax.Formula, additive: Additive) -> str:
    """Return the direction of a temporal or counting formula; the directions of its operands must exist.

    Raises:
        Unsupported: if a predicate is on a sum of counts.
    """
    match formula:
        case syntax.Previous(operand):
            return _add_selected(draft, formula, additive, syntax.Count("left", syntax.TRUE), 1, draft.truth(operand))
        case syntax.Next(operand):
            return _add_selected(draft, formula, additive, syntax.Count("right", syntax.TRUE), 1, draft.truth(operand))
        case syntax.Since(left, right) | syntax.Until(left, right):
            decides, holds = syntax.Implies(left, right), require_truth(draft, syntax.And(left, right))
            count = syntax.Count("left" if isinstance(formula, syntax.Since) else "right", decides)
            return _add_selected(draft, formula, additive, count, 0, holds)
        case syntax.Comparison():
            return _add_comparison(draft, formula, additive)
        case syntax.PredicateOnCount():
            return decide_predicate(draft, formula, lambda values, written: _look_up(
                draft, additive, formula.count, values, written))
        case syntax.PredicateOnSum():
            raise Unsupported(f"{format_briefly(formula)}: under {draft.weighting}, expected one on a single count")
    raise AssertionError(f"no construction: {formula!r}")


def add_total(draft: Draft, count: syntax.Count, additive: Additive) -> str:
    """Return the direction ``total[κ]``: exactly κ, by a head whose scores are all the same."""
    return draft.once(Total(count), lambda: _add_total_head(draft, count, additive))


def _add_total_head(draft: Draft, count: syntax.Count, additive: Additive) -> str:
    counted, name = require_truth(draft, count.operand), draft.spell("total", count)
    one = require_truth(draft, syntax.TRUE)
    row = {one: additive.counting} if additive.counting else {}
    head = _head(draft, "all positions alike", MASKS[count.side], (row,), ({_unit(draft): ONE} if row else {},),
                 {name: {counted: additive.share}})
    draft.add_heads([head], {name: Total(count)})
    return name


def _unit(draft: Draft) -> str:
    """Return the factor of keys: 1, or n if the weighting divides by n and no temperature undoes it."""
    divided = draft.weighting.row.over_n and draft.regime.sharpening is Sharpening.POSITION
    return draft.embed_position("n") if divided else require_truth(draft, syntax.TRUE)


def _head(draft: Draft, name: str, mask: Mask, queries: tuple[Coefficients, ...], keys: tuple[Coefficients, ...],
          values: Mapping[str, Coefficients]) -> Head:
    return Head(name, f"{draft.weighting} attention", mask, draft.weighting, draft.temperature, queries, keys, values)


def _add_selected(draft: Draft, formula: syntax.Formula, additive: Additive, count: syntax.Count, distance: int,
                  value: str) -> str:
    """Return ``is[formula]``: the value at the position whose count is smaller by ``distance``."""
    total, one, unit = add_total(draft, count, additive), require_truth(draft, syntax.TRUE), _unit(draft)
    written = draft.spell("is" if additive.is_exact else "near", formula)
    meaning: Meaning = Truth(formula) if additive.is_exact else Near(formula)
    draft.add_heads([
        _head(draft, _SOUGHT[type(formula)], MASKS[count.side],
              (linear_form((total, part.slope), (one, part.offset)), {unit: -part.slope}), ({unit: ONE}, {total: ONE}),
              {written: {value: part.factor}})
        for part in additive.at(distance, draft.gamma)], {written: meaning})
    return written if additive.is_exact else draft.add_truth(formula, rounding_units(written), ZERO)


def _add_comparison(draft: Draft, formula: syntax.Comparison, additive: Additive) -> str:
    """Return the direction ``is[s R t]``: s - t is an integer, and exact."""
    term = bounded_difference(formula)
    row = linear_form(*((add_total(draft, count, additive), Fraction(number)) for number, count in term.coefficients))
    return decide(draft, formula, row, Fraction(term.constant), Slack)


def _look_up(draft: Draft, additive: Additive, count: syntax.Count, values: Mapping[str, Coefficients],
             written: Mapping[str, Near]) -> None:
    """Add heads that retrieve the values of position m + 1, where m other positions are counted."""
    total, counted, unit = add_total(draft, count, additive), draft.truth(count.operand), _unit(draft)
    one, place = require_truth(draft, syntax.TRUE), draft.embed_position("i")
    draft.add_heads([
        _head(draft, "1 + others counted", Mask.FUTURE if count.side == "left" else Mask.NONE,
              (linear_form((total, part.slope), (counted, -part.slope), (one, part.slope + part.offset)),
               {unit: -part.slope}),
              ({unit: ONE}, {place: ONE}),
              {name: {read: part.factor * weight for read, weight in row.items()} for name, row in values.items()})
        for part in additive.around(draft.gamma)], written)

