"""Languages of claims: regular expressions mean what Python's do, files say what they say, formulas what holds last."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.deciding.languages import language_of_file, language_of_formula, language_of_regex
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.regular.automata import Language, minimal, viable

WORDS = [word for n in range(6) for word in product("ab", repeat=n)]


def words_of(language: Language, alphabet: str = "ab") -> set[str]:
    return {"".join(word) for word in WORDS if language.contains([alphabet.index(symbol) for symbol in word])}


def patterns() -> st.SearchStrategy[str]:
    atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "()"])
    return st.recursive(atoms, lambda part: st.one_of(
        st.builds("({}|{})".format, part, part), st.builds("{}{}".format, part, part),
        st.builds("({}){}".format, part, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "{0,}"])),
    ), max_leaves=6)  # fmt: skip


@given(patterns())
def test_a_regular_expression_means_what_it_means_in_python(pattern: str) -> None:
    assert words_of(language_of_regex(pattern, "ab")) == {
        "".join(word) for word in WORDS if re.fullmatch(pattern, "".join(word))}


@pytest.mark.parametrize(("pattern", "message"), [
    ("a&b", r"& at character 2, expected symbols and ( ) [ ] | * + ? . {m,n}"),
    ("a^", "^ at character 2"),
    ("(a|b", "unclosed"),
    ("a|", ""),
    ("*a", ""),
    ("abc", "(the symbols are a b)"),
    (r"\d", "symbol '0', expected symbols of the claim: a b"),
    ("a{0}", "{0}, expected a repetition of at least 1 in the end"),
    ("((a{100}){100}){100}", "too long, expected at most 1000 characters, and 2000 with repetitions written out"),
    ("a" * 1001, "too long"),
    ("[b-a]", "b-a, expected a range that goes up"),
])
def test_what_is_no_regular_expression_is_refused_in_one_line(pattern: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        language_of_regex(pattern, "ab")
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert str(caught.value).startswith('regular expression "')


def test_an_automaton_with_too_many_states_is_not_built() -> None:
    with pytest.raises(Unsupported, match="its automaton has more than 4096 states"):
        language_of_regex("(a|b)*a(a|b){30}", "ab")


def test_symbols_that_are_operators_are_escaped_and_long_ones_named() -> None:
    language = language_of_regex(r"(\(\))*", "()")
    assert language.contains((0, 1, 0, 1)) and not language.contains((0, 0))
    named = language_of_regex("(<push><pop>)*x?", ["push", "pop", "x"])
    assert named.contains((0, 1, 2)) and not named.contains((0, 2))
    with pytest.raises(InputError, match="<pull>, expected a symbol of several characters"):
        language_of_regex("<pull>", ["push", "pop"])


@pytest.mark.parametrize("text", ["ODD(#<[Q_a])", "Q_a since Q_b", "#<[Q_a] <= 2 & prev Q_b", "ODD", "true"])
def test_the_language_of_a_formula_is_where_it_holds_last(text: str) -> None:
    formula = parse_formula(text)
    assert words_of(language_of_formula(formula, "ab")) == {
        "".join(word) for word in WORDS if word and satisfies(formula, word, len(word))}


def test_a_formula_that_counts_without_end_has_no_automaton() -> None:
    with pytest.raises(Unsupported, match="its automaton has more than 4096 states"):
        language_of_formula(parse_formula("#<[Q_a] > #<[Q_b]"), "ab")


EVEN_IN_TOML = """
alphabet = "ab"
start = "even"
accepting = ["even"]
[steps]
even = { a = "odd", b = "even" }
odd = { a = "even", b = "odd" }
"""
EVEN_IN_JSON = '{"start": "e", "accepting": ["e"], "steps": {"e": {"a": "o", "b": "e"}, "o": {"a": "e", "b": "o"}}}'
EVEN_IN_LINES = "0 1 a\n0 0 b\n1 0 a\n1 1 b\n0\n"
EVEN = {"".join(word) for word in WORDS if word.count("a") % 2 == 0}


@pytest.mark.parametrize("text", [EVEN_IN_TOML, EVEN_IN_JSON, EVEN_IN_LINES], ids=["toml", "json", "lines"])
def test_an_automaton_is_read_from_a_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "even.dfa"
    path.write_text(text, encoding="utf-8")
    assert words_of(language_of_file(str(path), "ab")) == EVEN


def test_named_states_accept_in_place_of_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "even.toml"
    path.write_text(EVEN_IN_TOML, encoding="utf-8")
    assert words_of(language_of_file(str(path), "ab", ["odd"])) == {"".join(word) for word in WORDS} - EVEN


def test_a_step_that_is_left_out_leads_to_where_nothing_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "one.dfa"
    path.write_text("s t a\nt\n", encoding="utf-8")
    assert words_of(language_of_file(str(path), "ab")) == {"a"}


@pytest.mark.parametrize(("text", "message"), [
    ("0 1 a\n0 0 a\n0\n", "step 2: state 0 has two steps for a, expected a deterministic automaton"),
    ("0 1 c\n", 'steps of "0": unknown key "c", expected one of a, b'),
    ("0 0 a\n2\n", 'accepting: no state is named "2"'),
    ('{"start": "e", "accepting": [], "steps": []}', "steps: [], expected a table of states"),
    ('{"start": 1, "accepting": [], "steps": {}}', "start: 1, expected a string"),
    ('start = "e"\naccepting = []\nstep = {}\n', 'unknown key "step", did you mean steps?'),
    ('start = "e"\n', "no key accepting, which is needed"),
    ('alphabet = "abc"\nstart = "e"\naccepting = []\nsteps = {e = {}}\n', "alphabet \"abc\", expected the claim's a b"),
    ("", "no key start, which is needed"),
    ("some text that is neither\n", "Expected '=' after a key"),
])
def test_what_is_no_automaton_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.dfa"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        language_of_file(str(path), "ab")
    assert message in str(caught.value) and "\n" not in str(caught.value)


@given(patterns(), patterns())
def test_equal_languages_have_equal_minimal_automata(first: str, second: str) -> None:
    small = []
    for pattern in (first, second):
        language = language_of_regex(pattern, "ab")
        marks = [state in language.accepting for state in range(len(language.automaton.steps))]
        automaton, block = minimal(language.automaton, marks)
        small.append(Language(automaton, frozenset(block[state] for state in language.accepting)))
        assert words_of(small[-1]) == words_of(language)
    assert len(small[0].automaton.steps) >= 1 and (small[0] != small[1] or words_of(small[0]) == words_of(small[1]))


def test_viable_states_are_those_of_prefixes() -> None:
    language = language_of_regex("ab(ab)*", "ab")
    prefixes = {word for word in WORDS if language.automaton.read(["ab".index(x) for x in word]) in viable(language)}
    assert prefixes == {word for word in WORDS if "".join(word) == ("ab" * 3)[: len(word)]}
