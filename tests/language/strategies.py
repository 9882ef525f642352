"""Hypothesis strategies for formulas, words and expressions, shared by all tests."""

from collections.abc import Collection, Sequence
from typing import cast

from hypothesis import strategies as st

from constructions.language.syntax import (
    FALSE,
    TRUE,
    And,
    Comparison,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    PredicateOnCount,
    Previous,
    Relation,
    Since,
    Symbol,
    Term,
    Until,
    always,
    eventually,
    historically,
    once,
    usual_since,
    usual_until,
)

TEMPORAL = ("prev", "next", "since", "until")
RELATIONS = ("<=", "<", ">=", ">", "==", "!=")

_UNARY = {"prev": (Previous,), "next": (Next,), "since": (once, historically), "until": (eventually, always)}
_BINARY = {"since": (Since, usual_since), "until": (Until, usual_until)}


def formulas(alphabet: Sequence[str] = "ab", temporal: Collection[str] = TEMPORAL, counting: bool = False,
             positional: bool = False, max_depth: int = 4) -> st.SearchStrategy[Formula]:
    """Formulas over ``alphabet`` with the given temporal operators (abbreviations included).

    With ``positional``, atoms may be predicates on the position. With ``counting`` too, and comparisons and
    predicates of counts occur besides. ``max_depth`` counts the operators on a path.
    """
    plain: list[Formula] = [*map(Symbol, alphabet), TRUE, FALSE]
    atoms = st.sampled_from(plain)
    if counting or positional:
        atoms = atoms | predicates()
    result = atoms
    for _ in range(max_depth):
        result = atoms | _compound(result, temporal, counting)
    return result


def predicates() -> st.SearchStrategy[Formula]:
    """Built-in predicates on the position."""
    return _named_predicates().map(lambda named: Predicate(*named))


def _named_predicates() -> st.SearchStrategy[tuple[str, tuple[int, ...]]]:
    names = st.sampled_from(["ODD", "EVEN", "FIRST", "LAST", "SQUARE", "POW2", "PRIME"])
    plain = st.tuples(names, st.just(()))
    modular = st.tuples(st.just("MOD"), st.tuples(st.integers(1, 5), st.integers(0, 5)))
    return cast("st.SearchStrategy[tuple[str, tuple[int, ...]]]", plain | modular)


def _compound(part: st.SearchStrategy[Formula], temporal: Collection[str],
              counting: bool) -> st.SearchStrategy[Formula]:
    unary = [Not, *(operator for name in temporal for operator in _UNARY[name])]
    binary = [And, Or, Implies, Iff, *(operator for name in temporal for operator in _BINARY.get(name, ()))]
    choices: list[st.SearchStrategy[Formula]] = [
        st.builds(lambda operator, operand: operator(operand), st.sampled_from(unary), part),
        st.builds(lambda operator, left, right: operator(left, right), st.sampled_from(binary), part, part),
    ]
    if counting:
        choices += [_comparisons(part), _predicates_on_counts(part)]
    return st.one_of(choices)


def _counts(part: st.SearchStrategy[Formula]) -> st.SearchStrategy[Count]:
    return st.builds(Count, st.sampled_from(["left", "right"]), part)


def _comparisons(part: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    numbers = st.integers(-3, 3)
    terms = st.builds(Term, st.lists(st.tuples(numbers, _counts(part)), max_size=2).map(tuple), numbers)
    relations = cast("st.SearchStrategy[Relation]", st.sampled_from(RELATIONS))
    return st.builds(Comparison, relations, terms, terms)


def _predicates_on_counts(part: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.builds(
        lambda named, count: PredicateOnCount(named[0], named[1], count), _named_predicates(), _counts(part)
    )


def words(alphabet: Sequence[str] = "ab", max_size: int = 7) -> st.SearchStrategy[tuple[str, ...]]:
    """Non-empty words."""
    return st.lists(st.sampled_from(list(alphabet)), min_size=1, max_size=max_size).map(tuple)


def expression_texts(functions: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """Expressions in i and n, fully parenthesized, with the named functions."""
    names = st.sampled_from(["-", *functions])
    atoms = st.sampled_from(["i", "n"]) | st.integers(0, 12).map(str)
    return st.recursive(
        atoms,
        lambda part: st.builds("({} {} {})".format, part, st.sampled_from("+-*/^"), part)
        | st.builds("({}({}))".format, names, part),
        max_leaves=8,
    )
