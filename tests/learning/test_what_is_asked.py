"""Which answers and words a claim or options ask about, and what is said where nothing can be learnt."""

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.flags import Flags
from certify.learning.learn import Effort, learn
from certify.learning.question import OUT, LearningQuestion, leaves_words_out, parts_of, read_words
from certify.learning.requests import read_learning
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When
from tests.learning.questions import of_the_zoo
from tests.trained.claims import claim_of, network_of
from tests.trained.small_networks import write_network

ONE = Fraction(1)
LOGIT = ((0, ONE),)


def of_zeros(**fields: object) -> LearningQuestion:
    """Return the question whether logit 0 of a network of zeros is above 0: it never is."""
    return read_words(network_of(), claim_of([When(parse_formula("true", "ab"))], **fields), None)


@pytest.mark.parametrize(("name", "words", "parts"), [
    ("tomita_2", "allowed", 4), ("tomita_1", "all", 1), ("majority", "asked", 1), ("dyck_1", "allowed", 4),
    ("flip_flop", "all", 1), ("even", "all", 3),
])
def test_words_and_answers_suit_the_claim(name: str, words: str, parts: int) -> None:
    _, question = of_the_zoo(name, 5)
    assert (question.words, len(question.parts)) == (words, parts)


def test_a_greatest_logit_is_one_part_and_single_rows_are_signs() -> None:
    above = tuple(tuple(sorted(((1, ONE), (other, -ONE)))) for other in (0, 2))
    parts = parts_of([Case(When(), above), Case(When(), (((0, -ONE),),)), Case(When(), (LOGIT,))])
    assert [len(part) for part in parts] == [3, 2]
    assert parts[0][1] == above and parts[1] == ((LOGIT,), (((0, -ONE),),))


def test_codes_and_choices_are_inverse() -> None:
    _, question = of_the_zoo("tomita_2", 5)
    assert [question.code(question.choices(code)) for code in range(16)] == list(range(16))
    assert question.rows(question.code((0, 1, 0, 1))) == (
        ((0, ONE),), ((1, -ONE),), ((3, ONE),), ((2, -ONE),))
    assert question.allows(question.code((0, 1, 0, 1)), 0) and not question.allows(question.code((0, 1, 0, 1)), 1)
    assert not question.allows(OUT, 0)


def test_a_tie_is_unknown_and_names_the_word() -> None:
    learned = learn(network_of(), of_zeros())
    assert (learned.verdict, learned.certified_to, learned.automaton, learned.certificate) == ("unknown", None, None,
                                                                                               None)
    assert learned.reason == "no precision decides the answer on the word a: a tie"


def test_more_states_than_are_wanted_is_unknown_from_there_on() -> None:
    learned = learn(*of_the_zoo("palindromes", 6), effort=Effort(states=9))
    assert [(row.verdict, row.states) for row in learned.rows] == [
        ("certified", 1), ("certified", 3), ("certified", 5), ("certified", 9), ("unknown", None), ("unknown", None)]
    assert learned.reason == "more than 9 states are needed for words of at most 5 letters"
    assert learned.certificate is not None and learned.exit_code == 3


def test_an_answer_that_depends_on_the_offset_is_unknown_and_says_where() -> None:
    learned = learn(*of_the_zoo("tomita_7", 3, offsets=(59, 60)))
    assert learned.certified_to == 2
    assert learned.reason == "the answer on the word 011 at offset 60 is not that at offset 59"


def test_a_claim_that_asks_of_no_word_learns_that() -> None:
    claim = claim_of([When(parse_formula("Q_a & Q_b", "ab"))], lengths=(1, 3))
    learned = learn(network_of(), read_words(network_of(), claim, "asked"))
    assert learned.automaton is not None and learned.automaton.marks == (OUT,)
    assert [row.verdict for row in learned.rows] == ["certified"] * 3


@pytest.mark.parametrize(("fields", "words", "reason"), [
    ({"lengths": (2, 3)}, None, "min_n: 2, expected 1: an automaton begins with the shortest words"),
    ({"margin": ONE}, None, "margin: 1, expected 0: answers are signs"),
    ({}, "allowed", "words: allowed, but the claim does not judge the sign of the logit of each letter's token at each "
                    "letter"),
    ({}, "some", "words: 'some', expected one of all, asked, allowed"),
])
def test_what_cannot_be_learnt_is_refused_in_a_line(fields: dict[str, object], words: str | None, reason: str) -> None:
    claim = replace(claim_of([When(parse_formula("Q_a", "ab"))]), **fields)  # type: ignore[arg-type]
    with pytest.raises(InputError) as error:
        read_words(network_of(), claim, words)
    assert str(error.value) == reason


def test_answers_that_depend_on_letters_to_come_are_unsupported() -> None:
    with pytest.raises(Unsupported):
        read_words(network_of("bidirectional"), claim_of([When(parse_formula("Q_a", "ab"))]), None)
    with pytest.raises(Unsupported):
        read_words(network_of(), claim_of([When(parse_formula("next Q_a", "ab"))]), "all")


def test_a_claim_leaves_words_out_if_some_word_has_no_case() -> None:
    whole = [When(parse_formula("Q_a", "ab")), When(parse_formula("!Q_a", "ab"))]
    assert not leaves_words_out(claim_of(whole)) and leaves_words_out(claim_of(whole[:1]))


def test_options_without_truths_ask_for_signs_and_claim_nothing(tmp_path: object) -> None:
    path = f"{tmp_path}/network.json"
    write_network(network_of(), path)
    flags = Flags("ab", at="last", sign=("0",), larger=("1,2",), argmax=("1,2,3",))
    _, question = read_learning(path, None, flags, Scope(3))
    assert [len(part) for part in question.parts] == [2, 2, 3]
    assert (question.words, question.intended, question.longest) == ("all", False, 3)
    _, allowed = read_learning(path, None, Flags("ab", at="every", before="2", sign=("0", "1")), Scope(3))
    assert (allowed.words, allowed.first) == ("allowed", 0)
    with pytest.raises(InputError, match="some have a truth"):
        read_learning(path, None, Flags("ab", at="last", sign=("0", "1: Q_a")), Scope(3))
