"""Claims about the attention of a head: its mass on a set of positions that is regular in the query's prefix.

A set is stated by *marks*: the alphabet has a marked copy of each letter, and a formula of the past is true of the
prefixes whose marked positions are those of the set. docs/background/parts.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.replacement import replace_symbols
from constructions.language.syntax import TRUE, And, Count, Formula, Or, Symbol, Term
from constructions.text import printable
from constructions.trained.claim import Case, Row, When, WordsClaim
from constructions.trained.edit_kinds import MarkTokens, ReadHead
from constructions.trained.edits import edit_network, unedited
from constructions.trained.network import AttentionStep, TrainedNetwork

PATTERNS: Mapping[str, str] = {
    "start": "H !$1",
    "letters": "H $1",
    "itself": "$1 & !prev O $1",
    "previous": "!$1 & prev ($1 & !prev O $1)",
    "first": "H ($1 <-> !prev true)",
    "all": "O $2 & H ($1 <-> $2)",
    "rightmost": "(!$2 & !$1) S ($2 & $1 & !prev O $1)",
    "leftmost": "O $2 & H ($1 <-> $2 & !prev O $2)",
    "marks": "$2"}
"""The prefixes whose marked positions ($1) are the pattern's, for keys at which $2 holds; judged at the query.

``start`` is the tokens before the word; ``letters`` are all positions of letters up to the query. For ``marks`` the
formula $2 is itself over marked letters: any set of positions that is regular in the prefix.
"""
OF_KEYS = ("all", "rightmost", "leftmost")
"""The patterns that a formula of the key's prefix completes."""
SINGLE = ("itself", "previous", "first", "rightmost", "leftmost")
"""The patterns of one position."""


@dataclass(frozen=True)
class HeadPattern:
    """A set of positions: the name of a pattern, and the formula that holds at its keys."""

    name: str
    keys: Formula = TRUE

    def __str__(self) -> str:
        return f"{self.name} {self.keys}" if self.name in (*OF_KEYS, "marks") else self.name


@dataclass(frozen=True)
class HeadClaim:
    """The mass of a head on a pattern, above ``least`` or below ``most``; layers and heads are counted from 1."""

    layer: int
    head: int
    pattern: HeadPattern
    least: Fraction | None = None
    most: Fraction | None = None

    def __str__(self) -> str:
        bounds = [f"more than {self.least}"] * (self.least is not None) + [
            f"less than {self.most}"] * (self.most is not None)
        return f"head {self.layer}.{self.head} has a mass of {' and '.join(bounds)} on: {self.pattern}"


def parse_pattern(text: str, alphabet: Sequence[str], predicates: Mapping[str, PredicateDefinition],
                  names: Sequence[str] = tuple(PATTERNS)) -> HeadPattern:
    """Parse a pattern of one of these names: ``first``, ``rightmost Q_a | Q_b``, ``marks Q['a*']``, ...

    Raises:
        InputError: if there is no such pattern, or its formula does not parse.
    """
    name, _, keys = text.strip().partition(" ")
    if name not in names:
        raise InputError(f"{printable(name)}: expected one of {', '.join(names)}")
    needs = name in (*OF_KEYS, "marks")
    if needs != bool(keys.strip()):
        raise InputError(f"{name}: expected {'a formula' if needs else 'nothing'} after it")
    if name == "marks":
        return HeadPattern(name, parse_formula(keys, (*alphabet, *marked_copies(alphabet)), predicates))
    return HeadPattern(name, parse_formula(keys, alphabet, predicates)) if keys.strip() else HeadPattern(name)


def marked_copies(alphabet: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the marked letters: each with a star, or as many as no letter has."""
    star = "*"
    while any(symbol + star in alphabet for symbol in alphabet):
        star += "*"
    return tuple(symbol + star for symbol in alphabet)


def step_of(network: TrainedNetwork, layer: int, head: int) -> int:
    """Return the number of the step of a layer of attention, which has this head; in the original of an edited network.

    Raises:
        InputError: if there is none.
    """
    network = unedited(network)[0]
    steps = [number for number, step in enumerate(network.steps) if isinstance(step, AttentionStep)]
    if not 1 <= layer <= len(steps):
        raise InputError(f"layer {layer}, expected 1 to {len(steps)}")
    step = network.steps[steps[layer - 1]]
    assert isinstance(step, AttentionStep)
    if not 1 <= head <= len(step.heads):
        raise InputError(f"head {layer}.{head}, expected 1 to {len(step.heads)} in layer {layer}")
    return steps[layer - 1]


def mass_question(network: TrainedNetwork, words: WordsClaim, claim: HeadClaim, given: Formula = TRUE
                  ) -> tuple[TrainedNetwork, WordsClaim]:
    """Return the network whose first logit is the mass, its second 1, and the claim about them on marked words.

    ``words`` states the words; its cases are not used. Nothing is judged where ``given`` is false.

    Raises:
        InputError: if the network has no such head, or the mass has no bound.
        Unsupported: if a query attends to later letters.
    """
    if not network.is_causal and words.read == "each":
        raise Unsupported("each letter's query attends to later letters; expected a causal network, or read = \"last\"")
    step = step_of(network, claim.layer, claim.head)
    is_start = claim.pattern.name == "start"
    copied = sorted({*words.tokens, *(words.before if is_start else ())})
    mark = {token: network.vocabulary + number for number, token in enumerate(copied)}
    probe = edit_network(network, [MarkTokens(tuple(copied)), ReadHead(step, claim.head - 1, "mass")])
    rows: list[Row] = []
    if claim.least is not None:
        rows.append(((0, Fraction(1)), (1, -claim.least))[:1 + (claim.least != 0)])
    if claim.most is not None:
        rows.append(((0, Fraction(-1)), (1, claim.most))[:1 + (claim.most != 0)])
    if not rows:
        raise InputError("no bound of the mass, expected the least or the greatest one")
    stars = marked_copies(words.alphabet)
    return probe, replace(
        words, alphabet=(*words.alphabet, *stars), tokens=(*words.tokens, *(mark[token] for token in words.tokens)),
        before=tuple(mark[token] for token in words.before) if is_start else words.before, empty=False,
        margin=Fraction(0), automaton=None, cases=(Case(When(marked_formula(words.alphabet, claim.pattern, given)),
                                                        tuple(rows)),), title=str(claim))


def marked_formula(alphabet: Sequence[str], pattern: HeadPattern, given: Formula = TRUE) -> Formula:
    """Return the formula of prefixes whose marks are those of the pattern, where ``given`` holds."""
    keys = pattern.keys if pattern.name == "marks" else with_marks(alphabet, pattern.keys)
    found = pattern_formula(alphabet, pattern.name, keys)
    return found if given is TRUE else And(found, with_marks(alphabet, given))


def with_marks(alphabet: Sequence[str], formula: Formula) -> Formula:
    """Return the formula about letters with or without marks."""
    stars = dict(zip(alphabet, marked_copies(alphabet), strict=True))
    return replace_symbols(formula, lambda symbol: Or(Symbol(symbol), Symbol(stars[symbol])))


def or_itself(alphabet: Sequence[str], pattern: HeadPattern) -> HeadPattern:
    """Return the marks of a pattern of one position, and of the query where there is no such position."""
    none = {"previous": "!prev true", "first": "false", "itself": "false"}.get(pattern.name, "!O $2")
    otherwise = parse_formula(f"$1 & {none}", table={
        "$1": pattern_formula(alphabet, "itself", TRUE), "$2": with_marks(alphabet, pattern.keys)})
    return HeadPattern("marks", Or(marked_formula(alphabet, pattern), otherwise))


def pattern_formula(alphabet: Sequence[str], name: str, keys: Formula) -> Formula:
    """Return the formula of a pattern whose keys are those where ``keys``, over the marked alphabet, holds."""
    marks = [Symbol(star) for star in marked_copies(alphabet)]
    is_marked: Formula = marks[0]
    for mark in marks[1:]:
        is_marked = Or(is_marked, mark)
    return parse_formula(PATTERNS[name], table={"$1": is_marked, "$2": keys})


def find_pattern(claim: WordsClaim) -> HeadPattern | None:
    """Return the pattern that the claim of ``mass_question`` is about, without what is ``given``; None for others."""
    letters = claim.alphabet[:len(claim.alphabet) // 2]
    if len(claim.cases) != 1 or not letters or claim.alphabet[len(letters):] != marked_copies(letters):
        return None
    formula, place = claim.cases[0].when.formula, Symbol("$")
    for name in PATTERNS:
        if name == "marks":  # any formula
            continue
        keys = dict[Formula, Formula]()
        if formula is not None and _binds(pattern_formula(letters, name, place), formula, place, keys):
            return HeadPattern(name, _unmarked(keys[place], letters)) if keys else HeadPattern(name)
    return None


def _binds(pattern: object, found: object, place: Formula, bound: dict[Formula, Formula]) -> bool:
    """Return whether ``found`` is the pattern with one formula in all places, which is then bound."""
    if pattern is place:
        return isinstance(found, Formula) and bound.setdefault(place, found) == found
    if isinstance(pattern, tuple) and isinstance(found, tuple):
        return len(pattern) == len(found) and all(
            _binds(one, other, place, bound) for one, other in zip(pattern, found, strict=True))
    if isinstance(pattern, Formula) and isinstance(found, Formula):
        return type(pattern) is type(found) and _binds(pattern.fields(), found.fields(), place, bound)
    return pattern == found


def _unmarked(keys: Formula, letters: Sequence[str]) -> Formula:
    """Return the formula with ``Q_a`` in place of "a or its marked copy"."""
    either = {Or(Symbol(letter), Symbol(star)): Symbol(letter)
              for letter, star in zip(letters, marked_copies(letters), strict=True)}

    def rebuild(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(rebuild, value))
        if not isinstance(value, Formula | Count | Term):
            return value
        return either[value] if isinstance(value, Or) and value in either else type(value)(*map(
            rebuild, value.fields()))

    found: Formula = rebuild(keys)
    return found
