"""`certify explain`: what it says in words is what formulas and networks mean; the words that it shows, show it."""

import itertools

import pytest

from certify.claims.formula.in_words import layers_in_words, sentences
from certify.claims.formula.lesson import ShownWord, choose_words, describe_softness, teach
from certify.claims.formula.outcomes import Certified
from certify.requests.inputs import Options
from certify.requests.request import read_request
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.regimes import Regime

SINCE = "(Q_a | Q_b) since prev Q_a"
FORMULAS = {SINCE: "abc", "ODD(#<[Q_1])": "01", "#<[Q_1] > #<[Q_0]": "01", "F next Q_a": "ab",
            "Q_a & prev Q_b": "abc", "(Q_a | Q_b) until Q_b": "abc", "#<[prev Q_1] >= 2": "01"}


@pytest.mark.parametrize(("text", "meaning"), [
    ("Q_a", "the letter is a"), ("!Q_a & !FIRST", "the letter is not a and this is not the first position"),
    ("Q_a & Q_b | Q_c", "`Q_a & Q_b` holds or the letter is c"),
    ("!(Q_a | Q_b)", "it is false that the letter is a or the letter is b"),
    ("Q_a -> prev Q_b", "if the letter is a, then `prev Q_b` holds"),
    ("next Q_a", "there is a position just after this one, and there the letter is a"),
    ("Q_a until Q_b",
     "here or later the letter is b, and from here up to there (here and there, too) always the letter is a"),
    ("P Q_a", "here or earlier the letter is a"),
    ("EVEN(#>[Q_a])", "the number of positions from here on where the letter is a is even"),
    ("#<[Q_a] - #<[Q_b] <= 1",
     "the number of positions up to here where the letter is a, minus the number of positions up to here where the "
     "letter is b is at most 1"),
])
def test_a_formula_is_said_in_words(text: str, meaning: str) -> None:
    formula = parse_formula(text.replace("P Q_a", "true since Q_a"))
    assert sentences(formula)[-1][1] == meaning


@pytest.mark.parametrize(("text", "alphabet"), FORMULAS.items())
def test_three_words_show_a_formula_one_of_them_barely(text: str, alphabet: str) -> None:
    formula = parse_formula(text, alphabet)
    words, _ = choose_words(formula, tuple(alphabet))
    holds, fails, barely = words
    assert [each.truth for each in words] == [True, False, True]
    for each in words:
        assert each.truths == truth_values(formula, each.word)
    assert deciding(barely, formula, alphabet) >= max(1, deciding(holds, formula, alphabet))
    n, i = len(barely.word), barely.position
    others = [ShownWord(word, truth_values(formula, word), i, "") for word in itertools.product(alphabet, repeat=n)]
    assert deciding(barely, formula, alphabet) == max(deciding(one, formula, alphabet) for one in others if one.truth)
    assert "only just: with " in barely.why and fails.why == "does not"


def deciding(shown: ShownWord, formula: object, alphabet: str) -> int:
    """Count the letters that decide: the truth changes with another letter there."""
    word, i = shown.word, shown.position
    return sum(any(truth_values(formula, (*word[:k], other, *word[k + 1:]))[i - 1] != shown.truth  # type: ignore[arg-type]
                   for other in alphabet) for k in range(len(word)))


def test_a_formula_that_is_always_true_is_said_to_be() -> None:
    (word,), place = choose_words(parse_formula("Q_a | !Q_a", "ab"), ("a", "b"))
    assert word.truth and place == "last"
    assert word.why == "true at the last position of every word of 6 letters over {a, b}"


def test_a_formula_about_the_future_is_judged_where_there_is_one() -> None:
    assert choose_words(parse_formula("F next Q_a", "ab"), ("a", "b"))[1] == "first"
    assert choose_words(parse_formula(SINCE, "abc"), ("a", "b", "c"))[1] == "last"


def test_a_since_is_said_to_look_for_the_last_position_that_settles_it() -> None:
    last = list(layers_in_words(compile_formula(parse_formula(SINCE, "abc"), "abc", Regime())))[-1]
    assert last == (
        f"Every position attends to the last position up to it that decides `{SINCE}`: where `Q_a | Q_b` fails or "
        f"`prev Q_a` holds. It reads approximately the truth of `{SINCE}`.",
        f"At each position, ReLUs compute the truth of `{SINCE}`.")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("text", "alphabet"), FORMULAS.items())
def test_every_layer_has_sentences_and_every_stray_is_below_a_quarter(text: str, alphabet: str) -> None:
    request = read_request(text, Options(alphabet))
    lesson = teach(request, request.network)
    assert len(lesson.layers) == len(request.network.layers) and all(lesson.layers)
    assert all(sentence.endswith(".") for printed in lesson.layers for sentence in printed)
    assert isinstance(lesson.outcome, Certified) and lesson.outcome.max_n == 16
    printed = describe_softness(lesson)
    assert printed[-1].startswith("certified for n <= 16, and accepted by the independent checker")
    assert bool(lesson.errors) is any(line.startswith("head ") for line in printed)


def test_what_is_not_certified_is_not_said_to_be() -> None:
    request = read_request("Q_1 since next Q_0", Options("01", gamma="13/10"))
    lesson = teach(request, request.network)
    assert describe_softness(lesson) == ["nothing is proved here: refuted; certify formula says why"]
    assert describe_softness(teach(request, None)) == ["nothing is proved here: no network is built for it"]
