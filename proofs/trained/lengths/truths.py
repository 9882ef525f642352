"""Cases of a claim as functions of counts: formulas over cells, and automata over classes of counts."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.language.printer import format_formula
from constructions.language.syntax import (
    And,
    Comparison,
    Constant,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Symbol,
    difference,
    subformulas,
    subformulas_of_all,
)
from constructions.regular.automata import Automaton
from constructions.trained.claim import WordsClaim

Maybe = tuple[bool, bool]
"""Whether something may hold, and whether it may fail."""
EITHER: Maybe = (True, True)
Sums = Callable[[tuple[int, ...]], tuple[int | None, int | None]]
"""Bounds of a linear form of counts."""
MOST_NODES = 1 << 16
"""The checker's limit of triples of last letter, state and classes of counts."""
MOST_KINDS = 64


@dataclass(frozen=True)
class CountPartition:
    """Classes of the counts of a letter: single counts below ``threshold``, others by remainder modulo ``period``."""

    threshold: int
    period: int

    def grown(self, number: int) -> int:
        """Return the class of a count plus 1."""
        return number + 1 if number + 1 < self.threshold + self.period else self.threshold

    def is_exact(self, number: int) -> bool:
        """Return whether the class is a single count."""
        return number < self.threshold


@dataclass(frozen=True)
class Region:
    """All words with a last letter (None: any) and these classes of counts, and the states that they reach."""

    last: int | None
    classes: tuple[int, ...]
    states: frozenset[int]


class CountTruths:
    """The cases of a claim as conditions on the last letter, states and counts."""

    def __init__(self, claim: WordsClaim) -> None:
        """Raise Unsupported, naming a formula with other parts than counts of letters and the last letter."""
        self.claim = claim
        self._order = subformulas_of_all(claim.formulas)
        self._sums: dict[Formula, tuple[tuple[int, ...], int]] = {}
        counted: set[Formula] = set()
        for formula in self._order:
            if isinstance(formula, Comparison):
                self._sums[formula] = self._sum(formula)
                counted |= {part for count in _counted(formula) for part in subformulas(count)}
        for formula in self._order:
            is_plain = isinstance(formula, Constant | Not | And | Or | Implies | Iff | Comparison | Symbol)
            if not is_plain and formula not in counted:
                raise Unsupported(f"counts of letters do not decide {format_formula(formula)}")
            if isinstance(formula, Symbol) and formula not in counted and not reads_last_letter(claim):
                raise Unsupported(f"{format_formula(formula)} is about the last letter, which is not the token that is "
                                  "judged")
        self.sums = list(dict.fromkeys(one for one, _ in self._sums.values()))

    def _sum(self, formula: Comparison) -> tuple[tuple[int, ...], int]:
        """Return the coefficient of each letter in a comparison, and its constant."""
        term, total = difference(formula), [0] * len(self.claim.alphabet)
        for coefficient, count in term.coefficients:
            if count.side != "left":
                raise Unsupported(f"{format_formula(formula)} counts later letters")
            for letter, symbol in enumerate(self.claim.alphabet):
                holds, fails = self._evaluate(subformulas(count.operand), symbol, None)[count.operand]
                if holds and fails:
                    raise Unsupported(f"{format_formula(formula)} counts more than letters")
                total[letter] += coefficient * holds
        return tuple(total), term.constant

    def cases(self, region: Region, sums: Sums) -> frozenset[int]:
        """Return the cases with rows that may hold where sums are within their bounds."""
        symbol = None if region.last is None else self.claim.alphabet[region.last]
        truths = self._evaluate(self._order, symbol, sums)
        return frozenset(
            number for number, case in enumerate(self.claim.cases) if case.above
            and (case.when.states is None or not region.states.isdisjoint(case.when.states))
            and (case.when.formula is None or truths[case.when.formula][0]))

    def _evaluate(self, order: Sequence[Formula], symbol: str | None, sums: Sums | None) -> Mapping[Formula, Maybe]:
        truths: dict[Formula, Maybe] = {}
        for formula in order:
            match formula:
                case Constant(value):
                    truths[formula] = value, not value
                case Symbol(name) if symbol is not None:
                    truths[formula] = name == symbol, name != symbol
                case Comparison() if sums is not None:
                    coefficients, constant = self._sums[formula]
                    truths[formula] = compared(formula.relation, constant, sums(coefficients))
                case Not() | And() | Or() | Implies() | Iff():
                    truths[formula] = connected(formula, truths)
                case _:
                    truths[formula] = EITHER
        return truths


def _counted(formula: Comparison) -> list[Formula]:
    return [count.operand for term in (formula.left, formula.right) for _, count in term.coefficients]


def connected(formula: Formula, truths: Mapping[Formula, Maybe]) -> Maybe:
    """Return the truth of a connective from those of its parts."""
    match formula:
        case Not(operand):
            return truths[operand][1], truths[operand][0]
        case And(left, right):
            return truths[left][0] and truths[right][0], truths[left][1] or truths[right][1]
        case Or(left, right):
            return truths[left][0] or truths[right][0], truths[left][1] and truths[right][1]
        case Implies(left, right):
            return truths[left][1] or truths[right][0], truths[left][0] and truths[right][1]
        case Iff(left, right):
            (a, not_a), (b, not_b) = truths[left], truths[right]
            return (a and b) or (not_a and not_b), (a and not_b) or (not_a and b)
    raise AssertionError(formula)


def compared(relation: str, constant: int, ends: tuple[int | None, int | None]) -> Maybe:
    """Return whether an integer in the bounds, plus the constant, may be in the relation to 0, and whether not."""
    low, high = (None if end is None else end + constant for end in ends)
    above, below = high is None or high > 0, low is None or low < 0
    zero = (low is None or low <= 0) and (high is None or high >= 0)
    return {"<": (below, zero or above), "<=": (below or zero, above), ">": (above, zero or below),
            ">=": (above or zero, below), "==": (zero, above or below), "!=": (above or below, zero)}[relation]


def reads_last_letter(claim: WordsClaim) -> bool:
    """Return whether logits are judged at the last letter's token, not at one after the word."""
    return claim.read == "each" or not claim.after


def regions_of(claim: WordsClaim, kinds: Sequence[CountPartition]) -> list[Region]:
    """Return the regions of all nonempty words, in the order of a certificate."""
    automaton, letters = claim.automaton or Automaton(0, ((0,) * len(kinds),)), range(len(kinds))
    found: dict[tuple[int | None, tuple[int, ...]], set[int]] = {}
    waiting = [(automaton.start, (0,) * len(kinds))]
    seen = set(waiting)
    for state, classes in waiting:  # grows meanwhile
        for letter in letters:
            grown = tuple(kinds[a].grown(k) if a == letter else k for a, k in enumerate(classes))
            node = automaton.steps[state][letter], grown
            found.setdefault((letter if reads_last_letter(claim) else None, grown), set()).add(node[0])
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return [Region(last, classes, frozenset(states)) for (last, classes), states in
            sorted(found.items(), key=lambda one: (-1 if one[0][0] is None else one[0][0], one[0][1]))]


def kinds_of(claim: WordsClaim) -> tuple[CountPartition, ...]:
    """Return the coarsest classes of counts found that determine the cases as the powers of all letters do.

    Raises:
        Unsupported: if there are too many, or the order of letters also decides cases.
    """
    letters = len(claim.alphabet)
    plain = CountPartition(0, 1)
    if claim.automaton is None:
        return (plain,) * letters
    kinds = [_kind_of_powers(claim.automaton, letter) for letter in range(letters)]
    nodes = (letters + 1) * len(claim.automaton.steps)
    for kind in kinds:
        nodes *= kind.threshold + kind.period
    if nodes > MOST_NODES or any(kind.threshold + kind.period > MOST_KINDS for kind in kinds):
        raise Unsupported("the claim's automaton tells very many classes of counts apart")
    if _is_ambiguous(claim, kinds):
        raise Unsupported("the claim's cases depend on the order of letters, not only on their counts and the last")
    for letter in range(letters):
        for threshold, period in itertools.product(range(kinds[letter].threshold + 1), (1, kinds[letter].period)):
            tried = [*kinds[:letter], CountPartition(threshold, period), *kinds[letter + 1:]]
            if not _is_ambiguous(claim, tried):
                kinds = tried
                break
    return tuple(kinds)


def _kind_of_powers(automaton: Automaton, letter: int) -> CountPartition:
    """Return the classes by powers of a letter as maps of states, eventually periodic; one more for the last letter."""
    powers: dict[tuple[int, ...], int] = {}
    power = tuple(range(len(automaton.steps)))
    while power not in powers and len(powers) <= MOST_KINDS:
        powers[power] = len(powers)
        power = tuple(automaton.steps[state][letter] for state in power)
    first = powers.get(power, 0)
    return CountPartition(first + 1, len(powers) - first)


def _is_ambiguous(claim: WordsClaim, kinds: Sequence[CountPartition]) -> bool:
    """Return whether states of some region have different cases."""
    def cases(state: int) -> tuple[int, ...]:
        return tuple(number for number, case in enumerate(claim.cases)
                     if case.when.states is None or state in case.when.states)

    return any(len({cases(state) for state in region.states}) > 1 for region in regions_of(claim, kinds))


def exactly(counts: Sequence[int]) -> Sums:
    """Return linear forms of one Parikh vector."""
    def sums(coefficients: tuple[int, ...]) -> tuple[int, int]:
        total = sum(c * n for c, n in zip(coefficients, counts, strict=True))
        return total, total

    return sums


ZERO, ONE = Fraction(0), Fraction(1)
