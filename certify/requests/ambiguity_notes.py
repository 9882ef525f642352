"""Notes on ambiguous formulas: where tools read the text differently, or where it is not in the core language."""

from collections.abc import Mapping, Sequence

from constructions.language.parser import parse_formula
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import definitions_of
from constructions.language.printer import format_formula
from constructions.language.spellings import Dialect
from constructions.language.syntax import Formula
from proofs.check import Malformed, RequiredClaim, read_arguments
from proofs.checking.same_claim import ask_the_same

NEXT = {True: "X holds at the last position", False: "X fails at the last position"}
WORDS = {True: "since and until are S and U", False: "since and until require their left side at the witness, too"}


def is_core(text: str, definitions: Sequence[str] = ()) -> bool:
    """Return whether the independent checker reads the formula itself, with the user's predicates.

    >>> is_core("Q_a since Q_b"), is_core("Q_a W Q_b")
    (True, False)
    """
    options = [part for definition in definitions for part in ("--predicate", definition)]
    try:
        read_arguments(["--formula", text, *options, "--", "-"])
    except Malformed:
        return False
    return True


def is_read_alike(text: str, formula: Formula, definitions: Sequence[str] = ()) -> bool:
    """Return whether the independent checker reads the text itself, and as this formula.

    >>> is_read_alike("ODD(#<[Q_a] - #<[Q_b])", parse_formula("ODD(#<[Q_a] - #<[Q_b])"))
    False
    """
    if not is_core(text, definitions):
        return False
    own = tuple(definition.description for definition in definitions_of([formula]))
    return ask_the_same(RequiredClaim(text, tuple(definitions)), RequiredClaim(format_formula(formula), own))


def describe_reading(text: str, alphabet: Sequence[str] | None, predicates: Mapping[str, PredicateDefinition],
                     dialect: Dialect) -> str:
    """Describe what another dialect reads differently in the text; empty if nothing, or if the text is core.

    >>> describe_reading("X Q_a W Q_b", None, {}, Dialect.SHA)
    'dialect sha: X fails at the last position (docs/reference/formulas.md)'
    """
    if dialect is Dialect.SHA and is_core(text, [definition.description for definition in predicates.values()]):
        return ""
    # spot and black differ in X alone, and so do sha and black in the words alone
    said = [NEXT[dialect.next_is_weak]] * _differ(text, alphabet, predicates, Dialect.SPOT, Dialect.BLACK)
    said += [WORDS[dialect.words_are_usual]] * _differ(text, alphabet, predicates, Dialect.SHA, Dialect.BLACK)
    return f"dialect {dialect}: {', '.join(said)} (docs/reference/formulas.md)" if said else ""


def _differ(text: str, alphabet: Sequence[str] | None, predicates: Mapping[str, PredicateDefinition],
            one: Dialect, other: Dialect) -> bool:
    read = [parse_formula(text, alphabet, predicates, dialect, any_grouping=True) for dialect in (one, other)]
    return read[0] is not read[1]
