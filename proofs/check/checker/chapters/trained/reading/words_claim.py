"""Claims about words, docs/reference/trained.md, section 3."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from ....kernel.budget import MAX_N, Budget
from ....kernel.language import Language, Place
from ....kernel.reading.document import Json
from ....kernel.reading.formulas import expect_known_symbols, in_language, read_predicates
from ....kernel.reading.shapes import (
    Fields,
    integer_within,
    list_of,
    one_of,
    or_null,
    read_rational,
    read_symbols,
)
from ....kernel.verdicts import expect, quote
from ...word_semantics.conditions import ClaimAutomaton, Conditions, When, is_past_only
from .network import MAX_OFFSET, Count, LogitRow, Network

Length = integer_within(range(1, MAX_N + 1))
LONGEST = 1 << 40  # of the lengths of a claim about any, unless it is about every length
EVERY = 1 << 62  # instead of the greatest length, for a claim about every length


@dataclass(frozen=True)
class Case:
    """A case: where ``when`` holds, every row of ``above`` is above the margin."""

    when: When
    above: tuple[LogitRow, ...]


@dataclass(frozen=True)
class TrainedClaim:
    """A claim about all words.

    See docs/reference/trained.md, section 3. Places, as in ``predicates``, are those of ``language``.
    """

    alphabet: tuple[str, ...]
    tokens: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    offsets: tuple[int, int]
    min_n: int
    max_n: int
    read: str
    empty: bool
    margin: Fraction
    automaton: ClaimAutomaton | None
    predicates: Mapping[str, Place]
    cases: tuple[Case, ...]
    language: Language = field(repr=False, compare=False)

    @property
    def widths(self) -> range:
        """All lengths."""
        return range(self.min_n, self.max_n + 1)

    @property
    def combinations(self) -> int:
        """The number of letters."""
        return len(self.alphabet)

    @property
    def all_tokens(self) -> set[int]:
        """The tokens of all inputs."""
        return {*self.before, *self.tokens, *self.after}

    @property
    def longest_input(self) -> int:
        """The number of tokens of the longest input."""
        return len(self.before) + self.max_n + len(self.after)

    @property
    def formulas(self) -> list[Place]:
        """The formulas of the cases."""
        return self.conditions.formulas

    @property
    def is_past_only(self) -> bool:
        """Whether no formula looks ahead."""
        return all(is_past_only(self.language, formula) for formula in self.formulas)

    @property
    def conditions(self) -> Conditions:
        """The conditions of its cases."""
        return Conditions(self.alphabet, self.automaton, tuple(case.when for case in self.cases))


@dataclass(frozen=True)
class WordsUnit:
    """Places (or lengths) ``first`` ... ``last`` at an offset: obligations; as a unit of a cover, run word by word."""

    offset: int
    first: int
    last: int


@dataclass(frozen=True)
class EachWord:
    """The evidence that every word is run, which is empty."""


def read_each_word(value: Json, about: object) -> EachWord:
    """Parse the empty evidence."""
    del about
    Fields(value)
    return EachWord()


def read_claim(value: Json, network: Network, budget: Budget, any_length: bool = False) -> TrainedClaim:
    """Parse the claim, which fits the network; ``any_length`` allows any length, and null as the greatest one."""
    language = Language(budget)
    least = integer_within(range(1, LONGEST + 1)) if any_length else Length
    greatest = read_any_length if any_length else Length
    fields = Fields(value, "alphabet", "tokens", "before", "after", "offsets", "min_n", "max_n", "read", "empty",
                    "margin", "automaton", "predicates", "cases")
    token = integer_within(range(len(network.tokens.rows)))
    alphabet = fields.read("alphabet", read_symbols)
    tokens, before, after = (fields.read(key, list_of(token)) for key in ("tokens", "before", "after"))
    offsets = fields.read("offsets", list_of(integer_within(range(MAX_OFFSET + 1))))
    expect(len(offsets) == 2 and offsets[0] <= offsets[1], "offsets: expected first and last")
    expect(network.rows is not None or offsets == (0, 0), "offsets: expected 0, as there is no table of positions")
    automaton = fields.read("automaton", or_null(partial(read_automaton, letters=len(alphabet))))
    predicates = fields.read("predicates", partial(read_predicates, language=language))
    states = len(automaton.steps) if automaton else 0
    claim = TrainedClaim(
        alphabet, tokens, before, after, (offsets[0], offsets[1]),
        min_n=fields.read("min_n", least), max_n=fields.read("max_n", greatest),
        read=str(fields.read("read", one_of("each", "last", "first"))), empty=fields.read("empty", one_of(True, False)),
        margin=fields.read("margin", read_rational), automaton=automaton,
        predicates=predicates, language=language, cases=fields.read(
            "cases", list_of(partial(read_case, outputs=network.outputs, states=states, language=language))))
    expect(len(tokens) == len(alphabet), "tokens: expected one for each symbol")
    expect_sensible(claim)
    expect(network.readout in ("each", claim.read), "read: the network outputs logits of its {} token only",
           network.readout)
    expect_rows(claim, network)
    expect_known_symbols(language, alphabet)
    return claim


def read_claim_of_any_length(value: Json, network: Network, budget: Budget) -> TrainedClaim:
    """Parse the claim about words of any length."""
    return read_claim(value, network, budget, any_length=True)


def read_any_length(value: Json) -> int:
    """Parse a length, or null."""
    return EVERY if value is None else integer_within(range(1, LONGEST + 1))(value)


def expect_sensible(claim: TrainedClaim) -> None:
    """Require that lengths, margin and the places of logits make sense."""
    expect(claim.min_n <= claim.max_n, "min_n is above max_n")
    expect(claim.margin >= 0, "margin: expected 0 or more, got {}", claim.margin)
    expect(not claim.empty or (claim.read == "each" and claim.before), "empty: only with each, and a token before")
    expect(len(claim.before) + len(claim.after) <= MAX_N, "limit: {} tokens before and after", MAX_N)


def expect_rows(claim: TrainedClaim, network: Network) -> None:
    """Require rows for the longest words at the first offset, and the shortest at the last: for all that is claimed."""
    if network.rows is not None:
        most = network.rows - len(claim.before) - len(claim.after)
        expect(claim.offsets[0] + claim.max_n <= most, "max_n: at offset {} no word longer than {} has rows",
               claim.offsets[0], max(0, most - claim.offsets[0]))
        expect(claim.offsets[1] + claim.min_n <= most, "offsets: no word of length {} has rows at {}",
               claim.min_n, claim.offsets[1])


def read_automaton(value: Json, letters: int) -> ClaimAutomaton:
    """Parse an automaton in which every state has a step for every letter."""
    fields = Fields(value, "start", "steps")
    steps = fields.read("steps", list_of(list_of(Count)))
    state = integer_within(range(len(steps))) if steps else Count
    expect(steps, "steps: expected a state")
    expect(all(len(row) == letters for row in steps), "steps: expected {} steps of each state", letters)
    expect(all(target < len(steps) for row in steps for target in row), "steps: there are {} states", len(steps))
    return ClaimAutomaton(fields.read("start", state), steps)


def read_case(value: Json, outputs: int, states: int, language: Language) -> Case:
    """Parse a condition, and rows of logits."""
    fields = Fields(value, "when", "above")
    return Case(fields.read("when", partial(read_when, states=states, language=language)),
                fields.read("above", list_of(partial(read_row, outputs=outputs))))


def read_when(value: Json, states: int, language: Language) -> When:
    """Parse a formula, states of the automaton, or both."""
    fields = Fields(value, "formula", "states", optional=("formula", "states"))
    expect("formula" in fields or "states" in fields, "expected a formula or states")
    formula = fields.read("formula", in_language(language.formula)) if "formula" in fields else None
    if "states" not in fields:
        return When(formula, None)
    found = fields.read("states", list_of(Count))
    expect(all(state < states for state in found), "states: the automaton has {}", states)
    expect(list(found) == sorted(set(found)), "states: expected ascending ones")
    return When(formula, frozenset(found))


def read_row(value: Json, outputs: int) -> LogitRow:
    """Parse a row: coefficients of logits, none 0, tokens ascending."""
    row = list_of(partial(read_entry, outputs=outputs))(value)
    found = [token for token, _ in row]
    expect(found == sorted(set(found)) and all(c for _, c in row), "expected ascending tokens, no coefficient 0")
    return row


def read_entry(value: Json, outputs: int) -> tuple[int, Fraction]:
    """Parse a token and its coefficient."""
    expect(isinstance(value, list) and len(value) == 2, "expected a token and a coefficient, got {}", quote(value))
    return integer_within(range(outputs))(value[0]), read_rational(value[1])
