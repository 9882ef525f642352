"""Regular languages as formulas of the past: true where the prefix is in the language, on short and on random words.

Three ways are compared: Python's own regular expressions (or a rule written here), the automaton, and the truth of the
formula by the definition of the logic. The code under test decides that the formula defines the language for words of
every length; the decision itself is tested, too.
"""

import random
import re
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from itertools import product
from typing import Any

import pytest

from constructions.errors import InternalError, Unsupported
from constructions.language.fragments import find_future_subformula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Predicate, PredicateOnCount, subformulas
from constructions.regular.automata import Automaton, RegularLanguage, explore
from constructions.regular.equivalence import defines
from constructions.regular.expression import language_of_regex
from constructions.regular.to_ltl import DefinedLanguage, formula_of_language

STAR_FREE = [
    ("1*", "01"), ("(10)*", "01"), ("(1|0(1|01))*0?0?", "01"), ("0*1*0*1*", "01"),  # Tomita 1, 2, 4, 7
    ("(ab)*", "ab"), ("a*b*", "ab"), ("(a|b)*abb", "ab"), ("(a|ba)*", "ab"), ("a.*b", "ab"),
    ("(a.*a)|(b.*b)|a|b", "ab"),
    ("(a(ab)*b)*", "ab"), ("(a(a(ab)*b)*b)*", "ab"), ("(a(a(a(ab)*b)*b)*b)*", "ab"),  # brackets of depth 2, 3, 4
    (r"(\(\)|\[\])*", "()[]"), (r"(\((\(\)|\[\])*\)|\[(\(\)|\[\])*\])*", "()[]"),
    (".*a.*b.*c.*", "abc"), (".*a.*b.*a.*", "ab"), (".*aa.*", "ab"), (".*ab.*ba.*", "ab"), (".*abab.*", "ab"),
    ("[^a]*a[^a]*", "abc"), ("[^a]*(a[^a]*){3}", "ab"), ("[^a]*(a[^a]*){2,4}", "ab"), ("(a*b){4}.*", "ab"),
    ("(ab|abc)*", "abc"), ("(a|bc|de)*", "abcde"), ("([ab]*c)*a[ab]*", "abc"), ("(s[^rs]*r|[^rs])*", "srx"),
    ("[^s]*(s[^r]*r[^s]*)*", "srx"), ("(a|b)*a(a|b)", "ab"), ("(a|b)*a(a|b){3}", "ab"), ("a(a|b){3}", "ab"),
    ("(a|b){5}", "ab"), ("(a|b){2,5}", "ab"), (".*aa.*bb.*", "ab"), ("(.*aa.*bb.*)|(.*bb.*aa.*)", "ab"),
    ("(((.*aa.*bb.*)|(.*bb.*aa.*))cc.*)|c.*", "abc"), ("a*b*c*d*e*", "abcde"), ("(a*b*)c(a*b*)", "abc"),
    ("(a(b|c))*", "abc"), ("0|[1-9][0-9]*", "0123456789"), (".*abc.*", "abc"), (".*abcd.*", "abcd"),
    ("(ab*cd*)*", "abcd"), ("()", "a"), ("a", "ab"), ("[^a]", "ab"), (".*", "ab"), ("(b*a?b*)*", "ab"),
    ("(abc|acb)*", "abc"), ("(abc)*", "abc"), ("([ab][ab][cd])*", "abcd"), ("(ab|ba)*", "ab"),
]  # fmt: skip
WITH_GROUPS = [
    ("(0|11)*(1(00)*)?", "01"), ("((0|1)(0|1))*", "01"), ("((01|10)(00|11)*(01|10)|00|11)*", "01"),  # like Tomita 3, 5
    ("(0|1(01*0)*1)*", "01"), ("(aa)*", "a"), ("(aa)*", "ab"), ("(aa|bb)*", "ab"),
    ("([^a]*a[^a]*a)*[^a]*", "abc"), ("([^a]*a[^a]*a[^a]*a)*[^a]*", "ab"), ("(([^a]*a){6})*[^a]*", "ab"),
    ("(aaa)*", "a"), ("(aaaaaa)*", "a"), ("a{3}(a{4})*", "a"), ("((a|b){3})*", "ab"), ("((0|1){7})*", "01"),
    ("(a(bb)*c)*", "abc"), ("(a(b|cc)*)*", "abc"), ("(b|ab*a)*", "ab"), ("(b|ab*ab*a)*", "ab"), ("(a(bb)*a|b)*", "ab"),
    ("(00|11|(01|10)(00|11)*(01|10))*", "01"), ("((aa)*b)*c", "abc"),
]  # fmt: skip


@cache
def formula_of(pattern: str, alphabet: str) -> DefinedLanguage:
    return formula_of_language(language_of_regex(pattern, alphabet), alphabet)


def agrees(found: DefinedLanguage, contains: Callable[[str], bool], alphabet: str, most: int = 64) -> bool:
    """Test every prefix of the longest words, if they are few, and of three random words of 20 letters."""
    drawn = random.Random(f"{alphabet}{found.states}")
    length = next(length for length in range(6, 0, -1) if length == 1 or len(alphabet) ** length <= most)
    words = ["".join(word) for word in product(alphabet, repeat=length)]
    words += ["".join(drawn.choices(alphabet, k=20)) for _ in range(3)]
    return all(truth_values(found.formula, word) == tuple(contains(word[: i + 1]) for i in range(len(word)))
               for word in words)


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("pattern", "alphabet"), STAR_FREE)
def test_a_star_free_language_is_a_formula_of_the_past(pattern: str, alphabet: str) -> None:
    found = formula_of(pattern, alphabet)
    compiled = re.compile(pattern)
    assert agrees(found, lambda word: compiled.fullmatch(word) is not None, alphabet)
    assert find_future_subformula(found.formula) is None
    assert found.accepts_empty == (compiled.fullmatch("") is not None)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("pattern", "alphabet"), STAR_FREE)
def test_a_star_free_language_is_not_counted(pattern: str, alphabet: str) -> None:
    found = formula_of(pattern, alphabet)
    counting = [part for part in subformulas(found.formula) if isinstance(part, Predicate | PredicateOnCount)]
    assert set(counting) <= {Predicate("FIRST")} and found.groups == ()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("pattern", "alphabet"), WITH_GROUPS)
def test_a_language_with_solvable_groups_is_a_formula_that_counts(pattern: str, alphabet: str) -> None:
    found = formula_of(pattern, alphabet)
    compiled = re.compile(pattern)
    assert agrees(found, lambda word: compiled.fullmatch(word) is not None, alphabet)
    assert found.groups


@pytest.mark.parametrize(("pattern", "alphabet", "text"), [
    ("(ab)*", "ab", "Q_b & !O (Q_b & !prev Q_a | Q_a & prev Q_a)"),
    ("a*b*", "ab", "!O (Q_a & O Q_b)"),
    (".*a.*b.*c.*", "abc", "O (Q_c & O (Q_b & O Q_a))"),
    ("0*1*0*1*", "01", "!O (Q_0 & O (Q_1 & O (Q_0 & O Q_1)))"),
    ("(a|b)*a(a|b){3}", "ab", "prev prev prev Q_a"),
    ("(.*aa.*bb.*)|(.*bb.*aa.*)", "ab", "O (Q_b & prev Q_b) & O (Q_a & prev Q_a)"),
    ("[^s]*(s[^r]*r[^s]*)*", "srx", "!(!Q_r since Q_s)"),
    ("(b|ab*a)*", "ab", "!ODD(#<[Q_a])"),
    ("(([^a]*a){6})*[^a]*", "ab", "MOD(6,0)(#<[Q_a])"),
    ("((0|1){7})*", "01", "MOD(7,0)"),
    ("a{3}(a{4})*", "a", "MOD(4,3)"),
    ("()", "a", "false"),
])  # fmt: skip
def test_simple_languages_have_the_formulas_that_people_write(pattern: str, alphabet: str, text: str) -> None:
    assert str(formula_of(pattern, alphabet).formula) == text


# -- languages by rules ------------------------------------------------------------------------------------------------


def language_by_rule(start: Hashable, step: Callable[[Any, str], Hashable], accepts: Callable[[Any], bool],
                     alphabet: str) -> RegularLanguage:
    automaton, states = explore(start, lambda state, letter: step(state, alphabet[letter]), len(alphabet), "a rule")
    return RegularLanguage(automaton, frozenset(number for number, state in enumerate(states) if accepts(state)))


def of_maps(maps: list[list[int]], accepting: Iterable[int]) -> RegularLanguage:
    """Each letter is a map of the states; the first state begins."""
    return RegularLanguage(Automaton(0, tuple(zip(*maps, strict=True))), frozenset(accepting))


def follows(language: RegularLanguage, alphabet: str) -> DefinedLanguage:
    """Its formula, compared with the automaton."""
    found = formula_of_language(language, alphabet)
    assert agrees(found, lambda word: language.contains([alphabet.index(symbol) for symbol in word]), alphabet)
    return found


def balanced(word: str, depth: int) -> bool:
    """Return whether the brackets of the word match, with at most ``depth`` open at once."""
    opened = ""
    for symbol in word:
        if symbol in "([":
            opened += symbol
            if len(opened) > depth:
                return False
        elif not opened or opened[-1] != "(["[")]".index(symbol)]:
            return False
        else:
            opened = opened[:-1]
    return not opened


def test_brackets_of_two_kinds_and_depth_three() -> None:
    def step(state: object, symbol: str) -> str | None:
        if not isinstance(state, str):
            return None
        if symbol in "([":
            return state + symbol if len(state) < 3 else None
        return state[:-1] if state and state[-1] == "(["[")]".index(symbol)] else None

    language = language_by_rule("", step, lambda state: state == "", "()[]")
    found = formula_of_language(language, "()[]")
    assert found.states == 16
    assert agrees(found, lambda word: balanced(word, 3), "()[]")


def test_subsequences_are_counted_off_one_by_one() -> None:
    """Exactly one of abc and cba is a subsequence."""
    found = formula_of_language(language_by_rule((0, 0), lambda state, symbol: tuple(
        place + ("abc", "cba")[which][place : place + 1].count(symbol)
        for which, place in enumerate(state)), lambda state: (3 in state) and state != (3, 3), "abc"), "abc")
    contains = [re.compile(".*a.*b.*c.*"), re.compile(".*c.*b.*a.*")]
    assert agrees(found, lambda word: sum(one.fullmatch(word) is not None for one in contains) == 1, "abc")


@pytest.mark.parametrize(("number", "base"), [(3, 2), (6, 2), (8, 2), (3, 10), (4, 10)])
def test_multiples_of_a_number_in_some_base(number: int, base: int) -> None:
    digits = "0123456789"[:base]
    language = RegularLanguage(Automaton(0, tuple(tuple((state * base + digit) % number for digit in range(base))
                                                  for state in range(number))), frozenset([0]))
    found = formula_of_language(language, digits)
    assert agrees(found, lambda word: int(word, base) % number == 0, digits)


@pytest.mark.parametrize(("maps", "groups"), [
    ([[1, 2, 0], [1, 0, 2]], ((6, (2, 3)),)),  # all permutations of three
    ([[1, 2, 0], [1, 0, 2], [0, 0, 0]], ((6, (2, 3)),)),
    ([[1, 0, 3, 2], [2, 3, 0, 1]], ((2, (2,)),)),  # two parities
    ([[1, 2, 3, 0], [3, 2, 1, 0]], ((2, (2,)),)),  # the symmetries of a square: two parities say what accepts
    ([[1, 0], [0, 0], [1, 1]], ((2, (2,)),)),
    ([[1, 2, 3, 4, 0], [0, 0, 0, 0, 0], [2, 2, 2, 2, 2]], ((5, (5,)),)),
])  # fmt: skip
def test_solvable_groups_are_followed_with_resets_and_without(maps: list[list[int]],
                                                              groups: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
    alphabet = "abc"[: len(maps)]
    assert follows(of_maps(maps, [0]), alphabet).groups == groups


def test_a_group_that_is_not_solvable_is_refused_with_words_that_generate_it() -> None:
    language = of_maps([[1, 2, 3, 4, 0], [1, 2, 0, 3, 4], [0, 0, 0, 0, 0]], [0])
    with pytest.raises(Unsupported) as refused:
        formula_of_language(language, "abc", "five.dfa")
    assert str(refused.value) == (
        "five.dfa: the words a, b generate a group of 60 permutations of the states after (nothing), a, aa, aaa, aaaa, "
        "which is not solvable: no formula of the past that counts modulo numbers defines the language")


@pytest.mark.parametrize("seed", range(8))
def test_random_automata_whose_letters_keep_the_order_of_states(seed: int) -> None:
    """Such letters generate no group but the trivial one."""
    drawn = random.Random(seed)
    count = 4 + seed % 6
    maps = [sorted(drawn.choices(range(count), k=count)) for _ in "ab"]
    assert follows(of_maps(maps, drawn.sample(range(count), count // 2)), "ab").groups == ()


@pytest.mark.parametrize("seed", range(4))
def test_random_automata_of_permutations_and_resets(seed: int) -> None:
    drawn = random.Random(seed)
    maps = [drawn.sample(range(4), 4) if drawn.random() < 0.5 else [drawn.randrange(4)] * 4 for _ in "abc"]
    follows(of_maps(maps, drawn.sample(range(4), 2)), "abc")


@pytest.mark.parametrize("seed", range(8))
def test_random_automata(seed: int) -> None:
    drawn = random.Random(seed)
    count = 3 + seed % 2
    maps = [[drawn.randrange(count) for _ in range(count)] for _ in "ab"]
    follows(of_maps(maps, drawn.sample(range(count), 2)), "ab")


# -- limits, and the decision ------------------------------------------------------------------------------------------


def test_an_automaton_with_many_states_is_refused() -> None:
    with pytest.raises(Unsupported, match="its minimal automaton has 1024 states, expected at most 200"):
        formula_of_language(language_of_regex("(a|b)*a(a|b){9}", "ab"), "ab", "late")


@pytest.mark.parametrize(("text", "pattern", "alphabet", "expected"), [
    ("!O (Q_a & O Q_b)", "a*b*", "ab", True),
    ("!O (Q_a & prev Q_b)", "a*b*", "ab", True),
    ("!O (Q_a & prev prev Q_b)", "a*b*", "ab", False),
    ("MOD(6,0)(#<[Q_a])", "(([^a]*a){6})*[^a]*", "ab", True),
    ("MOD(3,0)(#<[Q_a]) & EVEN(#<[Q_a])", "(([^a]*a){6})*[^a]*", "ab", True),
    ("MOD(3,0)(#<[Q_a]) | EVEN(#<[Q_a])", "(([^a]*a){6})*[^a]*", "ab", False),
    ("FIRST & Q_a", "a", "ab", True),
    ("Q_a", "a", "ab", False),
    ("ODD -> Q_a", "(a|(a|b)(a|b))*", "ab", False),
    ("true", ".*", "ab", True),
    ("Q_a <-> prev Q_a", "b|(a|b)*(aa|bb)", "ab", True),
])
def test_whether_a_formula_defines_a_language_is_decided(text: str, pattern: str, alphabet: str,
                                                         expected: bool) -> None:
    assert defines(parse_formula(text), language_of_regex(pattern, alphabet), alphabet) is expected


@pytest.mark.parametrize("text", ["next Q_a", "#<[Q_a] > #<[Q_b]", "PRIME", "ODD(#>[Q_a])"])
def test_no_decision_is_made_about_other_formulas(text: str) -> None:
    with pytest.raises(InternalError):
        defines(parse_formula(text), language_of_regex("a*b*", "ab"), "ab")


def test_a_group_that_is_not_solvable_is_found_before_a_cascade_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    turn, three, merge = (1, 2, 3, 4, 0, 5, 6, 7), (1, 2, 0, 3, 4, 6, 7, 5), (5, 0, 6, 1, 7, 2, 0, 3)
    language = RegularLanguage(Automaton(0, tuple(zip(turn, three, merge, strict=True))), frozenset([0]))
    monkeypatch.setattr("constructions.regular.to_ltl._smallest", None)  # no work is done in vain
    with pytest.raises(Unsupported, match=r"generate a group of \d+ permutations of the states after .*, which is not "
                                          "solvable: no formula of the past"):
        formula_of_language(language, "abc")


@pytest.mark.exhaustive
def test_five_states_whose_formula_has_a_million_states_are_followed() -> None:
    steps = ((2, 3, 3), (4, 0, 1), (1, 3, 0), (3, 4, 1), (0, 1, 2))
    found = formula_of_language(RegularLanguage(Automaton(0, steps), frozenset([1, 4])), "abc")
    assert (found.states, found.groups) == (5, ((4, (4,)), (24, (2, 3, 2, 2)), (6, (2, 3)), (2, (2,))))
