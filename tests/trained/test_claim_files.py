"""Claim files become the claim of docs/reference/trained.md; an error is reported in one line."""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.claims.trained.claim_file import Scope, claim_of_table
from certify.claims.trained.question import read_claim
from constructions.errors import InputError
from constructions.tables import read_toml
from constructions.trained.claim import WordsClaim
from constructions.trained.claim_form import claim_to_json
from proofs.words.tracking import cases_at
from tests.trained.claims import network_of

HEAD = 'alphabet = "ab"\nread = "each"\nmax_n = 6\n'
SIGN = '[[answer]]\nkind = "sign"\ntoken = 0\ntruth = "Q_a"\n'


def claim_of(text: str, scope: Scope = Scope(), rows: int | None = 9, folder: Path = Path()) -> WordsClaim:
    return claim_of_table(read_toml(text, "c.toml"), "c.toml", folder, network_of(rows=rows, vocabulary=6), scope)


def cases_of(text: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = claim_to_json(claim_of(text))["cases"]
    return cases


def test_a_sign_is_above_where_the_formula_holds_and_below_where_not() -> None:
    assert claim_to_json(claim_of(HEAD + SIGN)) == {
        "alphabet": ["a", "b"], "tokens": [0, 1], "before": [], "after": [], "offsets": [0, 0], "min_n": 1, "max_n": 6,
        "read": "each", "empty": False, "margin": "0", "automaton": None, "predicates": [],
        "cases": [{"when": {"formula": "Q_a"}, "above": [[[0, "1"]]]},
                  {"when": {"formula": "!Q_a"}, "above": [[[0, "-1"]]]}],
    }  # fmt: skip


def test_everything_around_the_word_is_said() -> None:
    claim = claim_of("""
        title = "a claim"
        alphabet = { b = 3, a = 1 }
        before = [2]
        after = [4, 5]
        attention = "causal"
        read = "last"
        margin = 0.125
        offset = [1, 3]
        min_n = 2
        max_n = 4
        predicate = ["THIRD(k) := k % 3 == 0"]
        [[answer]]
        kind = "larger"
        tokens = [5, 3]
        truth = "THIRD"
        """)
    assert claim_to_json(claim) == {
        "alphabet": ["b", "a"], "tokens": [3, 1], "before": [2], "after": [4, 5], "offsets": [1, 3], "min_n": 2,
        "max_n": 4, "read": "last", "empty": False, "margin": "1/8", "automaton": None,
        "predicates": ["THIRD(k) := k%3 == 0"],
        "cases": [{"when": {"formula": "THIRD"}, "above": [[[3, "-1"], [5, "1"]]]},
                  {"when": {"formula": "!THIRD"}, "above": [[[3, "1"], [5, "-1"]]]}],
    }  # fmt: skip


def test_tokens_that_may_follow_are_those_that_keep_a_prefix_of_the_language() -> None:
    claim = claim_of("""
        alphabet = "ab"
        before = [2]
        read = "each"
        empty = true
        max_n = 6
        [[answer]]
        kind = "follow"
        language = { regex = "(ab)*" }
        end = 4
        """)
    assert claim_to_json(claim)["automaton"] == {"start": 0, "steps": [[1, 2], [2, 0], [2, 2]]}
    assert claim_to_json(claim)["cases"] == [
        {"when": {"states": [0]}, "above": [[[0, "1"]]]}, {"when": {"states": [1]}, "above": [[[0, "-1"]]]},
        {"when": {"states": [1]}, "above": [[[1, "1"]]]}, {"when": {"states": [0]}, "above": [[[1, "-1"]]]},
        {"when": {"states": [0]}, "above": [[[4, "1"]]]}, {"when": {"states": [1]}, "above": [[[4, "-1"]]]},
        {"when": {"states": [0, 1]}, "above": [[[2, "-1"]], [[3, "-1"]], [[5, "-1"]]]},
    ]  # fmt: skip
    assert cases_at(claim, "", 0) == (0, 3, 4, 6)
    assert cases_at(claim, "abb", 3) == ()


@given(st.sampled_from(["(ab)*", "a*b", "(a|bb)*", "b", "(a(ab)*b)*", "a+|b+"]))
def test_what_may_follow_is_what_the_words_of_the_language_say(pattern: str) -> None:
    """By the definition, over all words of twice the length."""
    follow = f'[[answer]]\nkind = "follow"\nlanguage = {{ regex = "{pattern}" }}\nend = 4\n'
    claim = claim_of(HEAD + "before = [2]\nempty = true\n" + follow)
    words = {"".join(word) for n in range(9) for word in product("ab", repeat=n)}
    words = {word for word in words if re.fullmatch(pattern, word)}
    prefixes = {word[:n] for word in words for n in range(len(word) + 1)}
    for prefix in ("".join(word) for n in range(4) for word in product("ab", repeat=n)):
        asked = {row for case in cases_at(claim, prefix, len(prefix)) for row in claim.cases[case].above}
        follows = {0: prefix + "a" in prefixes, 1: prefix + "b" in prefixes, 4: prefix in words}
        follows |= dict.fromkeys((2, 3, 5), False)
        signs = {((token, Fraction(1 if truth else -1)),) for token, truth in follows.items()}
        assert asked == (signs if prefix in prefixes else set())


def test_others_that_never_follow_may_be_listed_or_none() -> None:
    follow = HEAD + '[[answer]]\nkind = "follow"\nlanguage = { regex = "a*" }\n'
    assert cases_of(follow + "others = [3]")[-1] == {"when": {"states": [0]}, "above": [[[3, "-1"]]]}
    assert [case["above"] for case in cases_of(follow + "others = []")] == [[[[0, "1"]]], [[[1, "-1"]]]]


def test_the_language_of_what_follows_may_be_a_formula_of_finitely_many_states() -> None:
    formula = HEAD + '[[answer]]\nkind = "follow"\nlanguage = "H Q_a"\n'
    assert cases_of(formula) == cases_of(formula.replace('"H Q_a"', '{ regex = "a+" }'))


def test_argmax_is_above_the_other_choices_or_above_all() -> None:
    choices = '[{ token = 0, truth = "Q_a" }, { token = 2, truth = "Q_b" }]'
    text = HEAD + f'[[answer]]\nkind = "argmax"\nchoices = {choices}'
    assert [case["above"] for case in cases_of(text)] == [[[[0, "1"], [2, "-1"]]], [[[0, "-1"], [2, "1"]]]]
    assert cases_of(text + '\namong = "all"\n')[1]["above"] == [
        [[0, "-1"], [2, "1"]], [[1, "-1"], [2, "1"]], [[2, "1"], [3, "-1"]], [[2, "1"], [4, "-1"]],
        [[2, "1"], [5, "-1"]]]  # fmt: skip


def test_what_is_given_is_folded_into_every_case() -> None:
    assert [case["when"] for case in cases_of(HEAD + 'given = "ODD"\n' + SIGN)] == [
        {"formula": "Q_a & ODD"}, {"formula": "!Q_a & ODD"}]
    assert [case["when"] for case in cases_of(HEAD + 'given = { regex = "a*" }\n' + SIGN)] == [
        {"formula": "Q_a", "states": [0]}, {"formula": "!Q_a", "states": [0]}]


def test_languages_together_are_one_automaton() -> None:
    claim = claim_of(HEAD + 'given = { regex = "(b*ab*a)*b*" }\n[[answer]]\nkind = "sign"\ntoken = 0\n'
                     'truth = { regex = "(a*ba*b)*a*" }\n')  # fmt: skip
    assert claim.automaton is not None and len(claim.automaton.steps) == 4
    for word in ("", "aa", "bb", "aab", "a"):
        expected = () if word.count("a") % 2 else (0,) if word.count("b") % 2 == 0 else (1,)
        assert cases_at(claim, word, len(word)) == expected


def test_an_automaton_in_a_file_is_found_beside_the_claim(tmp_path: Path) -> None:
    (tmp_path / "even.dfa").write_text("e o a\ne e b\no e a\no o b\ne\n", encoding="utf-8")
    (tmp_path / "c.toml").write_text(HEAD + SIGN.replace('"Q_a"', '{ dfa = "even.dfa", states = ["o"] }'),
                                     encoding="utf-8")  # fmt: skip
    claim = read_claim(str(tmp_path / "c.toml"), network_of(rows=9, vocabulary=6))
    assert [case["when"] for case in claim_to_json(claim)["cases"]] == [{"states": [1]}, {"states": [0]}]


def test_seen_padding_fills_words_of_one_length() -> None:
    claim = claim_of(HEAD + "padding = { token = 5, length = 7 }\nbefore = [2]\n" + SIGN, Scope(max_n=4, min_n=4))
    assert claim.after == (5, 5)


def test_the_command_line_says_lengths_and_offsets_instead() -> None:
    claim = claim_of(HEAD + "offset = 3\n" + SIGN, Scope(max_n=5, min_n=2, offsets="all"))
    assert (claim.lengths, claim.offsets) == ((2, 5), (0, 7))
    assert claim_of(HEAD + 'offset = "all"\n' + SIGN, rows=None).offsets == (0, 0)


@pytest.mark.parametrize(("text", "message"), [
    (SIGN, "the claim: no key alphabet, expected one"),
    (HEAD.replace("alphabet", "alphabit") + SIGN, 'the claim: unknown key "alphabit", did you mean alphabet?'),
    (HEAD, "the claim: no key answer, expected one"),
    (HEAD + "answer = []", "answer: [], expected at least one [[answer]]"),
    (HEAD + "answer = [1]", "answer 1: no key kind, expected one of sign, follow, larger, argmax"),
    (HEAD + SIGN.replace("sign", "sing"), 'answer 1: kind: "sing", expected one of sign, follow, larger, argmax'),
    (HEAD + SIGN + "tokens = [0, 1]\n", 'answer 1: unknown key "tokens", did you mean token?'),
    (HEAD + SIGN.replace("= 0", "= 6"), "answer 1: token: 6, expected a token with a logit, from 0 to 5"),
    (HEAD + SIGN.replace("= 0", "= true"), "answer 1: token: true, expected a token with a logit, from 0 to 5"),
    (HEAD + SIGN.replace("Q_a", "Q_c"), "answer 1: truth: formula \"Q_c\": line 1, column 1: symbol 'c' is not in the "
                                        "alphabet a, b"),
    (HEAD + SIGN.replace('"Q_a"', "{}"), "answer 1: truth: {}, expected one of formula, regex, dfa (which may have "
                                         "states)"),
    (HEAD + SIGN.replace('"Q_a"', '{ regexp = "a" }'), 'answer 1: truth: unknown key "regexp", did you mean regex?'),
    (HEAD + SIGN.replace('"Q_a"', '{ regex = "a", states = ["x"] }'),
     'answer 1: truth: {"regex": "a", "states": ["x"]}, expected one of formula, regex, dfa (which may have states)'),
    (HEAD + SIGN.replace('"Q_a"', "3"),
     "answer 1: truth: 3, expected a table with the keys formula, regex, dfa, states"),
    (HEAD.replace('"ab"', '"aa"') + SIGN, "alphabet 'aa': 'a' occurs twice, expected distinct symbols"),
    (HEAD.replace('"ab"', '["a", "a"]') + SIGN,
     'alphabet: ["a", "a"], expected at least one symbol, none empty and none twice'),
    (HEAD.replace('"ab"', "{ a = 1, b = 1 }") + SIGN, "tokens: [1, 1], expected a token of its own for each letter"),
    (HEAD.replace('"ab"', "{ a = 1, b = 6 }") + SIGN, "tokens: 6, expected tokens of the network, from 0 to 5"),
    (HEAD.replace('"ab"', "{ a = 1 }") + "tokens = [1]\n" + SIGN,
     "tokens: the table of the alphabet states them already"),
    (HEAD + "tokens = [1]\n" + SIGN, "tokens: 1, expected one for each of the 2 letters"),
    (HEAD + "before = 2\n" + SIGN, "before: 2, expected a list of tokens of the network,"),
    (HEAD + "empty = true\n" + SIGN, 'empty: true, expected read = "each" and a token before the word'),
    (HEAD.replace('"each"', '"all"') + SIGN, 'read: "all", expected one of each, last, first'),
    (HEAD + 'attention = "bidirectional"\n' + SIGN,
     'attention: "bidirectional", but the network was imported as causal'),
    (HEAD + "margin = -1\n" + SIGN, 'margin: -1, expected a number that is 0 or more, such as 0.25 or "1/4"'),
    (HEAD + "margin = nan\n" + SIGN, 'margin: "NaN", expected a number that is 0 or more, such as 0.25 or "1/4"'),
    (HEAD + "margin = 1e999999\n" + SIGN,
     'margin: "1E+999999", expected a number that is 0 or more, such as 0.25 or "1/4"'),
    (HEAD + "margin = 0x" + "f" * 9000 + "\n" + SIGN,
     'margin: a very large number, expected a number that is 0 or more, such as 0.25 or "1/4"'),
    (HEAD + 'given = { dfa = "x\\u0000" }\n' + SIGN, 'given: dfa: "x\\u0000", expected the name of a file'),
    (HEAD + "offset = [2, 1]\n" + SIGN, "offset: [2, 1], expected [first, last] with first <= last"),
    (HEAD + "offset = 9\n" + SIGN, "offset: 9, expected an offset from 0 to 8"),
    (HEAD + 'offset = "every"\n' + SIGN, 'offset: "every", expected "all", an offset, or [first, last]'),
    (HEAD + "offset = true\n" + SIGN, "offset: true, expected an offset from 0 to 8"),
    (HEAD + "min_n = 7\n" + SIGN, "min_n 7 and max_n 6, expected 1 <= min_n <= max_n"),
    ('alphabet = "ab"\nread = "each"\n' + SIGN, "max_n: neither the file nor --max-n says up to which length"),
    (HEAD + "offset = 8\nmin_n = 3\n" + SIGN,
     "the claim: max_n: 6, but at offset 8 no word of more than 1 letters fits into the network's 9 rows of positions"),
    (HEAD + "offset = [0, 8]\nmin_n = 2\n" + SIGN,
     "the claim: offsets: 8, but words of length 2 fit into the network's 9 rows of positions at offsets up to 7 only"),
    (HEAD + "padding = { token = 5, length = 7 }\n" + SIGN,
     "padding: words of the lengths 1 to 6, but seen padding makes a claim of one length: min_n = max_n (padding that "
     "attention does not see is left out)"),
    (HEAD + "min_n = 6\npadding = { token = 5, length = 5 }\n" + SIGN,
     "padding: length: 5, but the word with what is around it has 6"),
    (HEAD + 'predicate = ["X"]\n' + SIGN, "predicate 'X': expected a definition such as THIRD(k,n) := k % 3 == 1"),
    (HEAD + 'given = "false & Q_c"\n' + SIGN,
     "given: formula \"false & Q_c\": line 1, column 9: symbol 'c' is not in the alphabet a, b"),
    (HEAD + 'given = { regex = "[^ab]" }\n' + SIGN, "given: no word is left to be judged"),
    (HEAD + '[[answer]]\nkind = "larger"\ntokens = [1, 1]\ntruth = "Q_a"\n',
     "answer 1: tokens: [1, 1], expected two different tokens"),
    (HEAD + '[[answer]]\nkind = "argmax"\nchoices = [{ token = 1, truth = "Q_a" }]\n',
     'answer 1: choices: one token, expected at least two, or among = "all"'),
    (HEAD + '[[answer]]\nkind = "argmax"\nchoices = [{ token = 1, truth = "Q_a" }, { token = 1, truth = "Q_b" }]\n',
     "answer 1: choice 2: token 1 has two truths, expected one"),
    (HEAD + '[[answer]]\nkind = "follow"\nlanguage = { regex = "a" }\nend = 1\n',
     "answer 1: end: 1 is the token of a letter, expected another one"),
    (HEAD + '[[answer]]\nkind = "follow"\nlanguage = { regex = "a" }\nothers = [1]\n',
     "answer 1: others: token 1 may follow, expected tokens that never do"),
    (HEAD + '[[answer]]\nkind = "follow"\nlanguage = "false"\n',
     "answer 1: language: it has no word, expected at least one"),
    (HEAD + SIGN + "[[answer]", "not TOML: Expected ']]' at the end of an array declaration (at line 8, column 9)"),
    ("a = " + "[" * 5000, "brackets nested too deeply"),
])  # fmt: skip
def test_a_claim_file_that_is_wrong_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        claim_of(text)
    assert str(caught.value) == "c.toml: " + message
