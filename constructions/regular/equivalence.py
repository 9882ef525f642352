"""Equivalence of a formula of past temporal logic and a regular language, decided for all words by automata.

Source      A past formula is evaluated from left to right: its truth at a position depends on the letter there, on the
            truths of its subformulas one position before, and on counts modulo the moduli that occur. So the formula
            has an automaton, whose states are those truths and remainders; the product with the automaton of the
            language is explored. All states first reached after the same number of letters are stepped at once, each of
            them one bit of every integer.
Shares      No code with the construction of formulas: it accepts any formula of this kind.
"""

from collections.abc import Sequence
from math import lcm

from constructions.errors import InternalError, Unsupported
from constructions.language import syntax
from constructions.regular.automata import RegularLanguage

MOST_FORMULA_STATES = 2_000_000
State = tuple[int, str]
"""A state of the language's automaton, and the bits of the formula's automaton."""


def defines(formula: syntax.Formula, language: RegularLanguage, alphabet: Sequence[str],
            what: str = "the language") -> bool:
    """Return whether the formula holds at the last position of exactly the nonempty words of the language.

    Raises:
        Unsupported: if the two automata together have more than MOST_FORMULA_STATES states.
        InternalError: for a formula that looks ahead, or counts other than modulo a number.
    """
    walk = _PastAutomaton(formula, alphabet)
    start = (language.automaton.start, walk.start)
    found, frontier = {start}, [start]
    while frontier:
        reached: dict[State, None] = {}
        for letter, symbol in enumerate(alphabet):
            columns, truths = walk.step([bits for _, bits in frontier], symbol)
            for place, (state, bits) in enumerate(zip((state for state, _ in frontier), columns, strict=True)):
                after = language.automaton.steps[state][letter]
                if truths >> place & 1 != (after in language.accepting):
                    return False
                reached[after, bits] = None
        frontier = [state for state in reached if state not in found]
        found.update(frontier)
        if len(found) > MOST_FORMULA_STATES:
            raise Unsupported(f"{what}: a formula is found, but its check needs more than {MOST_FORMULA_STATES} "
                              "states of its automaton")
    return True


class _PastAutomaton:
    """The automaton of a past formula; its states are strings of 0 and 1.

    They hold the truths of the operands of ``prev`` and of each ``since``, and the remainder of each count modulo the
    least common multiple of its moduli, as one bit for each remainder.
    """

    def __init__(self, formula: syntax.Formula, alphabet: Sequence[str]) -> None:
        self.parts = syntax.subformulas(formula)
        later = [part.operand if isinstance(part, syntax.Previous) else part
                 for part in self.parts if isinstance(part, syntax.Previous | syntax.Since)]
        if syntax.Predicate("FIRST") in self.parts:
            later.append(syntax.TRUE)
        self.later = list(dict.fromkeys(later))
        self.moduli: dict[syntax.Count, int] = {}
        for part in self.parts:
            if isinstance(part, syntax.Predicate | syntax.PredicateOnCount) and part is not syntax.Predicate("FIRST"):
                count = _count(part)
                self.moduli[count] = lcm(self.moduli.get(count, 1), _modulus(part))
        self.start = "0" * len(self.later) + "".join("1" + "0" * (modulus - 1) for modulus in self.moduli.values())

    def step(self, states: Sequence[str], symbol: str) -> tuple[list[str], int]:
        """Return the states after the symbol, and the set of states where the formula holds, as bits."""
        everything = (1 << len(states)) - 1
        rows = [int("".join(reversed(row)), 2) for row in zip(*states, strict=True)]
        before = dict(zip(self.later, rows, strict=False))
        remainders: dict[syntax.Count, list[int]] = {}
        place = len(self.later)
        for count, modulus in self.moduli.items():
            remainders[count] = rows[place : place + modulus]
            place += modulus
        truths = self._truths(before, remainders, symbol, everything)
        after = [truths[part] for part in self.later] + [row for count in self.moduli for row in remainders[count]]
        texts = [f"{row:0{len(states)}b}"[::-1] for row in after]
        return ["".join(column) for column in zip(*texts, strict=True)] or [""] * len(states), truths[self.parts[-1]]

    def _truths(self, before: dict[syntax.Formula, int], remainders: dict[syntax.Count, list[int]], symbol: str,
                everything: int) -> dict[syntax.Formula, int]:
        """Return the truths of all parts; a count is updated when the first part that reads it is evaluated."""
        truths: dict[syntax.Formula, int] = {syntax.TRUE: everything}
        moved: set[syntax.Count] = set()
        for part in self.parts:
            match part:
                case syntax.Symbol(found):
                    truths[part] = everything if found == symbol else 0
                case syntax.Previous(operand):
                    truths[part] = before[operand]
                case syntax.Since(left, right):
                    truths[part] = truths[left] & (truths[right] | before[part])
                case syntax.Predicate("FIRST"):
                    truths[part] = everything & ~before[syntax.TRUE]
                case syntax.Predicate(_, _) | syntax.PredicateOnCount(_, _):
                    count = _count(part)
                    if count not in moved:
                        moved.add(count)
                        _move(remainders[count], everything if count.operand is syntax.TRUE else truths[count.operand])
                    truths[part] = _union(remainders[count][_remainder(part) :: _modulus(part)])
                case _:
                    truths[part] = _connective(part, truths, everything)
        return truths


def _connective(part: syntax.Formula, truths: dict[syntax.Formula, int], everything: int) -> int:
    match part:
        case syntax.Constant(value):
            return everything if value else 0
        case syntax.Not(operand):
            return everything & ~truths[operand]
        case syntax.And(left, right):
            return truths[left] & truths[right]
        case syntax.Or(left, right):
            return truths[left] | truths[right]
        case syntax.Implies(left, right):
            return (everything & ~truths[left]) | truths[right]
        case syntax.Iff(left, right):
            return everything & ~(truths[left] ^ truths[right])
    raise InternalError(f"{part}: expected a formula of the past")


def _move(remainders: list[int], counted: int) -> None:
    """Advance the remainders, one bit set each, where the position was counted."""
    remainders[:] = [(one & ~counted) | (remainders[place - 1] & counted) for place, one in enumerate(remainders)]


def _union(rows: Sequence[int]) -> int:
    found = 0
    for row in rows:
        found |= row
    return found


def _count(part: syntax.Predicate | syntax.PredicateOnCount) -> syntax.Count:
    """Return the count of the predicate; the position is the count of all positions."""
    return part.count if isinstance(part, syntax.PredicateOnCount) else syntax.Count("left", syntax.TRUE)


def _modulus(part: syntax.Predicate | syntax.PredicateOnCount) -> int:
    match part:
        case (syntax.PredicateOnCount(name, parameters, syntax.Count("left", _), None)
              | syntax.Predicate(name, parameters, None)) if name in ("ODD", "EVEN", "MOD"):
            return parameters[0] if parameters else 2
    raise InternalError(f"{part}: expected a count of the past modulo a number")


def _remainder(part: syntax.Predicate | syntax.PredicateOnCount) -> int:
    return part.parameters[1] if part.parameters else int(part.name == "ODD")
