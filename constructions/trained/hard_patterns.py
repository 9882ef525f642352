"""Hard attention to a pattern: the network with some heads hardened, and its claim over marked words.

Each word has one marking that the claim judges: so the claim is about all words. docs/background/parts.md, section 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.replacement import replace_symbols
from constructions.language.semantics import satisfies
from constructions.language.syntax import TRUE, And, Constant, Formula, Iff, Implies, Not, Or, Symbol, subformulas
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, When, WordsClaim, check_fits
from constructions.trained.edit_kinds import AttendHard, Edit, MarkTokens
from constructions.trained.edits import check_unedited, edit_network
from constructions.trained.head_patterns import HeadPattern, step_of
from constructions.trained.network import TrainedNetwork

TOTAL: Mapping[str, str] = {
    "start": "true",
    "letters": "H $1",
    "itself": "$1 & !prev O $1",
    "previous": "!$1 & (prev ($1 & !prev O $1) | !prev true)",
    "first": "H ($1 <-> !prev true)",
    "all": "H ($1 <-> $2)",
    "rightmost": "(!$2 & !$1) S ($2 & $1 & !prev O $1) | H (!$2 & !$1)",
    "leftmost": "H ($1 <-> $2 & !prev O $2)"}
"""The prefixes whose marked positions ($1) are the pattern's, for keys at which $2 holds; none, if it has none."""
OF_EVERY_QUERY = ("start", "letters", "itself", "first", "all", "leftmost")
"""The patterns whose positions are the same for all later queries: one marking is that of each prefix."""
GREATEST = HeadPattern("greatest")
"""The position at which the head's own score is greatest; a pattern has to be found for it."""
MOST_MARKS = 3
"""Different patterns that need marks; each doubles the alphabet."""


@dataclass(frozen=True)
class HardHead:
    """A head that attends to a pattern alone; layers and heads are counted from 1."""

    layer: int
    head: int
    pattern: HeadPattern


def sees_itself(words: WordsClaim) -> bool:
    """Return whether queries are letters of the word, not tokens around it."""
    return words.read == "each" or (words.read == "last" and not words.after)


def is_supported(network: TrainedNetwork, layer: int, pattern: HeadPattern) -> bool:
    """Return whether one marking of a word has the pattern of each query of a layer."""
    return pattern.name in OF_EVERY_QUERY or layer == len(network.attention_steps)


def hard_question(network: TrainedNetwork, words: WordsClaim, hard: Sequence[HardHead]
                  ) -> tuple[TrainedNetwork, WordsClaim]:
    """Return the network with these heads hardened, and the claim about it on marked words.

    Raises:
        InputError: if the network has no such head, or two patterns are of one head.
        Unsupported: if a pattern is of another position for each query of a layer that is not the last one.
    """
    check_unedited(network)
    check_fits(network, words)
    if not network.is_causal and words.read == "each":
        raise Unsupported("each letter's query attends to later letters; expected a causal network, or read = \"last\"")
    marks = list(dict.fromkeys(one.pattern for one in hard if _plain_tokens(words, one.pattern) is None))
    if len(marks) > MOST_MARKS:
        raise Unsupported(f"{len(marks)} different patterns of positions, expected at most {MOST_MARKS}")
    copies = Copies(network, words, marks)
    edits: list[Edit] = [MarkTokens(copies.copied)] if marks else []
    for one in hard:
        step = step_of(network, one.layer, one.head)
        if one.pattern.name not in TOTAL:
            raise Unsupported(f"{one.pattern}: may hold of several markings of a word, expected another pattern")
        if not is_supported(network, one.layer, one.pattern):
            raise Unsupported(f"{one.pattern}: another position for each query, so it is for heads of the last layer")
        edits.append(AttendHard(step, one.head - 1, copies.tokens(one.pattern)))
    title = "; ".join(f"head {one.layer}.{one.head} attends hard to: {one.pattern}" for one in hard)
    return edit_network(network, edits), replace(copies.claim() if marks else words, title=title)


def _plain_tokens(words: WordsClaim, pattern: HeadPattern) -> tuple[int, ...] | None:
    """Return the tokens of the pattern, if it is all positions with these tokens; or None."""
    letters, around = words.tokens, {*words.before, *words.after}
    if pattern.name == "itself" and not (words.read == "last" and words.after):
        return ()
    if pattern.name == "start":
        chosen = {*words.before}
        return None if chosen & {*letters, *words.after} else tuple(sorted(chosen))
    if pattern.name == "letters" or (pattern.name == "all" and is_of_letter(pattern.keys)):
        inside = [pattern.name == "letters" or satisfies(pattern.keys, [symbol], 1) for symbol in words.alphabet]
        chosen = {token for token, is_in in zip(letters, inside, strict=True) if is_in}
        others = {token for token, is_in in zip(letters, inside, strict=True) if not is_in}
        return None if chosen & (others | around) else tuple(sorted(chosen))
    return None


def is_of_letter(formula: Formula) -> bool:
    """Return whether a formula depends on the letter at its position alone."""
    return all(isinstance(part, Constant | Symbol | Not | And | Or | Implies | Iff) for part in subformulas(formula))


class Copies:
    """Copies of tokens and letters, one for each set of marks, in the order of the sets' bits."""

    def __init__(self, network: TrainedNetwork, words: WordsClaim, marks: Sequence[HeadPattern]) -> None:
        self._words, self._marks = words, marks
        self._sets = range(1, 1 << len(marks))
        start = sum(1 << bit for bit, mark in enumerate(marks) if mark.name == "start")
        copied = sorted({*words.tokens, *(words.before if start else ())})
        self.copied = tuple(token for token in copied for _ in self._sets)
        self._copies = {(token, marked): network.vocabulary + place * len(self._sets) + marked - 1
                        for place, token in enumerate(copied) for marked in self._sets}
        self._copies |= {(token, 0): token for token in (*copied, *words.before)}
        self._before = tuple(self._copies[token, start] for token in words.before)
        star = "*"
        while {symbol + star * marked for symbol in words.alphabet for marked in self._sets} & {*words.alphabet}:
            star += "*"
        self.symbols = {(symbol, marked): symbol + star * marked for marked in (0, *self._sets)
                        for symbol in words.alphabet}

    def tokens(self, pattern: HeadPattern) -> tuple[int, ...]:
        """Return the tokens that a head with this pattern attends to."""
        plain = _plain_tokens(self._words, pattern)
        if plain is not None:
            return plain if pattern.name == "start" else tuple(sorted(
                copy for (token, _), copy in self._copies.items() if token in plain)) if self._marks else plain
        bit = self._marks.index(pattern)
        inside = self._words.before if pattern.name == "start" else self._words.tokens
        return tuple(sorted({copy for (token, marked), copy in self._copies.items()
                             if marked >> bit & 1 and token in inside}))

    def either(self, symbol: str) -> Formula:
        """Return the formula of a letter with any marks."""
        return any_of([Symbol(self.symbols[symbol, marked]) for marked in (0, *self._sets)])

    def formula(self) -> Formula:
        """Return the formula of prefixes whose marks are those of all patterns."""
        found: Formula = TRUE
        for bit, pattern in enumerate(self._marks):
            marked = any_of([Symbol(name) for (_, one), name in self.symbols.items() if one >> bit & 1])
            table = {"$1": marked, "$2": replace_symbols(pattern.keys, self.either)}
            one = parse_formula(TOTAL[pattern.name], table=table)
            found = one if found is TRUE else And(found, one)
        return found

    def claim(self) -> WordsClaim:
        """Return the claim on marked words: nothing is judged where marks are not those of the patterns."""
        words, formula = self._words, self.formula()
        cases = [Case(When(formula if case.when.formula is None else And(
            replace_symbols(case.when.formula, self.either), formula), case.when.states), case.above)
            for case in words.cases]
        automaton = words.automaton
        if words.empty:
            automaton, fresh = _with_start(automaton, len(words.alphabet))
            at_start = words.automaton.start if words.automaton else None
            cases += [Case(When(None, (fresh,)), case.above) for case in words.cases if case.when.formula is None
                      and (case.when.states is None or at_start in case.when.states)]
        if automaton is not None:
            automaton = replace(automaton, steps=tuple(tuple(row) * (1 + len(self._sets)) for row in automaton.steps))
        return replace(words, alphabet=tuple(self.symbols.values()), before=self._before,
                       tokens=tuple(self._copies[token, marked] for marked in (0, *self._sets)
                                    for token in words.tokens),
                       automaton=automaton, cases=tuple(cases))


def unmarked(words: WordsClaim, word: Sequence[str]) -> tuple[str, ...]:
    """Return a marked word without its marks: each symbol is a letter of ``words``, followed by stars."""
    return tuple(symbol if symbol in words.alphabet else next(
        letter for letter in words.alphabet if symbol.startswith(letter) and not symbol[len(letter):].strip("*"))
        for symbol in word)


def any_of(formulas: Sequence[Formula]) -> Formula:
    """Return the disjunction."""
    found = formulas[0]
    for one in formulas[1:]:
        found = Or(found, one)
    return found


def _with_start(automaton: Automaton | None, letters: int) -> tuple[Automaton, int]:
    """Return the automaton with a start to which no letter leads, and the number of that state."""
    known = automaton or Automaton(0, ((0,) * letters,))
    fresh = len(known.steps)
    return replace(known, start=fresh, steps=(*known.steps, known.steps[known.start])), fresh
