"""The main path of a decision by counts: a tree of cells that the checker accepts, and the shortest wrong word."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from certify.frame.verdicts import WithExitStatus
from certify.trained.proving import WORK
from constructions.errors import Unsupported
from constructions.trained.claim import Claim, check_fits
from constructions.trained.network import TrainedNetwork
from proofs.check import Refusal, Rejected, check_text
from proofs.trained.lengths.certificate import lengths_text, long_word_text
from proofs.trained.lengths.enclosing import enclose_row
from proofs.trained.lengths.margins import CountMargins
from proofs.trained.lengths.search import MOST_CELLS, LengthSearch, SearchResult, SeenWord

LONGEST_OTHERWISE = 4096
"""Of longer words the checker proves nothing but by counts."""
SLACKS = tuple(map(np.float64, (1e-11, 1e-9, 1e-6)))
"""By how much floats must be above the margin; more where the checker does not accept what is right by less."""


@dataclass(frozen=True)
class LongWrongWord:
    """The shortest wrong word; ``value`` encloses the row of the case at its end."""

    word: SeenWord
    value: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class LengthsDecision(WithExitStatus):
    """The answer about a network and a claim of all lengths up to ``greatest`` (None: every length).

    The checker accepted ``certificate``, which is about the lengths up to ``certified_to`` (None: every length, or
    without a certificate none). A wrong word is one of the next length.
    """

    network: TrainedNetwork
    claim: Claim
    greatest: int | None
    verdict: str
    certified_to: int | None
    certificate: str | None
    wrong: LongWrongWord | None
    wrong_certificate: str | None
    cells: int
    reason: str
    seconds: float


def reason_against_counts(network: TrainedNetwork, claim: Claim) -> str:
    """Why counts of letters do not decide a claim; empty if they do."""
    try:
        LengthSearch(CountMargins(network, claim), claim, claim.lengths[1], SLACKS[0])
    except Unsupported as why:
        return str(why)
    return ""


def decide_lengths(network: TrainedNetwork, claim: Claim, greatest: int | None, effort: int = 1) -> LengthsDecision:
    """Whether the claim is true of all words up to a length, or of every length.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if counts of letters do not decide it, or the checker says neither yes nor no.
    """
    start = time.perf_counter()
    check_fits(network, claim)
    margins, reason = CountMargins(network, claim), ""
    least = claim.lengths[0]
    for slack in SLACKS:
        search = LengthSearch(margins, claim, greatest, slack, MOST_CELLS * effort)
        found = search.run()
        last = greatest if found.open_from is None else found.open_from - 1
        if last is not None and last < least:
            return _decision(network, claim, search, found, None, "", start)
        text = lengths_text(network, claim, last, search.kinds, [search.tree(root) for root in search.roots])
        try:
            proved = CountsProved(text, check_text(text.encode(), work=WORK).coverage)
        except Rejected as refusal:
            reason = f"the checker does not accept it: {refusal}"
        except Refusal as refusal:
            raise Unsupported(f"the checker: {refusal}") from None
        else:
            return _decision(network, claim, search, found, proved, "", start)
    return _decision(network, claim, search, found, None, reason, start)


class CountsProved(NamedTuple):
    """A certificate that the checker accepted, and what it covered."""

    text: str
    coverage: Any

    @property
    def asks_nothing(self) -> bool:
        """Whether no row had to be proved."""
        return not self.coverage["cells with rows"]


def _decision(network: TrainedNetwork, claim: Claim, search: LengthSearch, found: SearchResult,
              proved: CountsProved | None, reason: str, start: float) -> LengthsDecision:
    """What was found, as the verdict that was proved."""
    last = search.greatest if found.open_from is None else found.open_from - 1
    wrong = None if found.wrong is None else _proved(network, claim, found.wrong)
    if wrong is not None:
        verdict = "refuted"
    elif found.open_from is None and proved is not None:
        verdict = "vacuous" if proved.asks_nothing else "certified"
    else:
        verdict, reason = "unknown", reason or _why_open(found, search.most_cells)
    return LengthsDecision(
        network, claim, search.greatest, verdict, last if proved else None, proved.text if proved else None, wrong,
        None if wrong is None else _accepted(long_word_text(network, claim, search.greatest, wrong.word)), found.cells,
        reason, time.perf_counter() - start)


def _why_open(found: SearchResult, most_cells: int) -> str:
    if found.wrong is None and found.cells >= most_cells:
        return f"{found.cells} cells were looked at, and longer words are open; --effort looks at more"
    return f"a word of length {found.open_from} has a margin too near to what is asked"


def _proved(network: TrainedNetwork, claim: Claim, seen: SeenWord) -> LongWrongWord | None:
    """The word, if ball arithmetic says that it is wrong, too."""
    is_above, value = enclose_row(network, claim, seen)
    return LongWrongWord(seen, value) if is_above is False else None


def _accepted(text: str) -> str | None:
    """The certificate of a wrong word; None if it takes more than the checker's precision."""
    try:
        check_text(text.encode(), work=WORK)
    except Refusal:
        return None
    return text
