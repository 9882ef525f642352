"""The objects of docs/trained.md, sections 3, 4 and 7: a claim about a trained network, and what is to prove it.

A `Decision` says that the claim is true, with a cover of all words; a `WrongWord` that it is false, with a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ....kernel.budget import MAX_N, Budget
from ....kernel.language import Language, Place
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import (
    Fields,
    headed,
    integer_within,
    list_of,
    one_of,
    or_null,
    read_rational,
    read_symbols,
    read_text,
)
from ....kernel.reading.transformer import expect_known_symbols, in_language, read_predicates
from ....kernel.verdicts import expect, quote
from ...along_words.conditions import Automaton, Conditions, When
from .dyadics import read_base64
from .network import Network, read_network

FORMAT_OF_DECISION = "certify-decision"
FORMAT_OF_WRONG_WORD = "certify-wrong-word"
KEYS_OF_COVER = ("graphs", "directions", "cover")
MAX_OFFSET = 1 << 20
MAX_BITS = 256  # of the power of two that stated ranges are over
MAX_CUTS = 64  # above a leaf of a tree of cells
MAX_LEAVES = 1 << 12  # of a tree

LogitRow = tuple[tuple[int, Fraction], ...]
"""The linear form of logits with these (token, coefficient)."""

Count = integer_within(range(1 << 24))
Int32 = integer_within(range(-1 << 31, 1 << 31))
Length = integer_within(range(1, MAX_N + 1))


@dataclass(frozen=True)
class Case:
    """Where ``when`` holds, every row of ``above`` is above the margin."""

    when: When
    above: tuple[LogitRow, ...]


@dataclass(frozen=True)
class TrainedClaim:
    """What is said of all words; docs/trained.md, section 3. ``predicates`` are the places of definitions by name."""

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
    automaton: Automaton | None
    predicates: Mapping[str, Place]
    cases: tuple[Case, ...]

    @property
    def formulas(self) -> list[Place]:
        """The formulas of the cases."""
        return self.conditions.formulas

    @property
    def conditions(self) -> Conditions:
        """Where its cases hold."""
        return Conditions(self.alphabet, self.automaton, tuple(case.when for case in self.cases))


@dataclass(frozen=True)
class WordsUnit:
    """Every word is run: obligations (offset, first), ..., (offset, last)."""

    offset: int
    first: int
    last: int


@dataclass(frozen=True)
class Leaf:
    """A cell: for each row to prove None, or int32 numbers over 2^20, one for each direction of each head."""

    shares: tuple[bytes | None, ...]


@dataclass(frozen=True)
class Cut:
    """The range of a direction of a head of the last attention step ends at / 2^bits below, and begins there above."""

    head: int
    direction: int
    at: int
    below: Tree
    above: Tree


Tree = Leaf | Cut


@dataclass(frozen=True)
class ClassesUnit:
    """The same obligations by classes: a graph, a set of directions, and int32 ranges over 2^bits.

    ``cells`` are how the box of ranges of each asked node is cut; None where none is.
    """

    offset: int
    first: int
    last: int
    graph: int
    directions: int
    bits: int
    ranges: bytes
    cells: tuple[Tree | None, ...] | None = None


CoverPart = WordsUnit | ClassesUnit

Graph = tuple[tuple[tuple[int, ...], ...], ...]
"""Levels of nodes; a node is the tuple of its successors in the next level."""

DirectionMatrices = tuple[tuple[bytes, ...], ...]
"""For each attention step and each head the bytes of an m x m matrix of int32."""


@dataclass(frozen=True)
class Decision:
    """A claim about a network, and a cover of all words."""

    network: Network
    claim: TrainedClaim
    graphs: tuple[Graph, ...]
    directions: tuple[DirectionMatrices, ...]
    cover: tuple[CoverPart, ...]
    language: Language


@dataclass(frozen=True)
class WrongWord:
    """A claim about a network, and a word, an offset, a place, a case and a row by which it is false."""

    network: Network
    claim: TrainedClaim
    word: tuple[int, ...]
    offset: int
    place: int
    case: int
    row: int
    language: Language


def read_decision(document: Json, budget: Budget) -> Decision:
    """The certificate that a document holds."""
    fields = headed(document, FORMAT_OF_DECISION, "network", "claim", *KEYS_OF_COVER)
    network, claim, language = read_subject(fields, budget)
    return read_cover(fields, network, claim, language)


def read_subject(fields: Fields, budget: Budget,
                 length: Callable[[Json], int] = Length) -> tuple[Network, TrainedClaim, Language]:
    """The network, the claim about it, and the language of the claim."""
    language = Language(budget)
    network = fields.read("network", partial(read_network, budget=budget))
    claim = fields.read("claim", partial(read_claim, network=network, language=language, length=length))
    return network, claim, language


def read_cover(fields: Fields, network: Network, claim: TrainedClaim, language: Language) -> Decision:
    """The claim with the cover that is among the fields."""
    graphs = fields.read("graphs", list_of(list_of(list_of(list_of(Count)))))
    directions = fields.read("directions", list_of(partial(read_direction_matrices, network=network)))
    cover = fields.read("cover", list_of(partial(read_unit, network=network)))
    for unit in cover:
        if isinstance(unit, ClassesUnit):
            expect(unit.graph < len(graphs), "cover: there is no graph {}", unit.graph)
            expect(unit.directions < len(directions), "cover: there are no directions {}", unit.directions)
    return Decision(network, claim, graphs, directions, cover, language)


KEYS_OF_WRONG_WORD = ("word", "offset", "place", "case", "row")


def read_wrong_word(document: Json, budget: Budget) -> WrongWord:
    """The refutation that a document holds."""
    return read_word(headed(document, FORMAT_OF_WRONG_WORD, "network", "claim", *KEYS_OF_WRONG_WORD), budget)


def read_word(fields: Fields, budget: Budget) -> WrongWord:
    """A network, a claim and the word among the fields; the word is that of letter indices."""
    network, claim, language = read_subject(fields, budget)
    letters = {symbol: letter for letter, symbol in enumerate(claim.alphabet)}
    symbols = fields.read("word", list_of(read_text))
    expect(letters.keys() >= {*symbols}, "word: a symbol is not in the alphabet")
    case = fields.read("case", integer_within(range(len(claim.cases))) if claim.cases else Count)
    expect(claim.cases and claim.cases[case].above, "case: there is no row")
    return WrongWord(
        network, claim, tuple(letters[symbol] for symbol in symbols),
        offset=fields.read("offset", integer_within(range(MAX_OFFSET + 1))),
        place=fields.read("place", integer_within(range(MAX_N + 1))),
        case=case,
        row=fields.read("row", integer_within(range(len(claim.cases[case].above)))),
        language=language)


def read_claim(value: Json, network: Network, language: Language,
               length: Callable[[Json], int] = Length) -> TrainedClaim:
    """The claim; its tokens and rows fit the network, its formulas the alphabet."""
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
        min_n=fields.read("min_n", length), max_n=fields.read("max_n", length),
        read=str(fields.read("read", one_of("each", "last", "first"))), empty=fields.read("empty", one_of(True, False)),
        margin=fields.read("margin", read_rational), automaton=automaton,
        predicates=predicates,
        cases=fields.read("cases", list_of(partial(read_case, outputs=network.outputs, states=states,
                                                   language=language))))
    expect(len(tokens) == len(alphabet), "tokens: expected one for each symbol")
    expect_sensible(claim)
    expect(network.readout in ("each", claim.read), "read: the network outputs logits of its {} token alone",
           network.readout)
    expect_rows(claim, network)
    expect_known_symbols(language, alphabet)
    return claim


def expect_sensible(claim: TrainedClaim) -> None:
    """Lengths, margin and places where logits are judged."""
    expect(claim.min_n <= claim.max_n, "min_n is above max_n")
    expect(claim.margin >= 0, "margin: expected 0 or more, got {}", claim.margin)
    expect(not claim.empty or (claim.read == "each" and claim.before), "empty: only with each, and a token before")
    expect(len(claim.before) + len(claim.after) <= MAX_N, "limit: {} tokens before and after", MAX_N)


def expect_rows(claim: TrainedClaim, network: Network) -> None:
    """At the first offset there are rows for the longest words, and at the last one for the shortest.

    So whatever length and offset a claim names is one that it is about.
    """
    if network.rows is not None:
        most = network.rows - len(claim.before) - len(claim.after)
        expect(claim.offsets[0] + claim.max_n <= most, "max_n: at offset {} no word longer than {} has rows",
               claim.offsets[0], max(0, most - claim.offsets[0]))
        expect(claim.offsets[1] + claim.min_n <= most, "offsets: no word of length {} has rows at {}",
               claim.min_n, claim.offsets[1])


def read_automaton(value: Json, letters: int) -> Automaton:
    """An automaton in which every state has a step for every letter."""
    fields = Fields(value, "start", "steps")
    steps = fields.read("steps", list_of(list_of(Count)))
    state = integer_within(range(len(steps))) if steps else Count
    expect(steps, "steps: expected a state")
    expect(all(len(row) == letters for row in steps), "steps: expected {} steps of each state", letters)
    expect(all(target < len(steps) for row in steps for target in row), "steps: there are {} states", len(steps))
    return Automaton(fields.read("start", state), steps)


def read_case(value: Json, outputs: int, states: int, language: Language) -> Case:
    """When, and rows of logits."""
    fields = Fields(value, "when", "above")
    return Case(fields.read("when", partial(read_when, states=states, language=language)),
                fields.read("above", list_of(partial(read_row, outputs=outputs))))


def read_when(value: Json, states: int, language: Language) -> When:
    """A formula, states of the automaton, or both."""
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
    """Coefficients of logits, none 0, tokens ascending."""
    row = list_of(partial(read_entry, outputs=outputs))(value)
    found = [token for token, _ in row]
    expect(found == sorted(set(found)) and all(c for _, c in row), "expected ascending tokens, no coefficient 0")
    return row


def read_entry(value: Json, outputs: int) -> tuple[int, Fraction]:
    """A token and its coefficient."""
    expect(isinstance(value, list) and len(value) == 2, "expected a token and a coefficient, got {}", quote(value))
    return integer_within(range(outputs))(value[0]), read_rational(value[1])


def read_direction_matrices(value: Json, network: Network) -> DirectionMatrices:
    """For each attention step, for each head, the bytes of an m x m matrix of int32, m the width of its values."""
    found = list_of(list_of(read_base64))(value)
    wanted = [[4 * head.value.weight.width ** 2 for head in step.heads] for step in network.attention_steps]
    expect([list(map(len, step)) for step in found] == wanted, "expected a matrix for each head of each attention step")
    return found


def read_unit(value: Json, network: Network) -> CoverPart:
    """A unit of the cover; how it is proved says which fields it has."""
    if not isinstance(value, dict) or value.get("by") != "classes":
        fields = Fields(value, "offset", "from", "to", "by")
        fields.read("by", one_of("words", "classes"))
        return WordsUnit(*read_obligations(fields))
    fields = Fields(value, "offset", "from", "to", "by", "graph", "directions", "bits", "ranges", "cells",
                    optional=("cells",))
    return ClassesUnit(*read_obligations(fields), fields.read("graph", Count), fields.read("directions", Count),
                       fields.read("bits", integer_within(range(MAX_BITS + 1))), fields.read("ranges", read_base64),
                       read_cells(fields, network) if "cells" in fields else None)


def read_cells(fields: Fields, network: Network) -> tuple[Tree | None, ...]:
    """For each asked node a tree or None."""
    steps = network.attention_steps
    widths = [head.value.weight.width for head in (steps[-1].heads if steps else ())]
    expect(widths, "cells: no head has ranges to cut")
    return fields.read("cells", list_of(or_null(partial(read_whole_tree, widths=widths))))


def read_whole_tree(value: Json, widths: Sequence[int]) -> Tree:
    """A tree, within its limits; ``widths`` are the numbers of directions of the heads."""
    tree = read_tree(value, widths, 0)
    expect(count_leaves(tree) <= MAX_LEAVES, "limit: {} cells of a node", MAX_LEAVES)
    return tree


def read_tree(value: Json, widths: Sequence[int], cuts: int) -> Tree:
    """A tree below so many cuts."""
    expect(cuts <= MAX_CUTS, "limit: {} cuts above a cell", MAX_CUTS)
    if isinstance(value, dict) and "shares" in value:
        fields = Fields(value, "shares")
        return Leaf(fields.read("shares", list_of(or_null(partial(read_share, width=sum(widths))))))
    fields = Fields(value, "head", "direction", "at", "below", "above")
    head = fields.read("head", integer_within(range(len(widths))))
    deeper = partial(read_tree, widths=widths, cuts=cuts + 1)
    return Cut(head, fields.read("direction", integer_within(range(widths[head]))), fields.read("at", Int32),
               fields.read("below", deeper), fields.read("above", deeper))


def read_share(value: Json, width: int) -> bytes:
    """The bytes of so many int32 numbers."""
    data = read_base64(value)
    expect(len(data) == 4 * width, "{} bytes, expected {}", len(data), 4 * width)
    return data


def count_leaves(tree: Tree) -> int:
    """The cells of a tree."""
    return count_leaves(tree.below) + count_leaves(tree.above) if isinstance(tree, Cut) else 1


def read_obligations(fields: Fields) -> tuple[int, int, int]:
    """Offset, and the first and last place or length."""
    place = integer_within(range(MAX_N + 1))
    offset = fields.read("offset", integer_within(range(MAX_OFFSET + 1)))
    first, last = fields.read("from", place), fields.read("to", place)
    expect(first <= last, "from is above to")
    return offset, first, last
