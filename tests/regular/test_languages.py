"""Languages of claims: regular expressions mean what Python's do, files say what they say, formulas what holds last."""

import re
from itertools import product as product_of

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.claims.trained.conditions import language_of_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.regular.automata import Automaton, RegularLanguage, minimal, product, viable
from constructions.regular.automaton_files import language_of_text
from constructions.regular.expression import language_of_regex, symbols_of_regex

WORDS = [word for n in range(6) for word in product_of("ab", repeat=n)]


def words_of(language: RegularLanguage, alphabet: str = "ab") -> set[str]:
    return {"".join(word) for word in WORDS if language.contains([alphabet.index(symbol) for symbol in word])}


def patterns() -> st.SearchStrategy[str]:
    atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "()"])
    return st.recursive(atoms, lambda part: st.one_of(
        st.builds("({}|{})".format, part, part), st.builds("{}{}".format, part, part),
        st.builds("({}){}".format, part, st.sampled_from(
            ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "{0,}", "{0}"])),
    ), max_leaves=6)  # fmt: skip


@given(patterns())
def test_a_regular_expression_means_what_it_means_in_python(pattern: str) -> None:
    assert words_of(language_of_regex(pattern, "ab")) == {
        "".join(word) for word in WORDS if re.fullmatch(pattern, "".join(word))}


def test_groups_without_memory_are_brackets() -> None:
    assert words_of(language_of_regex("(?:ab)*(?:a|b)", "ab")) == words_of(language_of_regex("(ab)*(a|b)", "ab"))


@pytest.mark.parametrize(("pattern", "message"), [
    ("a&b", "& at character 2, expected one of the symbols a b"),
    ("^a", r"^ at character 1, expected nothing, as whole words are matched, or \^"),
    ("(a|b", r"( at character 1, expected a closing ) after it, or \("),
    ("a)", r") at character 2, expected an opening ( before it, or \)"),
    ("a|", "| at character 2, expected something after it; the empty word is written ()"),
    ("(a|)", ") at character 4, expected something before it"),
    ("*a", r"* at character 1, expected something to repeat before it, or \*"),
    ("a+?", r"? at character 3, expected ( ) around what it repeats, or \?"),
    ("abc", "c at character 3, expected one of the symbols a b"),
    ("a b", "  at character 2, expected one of the symbols a b"),
    (r"\d", r"\d at character 1, expected \ before one of ( ) [ ]"),
    ("a{x}", "{ at character 2, expected a repetition such as {2}, {2,} or {2,3}"),
    ("a{3,2}", "{3,2} at character 2, expected the smaller number first"),
    ("((a{100}){100}){100}", "too long, expected at most 2000 symbols with repetitions written out"),
    ("a" * 1001, "too long, expected at most 1000 characters"),
    ("[b-a]", "b-a at character 1, expected a range that goes up"),
    ("[a", "[ at character 1, expected ] after the symbols"),
    ("(?=a)", "(?= at character 1, expected ( ) or (?: ); a lookahead is not supported"),
    ("ab(?!a)b", "(?! at character 3, expected ( ) or (?: ); a lookahead is not supported"),
    ("(?<=a)b", "(?<= at character 1, expected ( ) or (?: ); a lookbehind is not supported"),
    ("(?P<x>a)", "(?P< at character 1, expected ( ) or (?: ); another kind of Python bracket is not supported"),
    ("[]", "[] at character 1, expected symbols between the brackets"),
    ("(" * 1000, "( at character 1000, expected a closing )"),
])
def test_what_is_no_regular_expression_is_refused_in_one_line(pattern: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        language_of_regex(pattern, "ab")
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert str(caught.value).startswith('regular expression "')


def test_an_automaton_with_too_many_states_is_not_built() -> None:
    with pytest.raises(Unsupported, match="its automaton has more than 32768 states before it is minimised"):
        language_of_regex("(a|b)*a(a|b){30}", "ab")


def test_symbols_that_are_operators_are_escaped_and_long_ones_named() -> None:
    language = language_of_regex(r"(\(\))*", "()")
    assert language.contains((0, 1, 0, 1)) and not language.contains((0, 0))
    named = language_of_regex("(<push><pop>)*x?", ["push", "pop", "x"])
    assert named.contains((0, 1, 2)) and not named.contains((0, 2))
    with pytest.raises(InputError, match="<pull> at character 1, expected one of the symbols push pop"):
        language_of_regex("<pull>", ["push", "pop"])


def test_the_symbols_of_an_expression_are_those_that_it_names() -> None:
    assert symbols_of_regex("b(a|<end>)*[c-e]") == ("a", "b", "c", "d", "e", "end")
    with pytest.raises(InputError, match="no symbol, expected an alphabet"):
        symbols_of_regex(".*")


@pytest.mark.parametrize("text", ["ODD(#<[Q_a])", "Q_a since Q_b", "#<[Q_a] <= 2 & prev Q_b", "ODD", "true"])
def test_the_language_of_a_formula_is_where_it_holds_last(text: str) -> None:
    formula = parse_formula(text)
    assert words_of(language_of_formula(formula, "ab")) == {
        "".join(word) for word in WORDS if word and satisfies(formula, word, len(word))}


def test_a_formula_that_counts_without_end_has_no_automaton() -> None:
    with pytest.raises(Unsupported, match="its automaton has more than 32768 states before it is minimised"):
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
def test_an_automaton_is_read_from_a_file(text: str) -> None:
    assert words_of(language_of_text(text, "even.dfa", "ab")[0]) == EVEN
    assert language_of_text(text, "even.dfa")[1] == ("a", "b")


def test_named_states_accept_in_place_of_those_of_the_file() -> None:
    language, _ = language_of_text(EVEN_IN_TOML, "even.toml", "ab", ["odd"])
    assert words_of(language) == {"".join(word) for word in WORDS} - EVEN


def test_a_step_that_is_left_out_leads_to_where_nothing_is_accepted() -> None:
    assert words_of(language_of_text("s t a\nt\n", "one.dfa", "ab")[0]) == {"a"}


@pytest.mark.parametrize("text", [
    "0\t0\ta\n0\t0\tb\n0\t1\ta\n1\n",  # two steps for a
    "0\t0\ta\ta\n0\t0\tb\tb\n0\t1\ta\ta\t0.0\n1\t0\n",  # with outputs and weights
    "0 0 a\n0 0 b\n0 2 <eps>\n2 1 a\n1\n",
])
def test_lines_with_several_steps_outputs_and_weights(text: str) -> None:
    """Words that end in a."""
    assert words_of(language_of_text(text, "ends.att")[0]) == {"".join(word) for word in WORDS if word[-1:] == ("a",)}


HOA = """HOA: v1
name: "ends in p, not q"
States: 2
Start: 0
AP: 2 "p" "q"
Alias: @good 0 & !1
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0 "no"  /* begins here */
[@good] 1
[!@good] 0
State: 1 {0}
[0&!1] 1
[!(0&!1)|f] 0
--END--
"""


def test_letters_of_hoa_are_choices_of_truths_or_single_propositions() -> None:
    language, letters = language_of_text(HOA, "a.hoa")
    assert letters == ("p&q", "p&!q", "!p&q", "!p&!q")
    assert [language.contains((letter,)) for letter in range(4)] == [False, True, False, False]
    single, names = language_of_text(HOA, "a.hoa", ("q", "p"))
    assert names == ("q", "p") and single.contains((0, 1)) and not single.contains((1, 0))


def test_properties_of_hoa_may_stand_on_several_lines() -> None:
    """As Spot writes them; what decides the language is said once."""
    several = HOA.replace("Start: 0", "properties: explicit-labels\nproperties: deterministic\nStart: 0")
    assert language_of_text(several, "a.hoa") == language_of_text(HOA, "a.hoa")
    with pytest.raises(InputError, match='line 6: "AP:", expected it once'):
        language_of_text(HOA.replace("Alias:", 'AP: 1 "p"\nAlias:'), "a.hoa")


@pytest.mark.parametrize(("old", "new", "message"), [
    ("1 Inf(0)", "2 Inf(0)&Inf(1)", 'Acceptance: "2 Inf ( 0 ) & Inf ( 1 )", expected 1 Inf(0)'),
    ("Start: 0", "Start: 0 & 1", 'line 4: "Start:", expected one state each'),
    ("Start: 0", "Start: 7", 'line 4: "7", expected a state that has a line State:'),
    ("[@good] 1", "[@bad] 1", 'line 11: "@bad", expected the number of a proposition, t, f, or an alias'),
    ("[@good] 1", "[@good] 1 {0}", 'line 11: "{", expected one state after the label, and marks on states'),
    ("[@good] 1", "1", 'line 11: "1", expected State: or an edge, [label] state'),
    ("[@good] 1", "[(0] 1", 'line 11: "(", expected a closing ) after it'),
    ("[@good] 1", "[0 1] 1", 'line 11: "1", expected & or | or ]'),
    ("[@good] 1", "[] 1", 'line 11: "1", expected a label that ends with a proposition'),
    ("AP: 2", "AP: 3", 'AP: "3 \\"p\\" \\"q\\"", expected their number and names'),
    ("--END--", "", 'line 17: "the end of the file", expected --BODY--'),
    ("State: 1", "State: 0", 'line 13: "0", expected each state once'),
    ("name: ", "name: $", 'line 2: "$", expected the HOA format'),
])
def test_what_is_not_of_finite_words_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        language_of_text(HOA.replace(old, new), "a.hoa")
    assert str(caught.value).startswith("a.hoa") and message in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [
    ("0 1 a\n0 1 c\n", 'line 2: symbol "c", expected one of a, b'),
    ("0 1 a b\n", 'line 1: "b", expected the symbol that is read, the weight 0, or nothing'),
    ("0 1 a b 0\n", "line 1: a is read and b is written, expected an automaton that writes what it reads"),
    ("0 1 a\n1 2.5\n", 'line 2: "2.5", expected the symbol that is read, the weight 0, or nothing'),
    ('{"start": "e", "accepting": ["f"], "steps": {"e": {"a": "e"}}}', 'accepting: no state is named "f"'),
    ('{"start": "e", "accepting": [], "steps": []}', "steps: [], expected a table of states"),
    ('{"start": 1, "accepting": [], "steps": {}}', "start: 1, expected a string"),
    ('start = "e"\naccepting = []\nstep = {}\n', 'unknown key "step", did you mean steps?'),
    ('start = "e"\n', "no key accepting, expected one"),
    ('alphabet = "abc"\nstart = "e"\naccepting = []\nsteps = {e = {}}\n', "alphabet a b c, expected a b"),
    ("", "empty, expected an automaton in TOML, JSON, AT&T lines or HOA"),
    ('<?xml version="1.0"?>\n<structure/>\n', "found XML or a drawing by Graphviz, expected TOML, JSON, AT&T lines"),
    ('digraph G {\n0 -> 1 [label="a"];\n}\n', "found XML or a drawing by Graphviz"),
    ("some text that is none of these\n", "not TOML: Expected '=' after a key"),
])
def test_what_is_no_automaton_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        language_of_text(text, "bad.dfa", "ab")
    assert message in str(caught.value) and "\n" not in str(caught.value)


@given(patterns(), patterns())
def test_equal_languages_have_equal_minimal_automata(first: str, second: str) -> None:
    small = []
    for pattern in (first, second):
        language = language_of_regex(pattern, "ab")
        marks = [state in language.accepting for state in range(len(language.automaton.steps))]
        automaton, block = minimal(language.automaton, marks)
        small.append(RegularLanguage(automaton, frozenset(block[state] for state in language.accepting)))
        assert words_of(small[-1]) == words_of(language)
    assert len(small[0].automaton.steps) >= 1 and (small[0] != small[1] or words_of(small[0]) == words_of(small[1]))


def test_viable_states_are_those_of_prefixes() -> None:
    language = language_of_regex("ab(ab)*", "ab")
    prefixes = {word for word in WORDS if language.automaton.read(["ab".index(x) for x in word]) in viable(language)}
    assert prefixes == {word for word in WORDS if "".join(word) == ("ab" * 3)[: len(word)]}


def counting(letter: int, modulus: int, letters: int = 2) -> Automaton:
    """Return the automaton that counts a letter modulo a number."""
    return Automaton(0, tuple(tuple((state + (each == letter)) % modulus for each in range(letters))
                              for state in range(modulus)))


def test_the_limit_is_of_states_that_are_needed() -> None:
    """121 · 97 states and some are reached; where one b settles the second condition, 121 · 2 are needed."""
    twice = Automaton(0, ((0, 1), (1, 2), (2, 2)))
    automaton, states = product([counting(0, 121), counting(1, 97), twice], 2)
    assert len(automaton.steps) == 121 * 97 + 121 * 2
    small, block = minimal(automaton, [(first == 0, below < 2 and second == 0) for first, second, below in states])
    assert len(small.steps) == 121 * 2
    assert minimal(small, [(state,) for state in range(len(small.steps))])[0] == small
    assert all(small.steps[block[state]][letter] == block[after]
               for state, row in enumerate(automaton.steps) for letter, after in enumerate(row))


def test_a_chain_is_made_small_in_a_moment() -> None:
    """Splitting all blocks at once takes as many rounds as there are states."""
    length = 20_000
    chain = Automaton(0, tuple((min(state + 1, length), 0) for state in range(length + 1)))
    small, _ = minimal(chain, [state == length for state in range(length + 1)])
    assert small == chain


@given(st.integers(1, 9).flatmap(lambda states: st.tuples(
    st.lists(st.tuples(*[st.integers(0, states - 1)] * 2), min_size=states, max_size=states),
    st.lists(st.booleans(), min_size=states, max_size=states))))
def test_states_are_one_exactly_if_no_word_tells_them_apart(drawn: tuple[list[tuple[int, int]], list[bool]]) -> None:
    steps, marks = drawn
    automaton = Automaton(0, tuple(steps))
    apart = {(p, q) for p, q in product_of(range(len(steps)), repeat=2) if marks[p] != marks[q]}
    while more := {(p, q) for p, q in product_of(range(len(steps)), repeat=2) if (p, q) not in apart
                   and any(after in apart for after in zip(steps[p], steps[q], strict=True))}:
        apart |= more
    _, block = minimal(automaton, marks)
    assert {(p, q) for p, q in product_of(range(len(steps)), repeat=2) if block[p] != block[q]} == apart


def test_an_expression_may_reach_more_states_than_it_needs() -> None:
    """Which of the last 13 symbols are a: 2^13 sets are reached, and needed; but not where all words are in."""
    with pytest.raises(Unsupported, match="its automaton has more than 4096 states"):
        language_of_regex("(a|b)*a(a|b){12}", "ab")
    language = language_of_regex("(a|b)*a(a|b){12}|(a|b)*", "ab")
    assert len(language.automaton.steps) == 1


def test_a_file_may_have_more_states_than_are_needed() -> None:
    states = 11_922
    lines = [f"{state}\t{(state + 1) % states}\ta" for state in range(states)]
    lines += [f"{state}" for state in range(0, states, 2)]
    language, _ = language_of_text("\n".join(lines), "even.att", ["a"])
    assert language.automaton.steps == ((1,), (0,)) and language.contains((0, 0)) and not language.contains((0,))
    needed = [*lines[:states], "0"]
    with pytest.raises(Unsupported, match="its automaton has more than 4096 states"):
        language_of_text("\n".join(needed), "all.att", ["a"])
