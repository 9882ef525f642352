"""Feed-forward outputs: by cases, or by the value of one sum of counts."""

from proofs.formula.common.kinds import ObligationKind, describe_place
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import Undecided
from proofs.formula.family import WriterFamily
from proofs.formula.feed_forward.counting import is_by_value, oblige_by_value
from proofs.formula.feed_forward.every_word import SlackOnEveryWord, check_on_every_word, oblige_on_every_word
from proofs.formula.feed_forward.obligation import FeedForwardObligation, oblige_feed_forward
from proofs.formula.feed_forward.worst_case import check_cases
from proofs.formula.transcript import Record
from proofs.formula.two_provers import Disagreement, ProofAttempt, reason_of


def oblige_value(written: WrittenDirection) -> FeedForwardObligation | SlackOnEveryWord:
    """Return the obligation of an output decided by one sum of counts; at a second attempt, of slack on every word."""
    if written.apart:
        return oblige_on_every_word(written)
    return oblige_by_value(written.transformer, written.known, written.lengths, written.layer, written.direction,
                           written.bounds)


def oblige_cases(written: WrittenDirection) -> FeedForwardObligation:
    """Return the obligation of any other output."""
    return oblige_feed_forward(written.transformer, written.known, written.lengths, written.layer, written.direction,
                               written.apart)


def prove(obligation: FeedForwardObligation | SlackOnEveryWord, twice: bool, record: Record) -> ProofAttempt:
    """Prove by a check of all cases, then by Z3; slack on every word is confirmed by the checker only."""
    if isinstance(obligation, SlackOnEveryWord):
        return ProofAttempt(reason_of(check_on_every_word, obligation) if twice
                            else "all words are not looked at in a sketch")
    reason = reason_of(check_cases, obligation)
    if not twice:
        return ProofAttempt(reason)
    from proofs.formula.feed_forward.second import proves_feed_forward

    try:
        by_solver = proves_feed_forward(obligation, record)
    except Undecided as undecided:
        return ProofAttempt(reason or str(undecided))
    if not reason and not by_solver:
        where = describe_place(obligation.layer, obligation.place, obligation.direction)
        raise Disagreement(f"{where}: the case check proves the output exact and Z3 finds an input where it is not")
    return ProofAttempt(reason)


def _is_by_value(written: WrittenDirection) -> bool:
    return not written.place and is_by_value(written.transformer, written.known, written.layer, written.direction)


BY_VALUE = WriterFamily(ObligationKind.FEED_FORWARD, _is_by_value, oblige_value, prove, takes_apart=True)
BY_CASES = WriterFamily(ObligationKind.FEED_FORWARD, lambda written: not written.place, oblige_cases, prove,
                        takes_apart=True)
