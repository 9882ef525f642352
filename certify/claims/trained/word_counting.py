"""The main path of a count of words: bounds of the number of right words of each length; docs/background/counting.md.

Floats and learnt automata propose lemmas about the network; the checker accepts the certificate of all of them.
"""

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.counting import Count, CountRow
from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import MOST_WORDS, Decision
from certify.claims.trained.float_decision import check_norms
from certify.claims.trained.proving import WORK, why_refused
from certify.claims.trained.word_patterns import WordErrors, find_kinds_in
from certify.common.partial_answer import PartialAnswer, answer_in_time
from constructions.errors import Unsupported
from constructions.network.lengths import Lengths
from constructions.regular.automata import Automaton, explore
from constructions.trained.claim import WordsClaim, check_fits, claim_of_lengths
from constructions.trained.edits import check_soft
from constructions.trained.network import TrainedNetwork
from constructions.trained.weights import Weights
from proofs.checking.parts import find_unproved_words_of
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import CoverJson, each_word_text
from proofs.trained.counting.verdicts import CountedWords, count_by_length, word_counts_text
from proofs.trained.counting.words import Lemma, WordRuns
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.forward import FloatNetwork

MOST_STATES = 2**10  # about: of an automaton that has the last letters
FEW_WORDS = 2**10  # more words of a place or length are decided by classes
ROUNDS = 16  # per unit of effort, each of which leaves out states
MOST_RUNS = 2**10
"""Words that are run one by one under a float model, per unit of effort."""


Learns = Callable[[TrainedNetwork, WordsClaim, Settings], Decision | None]


@dataclass(frozen=True)
class WordsRow(CountRow):
    """The bounds of one length; ``wrong_at`` has the weights of wrong words by the place of an error."""

    wrong_at: Mapping[int, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class WordsCount(Count[WordsClaim]):
    """The counts of right words, by length; ``kinds`` are those of first errors of the longest words."""

    rows: tuple[WordsRow, ...]
    kinds: tuple[WordErrors, ...] = ()


def count_words_in_time(network: TrainedNetwork, claim: WordsClaim, question: CountQuestion, settings: Settings,
                        weights: Sequence[Weights] | None, run: FloatModel | None, learns: Learns | None
                        ) -> WordsCount | PartialAnswer[WordsCount]:
    """Return the count, or, when time is up, that of shorter words."""
    first, last = claim.lengths

    def ask(some: Lengths) -> WordsCount:
        shorter = claim if some.last == last else claim_of_lengths(network, claim, first, some.last)
        part = None if weights is None else weights[:some.last - first + 1]
        return count_words(network, shorter, question, settings, part, run, learns)

    return answer_in_time(Lengths(first, last), ask)


def count_words(network: TrainedNetwork, claim: WordsClaim, question: CountQuestion = CountQuestion(),
                settings: Settings | None = None, weights: Sequence[Weights] | None = None,
                run: FloatModel | None = None, learns: Learns | None = None) -> WordsCount:
    """Return bounds of the weight of right words of each length, with their certificate.

    Counted are words after whose last letter something is judged; right is a word that is right at every offset.
    ``learns`` decides an automaton with the network's answers, where words are too many and some are wrong.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if words cannot be counted, or the checker does not accept the certificate.
    """
    start, settings = time.perf_counter(), settings or Settings()
    check_fits(network, claim)
    check_soft(network)
    if claim.read == "each" and not network.is_causal:
        raise Unsupported("answers at each letter of this network depend on later letters: its words are not counted")
    if run is None:
        lemmas = find_lemmas(network, claim, settings, learns)
        rows, text, refusal = concluded(network, claim, lemmas, weights, None)
    else:
        rows, text, refusal = counted_runs(network, claim, settings, weights, run)
    if refusal:
        raise Unsupported(f"the checker: {refusal}")
    return WordsCount(network, claim, rows, text, time.perf_counter() - start,
                      None if weights is None else tuple(weights), run, question,
                      kinds=find_kinds_in(network, claim, text, weights))


def concluded(network: TrainedNetwork, claim: WordsClaim, lemmas: Sequence[Lemma], weights: Sequence[Weights] | None,
              run: FloatModel | None) -> tuple[tuple[WordsRow, ...], str, str]:
    """Return the bounds that lemmas give, the certificate, and why the checker refuses it."""
    rows = tuple(row_of(one) for one in count_by_length(network, claim, lemmas, weights))
    text = word_counts_text(network, claim, lemmas, [(row.least, row.most) for row in rows], weights, run)
    return rows, text, why_refused(text)


def row_of(counted: CountedWords) -> WordsRow:
    """Return the bounds of one length."""
    most = counted.total - sum(counted.wrong.values(), Fraction(0))
    return WordsRow(counted.n, counted.total, counted.right, most, wrong_at=counted.wrong)


def find_lemmas(network: TrainedNetwork, claim: WordsClaim, settings: Settings, learns: Learns | None) -> list[Lemma]:
    """Return lemmas that decide words: of all words run one by one, and of abstract words where these reach farther."""
    runs = WordRuns(FloatNetwork(network), claim, MOST_WORDS * settings.effort)
    if runs.is_complete:
        return [*runs.lemmas()]
    lemmas = [(lemma_of_right_states if runs.has_wrong else lemma_of_all)(network, claim, settings)]
    if learns is not None and (runs.has_wrong or lemmas[0] is None or lemmas[0].claim.lengths[1] < claim.lengths[1]):
        decision = learns(network, claim, settings)
        lemmas.append(None if decision is None else lemma_of(network, decision.claim, decision))
    found = [lemma for lemma in lemmas if lemma is not None]
    reach = max((lemma.claim.lengths[1] for lemma in found), default=0)
    return [*found, *(runs.lemmas() if runs.has_wrong or reach < runs.longest else ())]


def lemma_of_all(network: TrainedNetwork, claim: WordsClaim, settings: Settings) -> Lemma | None:
    """Return the claim itself, up to the length that is certified."""
    return lemma_of(network, claim, decide(network, claim, settings))


def lemma_of_right_states(network: TrainedNetwork, claim: WordsClaim, settings: Settings) -> Lemma | None:
    """Return the claim without cases in the states of wrong and undecided words, up to the length that is certified.

    States have the last letters, too. Where each letter is judged, nothing is judged after a state without cases.
    """
    given, letters = claim.automaton or Automaton(0, ((0,) * len(claim.alphabet),)), len(claim.alphabet)
    last = max((k for k in range(10) if len(given.steps) * letters**k <= MOST_STATES), default=0)
    fine, names = explore((given.start, tuple[int, ...]()), lambda state, letter: (
        given.steps[state[0]][letter], (*state[1], letter)[len(state[1]) == last:]), letters, "the last letters")
    left, settings = {*range(len(names))}, replace(settings, most_words=FEW_WORDS)
    best: Lemma | None = None
    ends = claim.read == "each"
    for _ in range(ROUNDS * settings.effort):
        mine = claim_of_states(claim, fine, [name[0] for name in names], left)
        if not mine.cases:
            break
        decision = decide(network, mine, settings)
        best = longer(best, lemma_of(network, mine, decision))
        worst = [row.wrong or row.seen for row in decision.rows if row.verdict in ("refuted", "unknown")]
        failing = {fine.read([claim.alphabet.index(letter) for letter in one.word[:one.place if ends else None]])
                   for one in worst if one is not None} & left
        left -= failing
        if not failing:
            break
    return best


def claim_of_states(claim: WordsClaim, fine: Automaton, states: Sequence[int], left: Collection[int]) -> WordsClaim:
    """Return the claim on a finer automaton, with cases only in the states ``left``; ``states`` are the claim's."""
    sink = len(states)
    ends = claim.read == "each"
    steps = tuple(tuple(sink if ends and after not in left else after for after in row) for row in fine.steps)
    cases = tuple(replace(case, when=replace(case.when, states=tuple(
        state for state in sorted(left) if case.when.states is None or states[state] in case.when.states)))
                  for case in claim.cases)
    return replace(claim, automaton=Automaton(fine.start, (*steps, (sink,) * len(claim.alphabet))),
                   cases=tuple(case for case in cases if case.when.states))


def longer(one: Lemma | None, other: Lemma | None) -> Lemma | None:
    """Return the lemma with the greater length; the other one if both are equal."""
    return one if other is None or (one and one.claim.lengths[1] > other.claim.lengths[1]) else other


def lemma_of(network: TrainedNetwork, claim: WordsClaim, decision: Decision) -> Lemma | None:
    """Return the claim of a decision up to the length that is certified, with its cover."""
    if decision.certificate is None or decision.certified_to is None:
        return None
    evidence = json.loads(decision.certificate)["evidence"]
    return Lemma(claim_of_lengths(network, claim, claim.lengths[0], decision.certified_to),
                 CoverJson(*(tuple(evidence[key]) for key in ("graphs", "directions", "units"))))


def counted_runs(network: TrainedNetwork, claim: WordsClaim, settings: Settings, weights: Sequence[Weights] | None,
                 run: FloatModel) -> tuple[tuple[WordsRow, ...], str, str]:
    """Return bounds, certificate and refusal under a float model; words that are not proved are left open."""
    check_norms(run)
    floats, most = FloatNetwork(cast_network(network, run)), MOST_RUNS * settings.effort
    avoided = set[tuple[int, ...]]()
    for lemma in WordRuns(floats, claim, most).lemmas():
        avoided |= find_unproved_words_of(each_word_text(network, lemma.claim, run).encode(), WORK)
    lemmas = [replace(lemma, cover=None) for lemma in WordRuns(floats, claim, most, avoided).lemmas()]
    return concluded(network, claim, lemmas, weights, run)
