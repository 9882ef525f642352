"""The syntax of formulas, as immutable interned nodes.

Source      [SHA] Definitions 10, 14 and 19.
Interning   Structurally equal nodes are one object, so equality and hashing are by identity and shared parts are free:
            ``a S b`` abbreviates ``(a | b) since b``, and nesting it on the right does not double the size.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

if TYPE_CHECKING:
    from constructions.language.predicate_definition import PredicateDefinition

Found = TypeVar("Found")
Side = Literal["left", "right"]
Relation = Literal["<=", "<", ">=", ">", "==", "!="]

_NODES: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()


class _Interned(type):
    """Metaclass of interned nodes: a call returns the unique node with the given fields."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        node = super().__call__(*arguments, **named)
        return _NODES.setdefault((cls, *node.fields()), node)


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class _Node(metaclass=_Interned):
    """Base class of formulas, counts and terms."""

    def fields(self) -> tuple[Any, ...]:
        """Return the fields of the node, in the order of the constructor."""
        names: tuple[str, ...] = self.__match_args__
        return tuple(getattr(self, name) for name in names)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self.fields()  # so that copies and unpickled nodes are interned


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Formula(_Node):
    """A formula. ``depth`` is the length of the longest chain of subformulas, 1 for an atom.

    ``positional`` and ``symbolic`` are the results of ``is_positional`` and ``is_symbolic``. All three are computed
    from the operands when the node is created.
    """

    depth: int = field(init=False)
    positional: bool = field(init=False)
    symbolic: bool = field(init=False)

    def __post_init__(self) -> None:
        parts = operands(self)
        object.__setattr__(self, "depth", 1 + max((part.depth for part in parts), default=0))
        connects = isinstance(self, _CONNECTIVES)
        object.__setattr__(self, "positional", isinstance(self, Predicate | Constant) or is_constant_comparison(self)
                           or (connects and all(part.positional for part in parts)))
        object.__setattr__(self, "symbolic", isinstance(self, Symbol | Constant)
                           or (connects and all(part.symbolic for part in parts)))

    def __repr__(self) -> str:
        return _WRITERS[1](self)

    def __str__(self) -> str:
        return _WRITERS[0](self)


_WRITERS: list[Callable[[Formula], str]] = []


def write_with(text: Callable[[Formula], str], representation: Callable[[Formula], str]) -> None:
    """Set ``str`` and ``repr`` of formulas; the printer calls this, as it imports this module."""
    _WRITERS[:] = text, representation


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Constant(Formula):
    """A formula that is true everywhere, or false everywhere."""

    value: bool


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Symbol(Formula):
    """The letter at this position is ``symbol``."""

    symbol: str


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class _Unary(Formula):
    """A formula with one operand."""

    operand: Formula


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class _Binary(Formula):
    """A formula with two operands."""

    left: Formula
    right: Formula


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Not(_Unary):
    """Negation: the operand does not hold."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class And(_Binary):
    """Conjunction: both hold."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Or(_Binary):
    """Disjunction: at least one holds."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Implies(_Binary):
    """Implication: ``left`` fails or ``right`` holds."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Iff(_Binary):
    """Equivalence: both hold or neither does."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Previous(_Unary):
    """The operand holds one position to the left; false at the first position."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Next(_Unary):
    """The operand holds one position to the right; false at the last position."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Since(_Binary):
    """``right`` held at some position up to here, and ``left`` from that position (inclusive) to here."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Until(_Binary):
    """``right`` will hold at some position from here, and ``left`` from here to that position (inclusive)."""


@dataclass(frozen=True, eq=False, slots=True)
class Count(_Node):
    """The number of positions up to here (``left``) or from here (``right``), inclusive, that satisfy the operand."""

    side: Side
    operand: Formula


@dataclass(frozen=True, eq=False, slots=True)
class Term(_Node):
    """A sum of integer multiples of counts, plus a constant. Order, repetitions and zero coefficients are kept."""

    coefficients: tuple[tuple[int, Count], ...]
    constant: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Predicate(Formula):
    """A unary numerical predicate, applied to this position; ``definition`` is None if it is built in."""

    name: str
    parameters: tuple[int, ...] = ()
    definition: PredicateDefinition | None = None


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class PredicateOnCount(Formula):
    """A unary numerical predicate, applied to a count; ``definition`` is None if it is built in."""

    name: str
    parameters: tuple[int, ...]
    count: Count
    definition: PredicateDefinition | None = None


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class PredicateOnSum(Formula):
    """A unary numerical predicate, applied to a sum of several counts; ``definition`` is None if it is built in."""

    name: str
    parameters: tuple[int, ...]
    term: Term
    definition: PredicateDefinition | None = None


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Comparison(Formula):
    """A relation between the values of two terms at this position."""

    relation: Relation
    left: Term
    right: Term


def operands(formula: Formula) -> tuple[Formula, ...]:
    """Return the immediate subformulas from left to right, including those inside counts.

    >>> operands(Since(Symbol("a"), Symbol("b")))
    (parse_formula('Q_a'), parse_formula('Q_b'))
    """
    match formula:
        case _Unary(operand):
            return (operand,)
        case _Binary(left, right):
            return left, right
        case PredicateOnCount(count=count):
            return (count.operand,)
        case Comparison() | PredicateOnSum():
            return tuple(count.operand for count in counts_of(formula))
    return ()


def counts_of(formula: Formula) -> tuple[Count, ...]:
    """Return the counts that ``formula`` itself mentions (not those inside its subformulas), from left to right."""
    match formula:
        case PredicateOnCount(count=count):
            return (count,)
        case PredicateOnSum(term=term):
            return tuple(count for _, count in term.coefficients)
        case Comparison(_, left, right):
            return tuple(count for _, count in (*left.coefficients, *right.coefficients))
    return ()


def difference(comparison: Comparison) -> Term:
    """Return the left term minus the right one, each count once and none with coefficient 0, in the order of mention.

    >>> a = Count("left", Symbol("a"))
    >>> difference(Comparison("<=", Term(((3, a),), 5), Term(((2, a),), 1))) is Term(((1, a),), 4)
    True
    """
    coefficients: dict[Count, int] = {}
    for sign, term in ((1, comparison.left), (-1, comparison.right)):
        for number, count in term.coefficients:
            coefficients[count] = coefficients.get(count, 0) + sign * number
    summands = tuple((number, count) for count, number in coefficients.items() if number)
    return Term(summands, comparison.left.constant - comparison.right.constant)


def is_constant_comparison(formula: Formula) -> bool:
    """Return whether ``formula`` compares two terms whose difference has no count."""
    return isinstance(formula, Comparison) and not difference(formula).coefficients


_CONNECTIVES = (Not, And, Or, Implies, Iff)
TRUE = Constant(True)
FALSE = Constant(False)


def once(operand: Formula) -> Formula:
    """Return ``O operand``: it holds at some position up to here."""
    return Since(TRUE, operand)


def historically(operand: Formula) -> Formula:
    """Return ``H operand``: it holds at every position up to here."""
    return Not(Since(TRUE, Not(operand)))


def eventually(operand: Formula) -> Formula:
    """Return ``F operand``: it holds at some position from here."""
    return Until(TRUE, operand)


def always(operand: Formula) -> Formula:
    """Return ``G operand``: it holds at every position from here."""
    return Not(Until(TRUE, Not(operand)))


def usual_since(left: Formula, right: Formula) -> Formula:
    """Return ``left S right``: as in most texts on LTL, ``left`` need not hold at the witness of ``right``."""
    return Since(Or(left, right), right)


def usual_until(left: Formula, right: Formula) -> Formula:
    """Return ``left U right``: as in most texts on LTL, ``left`` need not hold at the witness of ``right``."""
    return Until(Or(left, right), right)


def subformulas(formula: Formula) -> list[Formula]:
    """Return every subformula once, each after its own subformulas; ``formula`` is last.

    >>> subformulas(And(Symbol("a"), Not(Symbol("a"))))
    [parse_formula('Q_a'), parse_formula('!Q_a'), parse_formula('Q_a & !Q_a')]
    """
    return postorder(formula, operands)


def subformulas_of_all(formulas: Iterable[Formula]) -> list[Formula]:
    """Return every subformula of any of the formulas once, each after its own subformulas."""
    return postorder_of_all(formulas, operands)


def postorder(formula: Formula, parts: Callable[[Formula], tuple[Formula, ...]]) -> list[Formula]:
    """Return the formulas reachable through ``parts``, each once and after its parts. Not recursive."""
    return postorder_of_all([formula], parts)


def postorder_of_all(formulas: Iterable[Formula], parts: Callable[[Formula], tuple[Formula, ...]]) -> list[Formula]:
    """Return the formulas reachable from several formulas, each once and after its parts."""
    finished: dict[Formula, None] = {}
    for formula in formulas:
        pending = [(formula, iter(parts(formula)))] if formula not in finished else []
        while pending:
            current, rest = pending[-1]
            part = next((part for part in rest if part not in finished), None)
            if part is None:
                finished[current] = None
                pending.pop()
            else:
                pending.append((part, iter(parts(part))))
    return list(finished)


def fold(formula: Formula, known: MutableMapping[Formula, Found], find: Callable[[Formula], Found],
         parts: Callable[[Formula], tuple[Formula, ...]] | None = None) -> Found:
    """Return ``find(formula)`` memoised in ``known``; parts are found first, so that ``find`` may look them up."""
    below = parts or operands
    if formula not in known:
        for part in postorder(formula, lambda part: () if part in known else below(part)):
            if part not in known:
                known[part] = find(part)
    return known[formula]


class Somewhere:
    """The property that a formula or one of its subformulas has ``has``; evaluated once for each node."""

    def __init__(self, has: Callable[[Formula], bool]):
        """Store ``has``, a property of a single node."""
        self._has = has
        self._found: WeakKeyDictionary[Formula, bool] = WeakKeyDictionary()

    def __call__(self, formula: Formula) -> bool:
        """Return whether the formula or one of its subformulas has the property."""
        return fold(formula, self._found,
                    lambda part: self._has(part) or any(self._found[below] for below in operands(part)))


def is_positional(formula: Formula) -> bool:
    """Return whether ``formula`` syntactically depends on the position and the length only.

    True for formulas built from predicates on the position, constants, comparisons whose difference has no count, and
    Boolean connectives.
    """
    return formula.positional


def is_symbolic(formula: Formula) -> bool:
    """Return whether ``formula`` is built from symbols, constants and Boolean connectives only."""
    return formula.symbolic


def operands_of_connective(formula: Formula) -> tuple[Formula, ...]:
    """Return the operands of a Boolean connective; none for other formulas."""
    return operands(formula) if isinstance(formula, _CONNECTIVES) else ()


def boolean_closure(formulas: Iterable[Formula], closed: Container[Formula] = ()) -> list[Formula]:
    """Return the formulas reachable through Boolean connectives, each once; do not enter those in ``closed``.

    >>> boolean_closure([And(Not(Symbol("a")), Previous(Symbol("b")))], closed=[Not(Symbol("a"))])
    [parse_formula('!Q_a & prev Q_b'), parse_formula('!Q_a'), parse_formula('prev Q_b')]
    """
    pending, reached = list(formulas)[::-1], dict[Formula, None]()
    while pending:
        part = pending.pop()
        if part not in reached:
            reached[part] = None
            pending += () if part in closed else operands_of_connective(part)[::-1]
    return list(reached)


def symbols_of(formula: Formula) -> list[str]:
    """Return the symbols that occur in ``formula``, sorted.

    >>> symbols_of(Or(Symbol("b"), Symbol("a")))
    ['a', 'b']
    """
    return sorted(part.symbol for part in subformulas(formula) if isinstance(part, Symbol))
