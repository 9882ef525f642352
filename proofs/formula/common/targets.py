"""The automaton of a temporal formula over letters; its memory has one truth for each temporal operator.

``since`` and ``until`` remember their own last value, ``prev`` and ``next`` the last value of their operand. The memory
is false before the first letter, as the semantics of these operators at the edge requires.
"""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from constructions.language import syntax
from constructions.language.positional import connective, positional_truth
from constructions.language.printer import format_briefly
from proofs.formula.failures import NotDerived

MAX_ATOMS = 8
"""A step has up to 2^8 letters, each of which is processed in every state; the checker has the same limit."""
MAX_MEMORY = 6
"""An automaton has up to 2^6 states; a head of the theorems needs one operator; the checker has the same limit."""
Assignment = tuple[bool, ...]
"""The truth of each atom at one position."""


@dataclass(frozen=True)
class Target:
    """A formula decided by reading assignments to ``atoms``: from the left if ``past``, else from the right."""

    formula: syntax.Formula
    past: bool
    atoms: tuple[syntax.Formula, ...]
    remembering: tuple[syntax.Formula, ...]
    predicates: tuple[syntax.Predicate | syntax.Comparison, ...]

    @property
    def has_wholes(self) -> bool:
        """True if some atom is a connective that could be taken apart."""
        return any(syntax.operands_of_connective(atom) and not syntax.is_symbolic(atom) for atom in self.atoms)

    def step(self, memory: int, assignment: Assignment, i: int, n: int) -> tuple[int, bool]:
        """Return the next memory, a bit set over ``remembering``, and the truth of the formula at position i."""
        reader = _Evaluator(self, memory, assignment, i, n)
        truth = reader.truth(self.formula, at_root=True)
        return sum(1 << k for k, node in enumerate(self.remembering) if reader.remembered(node)), truth

    def read_truth(self, formula: syntax.Formula, assignment: Assignment, i: int, n: int) -> bool:
        """Return the truth of a formula that the head reads, from the truths of the atoms."""
        return _Evaluator(self, 0, assignment, i, n).truth(formula)


class _Evaluator:
    """Evaluation at one position, from the letter and the memory."""

    def __init__(self, target: Target, memory: int, assignment: Assignment, i: int, n: int):
        self.target = target
        self.memory = memory
        self.assignment = assignment
        self.i, self.n = i, n

    def truth(self, formula: syntax.Formula, at_root: bool = False) -> bool:
        if not at_root and formula in self.target.atoms:
            return self.assignment[self.target.atoms.index(formula)]
        match formula:
            case syntax.Predicate() | syntax.Comparison():
                return positional_truth(formula, self.i, self.n)
            case syntax.Since(left, right) | syntax.Until(left, right):
                return self.truth(left) and (self.truth(right) or self._last(formula))
            case syntax.Previous() | syntax.Next():
                return self._last(formula)
        value = connective(formula, tuple(self.truth(operand) for operand in syntax.operands(formula)))
        assert value is not None, formula
        return value

    def remembered(self, node: syntax.Formula) -> bool:
        match node:
            case syntax.Previous(operand) | syntax.Next(operand):
                return self.truth(operand)
        return self.truth(node, at_root=True)

    def _last(self, node: syntax.Formula) -> bool:
        return bool(self.memory >> self.target.remembering.index(node) & 1)


def build_target(formula: syntax.Formula, read: Iterable[syntax.Formula], apart: bool = False) -> Target:
    """Build the automaton of ``formula`` for a head that reads the truths of ``read``.

    The atoms are, going down from ``formula``, the first subformulas that occur in the Boolean closure of ``read``. The
    other formulas in the closure are taken apart down to these atoms; further leaves of it are also atoms. With
    ``apart``, a connective is an atom only if it is over symbols: then there are more atoms, which positions and
    symbols constrain, and they do not depend on how a formula is written.

    Raises:
        NotDerived: if past and future operators are mixed or missing, counts decide it, or there are too many atoms.
    """
    read = list(read)
    readable = _Readable(read)

    def is_whole(part: syntax.Formula) -> bool:
        is_split = apart and bool(syntax.operands_of_connective(part)) and not syntax.is_symbolic(part)
        return part is not formula and part in readable and not is_split

    reached = syntax.postorder(formula, lambda part: () if is_whole(part) else _entered(part))
    atoms = dict.fromkeys(part for part in reached if isinstance(part, syntax.Symbol)
                          or (is_whole(part) and not _is_evaluated(part)))
    inner = [part for part in reached if part not in atoms]
    if counting := [part for part in inner if not (_is_evaluated(part) or _entered(part))]:
        raise NotDerived(f"{format_briefly(counting[0])} is not decided by an automaton of this version")
    remembering = [part for part in inner if isinstance(part, _TEMPORAL)]
    below = syntax.boolean_closure(read, closed=atoms)
    atoms |= dict.fromkeys(part for part in below if not (_is_evaluated(part) or syntax.operands_of_connective(part)))
    predicates = dict.fromkeys(part for part in (*inner, *below)
                               if isinstance(part, syntax.Predicate | syntax.Comparison) and _is_evaluated(part))
    return Target(formula, _is_past(formula, remembering), _limited(atoms, MAX_ATOMS, "atoms"),
                  _limited(remembering, MAX_MEMORY, "temporal operators"), tuple(predicates))


_TEMPORAL = (syntax.Since, syntax.Until, syntax.Previous, syntax.Next)


class _Readable:
    """The Boolean closure of formulas, computed lazily, as far as membership tests need it."""

    def __init__(self, formulas: Iterable[syntax.Formula]):
        self._reached = dict.fromkeys(formulas)
        self._pending = deque(self._reached)

    def __contains__(self, formula: syntax.Formula) -> bool:
        while self._pending and formula not in self._reached:
            new = [part for part in syntax.operands_of_connective(self._pending.popleft()) if part not in self._reached]
            self._reached |= dict.fromkeys(new)
            self._pending += new
        return formula in self._reached


def _entered(formula: syntax.Formula) -> tuple[syntax.Formula, ...]:
    """Return the operands of a Boolean connective or temporal operator; no operands of any other formula."""
    return syntax.operands(formula) if isinstance(formula, _TEMPORAL) else syntax.operands_of_connective(formula)


def _is_evaluated(formula: syntax.Formula) -> bool:
    """Return whether the formula is a leaf that (n, i) decides."""
    return isinstance(formula, syntax.Predicate | syntax.Constant) or syntax.is_constant_comparison(formula)


def _is_past(formula: syntax.Formula, remembering: Iterable[syntax.Formula]) -> bool:
    sides = {isinstance(node, syntax.Since | syntax.Previous) for node in remembering}
    if len(sides) != 1:
        raise NotDerived(f"{format_briefly(formula)}: a head's target has temporal operators of one direction, not "
                         + ("both" if sides else "none"))
    return sides.pop()


def _limited(found: Collection[syntax.Formula], limit: int, what: str) -> tuple[syntax.Formula, ...]:
    if len(found) > limit:
        raise NotDerived(f"{len(found)} {what} in one head, at most {limit} are handled")
    return tuple(found)
