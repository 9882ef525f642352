"""The page of a decision about every float run of a class, on words: that of a decision over the real numbers, with the
class, a wrong run, and what is open with both numbers.

Pictures and neighbours are those of the network with rounded weights, over the real numbers: evidence.
"""

from fractions import Fraction

from certify.exports.pages.decision.curve import Point
from certify.exports.pages.decision.page import ShownRow, Unproved, Word, files_of, page_about, show_cut
from certify.frame.numbers import decimal
from certify.trained.float_decision import FloatDecision
from certify.trained.float_search import FloatRow
from certify.trained.float_show import describe_float_claim, describe_verdict, describe_wrong_run
from certify.trained.show import show_numbers
from proofs.trained.float_runs.casting import cast_network


def float_runs_page(decision: FloatDecision, output: str | None = None, wrong_place: str | None = None) -> str:
    """The whole page; ``output`` and ``wrong_place`` are the files of the certificates, which its commands check."""
    wrong, points = decision.wrong, [_point(decision, row) for row in decision.rows]
    return page_about(
        cast_network(decision.network, decision.run), decision.claim, chosen_word(decision), points,
        files_of(decision, output, wrong_place), verdict=decision.verdict, certified_to=decision.certified_to,
        run=decision.run, unproved=_unproved(decision), kind="Decision about a trained network, in every float run",
        says=describe_verdict(decision, why=False), asks=describe_float_claim(decision), replay="",
        wrong=describe_wrong_run(decision, wrong) if wrong else "",
        wrong_is="A wrong run" if decision.is_shortest else "A wrong run, on the shortest word for which one was found",
        rows=[_shown(decision, row) for row in decision.rows], what="run")


def chosen_word(decision: FloatDecision) -> Word | None:
    """That of the wrong run, or the one with the smallest margin that was seen, which is not said where."""
    if wrong := decision.wrong:
        return Word(wrong.word, wrong.offset, wrong.place)
    seen = min((row.seen for row in decision.rows if row.seen), key=lambda seen: seen.value, default=None)
    return Word(seen.word, seen.offset) if seen else None


def _shown(decision: FloatDecision, row: FloatRow) -> ShownRow:
    if row.wrong and len(row.wrong.word) == row.n:
        return ShownRow(row.n, row.verdict, f"{decimal(row.wrong.value - decision.claim.margin, 5)} in the run",
                        str(row.wrong.offset), show_cut(row.wrong.word))
    if row.seen:
        return ShownRow(row.n, row.verdict, decimal(Fraction(row.seen.value), 5), str(row.seen.offset),
                        show_cut(row.seen.word))
    return ShownRow(row.n, row.verdict, reason="as a shorter word is" if row.wrong else row.reason)


def _unproved(decision: FloatDecision) -> Unproved | None:
    if (first := decision.first("unknown")) is None:
        return None
    return Unproved(show_numbers(decision.lengths_that_are("unknown")),
                    decimal(Fraction(first.seen.value), 5) if first.seen else "–",
                    show_cut(first.seen.word) if first.seen else "", first.reason)


def _point(decision: FloatDecision, row: FloatRow) -> Point:
    if row.wrong and len(row.wrong.word) == row.n:
        return Point(row.n, float(row.wrong.value - decision.claim.margin), None, row.verdict)
    return Point(row.n, row.seen.value if row.seen else None, None, row.verdict)
