"""Decisions whether a trained network is right in every float execution under a model.

See docs/background/floats_rules.md, section 7.

Only the trusted folder certifies lengths, from the weights: word by word, or by abstract words. A wrong execution is
searched in numpy, where margins are least, and replayed bit by bit in integers before it is reported.
"""

import time
from dataclasses import replace
from itertools import takewhile

from certify.claims.trained.decision import Decision, LengthRow
from certify.claims.trained.float_classes import certified_by_classes
from certify.claims.trained.float_search import WrongRuns
from certify.claims.trained.float_tasks import Length, find_rows
from certify.claims.trained.proving import WORK, accepted_wrong_word
from certify.claims.trained.word_counts import WordCounts
from certify.common.progress import ProgressLine
from certify.common.shards import Workers
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, check_fits, claim_of_lengths
from constructions.trained.edits import check_soft
from constructions.trained.network import TrainedNetwork
from proofs.check import Refusal, check_text
from proofs.checking.parts import find_unproved_floats_of, find_vacuous
from proofs.enclosures.float_models.model import FloatModel, is_within
from proofs.trained.certificate import each_word_text
from proofs.trained.forward import FloatNetwork

MOST_WORDS = 2**10
"""Words of a length at an offset that are run one by one, per unit of effort."""


def check_norms(run: FloatModel) -> None:
    """Raise Unsupported if there is no rule for the norms under a float model."""
    if not is_within(run.storage, run.softmax):
        raise Unsupported(f"float model {run.name}: storage is {run.storage}, expected a format whose numbers softmax, "
                          f"{run.softmax}, has: norms are computed in it")


def decide_floats(network: TrainedNetwork, claim: WordsClaim, run: FloatModel, effort: int = 1,
                  workers: Workers = Workers()) -> Decision:
    """Decide whether the claim is true under a float model; the trusted folder accepts certified lengths.

    Raises:
        InputError: if the claim does not fit the network, or a weight is too large for its format.
        Unsupported: if there is no rule for the float model, or for a step of the network.
    """
    start = time.perf_counter()
    check_fits(network, claim)
    check_soft(network)
    check_norms(run)
    search, counts = WrongRuns(network, claim, run, effort), WordCounts(FloatNetwork(network), claim)
    first, last = claim.lengths
    most = MOST_WORDS * effort
    short = [n for n in range(first, last + 1) if counts.at(n) <= most]
    with ProgressLine() as progress:
        progress("proving")
        reach, reason, text = certified_lengths(network, search.cast, claim, run, short)
        vacuous = set(find_vacuous(text.encode(), WORK)) if text else set()
        found = find_rows(network, search, [Length(n, n in short, n > reach) for n in range(first, last + 1)
                                            if n in short or n > reach], workers, progress)
    rows = {n: LengthRow(n, "unknown") for n in range(first, last + 1)} | {row.n: row for row in found}
    if found and found[-1].wrong and search.stops_at_wrong:
        rows |= {n: replace(found[-1], n=n, seen=None) for n in range(found[-1].n + 1, last + 1)}
    judged_rows = tuple(_judge(row, reach, reason, row.n in vacuous) for row in rows.values())
    wrong = next((row.wrong for row in judged_rows if row.wrong), None)
    return Decision(network, claim, judged_rows, text, wrong, accepted_wrong_word(network, claim, wrong, run),
                    time.perf_counter() - start, run)


def _judge(row: LengthRow, reach: int, reason: str, is_vacuous: bool) -> LengthRow:
    """Return the row with its verdict: certified up to ``reach``; the next length is open for the ``reason``."""
    if row.n <= reach:
        return replace(row, verdict="vacuous" if is_vacuous else "certified")
    if row.wrong:
        return row
    return replace(row, reason=reason or "a shorter length is not certified")


def certified_lengths(network: TrainedNetwork, cast: TrainedNetwork, claim: WordsClaim, run: FloatModel,
                      short: list[int]
                      ) -> tuple[int, str, str | None]:
    """Return the length up to which the trusted folder proves all, why not more, and the certificate that it accepts.

    ``short`` are the lengths of few words. If these are all lengths, words are run one by one; else there is a cover by
    abstract words, and if that does not reach as far, the first lengths are proved word by word.
    """
    first, last = claim.lengths
    few = first - 1 + sum(1 for _ in takewhile(short.__contains__, range(first, last + 1)))
    if few == last:
        return _certified_by_words(network, claim, run, last)
    reach, reason, text = certified_by_classes(network, cast, claim, run)
    if reach >= few:
        return reach, reason, text
    by_words = _certified_by_words(network, claim, run, few)
    if by_words[0] <= reach:
        return reach, reason, text
    return by_words[0], by_words[1] or reason, by_words[2]


def _certified_by_words(network: TrainedNetwork, claim: WordsClaim, run: FloatModel, last: int
                        ) -> tuple[int, str, str | None]:
    """Prove the lengths up to ``last`` word by word, as far as possible."""
    first = claim.lengths[0]
    if last < first:
        return first - 1, "", None
    text = each_word_text(network, claim_of_lengths(network, claim, first, last), run)
    try:
        (unproved,) = find_unproved_floats_of(text.encode(), WORK)
        if unproved is None:
            return last, "", text
        reach, reason = unproved[0] - 1, unproved[1]
        if reach < first:
            return first - 1, reason, None
        text = each_word_text(network, claim_of_lengths(network, claim, first, reach), run)
        check_text(text.encode(), work=WORK)
    except Refusal as refusal:
        return first - 1, str(refusal), None
    return reach, reason, text
