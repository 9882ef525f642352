"""The JSON form of a claim (docs/reference/trained.md, section 3): written canonically, read strictly."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, get_args

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.regular.automata import Automaton
from constructions.trained import json_values as values
from constructions.trained.claim import Case, Read, Row, When, WordsClaim

KEYS = ("alphabet", "tokens", "before", "after", "offsets", "min_n", "max_n", "read", "empty", "margin", "automaton",
        "predicates", "cases")


def claim_to_json(claim: WordsClaim) -> dict[str, Any]:
    """Return the canonical JSON object, its keys in the order of section 3."""
    automaton = claim.automaton
    return {
        "alphabet": list(claim.alphabet),
        "tokens": list(claim.tokens),
        "before": list(claim.before),
        "after": list(claim.after),
        "offsets": list(claim.offsets),
        "min_n": claim.lengths[0],
        "max_n": claim.lengths[1],
        "read": claim.read,
        "empty": claim.empty,
        "margin": str(claim.margin),
        "automaton": automaton and {"start": automaton.start, "steps": [list(row) for row in automaton.steps]},
        "predicates": [definition.description for definition in claim.predicates],
        "cases": [{"when": _when_to_json(case.when),
                   "above": [[[token, str(number)] for token, number in row] for row in case.above]}
                  for case in claim.cases],
    }


def _when_to_json(when: When) -> dict[str, Any]:
    formula = {} if when.formula is None else {"formula": format_formula(when.formula)}
    return formula | ({} if when.states is None else {"states": list(when.states)})


def claim_from_json(data: Any, where: str = "claim") -> WordsClaim:
    """Return the claim that a JSON object describes.

    Raises:
        InputError: for the first violation of section 3 of docs/reference/trained.md.
    """
    symbols, tokens, before, after, offsets, first, last, read, empty, margin, automaton, predicates, cases = (
        values.fields(data, where, KEYS))
    reader = _CaseReader(_alphabet(symbols, f"{where}.alphabet"), f"{where}.automaton", automaton,
                         _predicates(predicates, f"{where}.predicates"))
    sequences = [values.items(one, f"{where}.{name}", values.size)
                 for name, one in (("tokens", tokens), ("before", before), ("after", after))]
    if len(sequences[0]) != len(reader.alphabet):
        raise InputError(f"{where}.tokens: {len(sequences[0])}, expected one for each of the {len(reader.alphabet)} "
                         f"symbols")
    found: Read = values.one_of(read, f"{where}.read", get_args(Read))
    return WordsClaim(
        alphabet=reader.alphabet,
        tokens=sequences[0],
        before=sequences[1],
        after=sequences[2],
        offsets=_offsets(offsets, f"{where}.offsets"),
        lengths=_lengths(first, last, where),
        read=found,
        empty=_empty(empty, found, sequences[1], f"{where}.empty"),
        margin=_margin(margin, f"{where}.margin"),
        automaton=reader.automaton,
        predicates=tuple(reader.predicates.values()),
        cases=values.items(cases, f"{where}.cases", reader.case),
    )


def _alphabet(data: Any, where: str) -> tuple[str, ...]:
    alphabet = values.items(data, where, values.text)
    if not alphabet or len(set(alphabet)) != len(alphabet):
        raise InputError(f"{where}: {values.found(data)}, expected distinct symbols, at least one")
    return alphabet


class _CaseReader:
    """Reader of cases over an alphabet, with an automaton and predicates."""

    def __init__(self, alphabet: tuple[str, ...], where: str, automaton: Any,
                 predicates: dict[str, PredicateDefinition]) -> None:
        self.alphabet = alphabet
        self.automaton = _automaton(automaton, len(alphabet), where)
        self.predicates = predicates

    def case(self, data: Any, where: str) -> Case:
        when, above = values.fields(data, where, ("when", "above"))
        return Case(self._when(when, f"{where}.when"), values.items(above, f"{where}.above", _row))

    def _when(self, data: Any, where: str) -> When:
        names = [name for name in ("formula", "states") if isinstance(data, dict) and name in data]
        values.fields(data, where, names or ("formula",))
        return When(self._formula(data["formula"], f"{where}.formula") if "formula" in names else None,
                    self._states(data["states"], f"{where}.states") if "states" in names else None)

    def _formula(self, data: Any, where: str) -> Formula:
        text = values.text(data, where)
        try:
            return parse_formula(text, self.alphabet, self.predicates)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def _states(self, data: Any, where: str) -> tuple[int, ...]:
        if self.automaton is None:
            raise InputError(f"{where}: states, expected none, as the claim's automaton is null")
        states = _indices(data, where, len(self.automaton.steps))
        if list(states) != sorted(set(states)):
            raise InputError(f"{where}: {values.found(data)}, expected ascending states")
        return states


def _row(data: Any, where: str) -> Row:
    row = values.items(data, where, _entry)
    tokens = [token for token, _ in row]
    if not row or tokens != sorted(set(tokens)):
        raise InputError(f"{where}: {values.found(data)}, expected at least one [token, coefficient], tokens ascending")
    return row


def _entry(data: Any, where: str) -> tuple[int, Fraction]:
    if not isinstance(data, list) or len(data) != 2:
        raise InputError(f"{where}: {values.found(data)}, expected [token, coefficient]")
    return values.size(data[0], where), values.rational(data[1], where)


def _automaton(data: Any, letters: int, where: str) -> Automaton | None:
    if data is None:
        return None
    start, steps = values.fields(data, where, ("start", "steps"))
    states = len(steps) if isinstance(steps, list) else 0

    def targets(row: Any, place: str) -> tuple[int, ...]:
        found = _indices(row, place, states)
        if len(found) != letters:
            raise InputError(f"{place}: {len(found)} states, expected one for each of the {letters} letters")
        return found

    rows = values.items(steps, f"{where}.steps", targets)
    return Automaton(_indices([start], f"{where}.start", states)[0], rows)


def _indices(data: Any, where: str, count: int) -> tuple[int, ...]:
    """Read numbers of states."""
    found = values.items(data, where, values.size)
    if beyond := [state for state in found if state >= count]:
        raise InputError(f"{where}: {beyond[0]}, expected the number of a state, below {count}")
    return found


def _predicates(data: Any, where: str) -> dict[str, PredicateDefinition]:
    try:
        return parse_predicate_definitions(values.items(data, where, values.text))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _empty(data: Any, read: Read, before: Sequence[int], where: str) -> bool:
    if not isinstance(data, bool):
        raise InputError(f"{where}: {values.found(data)}, expected true or false")
    if data and (read != "each" or not before):
        raise InputError(f"{where}: true, expected read \"each\" and at least one token before the word")
    return data


def _offsets(data: Any, where: str) -> tuple[int, int]:
    offsets = values.items(data, where, values.size)
    if len(offsets) != 2 or offsets[0] > offsets[1]:
        raise InputError(f"{where}: {values.found(data)}, expected [first, last]")
    return offsets[0], offsets[1]


def _lengths(first: Any, last: Any, where: str) -> tuple[int, int]:
    lengths = values.size(first, f"{where}.min_n"), values.size(last, f"{where}.max_n")
    if not 1 <= lengths[0] <= lengths[1]:
        raise InputError(f"{where}: min_n {lengths[0]} and max_n {lengths[1]}, expected 1 <= min_n <= max_n")
    return lengths


def _margin(data: Any, where: str) -> Fraction:
    margin = values.rational(data, where)
    if margin < 0:
        raise InputError(f"{where}: {margin}, expected 0 or more")
    return margin
