"""The main path of a decision about words of any length: a tree that the checker accepts, the shortest wrong word."""

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from certify.claims.trained.proving import WORK, accepted_wrong_word, if_accepted
from certify.common.verdicts import WithExitStatus
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.edits import check_soft
from constructions.trained.network import TrainedNetwork
from proofs.check import Refusal, Rejected, check_text
from proofs.trained.lengths.certificate import lengths_text, long_word_text, suffixes_text
from proofs.trained.lengths.enclosing import enclose_row
from proofs.trained.lengths.margins import CountMargins, has_slopes
from proofs.trained.lengths.search import MOST_CELLS, LengthSearch, LongWord, SearchResult, joined
from proofs.trained.lengths.suffixes import MOST_ENDINGS, EndingsFound, SuffixSearch
from proofs.trained.search import RefutingWord

LONGEST_OTHERWISE = 4096
"""Claims about longer words are proved by the checker only by Parikh images."""
SLACKS = tuple(map(np.float64, (1e-11, 1e-9, 1e-6)))
"""The excess over the margin that floats need; increased if the checker rejects the result."""


@dataclass(frozen=True)
class LongWrongWord:
    """The shortest wrong word; ``value`` encloses the row of the case at its end."""

    word: LongWord
    value: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class LengthsDecision(WithExitStatus):
    """The answer about a network and a claim of all lengths up to ``greatest`` (None: every length).

    The checker accepted ``certificate``, which is about the lengths up to ``certified_to`` (None: every length, or
    without a certificate none). A wrong word has the next length.
    """

    network: TrainedNetwork
    claim: WordsClaim
    greatest: int | None
    verdict: str
    certified_to: int | None
    certificate: str | None
    wrong: LongWrongWord | None
    wrong_certificate: str | None
    cells: int
    reason: str
    seconds: float

    @property
    def way(self) -> str:
        """The abstraction of words."""
        return "their last letters" if has_slopes(self.network) else "the number of each letter"


def reason_against_counts(network: TrainedNetwork, claim: WordsClaim) -> str:
    """Return why neither Parikh images nor last letters decide a claim; empty if they do."""
    try:
        _search(network, claim, claim.lengths[1], SLACKS[0], 1)
    except Unsupported as why:
        return str(why)
    return ""


def decide_lengths(network: TrainedNetwork, claim: WordsClaim, greatest: int | None,
                   effort: int = 1) -> LengthsDecision:
    """Decide whether the claim is true of all words up to a length, or of every length.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if Parikh images do not decide it, or the checker is inconclusive.
    """
    start = time.perf_counter()
    check_fits(network, claim)
    reason, least = "", claim.lengths[0]
    for slack in SLACKS:
        search = _search(network, claim, greatest, slack, effort)
        found = search.run()
        last = greatest if found.open_from is None else found.open_from - 1
        if last is not None and last < least:
            return _decision(network, claim, search, found, None, "", start)
        text = _text(network, claim, last, search)
        try:
            proved = CountsProved(text, check_text(text.encode(), work=WORK).coverage)
        except Rejected as refusal:
            reason = f"the checker does not accept it: {refusal}"
        except Refusal as refusal:
            raise Unsupported(f"the checker: {refusal}") from None
        else:
            return _decision(network, claim, search, found, proved, "", start)
    return _decision(network, claim, search, found, None, reason, start)


def _search(network: TrainedNetwork, claim: WordsClaim, greatest: int | None, slack: np.float64,
            effort: int) -> LengthSearch | SuffixSearch:
    """Make a search by last letters if scores fall with the distance, else by Parikh images.

    Raises:
        Unsupported: if that search does not decide the claim.
    """
    check_soft(network)
    if has_slopes(network):
        return SuffixSearch(network, claim, greatest, slack, MOST_ENDINGS * effort)
    return LengthSearch(CountMargins(network, claim), claim, greatest, slack, MOST_CELLS * effort)


def _text(network: TrainedNetwork, claim: WordsClaim, last: int | None, search: LengthSearch | SuffixSearch) -> str:
    if isinstance(search, SuffixSearch):
        return suffixes_text(network, claim, last, search.tree(last))
    return lengths_text(network, claim, last, search.kinds, [search.tree(root) for root in search.roots])


class CountsProved(NamedTuple):
    """A certificate that the checker accepted, with its coverage."""

    text: str
    coverage: Any


def _decision(network: TrainedNetwork, claim: WordsClaim, search: LengthSearch | SuffixSearch,
              found: SearchResult | EndingsFound, proved: CountsProved | None, reason: str,
              start: float) -> LengthsDecision:
    """Return the decision of a search, as far as it was proved."""
    last = search.greatest if found.open_from is None else found.open_from - 1
    wrong = (None if found.wrong is None else _of_ending(claim, found.wrong) if isinstance(found, EndingsFound) else
             _proved(network, claim, found.wrong))
    if wrong is not None:
        verdict = "refuted"
    elif found.open_from is None and proved is not None:
        verdict = "certified" if proved.coverage["cells with rows"] else "vacuous"
    else:
        verdict, reason = "unknown", reason or _why_open(found, search)
    return LengthsDecision(
        network, claim, search.greatest, verdict, last if proved else None, proved.text if proved else None, wrong,
        None if wrong is None else _certificate_of_wrong(network, claim, search.greatest, found), found.cells, reason,
        time.perf_counter() - start)


def _certificate_of_wrong(network: TrainedNetwork, claim: WordsClaim, greatest: int | None,
                          found: SearchResult | EndingsFound) -> str | None:
    if isinstance(found.wrong, RefutingWord):
        to_here = replace(claim, lengths=(claim.lengths[0], len(found.wrong.word)))
        return accepted_wrong_word(network, to_here, found.wrong)
    return None if found.wrong is None else if_accepted(long_word_text(network, claim, greatest, found.wrong))


def _of_ending(claim: WordsClaim, wrong: RefutingWord) -> LongWrongWord:
    runs = joined([(letter, 1) for letter in claim.letters(wrong.word)])
    return LongWrongWord(LongWord(runs, wrong.case, wrong.row), wrong.value)


def _why_open(found: SearchResult | EndingsFound, search: LengthSearch | SuffixSearch) -> str:
    if found.wrong is None and found.cells >= search.most:
        return f"{found.cells} cells were searched, and longer words are open; --effort searches more"
    return f"a word of length {found.open_from} has a margin too near to the required one"


def _proved(network: TrainedNetwork, claim: WordsClaim, seen: LongWord) -> LongWrongWord | None:
    """Return the word, if ball arithmetic confirms that it is wrong."""
    is_above, value = enclose_row(network, claim, seen)
    return LongWrongWord(seen, value) if is_above is False else None
