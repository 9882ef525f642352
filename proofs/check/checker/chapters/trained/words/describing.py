"""Sentences for the claim of an accepted decision, or for a wrong word; written from what was parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ....kernel.kind import entry
from ....kernel.language import Language
from ....kernel.verdicts import quote_all, show
from ..describing import EXACT, FALSE, IN_RUNS, describe_network, words_of_choices, write_tokens
from ..reading.decision import Decision
from ..reading.network import LogitRow, Network
from ..reading.words_claim import EVERY, Case, TrainedClaim
from .obligations import greatest_length

if TYPE_CHECKING:
    from ..reading.counterexamples import WrongWord


def write_runs(numbers: Sequence[int]) -> str:
    """Write ascending numbers, consecutive ones as first..last."""
    known = {*numbers}
    starts = [number for number in numbers if number - 1 not in known]
    ends = [number for number in numbers if number + 1 not in known]
    pairs = zip(starts, ends, strict=True)
    return ", ".join(f"{first}..{last}" if first < last else str(first) for first, last in pairs)


def describe_wrong_word(given: Decision[TrainedClaim, WrongWord], coverage: object, lines: list[str]) -> list[str]:
    """Return the claim that is false, and the wrong word."""
    del coverage
    claim, wrong = given.claim, given.evidence
    return [
        FALSE, *lines, *entry("wrong word", [quote_all(claim.alphabet[letter] for letter in wrong.word)]),
        *entry("where", [f"at offset {wrong.offset}, place {wrong.place}, in case {wrong.case + 1}:",
                         words_of_wrong_row(claim, wrong.case, wrong.row)]),
        *words_of_choices(wrong.choices)]


def words_of_wrong_row(claim: TrainedClaim, case: int, row: int) -> str:
    """Return the row that is not above the margin."""
    return f"{words_of_row(claim.cases[case].above[row])} is at most {show(claim.margin)}"


def describe_claim(given: Decision[TrainedClaim, object]) -> list[str]:
    """Describe network and claim completely."""
    network, claim, language = given.network, given.claim, given.claim.language
    return [
        *describe_network(network),
        *entry("alphabet", [f"{quote_all(claim.alphabet)}"]),
        *entry("input", list(words_of_input(claim))),
        *entry("claim", list(words_of_claim(network, claim, IN_RUNS if given.floats else EXACT,
                                            given.counts is not None))),
        *entry("where", [language.write_definition(name) for name in claim.predicates]),
        *entry("automaton", list(words_of_automaton(claim))),
        *(line for number, case in enumerate(claim.cases, 1)
          for line in entry(f"case {number}", list(words_of_case(case, claim, language))))]


def words_of_input(claim: TrainedClaim) -> Iterator[str]:
    """Yield the layout of a word's tokens."""
    yield f"a token for each letter, in the order of the alphabet: {write_tokens(claim.tokens)}"
    yield f"tokens before them: {write_tokens(claim.before)}; after them: {write_tokens(claim.after)}"


def words_of_claim(network: Network, claim: TrainedClaim, numbers: str, is_counted: bool = False) -> Iterator[str]:
    """Yield what holds of every word, and where; if right words are counted, of a right one.

    ``numbers`` names the kind of logits.
    """
    low, high = claim.offsets
    most = max(greatest_length(network, claim, low), 0)
    lengths = f"{claim.min_n} or more" if claim.max_n == EVERY else f"{claim.min_n}..{most}"
    whole = " (its whole domain)" if is_whole_domain(network, claim) else ""
    where = {"each": "at every letter's token" + (" and at the last token before" * claim.empty),
             "last": "at the last token, for the whole word",
             "first": "at the first token, for the whole word"}[claim.read]
    if is_counted:
        yield "the number of right words of each length, below: of the words over the alphabet after whose"
        yield f"last letter a case with a row holds. A word is right if, at every offset {low}..{high}"
    else:
        yield f"on every word of length {lengths} over the alphabet, at every offset {low}..{high}"
    yield f"at which its tokens have rows of the tables{whole}:"
    yield f"{where}, wherever a case holds, each of its rows is more than"
    yield f"{show(claim.margin)} ({numbers})"


def is_whole_domain(network: Network, claim: TrainedClaim) -> bool:
    """Return whether the claim has every length and offset for which the tables have rows."""
    if network.rows is None or claim.offsets[0] or claim.min_n > 1:
        return False
    most = network.rows - len(claim.before) - len(claim.after)
    return claim.max_n >= most >= 1 and claim.offsets[1] >= most - 1


def words_of_automaton(claim: TrainedClaim) -> Iterator[str]:
    """Yield all steps of the automaton."""
    if claim.automaton is None:
        return
    yield f"starts in state {claim.automaton.start}"
    for state, steps in enumerate(claim.automaton.steps):
        yield f"state {state}: " + ", ".join(f"{letter} to {target}" for letter, target in
                                             zip(map(ascii, claim.alphabet), steps, strict=True))


def words_of_case(case: Case, claim: TrainedClaim, language: Language) -> Iterator[str]:
    """Yield the condition of a case, and its rows."""
    if case.when.formula is not None:
        lines = language.write(case.when.formula)
        yield f"where {lines[0]}"
        yield from lines[1:]
    if case.when.states is not None:
        yield f"where the automaton is in state {' or '.join(map(str, sorted(case.when.states))) or 'none'}"
    yield from map(words_of_row, case.above)


def words_of_row(row: LogitRow) -> str:
    """Write a linear form of logits."""
    return " + ".join(f"{show(c)} * logit {token}" for token, c in row) or "0"
