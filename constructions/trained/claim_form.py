"""The JSON form of a claim (docs/trained.md, section 3): written canonically, read strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar, cast

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicates import PredicateDefinition, parse_predicate_definitions
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.trained.claim import Automaton, Case, Claim, Read, Row, When

KEYS = ("alphabet", "tokens", "before", "after", "offsets", "min_n", "max_n", "read", "empty", "margin", "automaton",
        "predicates", "cases")
READS = ("each", "last", "first")
MOST = 1 << 31  # of tokens, states, offsets and lengths; a file of this size is refused long before
MAX_DIGITS = 1000
_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?", re.ASCII)
T = TypeVar("T")


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """The canonical JSON object, its keys in the order of section 3."""
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


def claim_from_json(data: Any, where: str = "claim") -> Claim:
    """The claim that a JSON object describes.

    Raises:
        InputError: for the first thing that does not fit section 3 of docs/trained.md.
    """
    fields = _object(data, where, KEYS, KEYS)
    alphabet = _sequence(fields["alphabet"], f"{where}.alphabet", _text)
    if not alphabet or "" in alphabet or len(set(alphabet)) != len(alphabet):
        raise InputError(f"{where}.alphabet: {_quoted(alphabet)}, expected distinct non-empty symbols, at least one")
    tokens = _sequence(fields["tokens"], f"{where}.tokens", _natural)
    if len(tokens) != len(alphabet):
        raise InputError(f"{where}.tokens: {len(tokens)}, expected one for each of the {len(alphabet)} symbols")
    before = _sequence(fields["before"], f"{where}.before", _natural)
    read = _read_of(fields["read"], f"{where}.read")
    automaton = _automaton(fields["automaton"], len(alphabet), f"{where}.automaton")
    predicates = _predicates(fields["predicates"], f"{where}.predicates")
    return Claim(
        alphabet=alphabet,
        tokens=tokens,
        before=before,
        after=_sequence(fields["after"], f"{where}.after", _natural),
        offsets=_offsets(fields["offsets"], f"{where}.offsets"),
        lengths=_lengths(fields["min_n"], fields["max_n"], where),
        read=read,
        empty=_empty(fields["empty"], read, before, f"{where}.empty"),
        margin=_margin(fields["margin"], f"{where}.margin"),
        automaton=automaton,
        predicates=tuple(predicates.values()),
        cases=_sequence(fields["cases"], f"{where}.cases", _CaseReader(alphabet, automaton, predicates).case),
    )


class _CaseReader:
    """Reads cases over an alphabet, with an automaton and predicates."""

    def __init__(self, alphabet: Sequence[str], automaton: Automaton | None,
                 predicates: dict[str, PredicateDefinition]) -> None:
        self.alphabet = alphabet
        self.automaton = automaton
        self.predicates = predicates

    def case(self, data: Any, where: str) -> Case:
        fields = _object(data, where, ("when", "above"), ("when", "above"))
        return Case(self._when(fields["when"], f"{where}.when"), _sequence(fields["above"], f"{where}.above", _row))

    def _when(self, data: Any, where: str) -> When:
        fields = _object(data, where, ("formula", "states"), ())
        if not fields:
            raise InputError(f"{where}: no key, expected formula, states or both")
        when = When()
        if "formula" in fields:
            when = When(formula=self._formula(fields["formula"], f"{where}.formula"))
        if "states" in fields:
            when = When(when.formula, self._states(fields["states"], f"{where}.states"))
        return when

    def _formula(self, data: Any, where: str) -> Formula:
        text = _text(data, where)
        try:
            return parse_formula(text, self.alphabet, self.predicates)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def _states(self, data: Any, where: str) -> tuple[int, ...]:
        if self.automaton is None:
            raise InputError(f"{where}: states are given, but the claim's automaton is null")
        count = len(self.automaton.steps)
        states = _sequence(data, where, lambda state, place: _natural(state, place, count))
        if list(states) != sorted(set(states)):
            raise InputError(f"{where}: {_quoted(states)}, expected ascending states")
        return states


def _row(data: Any, where: str) -> Row:
    row = _sequence(data, where, _entry)
    tokens = [token for token, _ in row]
    if not row or tokens != sorted(set(tokens)):
        raise InputError(f"{where}: {_quoted(data)}, expected at least one [token, coefficient], tokens ascending")
    return row


def _entry(data: Any, where: str) -> tuple[int, Fraction]:
    if not isinstance(data, list) or len(data) != 2:
        raise InputError(f"{where}: {_quoted(data)}, expected [token, coefficient]")
    return _natural(data[0], where), _rational(data[1], where)


def _automaton(data: Any, letters: int, where: str) -> Automaton | None:
    if data is None:
        return None
    fields = _object(data, where, ("start", "steps"), ("start", "steps"))
    states = len(fields["steps"]) if isinstance(fields["steps"], list) else 0

    def targets(row: Any, place: str) -> tuple[int, ...]:
        found = _sequence(row, place, lambda state, one: _natural(state, one, states))
        if len(found) != letters:
            raise InputError(f"{place}: {len(found)} states, expected one for each of the {letters} letters")
        return found

    steps = _sequence(fields["steps"], f"{where}.steps", targets)
    return Automaton(_natural(fields["start"], f"{where}.start", states), steps)


def _predicates(data: Any, where: str) -> dict[str, PredicateDefinition]:
    try:
        return parse_predicate_definitions(_sequence(data, where, _text))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _read_of(data: Any, where: str) -> Read:
    if data not in READS:
        raise InputError(f"{where}: {_quoted(data)}, expected one of {', '.join(READS)}")
    return cast(Read, data)


def _empty(data: Any, read: Read, before: Sequence[int], where: str) -> bool:
    if not isinstance(data, bool):
        raise InputError(f"{where}: {_quoted(data)}, expected true or false")
    if data and (read != "each" or not before):
        raise InputError(f"{where}: true, which goes with read \"each\" and at least one token before the word")
    return data


def _offsets(data: Any, where: str) -> tuple[int, int]:
    offsets = _sequence(data, where, _natural)
    if len(offsets) != 2 or offsets[0] > offsets[1]:
        raise InputError(f"{where}: {_quoted(data)}, expected [first, last]")
    return offsets[0], offsets[1]


def _lengths(first: Any, last: Any, where: str) -> tuple[int, int]:
    lengths = _natural(first, f"{where}.min_n"), _natural(last, f"{where}.max_n")
    if not 1 <= lengths[0] <= lengths[1]:
        raise InputError(f"{where}: min_n {lengths[0]} and max_n {lengths[1]}, expected 1 <= min_n <= max_n")
    return lengths


def _margin(data: Any, where: str) -> Fraction:
    margin = _rational(data, where)
    if margin < 0:
        raise InputError(f"{where}: {margin}, expected 0 or more")
    return margin


def _rational(data: Any, where: str) -> Fraction:
    if isinstance(data, int) and not isinstance(data, bool):
        return Fraction(data)
    if isinstance(data, str) and len(data) <= MAX_DIGITS and _RATIONAL.fullmatch(data):
        numerator, _, denominator = data.partition("/")
        if int(denominator or "1"):
            return Fraction(int(numerator), int(denominator or "1"))
    raise InputError(f"{where}: {_quoted(data)}, expected a rational such as \"-3/4\" (at most {MAX_DIGITS} digits, "
                     f"no zero denominator)")


def _natural(data: Any, where: str, below: int = MOST) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data < below:
        raise InputError(f"{where}: {_quoted(data)}, expected an integer from 0 to {below - 1}")
    return data


def _text(data: Any, where: str) -> str:
    if not isinstance(data, str) or any(0xD800 <= ord(character) < 0xE000 for character in data):
        raise InputError(f"{where}: {_quoted(data)}, expected text")
    return data


def _sequence(data: Any, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    if not isinstance(data, list):
        raise InputError(f"{where}: {_quoted(data)}, expected a list")
    return tuple(read(value, f"{where}[{place}]") for place, value in enumerate(data))


def _object(data: Any, where: str, allowed: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise InputError(f"{where}: {_quoted(data)}, expected an object with the keys {', '.join(allowed)}")
    for name in needed:
        if name not in data:
            raise InputError(f"{where}: no key \"{name}\", expected the keys {', '.join(allowed)}")
    for name in data:
        if name not in allowed:
            raise InputError(f"{where}: unknown key {_quoted(name)}, expected the keys {', '.join(allowed)}")
    return data


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
