"""The learnt automaton agrees with every word's own run, is minimal, and has an accepted certificate."""

import itertools
import json
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import pytest

from certify.learning.cover_learner import CoverLearner
from certify.learning.learn import Effort, learn
from certify.learning.learned import Learned
from certify.learning.question import OUT, LearningQuestion, read_words
from constructions.network.json_form import write_canonical
from constructions.regular.automata import Automaton
from constructions.regular.cover_automata import smallest_cover, smallest_cover_without_empty
from proofs.check import Rejected, check_text
from tests.learning.questions import Word, all_words, brute_force, network_of_the_zoo, of_the_zoo
from tests.learning.random_questions import claim_about
from tests.trained.random_networks import random_network

ZOO = (("tomita_1", 7, None, 2), ("tomita_2", 9, None, 3), ("tomita_2", 6, "all", 2), ("tomita_4_turned", 6, None, 4),
       ("tomita_7", 6, None, 7), ("first", 7, None, 3), ("even", 12, None, 2), ("d_2", 8, None, 4),
       ("dyck_1", 7, None, 6), ("majority", 6, None, 7), ("majority", 6, "all", 13), ("flip_flop", 4, None, 2),
       ("palindromes", 5, None, 11))
"""Networks, lengths, words, and how many states there are."""


def trie_of(question: LearningQuestion, answers: dict[Word, int]) -> tuple[Automaton, list[int]]:
    """All words as an automaton: a state for each, and one for longer words."""
    words = [(), *(word for word in answers if word)]
    places = {word: place for place, word in enumerate(words)}
    letters = range(len(question.claim.alphabet))
    steps = [tuple(places.get((*word, letter), len(words)) for letter in letters) for word in words]
    return Automaton(0, (*steps, (len(words),) * len(letters))), [*(answers.get(word, OUT) for word in words), OUT]


def least_states(question: LearningQuestion, answers: dict[Word, int], longest: int) -> int:
    """Return the least number of states of an automaton that agrees on words of at most this length."""
    automaton, marks = trie_of(question, answers)
    if question.first == 0:
        return len(smallest_cover(automaton, marks, longest).marks)
    return len(smallest_cover_without_empty(automaton, marks, longest, set(marks)).marks)


def check_learned(learned: Learned, question: LearningQuestion, answers: dict[Word, int]) -> None:
    found, to = learned.automaton, learned.certified_to
    assert found is not None and to is not None and learned.certificate
    for word in all_words(question.to(to)):
        assert found.marks[found.automaton.read(word)] == answers[word], word
    assert [row.states for row in learned.rows[:to]] == [least_states(question, answers, n) for n in range(1, to + 1)]
    check_text(learned.certificate.encode())  # raises unless it is accepted
    assert json.loads(learned.certificate)["claim"]["max_n"] == to


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("name", "max_n", "words", "states"), ZOO)
def test_a_network_of_the_zoo_is_learnt(name: str, max_n: int, words: str | None, states: int) -> None:
    network, question = of_the_zoo(name, max_n, words)
    learned = learn(network, question)
    assert (learned.verdict, learned.certified_to) == ("certified", max_n)
    assert learned.automaton is not None and len(learned.automaton.marks) == states
    check_learned(learned, question, brute_force(network, question))


@pytest.mark.one_in(16)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("read", ["each", "last", "first"])
def test_a_random_network_is_learnt(seed: int, read: str) -> None:
    network = random_network(seed)
    if read == "each" and network.attention != "causal":
        network = replace(network, attention="causal")
    question = read_words(network, claim_about(network, read, 4), None, intended=False)
    learned = learn(network, question)
    assert (learned.verdict, learned.certified_to) == ("certified", 4)
    check_learned(learned, question, brute_force(network, question))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("name", "max_n"), [("tomita_7", 5), ("flip_flop", 4), ("palindromes", 4)])
def test_what_no_search_finds_the_decision_does(monkeypatch: pytest.MonkeyPatch, name: str, max_n: int) -> None:
    """Searches that see nothing wrong: the decision refutes the automaton, and its word teaches another one."""
    monkeypatch.setattr("certify.learning.learn._Learning.searched_for", lambda *_: [])
    network, question = of_the_zoo(name, max_n)
    learned = learn(network, question, effort=Effort(table=6))
    assert learned.certified_to == max_n
    check_learned(learned, question, brute_force(network, question))


def test_searches_find_what_the_table_has_not() -> None:
    """With a table of few words the automaton is wrong at first, and searches supply counterexamples."""
    for name, max_n in (("tomita_7", 6), ("palindromes", 5), ("flip_flop", 4), ("majority", 6)):
        network, question = of_the_zoo(name, max_n)
        learned = learn(network, question, effort=Effort(table=6))
        assert learned.asked["searches"] > 1 and learned.certified_to == max_n
        check_learned(learned, question, brute_force(network, question))


class Table:
    """Answers that are known."""

    def __init__(self, codes: dict[Word, int]) -> None:
        self.known, self.codes = codes, dict[Word, int]()

    def ask(self, words: Iterable[Word]) -> None:
        self.codes |= {word: self.known[word] for word in words}


@pytest.mark.parametrize("seed", range(20))
def test_the_learner_finds_as_few_states_as_the_table_of_all_words(seed: int) -> None:
    """Any function of words, even noise."""
    import random

    draw = random.Random(seed)
    words = [word for n in range(6) for word in itertools.product(range(2), repeat=n)]
    table = Table({word: draw.choice([0, 0, 0, 1, 2]) if len(word) > 2 else len(word) % 2 for word in words})
    learner = CoverLearner(table, 2, 1000)
    learner.longest = 5
    found = learner.hypothesis()
    while wrong := next((word for word in words if found.marks[found.automaton.read(word)] != table.known[word]), None):
        found = learner.learn(wrong)
    places = {word: place for place, word in enumerate(words)}
    trie = Automaton(0, tuple(tuple(places.get((*word, letter), 0) for letter in range(2)) for word in words))
    assert len(found.marks) == len(smallest_cover(trie, [table.known[word] for word in words], 5).marks)


@pytest.fixture(scope="module")
def seven() -> Learned:
    return learn(*of_the_zoo("tomita_7", 5))


def test_a_certificate_of_another_automaton_is_rejected(seven: Learned) -> None:
    """Each step led to another state: where a word of at most five letters is answered otherwise, it is refused."""
    found, question = seven.automaton, seven.question
    assert found is not None and seven.certificate
    data, changed = json.loads(seven.certificate), 0
    live = [state for state, code in enumerate(found.marks) if code != OUT]
    for state, letter, further in itertools.product(live, range(2), (1, 3)):
        steps = [list(row) for row in found.automaton.steps]
        steps[state][letter] = (steps[state][letter] + further) % len(steps)
        mutant = Automaton(0, tuple(map(tuple, steps)))
        wrong = [word for word in all_words(question) if OUT not in (
                 answers := {found.marks[found.automaton.read(word)], found.marks[mutant.read(word)]}
                 ) and len(answers) == 2]
        if wrong:
            changed += 1
            text = write_canonical(data | {"claim": data["claim"] | {"automaton": {"start": 0, "steps": steps}}})
            with pytest.raises(Rejected):
                check_text(text.encode())
    assert changed > 5


def test_a_certificate_of_another_answer_is_rejected(seven: Learned) -> None:
    assert seven.certificate
    data = json.loads(seven.certificate)
    for number, case in enumerate(data["claim"]["cases"]):
        for place, row in enumerate(case["above"]):
            other = [[token, str(-Fraction(value))] for token, value in row]
            cases = [one | {"above": [other if (k, p) == (number, place) else r for p, r in enumerate(one["above"])]}
                     for k, one in enumerate(data["claim"]["cases"])]
            with pytest.raises(Rejected):
                check_text(write_canonical(data | {"claim": data["claim"] | {"cases": cases}}).encode())


def test_the_network_is_that_of_the_zoo(seven: Learned) -> None:
    assert seven.network == network_of_the_zoo("tomita_7")
