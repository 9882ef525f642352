"""Claims about the attention of heads: a table of what each attends to, and proofs of lower bounds of its mass."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, log
from typing import get_args

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.head_averages import Near, NearRow, decide_near, measure_near, prove_near
from certify.common.verdicts import WithExitStatus, worst
from certify.requests.quantities import read_positive, read_share
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.syntax import TRUE, Formula, Symbol
from constructions.text import printable
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.edits import free_heads, unedited
from constructions.trained.head_patterns import (
    OF_KEYS,
    PATTERNS,
    SINGLE,
    HeadClaim,
    HeadPattern,
    mass_question,
    parse_pattern,
)
from constructions.trained.network import AttentionStep, TrainedNetwork
from proofs.trained.masses import Masses, MassRange

DIGITS = 4
"""Decimal places of a least mass that is to be proved."""
SHOWN = 3
"""Patterns of a head in the table."""


@dataclass(frozen=True)
class HeadRow:
    """The masses of a head on a pattern: the least and the greatest one, over all lengths, in floating point.

    ``by_length`` has both for each length; ``decision`` is that of the claim that the mass is at least ``claimed``.
    """

    layer: int
    head: int
    pattern: HeadPattern
    by_length: tuple[MassRange, ...]
    claimed: Fraction | None = None
    decision: Decision | None = None

    @property
    def least(self) -> MassRange:
        """The length with the least mass."""
        return min(self.by_length, key=lambda one: one.least)

    @property
    def most(self) -> MassRange:
        """The length with the greatest mass."""
        return max(self.by_length, key=lambda one: one.most)

    @property
    def hardness(self) -> "Hardness | None":
        """Consequences of the proved mass, if it is certified, of one position, and above 1/2."""
        is_proved = self.decision is not None and self.decision.verdict == "certified"
        if not is_proved or self.claimed is None or self.claimed <= Fraction(1, 2) or self.pattern.name not in SINGLE:
            return None
        return Hardness.of(1 - self.claimed)


@dataclass(frozen=True)
class Hardness:
    """Consequences of a mass of at least 1 - ε > 1/2 on one position (docs/background/parts.md, Theorems 3 and 4).

    Softmax is ``within`` 2ε of hard attention, whatever breaks ties, as there are none: the score at the position
    is ahead by at least ``gap``, rounded down. With scores times 2 it is within ``doubled``.
    """

    within: Fraction
    gap: float
    doubled: Fraction

    @classmethod
    def of(cls, error: Fraction) -> "Hardness":
        """Return the consequences of a mass of at least 1 - ``error``, below 1/2."""
        ratio = (1 - error) / error if error else None
        gap = float("inf") if ratio is None else floor(log(ratio) * 1000 - 1e-6) / 1000
        return cls(2 * error, gap, 2 * (error / (1 - error))**2)


@dataclass(frozen=True)
class HeadsTable(WithExitStatus):
    """The masses of every head: rows by head, the largest least mass first; and errors of averages."""

    network: TrainedNetwork
    words: WordsClaim
    rows: tuple[HeadRow, ...]
    averages: tuple[NearRow, ...]
    seconds: float

    @property
    def verdict(self) -> str:
        """The worst verdict of what is proved; "measured" if nothing is to be proved."""
        decisions = [row.decision for row in self.rows] + [row.decision for row in self.averages]
        return worst({one.verdict for one in decisions if one} or {"measured"})

    @property
    def certificates(self) -> Mapping[str, str]:
        """The certificates by file name, one for each proved claim."""
        named = [(f"head_{row.layer}_{row.head}.cert", row.decision) for row in self.rows] + [
            (f"head_{row.layer}_{row.head}_{row.near}.cert", row.decision) for row in self.averages]
        return {name: one.certificate for name, one in named if one and one.certificate}

    @property
    def shown(self) -> Iterator[HeadRow]:
        """The first rows of each head."""
        for layer, head in dict.fromkeys((row.layer, row.head) for row in self.rows):
            yield from [row for row in self.rows if (row.layer, row.head) == (layer, head)][:SHOWN]


@dataclass(frozen=True)
class HeadsQuestion:
    """A question about heads: ``only`` one or all, on patterns (none: those of ``family``), where ``given`` holds.

    ``near`` are kinds of averages to compare with; without any, masses are measured.
    """

    only: tuple[int, int] | None = None
    patterns: tuple[HeadPattern, ...] = ()
    near: tuple[Near, ...] = ()
    given: Formula = TRUE
    proves: bool = False


def find_patterns(network: TrainedNetwork, words: WordsClaim, question: HeadsQuestion = HeadsQuestion(),
                  settings: Settings | None = None) -> HeadsTable:
    """Return the masses of heads on patterns, and errors of averages; what is asked to be proved is proved.

    A single position is preferred to a set of several. With ``proves`` the first pattern of each head is proved. Words
    are at the first offset of the claim. Heads are numbered as in the original of an edited network.

    Raises:
        InputError: if the words or the head do not fit the network.
    """
    start = time.perf_counter()
    check_fits(network, words)
    words = replace(words, offsets=(words.offsets[0],) * 2)
    masses, rows, averages = Masses(network, words), list[HeadRow](), list[NearRow]()
    heads = [question.only] if question.only else numbered_heads(network)
    if not heads:
        raise InputError("the network has no heads, expected at least one")
    for layer, head in heads:
        if not question.near or "hard" in question.near:
            found = measure_patterns(masses, words, layer, head, question)
            if question.proves and found:
                found[0] = prove_row(network, words, found[0], settings, question.given)
            rows += found
        for near in question.near:
            if near != "hard":
                row = measure_near(network, words, (layer, head), near, question.given)
                averages.append(prove_near(network, words, row, settings, question.given) if question.proves else row)
    return HeadsTable(network, words, tuple(rows), tuple(averages), time.perf_counter() - start)


def numbered_heads(network: TrainedNetwork) -> list[tuple[int, int]]:
    """Return the layer and number, from 1, of each head that is not set to constants."""
    original = unedited(network)[0]
    steps = [number for number, step in enumerate(original.steps) if isinstance(step, AttentionStep)]
    return [(steps.index(step) + 1, head + 1) for step, head in free_heads(network)]


def measure_patterns(masses: Masses, words: WordsClaim, layer: int, head: int, question: HeadsQuestion
                     ) -> list[HeadRow]:
    """Return the row of each pattern with a word, best first."""
    patterns = question.patterns or family(words)
    if question.near:
        patterns = tuple(pattern for pattern in patterns if pattern.name in SINGLE)
    rows = [HeadRow(layer, head, pattern, by_length) for pattern in patterns
            if (by_length := tuple(masses.ranges(layer, head, pattern, question.given)))]
    return sorted(rows, key=rank)


def rank(row: HeadRow) -> tuple[bool, float]:
    """Return the key of the order of rows: first those that are nearly hard, then by the least mass."""
    return not (row.pattern.name in SINGLE and row.least.least > 1 / 2), -row.least.least


def family(words: WordsClaim) -> tuple[HeadPattern, ...]:
    """Return the patterns that are tried: those without a formula, and all, the last, the first a, for each letter."""
    return (*(HeadPattern(name) for name in PATTERNS
               if name not in (*OF_KEYS, "marks") and (name != "start" or words.before)),
            *(HeadPattern(name, Symbol(symbol)) for symbol in words.alphabet for name in OF_KEYS))


def prove_row(network: TrainedNetwork, words: WordsClaim, row: HeadRow, settings: Settings | None,
              given: Formula = TRUE) -> HeadRow:
    """Return the row with the decision of its claim: the least mass, rounded down."""
    least = Fraction(max(0, floor(row.least.least * 10**DIGITS) - 1), 10**DIGITS)
    if not least:
        return row
    return replace(row, claimed=least, decision=decide_mass(
        network, words, HeadClaim(row.layer, row.head, row.pattern, least), settings, given))


def decide_mass(network: TrainedNetwork, words: WordsClaim, claim: HeadClaim, settings: Settings | None = None,
                given: Formula = TRUE) -> Decision:
    """Decide a claim about the mass of a head on all words.

    Raises:
        InputError: if the network has no such head, or the words do not fit.
    """
    if claim.least is None and claim.most is None:
        raise InputError("expected the least or the greatest mass that is claimed")
    return decide(*mass_question(network, words, claim, given), settings)


@dataclass(frozen=True)
class HeadBounds:
    """The bounds of a claim about one head: of its mass, or of an error (of the 1-norm of weights, if it is hard)."""

    at_least: Fraction | None = None
    at_most: Fraction | None = None
    within: Fraction | None = None

    @property
    def any(self) -> bool:
        """Whether there is a bound, so that one claim is decided."""
        return self != HeadBounds()


def answer_about_heads(network: TrainedNetwork, words: WordsClaim, question: HeadsQuestion, bounds: HeadBounds,
                       settings: Settings) -> HeadsTable | Decision:
    """Return the table of heads, or the decision about one with a bound.

    Raises:
        InputError: if a pattern does not fit the words, or a bound has not what it needs beside it.
    """
    if not bounds.any:
        return find_patterns(network, words, question, settings)
    head, patterns, near = question.only, question.patterns, question.near
    if bounds.within is not None:
        if head is None or len(near) != 1 or question.proves or bounds != HeadBounds(within=bounds.within):
            raise InputError("--within: expected --head and one --near beside it, and no other bound nor --prove")
        return decide_within(network, words, question, head, bounds.within, settings)
    if head is None or len(patterns) != 1 or near or question.proves:
        raise InputError("--at-least, --at-most: expected --head and one --on beside it, and not --near or --prove")
    claim = HeadClaim(*head, patterns[0], bounds.at_least, bounds.at_most)
    return decide_mass(network, words, claim, settings, question.given)


def decide_within(network: TrainedNetwork, words: WordsClaim, question: HeadsQuestion, head: tuple[int, int],
                  error: Fraction, settings: Settings) -> Decision:
    """Decide whether a head is within an error of hard attention, of equal weights, or of constants.

    A head is hard within 2ε (in the 1-norm of weights) if the mass of one position is at least 1 - ε > 1/2; unless it
    is given, the pattern of that position is the best one that is measured.

    Raises:
        InputError: if the error is not below 1 for hard attention, or no pattern fits.
    """
    (near,) = question.near
    if near != "hard":
        words = replace(words, offsets=(words.offsets[0],) * 2)
        row = measure_near(network, words, head, near, question.given)
        return decide_near(network, words, row, error, settings, question.given)
    found = [one for one in question.patterns if one.name in SINGLE] or [
        row.pattern for row in measure_patterns(Masses(network, words), words, *head, question)][:1]
    if error >= 1 or len(found) != 1:
        raise InputError("--near hard: expected --within less than 1, and at most one --on, of one position")
    return decide_mass(network, words, HeadClaim(*head, found[0], 1 - error / 2), settings, question.given)


def read_bounds(at_least: str | None, at_most: str | None, within: str | None) -> HeadBounds:
    """Parse bounds: shares, and a positive number.

    Raises:
        InputError: if one is malformed.
    """
    return HeadBounds(None if at_least is None else read_share(at_least, "--at-least"),
                      None if at_most is None else read_share(at_most, "--at-most"),
                      None if within is None else read_positive(within, "--within"))


def read_heads_question(words: WordsClaim, head: str | None, on: Sequence[str], near: Sequence[str],
                        given: str | None, proves: bool) -> HeadsQuestion:
    """Parse what is asked about heads.

    Raises:
        InputError: if a pattern, the head or the formula is malformed.
    """
    kinds = get_args(Near)
    if unknown := [one for one in near if one not in kinds]:
        raise InputError(f"--near: found {printable(unknown[0])}, expected one of {', '.join(kinds)}")
    predicates = {one.name: one for one in words.predicates}
    return HeadsQuestion(
        None if head is None else read_head(head),
        tuple(parse_pattern(text, words.alphabet, predicates) for text in on),
        tuple(one for one in kinds if one in near),
        TRUE if given is None else parse_formula(given, words.alphabet, predicates), proves)


def read_head(text: str, where: str = "--head") -> tuple[int, int]:
    """Return the layer and the head of L.H.

    Raises:
        InputError: if they are not two numbers.
    """
    layer, point, head = text.partition(".")
    if not (point and layer.isascii() and layer.isdigit() and head.isascii() and head.isdigit()):
        raise InputError(f"{where}: found {text}, expected a layer and a head such as 1.2")
    return int(layer), int(head)
