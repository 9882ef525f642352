"""Choice of the method by which a question about a trained network is decided."""

from typing import overload

from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.count_weights import read_weights
from certify.claims.trained.counting import TracksCount, count_tracks
from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.lengths_decision import (
    LONGEST_OTHERWISE,
    LengthsDecision,
    decide_lengths,
    reason_against_counts,
)
from certify.claims.trained.question import AnyClaim
from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.claims.trained.word_counting import Learns, WordsCount, count_words, count_words_in_time
from certify.common.partial_answer import PartialAnswer, answer_in_time
from constructions.deadline import has_deadline
from constructions.errors import Unsupported
from constructions.network.lengths import MAX_N_LIMIT, Lengths
from constructions.trained.claim import WordsClaim, claim_of_lengths
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.lengths.margins import has_slopes

AnyDecision = Decision | LengthsDecision | TracksDecision
AnyCount = TracksCount | WordsCount
ENUMERATED = 64
"""Claims about longer words are decided by Parikh images where these decide them; if scores fall with the distance, by
last letters, but only if the words are too long for another method."""


def goes_by_counts(network: TrainedNetwork, claim: WordsClaim, every: bool = False) -> bool:
    """Return whether a claim is decided by Parikh images or last letters: of ``every`` length, or of long words.

    Raises:
        Unsupported: if these do not decide it, and words are too long for another method.
    """
    enumerated = LONGEST_OTHERWISE if has_slopes(network) else ENUMERATED
    if not every and claim.lengths[1] <= enumerated:
        return False
    why = reason_against_counts(network, claim)
    if why and (every or claim.lengths[1] > LONGEST_OTHERWISE):
        raise Unsupported(why)
    return not why


@overload
def decide_question(network: TrainedNetwork, claim: WordsClaim, every: bool = False, settings: Settings | None = None,
                    run: FloatModel | None = None) -> Decision | LengthsDecision: ...


@overload
def decide_question(network: TrainedNetwork, claim: AnyClaim, every: bool = False, settings: Settings | None = None,
                    run: FloatModel | None = None) -> AnyDecision: ...


def decide_question(network: TrainedNetwork, claim: AnyClaim, every: bool = False, settings: Settings | None = None,
                    run: FloatModel | None = None) -> AnyDecision:
    """Decide a claim about a trained network, as `certify decide` does; under a float model, if given.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if words are too long, and Parikh images do not decide it; if the float model has no rule.
    """
    settings = settings or Settings()
    if isinstance(claim, TracksClaim):
        return decide_tracks(network, claim, settings.effort, settings.workers, run)
    if run is not None:
        return decide_floats(network, claim, run, settings.effort, settings.workers)
    if goes_by_counts(network, claim, every):
        return decide_lengths(network, claim, None if every else claim.lengths[1], settings.effort)
    return decide(network, claim, settings)


def decide_in_time(network: TrainedNetwork, claim: AnyClaim, every: bool, settings: Settings, run: FloatModel | None
                   ) -> AnyDecision | PartialAnswer[AnyDecision]:
    """Decide the question, or, when time is up, its part for fewer columns or shorter words (not by Parikh images)."""
    if isinstance(claim, TracksClaim):
        results: dict[str, str] = {}
        columns = [len(form.columns) for form in claim.forms]
        return answer_in_time(Lengths(columns[0], columns[-1]), lambda some: decide_tracks(
            network, claim, settings.effort, settings.workers, run, sum(n <= some.last for n in columns), results))
    first, last = claim.lengths
    if not has_deadline() or not 1 <= first <= last <= MAX_N_LIMIT or (
            run is None and goes_by_counts(network, claim, every)):
        return decide_question(network, claim, every, settings, run)
    whole = Lengths(first, last)
    return answer_in_time(whole, lambda some: decide_question(
        network, claim if some == whole else claim_of_lengths(network, claim, some.first, some.last), False, settings,
        run))


def count_right(network: TrainedNetwork, claim: AnyClaim, question: CountQuestion, settings: Settings,
                run: FloatModel | None = None, weights: str | None = None, learns: Learns | None = None) -> AnyCount:
    """Return certified bounds of the number of right words, or inputs in tracks; ``weights`` is a file.

    ``learns`` decides an automaton with the network's answers, where words are many.

    Raises:
        InputError: if the claim does not fit the network, or the file is malformed.
        Unsupported: if the checker does not accept the certificate.
    """
    weighed = None if weights is None else read_weights(weights, claim)
    if isinstance(claim, WordsClaim):
        return count_words(network, claim, question, settings, weighed, run, learns)
    return count_tracks(network, claim, question, settings.effort, settings.workers, weighed, run)


def count_in_time(network: TrainedNetwork, claim: AnyClaim, question: CountQuestion, settings: Settings,
                  run: FloatModel | None = None, weights: str | None = None, learns: Learns | None = None
                  ) -> AnyCount | PartialAnswer[WordsCount]:
    """Return ``count_right``; when time is up, the counts of shorter words."""
    if isinstance(claim, WordsClaim):
        weighed = None if weights is None else read_weights(weights, claim)
        return count_words_in_time(network, claim, question, settings, weighed, run, learns)
    return count_right(network, claim, question, settings, run, weights)
