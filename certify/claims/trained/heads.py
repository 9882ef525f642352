"""Claims about the attention of heads: a table of what each attends to, and proofs of lower bounds of its mass."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.common.verdicts import WithExitStatus, worst
from constructions.errors import InputError
from constructions.language.syntax import Symbol
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.edits import check_unedited
from constructions.trained.head_patterns import (
    OF_KEYS,
    PATTERNS,
    SINGLE,
    HeadClaim,
    HeadPattern,
    mass_question,
    parse_pattern,
    step_of,
)
from constructions.trained.network import TrainedNetwork
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


@dataclass(frozen=True)
class HeadsTable(WithExitStatus):
    """The masses of every head: rows by head, the largest least mass first."""

    network: TrainedNetwork
    words: WordsClaim
    rows: tuple[HeadRow, ...]
    seconds: float

    @property
    def verdict(self) -> str:
        """The worst verdict of what is proved; "measured" if nothing is to be proved."""
        return worst({row.decision.verdict for row in self.rows if row.decision} or {"measured"})

    @property
    def certificates(self) -> Mapping[str, str]:
        """The certificates by file name, one for each head with a proved claim."""
        return {f"head_{row.layer}_{row.head}.cert": row.decision.certificate for row in self.rows
                if row.decision and row.decision.certificate}

    @property
    def shown(self) -> Iterator[HeadRow]:
        """The first rows of each head."""
        for layer, head in dict.fromkeys((row.layer, row.head) for row in self.rows):
            yield from [row for row in self.rows if (row.layer, row.head) == (layer, head)][:SHOWN]


def find_patterns(network: TrainedNetwork, words: WordsClaim, patterns: Sequence[HeadPattern] = (),
                  only: tuple[int, int] | None = None, proves: bool = False, settings: Settings | None = None
                  ) -> HeadsTable:
    """Return the masses of every head (or of one) on each pattern; with ``proves`` the best one of each head, proved.

    ``patterns`` are those of ``family``, unless given. A single position is preferred to a set of several. Words are
    at the first offset of the claim.

    Raises:
        InputError: if the words or the head do not fit the network.
    """
    start = time.perf_counter()
    check_unedited(network)
    check_fits(network, words)
    words = replace(words, offsets=(words.offsets[0],) * 2)
    heads = [(layer, head) for layer, step in enumerate(network.attention_steps, 1)
             for head in range(1, len(step.heads) + 1)]
    if only is not None:
        step_of(network, *only)
        heads = [only]
    masses, rows = Masses(network, words), list[HeadRow]()
    for layer, head in heads:
        found = []
        for pattern in patterns or family(words):
            by_length = tuple(masses.ranges(layer, head, pattern))
            found += [HeadRow(layer, head, pattern, by_length)] if by_length else []
        found.sort(key=rank)
        if proves and found:
            found[0] = prove_row(network, words, found[0], settings)
        rows += found
    return HeadsTable(network, words, tuple(rows), time.perf_counter() - start)


def rank(row: HeadRow) -> tuple[bool, float]:
    """Return the key of the order of rows: first those that are nearly hard, then by the least mass."""
    return not (row.pattern.name in SINGLE and row.least.least > 1 / 2), -row.least.least


def family(words: WordsClaim) -> tuple[HeadPattern, ...]:
    """Return the patterns that are tried: those without a formula, and all, the last, the first a, for each letter."""
    return (*(HeadPattern(name) for name in PATTERNS if name not in OF_KEYS and (name != "start" or words.before)),
            *(HeadPattern(name, Symbol(symbol)) for symbol in words.alphabet for name in OF_KEYS))


def prove_row(network: TrainedNetwork, words: WordsClaim, row: HeadRow, settings: Settings | None) -> HeadRow:
    """Return the row with the decision of its claim: the least mass, rounded down."""
    least = Fraction(max(0, floor(row.least.least * 10**DIGITS) - 1), 10**DIGITS)
    if not least:
        return row
    return replace(row, claimed=least, decision=decide_mass(
        network, words, HeadClaim(row.layer, row.head, row.pattern, least), settings=settings))


def decide_mass(network: TrainedNetwork, words: WordsClaim, claim: HeadClaim, settings: Settings | None = None
                ) -> Decision:
    """Decide a claim about the mass of a head on all words.

    Raises:
        InputError: if the network has no such head, or the words do not fit.
    """
    check_unedited(network)
    if claim.least is None and claim.most is None:
        raise InputError("expected the least or the greatest mass that is claimed")
    return decide(*mass_question(network, words, claim), settings)


def answer_about_heads(network: TrainedNetwork, words: WordsClaim, head: tuple[int, int] | None, on: Sequence[str],
                       bounds: tuple[Fraction | None, Fraction | None], proves: bool, settings: Settings
                       ) -> HeadsTable | Decision:
    """Return the table of heads, or the decision about one with a least or a greatest mass.

    Raises:
        InputError: if a pattern is malformed, or does not fit the words; if a bound has not one head and one pattern.
    """
    patterns = [parse_pattern(text, words.alphabet, {one.name: one for one in words.predicates}) for text in on]
    if bounds == (None, None):
        return find_patterns(network, words, patterns, head, proves, settings)
    if head is None or len(patterns) != 1 or proves:
        raise InputError("--at-least, --at-most: expected --head and one --on beside it, and not --prove")
    return decide_mass(network, words, HeadClaim(*head, patterns[0], *bounds), settings)


def read_head(text: str, where: str = "--head") -> tuple[int, int]:
    """Return the layer and the head of L.H.

    Raises:
        InputError: if they are not two numbers.
    """
    layer, point, head = text.partition(".")
    if not (point and layer.isascii() and layer.isdigit() and head.isascii() and head.isdigit()):
        raise InputError(f"{where}: found {text}, expected a layer and a head such as 1.2")
    return int(layer), int(head)
