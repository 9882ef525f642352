"""Predicates on sums of counts, looked up at the position of the sum or of its absolute value.

Setting     D = Σ c_k κ_k with all c_k 1 or -1, at most one of each on either side, such as #<[φ] - #<[ψ].
Claim       θ(D) is exact. The approximations of its counts (Theorem 20) sum to some H with |H - D| <= E, E = Σ e^(-γ
            C), C the number of counts. If D = p > 0, the scores -γ (j - H)² (up to a constant; over the temperature, or
            times n) decrease away from j = p: a visible j at distance k has at most exp(-γ (k² - 2 k E)) times the
            weight. So the head holds θ(p) with error at most S/(1 + S), S = 2 Σ exp(-γ (k² - 2 k E)) <= 1/4. If D = -p
            < 0, another head looks up p from -H in the table of θ(-j). If D = 0, the table is θ(0) everywhere. The
            slacks of D > 0, D < 0, D >= 0 and D <= 0, decided from H, disable the other cases.
Positions   A count is at most the number of its positions, so p is a position, to the left if all counts are. But one
            count to the left and one to the right with the same sign may sum to n + 1. Then the counts to the right
            exclude this position: D = D' + v with D' in -n, ..., n, where v = Σ c_k [φ_k] over the counts to the right.
            For each truth of these φ_k there are heads for D' as above, with tables of θ(j + v). The same is done for
            counts of positional formulas, whose truths here are not part of the lookup.
Uses        Theorem 20's counts; Lemma 7's scores; Lemma 9.
Source      None: [SHA] applies predicates to single counts only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from constructions.draft import ONE, Draft
from constructions.language import syntax
from constructions.language.affine_predicates import NumericalPredicate
from constructions.language.predicates import definition_of
from constructions.language.printer import format_formula
from constructions.language.simplified import conjunction_of, negation
from constructions.network.meanings import Near, Slack
from constructions.network.transformer import Coefficients, Head, Mask
from constructions.regimes import Sharpening
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_07_table_lookup import TWO
from constructions.statements.lemma_09_rounding import rounding_units
from constructions.statements.saturated_comparison import MARGIN, SLOPE
from constructions.statements.theorem_20_counting import add_others, position_truth

ZERO = Fraction(0)
SOURCE = "predicates on sums"
_GATES: Mapping[str, tuple[syntax.Relation, ...]] = {"positive": (">",), "negative": ("<",), "zero": (">=", "<=")}
"""The relations of D' to 0 that hold in a case; the slack of each disables the parts for this case elsewhere."""


@dataclass(frozen=True)
class _Case:
    """The truths here of the separate counts' formulas (``holding`` is true): D = D' + ``here``; D' has this sign."""

    holding: tuple[syntax.Formula, ...]
    here: int
    sign: str


def add_predicate_on_sum(draft: Draft, formula: syntax.PredicateOnSum) -> str:
    """Return the direction ``is[θ(D)]``; the directions inside counts must exist."""
    apart = _apart(formula.term)
    near = {case: _name(draft, formula, case) for case in _cases(apart)}
    sought = _approximation(draft, formula.term, apart)
    for factor in (1, -1):
        _add_head(draft, formula, {name: sharp * factor for name, sharp in sought.items()},
                  {case: name for case, name in near.items() if (case.sign == "negative") == (factor < 0)})
    units = []
    for case, name in near.items():
        shut = [_add_slack(draft, formula.term, relation, case.here) for relation in _GATES[case.sign]]
        shut += [require_truth(draft, negation(literal)) for literal in case.holding]
        units += rounding_units(name, shut)
    return draft.add_truth(formula, units, ZERO)


def _apart(term: syntax.Term) -> tuple[tuple[int, syntax.Count], ...]:
    """Return the counts to the right if a sum of counts may exceed the number of positions; and the positional ones."""
    def sees(side: syntax.Side, sign: int) -> int:
        return sum(1 for number, count in term.coefficients if count.side == side and number == sign)

    assert all(sees(side, sign) <= 1 for side in ("left", "right") for sign in (1, -1)), "no such sum"
    overflows = any(sees("left", sign) and sees("right", sign) for sign in (1, -1))
    return tuple(each for each in term.coefficients
                 if (overflows and each[1].side == "right") or syntax.is_positional(each[1].operand))


def _cases(apart: Sequence[tuple[int, syntax.Count]]) -> Iterator[_Case]:
    for truths in product((True, False), repeat=len(apart)):
        holding = tuple(count.operand if truth else negation(count.operand)
                        for truth, (_, count) in zip(truths, apart, strict=True))
        here = sum(number for truth, (number, _) in zip(truths, apart, strict=True) if truth)
        if syntax.FALSE not in holding:
            yield from (_Case(holding, here, sign) for sign in _GATES)


def _name(draft: Draft, formula: syntax.PredicateOnSum, case: _Case) -> str:
    return draft.spell("near", formula, " if " + ", ".join([case.sign, *map(format_formula, case.holding)]))


def _approximation(draft: Draft, term: syntax.Term, apart: Sequence[tuple[int, syntax.Count]] = ()) -> Coefficients:
    """Return H, the sum of the approximations of the counts; those ``apart`` exclude this position."""
    row: dict[str, Fraction] = {}
    for number, count in term.coefficients:
        names = [add_others(draft, count, len(term.coefficients))]
        names += [] if (number, count) in apart else [draft.truth(count.operand)]
        for name in names:
            row[name] = row.get(name, ZERO) + number
    return {name: number for name, number in row.items() if number}


def _add_head(draft: Draft, formula: syntax.PredicateOnSum, sought: Coefficients, near: Mapping[_Case, str]) -> None:
    """Add a head that attends to the position that the row approximates, with the tables of these cases."""
    growth = "" if draft.regime.sharpening is Sharpening.TEMPERATURE else "*n"
    place, square = draft.embed_position(f"i{growth}"), draft.embed_position(f"i^2{growth}")
    looks_back = all(count.side == "left" for _, count in formula.term.coefficients)
    head = Head(
        name="the sum" if any(case.sign == "positive" for case in near) else "the sum without its sign",
        source=SOURCE,
        mask=Mask.FUTURE if looks_back else Mask.NONE,
        weighting=draft.weighting,
        temperature=draft.temperature,
        queries=({name: draft.gamma * number for name, number in sought.items()}, {draft.one(): draft.gamma}),
        keys=({place: TWO}, {square: -ONE}),
        values={name: _table(draft, formula, case) for case, name in near.items()},
    )
    draft.add_head(head, {name: Near(formula, _guard(formula.term, case)) for case, name in near.items()})


def _table(draft: Draft, formula: syntax.PredicateOnSum, case: _Case) -> Coefficients:
    """Return the table of θ at position j: of j + v, of v - j, or of v."""
    rule, factor = definition_of(formula), {"positive": 1, "negative": -1, "zero": 0}[case.sign]
    if factor == 0 and not rule.depends_on_n:
        holds = rule.holds(case.here, 1, formula.parameters)
        return {draft.one() if holds else require_truth(draft, syntax.FALSE): ONE}
    theta = NumericalPredicate(formula.name, formula.definition).of_multiple(factor, case.here).of_position()
    assert isinstance(theta, syntax.Predicate)
    return {position_truth(draft, theta): ONE}


def _guard(term: syntax.Term, case: _Case) -> syntax.Formula:
    return conjunction_of([*case.holding, *(_compared(term, relation, case.here) for relation in _GATES[case.sign])])


def _compared(term: syntax.Term, relation: syntax.Relation, number: int) -> syntax.Comparison:
    return syntax.Comparison(relation, term, syntax.Term((), number))


def _add_slack(draft: Draft, term: syntax.Term, relation: syntax.Relation, number: int) -> str:
    """Return the direction that is slack of D R number: 0 if H is on its side of a margin around the number."""
    bound = _compared(term, relation, number)
    sign = -1 if relation in (">", ">=") else 1
    start = -MARGIN if relation in (">=", "<=") else 1 - MARGIN
    reads = {name: sign * SLOPE * weight for name, weight in _approximation(draft, term).items()}
    return draft.once(("slack", bound), lambda: draft.add_feed_forward(
        draft.spell("slack", bound), Slack(bound), [(reads, SLOPE * (start - sign * number), ONE)], ZERO))
