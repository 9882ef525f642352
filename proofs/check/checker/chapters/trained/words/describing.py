"""What an accepted decision claims, or a wrong word shows, in words; written from what was parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ....kernel.kind import entry
from ....kernel.language import Language
from ....kernel.verdicts import quote_all, show
from ..reading.decision import Decision
from ..reading.network import AttentionStep, Network, Rounding, UnitsStep
from ..reading.words_claim import EVERY, Case, LogitRow, TrainedClaim
from .obligations import greatest_length

if TYPE_CHECKING:
    from ...run_classes.way import Way
    from ..reading.counterexamples import WrongWord

EXACT = "exact reals, real exponentials and square roots"
IN_RUNS = "in every float run of each class below"
VACUOUS = "the claim that follows is VACUOUS: on no word is anything judged:"
FALSE = "the claim that follows is FALSE:"


def covered(coverage: Mapping[str, int]) -> list[str]:
    """What was covered to accept a claim."""
    return entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])


def describe_lengths(claim: TrainedClaim, vacuous: Sequence[int], lines: list[str]) -> list[str]:
    """The lines, with what is said of lengths at which the claim asks nothing."""
    if len(vacuous) == claim.max_n - claim.min_n + 1:
        return [VACUOUS, *lines]
    return lines + entry("vacuous", [] if not vacuous else [
        f"at {len(vacuous)} lengths nothing is judged on any word: {write_runs(vacuous)}"])


def write_runs(numbers: Sequence[int]) -> str:
    """Ascending numbers, consecutive ones as first..last."""
    known = {*numbers}
    starts = [number for number in numbers if number - 1 not in known]
    ends = [number for number in numbers if number + 1 not in known]
    pairs = zip(starts, ends, strict=True)
    return ", ".join(f"{first}..{last}" if first < last else str(first) for first, last in pairs)


def describe_wrong_word(given: Decision[TrainedClaim, WrongWord], coverage: object, lines: list[str]) -> list[str]:
    """The claim that is false, and the word by which it is."""
    del coverage
    claim, wrong = given.claim, given.evidence
    return [
        FALSE, *lines, *entry("wrong word", [quote_all(claim.alphabet[letter] for letter in wrong.word)]),
        *entry("where", [f"at offset {wrong.offset}, place {wrong.place}, in case {wrong.case + 1}:",
                         words_of_wrong_row(claim, wrong.case, wrong.row)]),
        *words_of_way(wrong.way)]


def words_of_wrong_row(claim: TrainedClaim, case: int, row: int) -> str:
    """The row that is not above the margin."""
    return f"{words_of_row(claim.cases[case].above[row])} is at most {show(claim.margin)}"


def words_of_way(way: Way | None) -> list[str]:
    """What the run does in which a claim is false, if it is about runs."""
    return [] if way is None else entry("wrong run", [
        f"every sum {way.order}, products {'fused with sums' if way.fused else 'rounded'},",
        f"weights normalised {'before' if way.before else 'after'} they are multiplied, exponentials to base "
        f"{way.base}"])


def describe_claim(given: Decision[TrainedClaim, object]) -> list[str]:
    """Network and claim, all of it."""
    network, claim, language = given.network, given.claim, given.language
    return [
        *describe_network(network),
        *entry("alphabet", [f"{quote_all(claim.alphabet)}"]),
        *entry("input", list(words_of_input(claim))),
        *entry("claim", list(words_of_claim(network, claim, IN_RUNS if given.floats else EXACT))),
        *entry("where", [language.write_definition(name) for name in claim.predicates]),
        *entry("automaton", list(words_of_automaton(claim))),
        *(line for number, case in enumerate(claim.cases, 1)
          for line in entry(f"case {number}", list(words_of_case(case, claim, language))))]


def describe_network(network: Network) -> list[str]:
    """The network, and what the file says of where it came from."""
    return [
        *entry("network", list(words_of_network(network))),
        *(line for source in network.sources for line in entry("from", [
            f"{quote_all([source.file])}, sha256 {source.sha256}",
            "(not checked; the claim is about the weights in the certificate)"])),
        *entry("compared", [f"{network.compared or 'with no original when it was imported'} (not checked)"])]


def words_of_input(claim: TrainedClaim) -> Iterator[str]:
    """How a word becomes tokens."""
    yield f"a token for each letter, in the order of the alphabet: {write_tokens(claim.tokens)}"
    yield f"tokens before them: {write_tokens(claim.before)}; after them: {write_tokens(claim.after)}"


def write_tokens(tokens: Sequence[int]) -> str:
    """Tokens."""
    return " ".join(map(str, tokens)) or "none"


def counted(number: int, noun: str) -> str:
    """As in "1 head", "2 heads"."""
    return f"{number} {noun}" + "s" * (number != 1)


def words_of_network(network: Network) -> Iterator[str]:
    """Its shape."""
    heads = sum(len(step.heads) for step in network.attention_steps)
    units = sum(step.inward.weight.width for step in network.steps if isinstance(step, UnitsStep))
    steps = sum(isinstance(step, AttentionStep) for step in network.steps)
    kind = "causal" if network.masked else "bidirectional"
    rounded = sum(isinstance(step, UnitsStep) and isinstance(step.activation, Rounding) for step in network.steps)
    kind += f", {counted(rounded, 'rounding')}" * (rounded > 0) + " by the range of all tokens" * network.of_input
    yield (f"{kind}, {counted(steps, 'layer')} of attention, {counted(heads, 'head')}, {counted(units, 'neuron')}, "
           f"width {network.width},")
    rows = "no table of positions" if network.rows is None else f"{counted(network.rows, 'row')} of positions"
    yield (f"{counted(len(network.tokens.rows), 'token')}, {rows}, {counted(network.outputs, 'logit')}, read out at "
           + {"each": "each token", "first": "the first token alone", "last": "the last token alone"}[network.readout])


def words_of_claim(network: Network, claim: TrainedClaim, numbers: str) -> Iterator[str]:
    """What holds of every word, and where; ``numbers`` says of which logits."""
    low, high = claim.offsets
    most = max(greatest_length(network, claim, low), 0)
    lengths = f"{claim.min_n} or more" if claim.max_n == EVERY else f"{claim.min_n}..{most}"
    whole = " (its whole domain)" if is_whole_domain(network, claim) else ""
    where = {"each": "at every letter's token" + (" and at the last token before" * claim.empty),
             "last": "at the last token, for the whole word",
             "first": "at the first token, for the whole word"}[claim.read]
    yield f"on every word of length {lengths} over the alphabet, at every offset {low}..{high}"
    yield f"at which its tokens have rows of the tables{whole}:"
    yield f"{where}, wherever a case holds, each of its rows is more than"
    yield f"{show(claim.margin)} ({numbers})"


def is_whole_domain(network: Network, claim: TrainedClaim) -> bool:
    """Whether every length and offset that the tables have rows for is in the claim."""
    if network.rows is None or claim.offsets[0] or claim.min_n > 1:
        return False
    most = network.rows - len(claim.before) - len(claim.after)
    return claim.max_n >= most >= 1 and claim.offsets[1] >= most - 1


def words_of_automaton(claim: TrainedClaim) -> Iterator[str]:
    """Its steps, all of them."""
    if claim.automaton is None:
        return
    yield f"starts in state {claim.automaton.start}"
    for state, steps in enumerate(claim.automaton.steps):
        yield f"state {state}: " + ", ".join(f"{letter} to {target}" for letter, target in
                                             zip(map(ascii, claim.alphabet), steps, strict=True))


def words_of_case(case: Case, claim: TrainedClaim, language: Language) -> Iterator[str]:
    """When it holds, and its rows."""
    if case.when.formula is not None:
        lines = language.write(case.when.formula)
        yield f"where {lines[0]}"
        yield from lines[1:]
    if case.when.states is not None:
        yield f"where the automaton is in state {' or '.join(map(str, sorted(case.when.states))) or 'none'}"
    yield from map(words_of_row, case.above)


def words_of_row(row: LogitRow) -> str:
    """A linear form of logits."""
    return " + ".join(f"{show(c)} * logit {token}" for token, c in row) or "0"
