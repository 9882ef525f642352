"""Claims about a trained network: docs/reference/trained.md, sections 3 and 4, as data.

Words are sequences of symbols; a place is the number of letters read, 0 … n; tokens of the input count from 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from constructions.errors import InputError
from constructions.language.fragments import find_future_subformula
from constructions.language.positional import find_subformula_with_length
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.syntax import Formula
from constructions.regular.automata import Automaton
from constructions.trained.network import TrainedNetwork

Read = Literal["each", "last", "first"]
Row = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class When:
    """The condition of a case: the formula is true and the automaton is in one of the states, as far as given."""

    formula: Formula | None = None
    states: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Case:
    """A case: where ``when`` holds, each row's combination of logits is above the claim's margin."""

    when: When
    above: tuple[Row, ...]


@dataclass(frozen=True)
class WordsClaim:
    """The claim of section 3; ``offsets`` and ``lengths`` are first and last, both inclusive."""

    alphabet: tuple[str, ...]
    tokens: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    offsets: tuple[int, int]
    lengths: tuple[int, int]
    read: Read
    empty: bool
    margin: Fraction
    automaton: Automaton | None
    predicates: tuple[PredicateDefinition, ...]
    cases: tuple[Case, ...]
    title: str = field(default="", compare=False)
    """The author's description of the claim; nothing depends on it."""

    @cached_property
    def letter_index(self) -> dict[str, int]:
        """The index of each symbol in the alphabet."""
        return {symbol: index for index, symbol in enumerate(self.alphabet)}

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas of the cases, in their order."""
        return tuple(case.when.formula for case in self.cases if case.when.formula is not None)

    def letters(self, word: Sequence[str]) -> tuple[int, ...]:
        """Return the word as indices of letters.

        Raises:
            InputError: if a symbol is not in the alphabet.
        """
        for place, symbol in enumerate(word, start=1):
            if symbol not in self.letter_index:
                raise InputError(f"word, position {place}: symbol {symbol!r}, expected one of the claim's "
                                 f"{' '.join(self.alphabet)}")
        return tuple(self.letter_index[symbol] for symbol in word)


def input_tokens(claim: WordsClaim, word: Sequence[str]) -> tuple[int, ...]:
    """Return the tokens that represent a word at the network's input.

    Raises:
        InputError: if a symbol is not in the alphabet.
    """
    return (*claim.before, *(claim.tokens[letter] for letter in claim.letters(word)), *claim.after)


def judged(claim: WordsClaim, n: int) -> list[tuple[int, int]]:
    """Return, for words of length n, the places where logits are judged, each with the index of its token."""
    before = len(claim.before)
    match claim.read:
        case "last":
            return [(n, before + n + len(claim.after) - 1)]
        case "first":
            return [(n, 0)]
    return [(place, before + place - 1) for place in range(0 if claim.empty else 1, n + 1)]


def find_what_is_not_past_only(claim: WordsClaim) -> Formula | None:
    """Return a subformula that looks ahead, counts to the right or mentions n, or None."""
    for formula in claim.formulas:
        found = find_future_subformula(formula) or find_subformula_with_length(formula)
        if found is not None:
            return found
    return None


def is_by_place(network: TrainedNetwork, claim: WordsClaim) -> bool:
    """Return whether obligations are about places of words instead of lengths: later tokens have no effect."""
    ends_here = claim.read == "each" or (claim.read == "last" and not claim.after)
    return network.is_causal and ends_here and find_what_is_not_past_only(claim) is None


def obligations(network: TrainedNetwork, claim: WordsClaim) -> Iterator[tuple[int, int]]:
    """Yield the pairs (offset, place) or (offset, length) to be covered, by offset and then by place or length."""
    shortest, longest = claim.lengths
    around = len(claim.before) + len(claim.after)
    first = shortest
    if is_by_place(network, claim) and claim.read == "each":
        first = 0 if claim.empty else 1
    for offset in range(claim.offsets[0], last_offset(network, around + shortest, claim.offsets) + 1):
        last = longest if network.rows is None else min(longest, network.rows - offset - around)
        for place in range(first, last + 1):
            yield offset, place


def last_offset(network: TrainedNetwork, tokens: int, offsets: tuple[int, int] | None = None) -> int:
    """Return the last offset (of these) where this number of tokens fits into the position tables; 0 without tables."""
    fits = 0 if network.rows is None else network.rows - tokens
    return fits if offsets is None else min(fits, offsets[1])


def claim_of_lengths(network: TrainedNetwork, claim: WordsClaim, first: int, last: int) -> WordsClaim:
    """Return the claim about some of its lengths, at those of its offsets at which they fit."""
    around = len(claim.before) + len(claim.after)
    offsets = (claim.offsets[0], last_offset(network, around + first, claim.offsets))
    return replace(claim, lengths=(first, last), offsets=offsets)


READOUTS = {"each": "at each token", "first": "at its first token only", "last": "at its last token only"}
"""Descriptions of the places at which a network outputs logits."""


def check_fits(network: TrainedNetwork, claim: WordsClaim, where: str = "claim") -> None:
    """Check that the network outputs logits where the claim reads them, and has its tokens, logits and position rows.

    The longest words must have rows at the first offset, and the shortest at the last one: so the claim is about every
    length and every offset that it names.

    Raises:
        InputError: naming the first item that the network lacks.
    """
    if network.readout not in ("each", claim.read):
        raise InputError(f"{where}: read: logits are read {_READS[claim.read]}, but the network outputs them "
                         f"{READOUTS[network.readout]}, expected read = \"{network.readout}\"")
    for name, tokens in (("tokens", claim.tokens), ("before", claim.before), ("after", claim.after)):
        for token in tokens:
            if token >= network.vocabulary:
                raise InputError(f"{where}: {name}: token {token}, but the network has the tokens 0 to "
                                 f"{network.vocabulary - 1}")
    for output in (output for case in claim.cases for row in case.above for output, _ in row):
        if output >= network.outputs:
            raise InputError(f"{where}: the logit of token {output} is judged, but the network has the logits 0 to "
                             f"{network.outputs - 1}")
    _check_rows(network, claim, where)


_READS = {"each": "at each letter", "first": "at the first token", "last": "at the last token"}


def _check_rows(network: TrainedNetwork, claim: WordsClaim, where: str) -> None:
    if network.rows is None:
        if claim.offsets != (0, 0):
            raise InputError(f"{where}: offsets: {list(claim.offsets)}, but the network has no position rows: expected "
                             "0")
        return
    (first, last), (shortest, longest) = claim.offsets, claim.lengths
    most = network.rows - len(claim.before) - len(claim.after)
    if first + longest > most:
        raise InputError(f"{where}: max_n: {longest}, but at offset {first} no word of more than "
                         f"{max(0, most - first)} letters fits into the network's {network.rows} rows of positions")
    if last + shortest > most:
        raise InputError(f"{where}: offsets: {last}, but words of length {shortest} fit into the network's "
                         f"{network.rows} rows of positions at offsets up to {most - shortest} only")
