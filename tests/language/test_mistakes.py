"""Plausible mistakes: each message says what to write instead, exactly."""

from collections.abc import Sequence

import pytest

from constructions.errors import FormulaError, InputError
from constructions.language.alphabets import parse_alphabet, parse_word
from constructions.language.parser import parse_formula

PREDICATE = "expected a predicate such as ODD, EVEN, MOD, FIRST, LAST, SQUARE, POW2, PRIME"
OPERATOR = "expected an operator such as & or since or the end of the text"
NUMBER = "expected a number or a count such as #<[Q_a]"


@pytest.mark.parametrize(("text", "alphabet", "message"), [
    ('globally Q_a', None, "1: found 'globally', expected a formula; write G"),
    ('finally Q_a', None, "1: found 'finally', expected a formula; write F"),
    ('Q_a releases Q_b', None, f"5: found 'releases', {OPERATOR}; write R"),
    ('Q_a unless Q_b', None, f"5: found 'unless', {OPERATOR}; write W"),
    ('Q_a Until Q_b', None, f"5: found 'Until', {OPERATOR}; did you mean 'until'?"),
    ('Q_a Since Q_b', None, f"5: found 'Since', {OPERATOR}; did you mean 'since'?"),
    ('yesterday Q_a', None, "1: found 'yesterday', expected a formula; write prev (Y)"),
    ('previous Q_a', None, "1: found 'previous', expected a formula; write prev (Y)"),
    ('Next Q_a', None, "1: found 'Next', expected a formula; did you mean 'next'?"),
    ('P Q_a', None, "1: found 'P', expected a formula; write O (once), or T (past release)"),
    ('P Q_a', 'ab', "1: found 'P', expected a formula; write O (once), or T (past release)"),
    ('Q_a And Q_b', None, f"5: found 'And', {OPERATOR}; did you mean 'and'?"),
    ('Not Q_a', None, "1: found 'Not', expected a formula; did you mean 'not'?"),
    ('Q_a nand Q_b', None, f"5: found 'nand', {OPERATOR}; write !(a & b)"),
    ('Q_a equiv Q_b', None, f"5: found 'equiv', {OPERATOR}; write <->"),
    ('Q_a = Q_b', None, f"5: found a formula beside '=', {NUMBER}; formulas are compared by '<->'"),
    ('Q_a == Q_b', None, f"5: found a formula beside '==', {NUMBER}; formulas are compared by '<->'"),
    ('Q_a + Q_b', None, f"5: found a formula beside '+', {NUMBER}; or is written '|'"),
    ('Q_a * Q_b', None, f"5: found a formula beside '*', {NUMBER}; and is written '&'"),
    ('-Q_a', None, f"1: found a formula beside '-', {NUMBER}; not is written '!'"),
    ('#[Q_a] > 1', None,
     "1: found '#', expected a formula"
     "; write #<[...] to count the positions up to here, #>[...] from here"),
    ('#Q_a > 1', None,
     "1: found '#', expected a formula"
     "; write #<[...] to count the positions up to here, #>[...] from here"),
    ('#(Q_a) > 1', None,
     "1: found '#', expected a formula"
     "; write #<[...] to count the positions up to here, #>[...] from here"),
    ('count(Q_a) > 1', None, f"1: found 'count', {PREDICATE}; write #<[Q_a]"),
    ('COUNT[Q_a] > 1', None, "1: found 'COUNT', expected a formula; write #<[Q_a]"),
    ('#<[Q_a] => 2', None, "1: found a count, expected a formula; '=>' is implication, at least is written '>='"),
    ('#<[Q_a] =< 2', None, f"10: found '<', {NUMBER}; at most is written '<='"),
    ('#<[Q_a] <> 2', None, "9: found '<>', expected '+' or '-' or a comparison such as <=; unequal is written '!='"),
    ('#<[Q_a] > 1.5', None, f"12: found '.', {OPERATOR}; numbers are integers: multiply both sides"),
    ('#<[Q_a] / 2 > 1', None,
     "9: found '/', expected '+' or '-' or a comparison such as <="
     "; there is no division: multiply the other side"),
    ('#<[Q_a]', None, '1: found a count, expected a formula; compare it, as in #<[Q_a] >= 1'),
    ('Q_a & #<[Q_b]', None, '7: found a count, expected a formula; compare it, as in #<[Q_a] >= 1'),
    ('#<[Q_a] & Q_b', None, '1: found a count, expected a formula; compare it, as in #<[Q_a] >= 1'),
    ('#<[Q_a] % 2', None, '1: found a remainder, expected a formula; compare it, as in #<[Q_a] % 2 == 0'),
    ('#<Q_a > 1', None,
     "1: found '#', expected a formula"
     "; write #<[...] to count the positions up to here, #>[...] from here"),
    ('#<(Q_a) > 1', None,
     "1: found '#', expected a formula"
     "; write #<[...] to count the positions up to here, #>[...] from here"),
    ('od', None, f"1: found 'od', {PREDICATE}; did you mean 'ODD'?"),
    ('odd(#<[Q_a])', None, f"1: found 'odd', {PREDICATE}; did you mean 'ODD'?"),
    ('Even', None, f"1: found 'Even', {PREDICATE}; did you mean 'EVEN'?"),
    ('MOD(3)(#<[Q_a])', None, '1: MOD takes 2 parameters, got 1'),
    ('mod(3,1)', None, "1: found 'mod', expected a formula; did you mean 'MOD'?"),
    ('ODD(Q_a)', None, f'1: found a formula between the brackets of ODD, {NUMBER}'),
    ('PRIMES', None, f"1: found 'PRIMES', {PREDICATE}; did you mean 'PRIME'?"),
    ('parity(Q_a)', None, f"1: found 'parity', {PREDICATE}; write ODD(#<[Q_a])"),
    ('max(#<[Q_a], #<[Q_b]) > 1', None,
     f"1: found 'max', {PREDICATE}"
     f"; write a case for each side, as in (#<[Q_a] >= #<[Q_b] & ...) | ..."),
    ('abs(#<[Q_a]) > 1', None, f"1: found 'abs', {PREDICATE}; write both signs, as in -2 <= #<[Q_a] - #<[Q_b] <= 2"),
    ('a & b', None, f"1: found 'a', {PREDICATE}; write Q_a, or give --alphabet, whose symbols may be written bare"),
    ('a & c', 'ab', f"5: found 'c', {PREDICATE}; the symbols are a, b"),
    ('Q_A', 'ab', "1: symbol 'A' is not in the alphabet a, b; did you mean 'a'?"),
    ('Q_stopp', ['go', 'stop'], "1: symbol 'stopp' is not in the alphabet go, stop; did you mean 'stop'?"),
    ('stopp U go', ['go', 'stop'], f"1: found 'stopp', {PREDICATE}; did you mean 'stop'?"),
    ("'a' & 'b'", 'ab', '1: found "\'", expected a formula; a symbol is written Q[\'a\'] or "a"'),
    ("Q('a')", 'ab', '3: found "\'", expected a formula; a symbol is written Q[\'a\'] or "a"'),
    ('Q[a]', 'ab',
     "2: found '[', expected '(', an operator such as & or since or the end of the text"
     "; a symbol is written Q_a, or Q['a'] with any a"),
    ('Q_ & Q_a', 'ab', f"1: found 'Q_', {PREDICATE}; a symbol is written Q_a, or Q['a'] with any a"),
    ('Q["a"]', 'ab',
     "2: found '[', expected '(', an operator such as & or since or the end of the text"
     "; a symbol is written Q_a, or Q['a'] with any a"),
    ('F 1', '01', "3: found '1', a truth value and also a symbol, expected Q_1 or true"),
    ('F 2', '012', "3: found the number '2', expected a formula; the symbol is written Q_2"),
    ('U & a', 'aU', "1: found 'U', expected a formula; the symbol is written Q_U"),
    ('B', 'AB', "1: found 'B', expected a formula; the symbol is written Q_B"),
    ('F[2] Q_a', None, "1: found 'F[2]', expected bounds such as F[2,4] or F[2,]"),
    ('F[a,b] Q_a', None,
     "2: found '[', expected a formula"
     "; bounds are numbers, as in F[2,4] or X[3], a count is #<[Q_a], and formulas are grouped by ( and )"),
    ('F[4,2] Q_a', None, "1: found 'F[4,2]', expected the smaller bound first"),
    ('X[2,3] Q_a', None, "1: found 'X[2,3]', expected bounds such as X[3] or X^3"),
    ('X[-1] Q_a', None,
     "2: found '[', expected a formula"
     "; bounds are numbers, as in F[2,4] or X[3], a count is #<[Q_a], and formulas are grouped by ( and )"),
    ('F(2,4) Q_a', None,
     "4: found ',', expected ')' or an operator such as & or since"
     "; bounds are written in brackets, as in F[2,4]"),
    ('F_[2,4] Q_a', None,
     "1: found 'F_', expected a formula"
     "; write Q_F_, or give --alphabet, whose symbols may be written bare"),
    ('X^n Q_a', None, "2: found '^', expected a formula; only X^3 and Y^3 repeat"),
    ('GFc', 'ab', f"1: found 'GFc', {PREDICATE}; the symbols are a, b"),
    ('Q_a; Q_b', None, f"4: found ';', {OPERATOR}; and is written '&'"),
    ('forall x Q_a', None,
     "1: found 'forall', expected a formula"
     "; G and F range over the positions from here, H and O over those up to here"),
    ('∃x Q_a', None,
     "1: found '∃', expected a formula"
     "; G and F range over the positions from here, H and O over those up to here"),
    ('exists x. Q_a(x)', None,
     "1: found 'exists', expected a formula"
     "; G and F range over the positions from here, H and O over those up to here"),
    ('Q_a(1)', None, f"4: found '(', {OPERATOR}; Q_a is about this position, without brackets"),
    ('E F Q_a', None, "1: found 'E', expected a formula; a word is one path, which needs no quantifier"),
    ('Q_a ? Q_b : Q_c', None, f"5: found '?', {OPERATOR}; write (c -> a) & (!c -> b)"),
    ('if Q_a then Q_b', None, "1: found 'if', expected a formula; write (c -> a) & (!c -> b)"),
    ('Q_a then Q_b else Q_c', None, f"14: found 'else', {OPERATOR}; write (c -> a) & (!c -> b)"),
    ('[Q_a]', None,
     "1: found '[', expected a formula"
     "; bounds are numbers, as in F[2,4] or X[3], a count is #<[Q_a], and formulas are grouped by ( and )"),
    ('{Q_a}', None, "1: found '{', expected a formula; formulas are grouped by ( and )"),
    ('Q_a |-> Q_b', None, "6: found '->', expected a formula; implication is written '->'"),
    ('Q_a --> Q_b', None, f"6: found '->', {NUMBER}; implication is written '->'"),
    ('i > 3 & j < 2', None,
     f"9: found 'j', {PREDICATE}"
     f"; write Q_j, or give --alphabet, whose symbols may be written bare"),
    ('pos > 3', None, f"1: found 'pos', {PREDICATE}; write i"),
    ('len > 3', None, f"1: found 'len', {PREDICATE}; write n"),
    ('n', None, "1: found the number 'n', expected a formula; compare it, as in #<[Q_a] >= 1"),
    ('i', None, "1: found the number 'i', expected a formula; compare it, as in #<[Q_a] >= 1"),
    ('true since', None, '11: found the end of the text, expected a formula'),
    ('since Q_a Q_b', None, "1: found 'since', expected a formula; 'since' stands between its operands"),
    ('U(Q_a,Q_b)', None, "1: found 'U', expected a formula; 'U' stands between its operands"),
    ('Q_a U', None, '6: found the end of the text, expected a formula'),
    ('(Q_a & Q_b', None, "11: found the end of the text, expected ')' or an operator such as & or since"),
    ('Q_a & & Q_b', None, "7: found '&', expected a formula"),
    ('Q_a <- Q_b', None,
     f"6: found a formula beside '-', {NUMBER}"
     f"; implication is written '->', with the sides exchanged"),
    ('Q_a <= Q_b', None, f"5: found a formula beside '<=', {NUMBER}; implication is written '->'"),
    ('¬ Q_a ⊨ Q_b', None, f"7: found '⊨', {OPERATOR}"),
])  # fmt: skip
def test_a_mistake_in_a_formula(text: str, alphabet: Sequence[str] | None, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text, alphabet)
    assert f"{caught.value.column}: {caught.value.message}" == message


@pytest.mark.parametrize(("text", "symbols"), [
    ("0 1", ("0", "1")), ("0, 1", ("0", "1")), ("0,1", ("0", "1")), (" 01 ", ("01",)), ("go stop", ("go", "stop")),
    ("go, stop", ("go", "stop")), ("a\tb", ("a", "b")),
])  # fmt: skip
def test_a_blank_is_no_symbol_of_an_alphabet(text: str, symbols: tuple[str, ...]) -> None:
    assert parse_alphabet(text) == symbols


@pytest.mark.parametrize(("text", "alphabet", "word"), [
    ("0,1,1", "01", "011"), ("0 1 1", "01", "011"), ("0, 1, 1", "01", "011"), ("01 10", "01", "0110"),
    ("a,b", "ab,", "a,b"), ("a b", "ab ", "a b"), ("0110\n", "01", "0110"),
    ("go stop", ("go", "stop"), ("go", "stop")), ("go,stop", ("go", "stop"), ("go", "stop")),
    ("a b,c", ("a b", "c"), ("a b", "c")),
])  # fmt: skip
def test_what_separates_the_symbols_of_a_word(text: str, alphabet: Sequence[str], word: Sequence[str]) -> None:
    assert parse_word(text, alphabet) == tuple(word)


HOW = "; this alphabet is that of the formula, with '?' for any other symbol: name them all, as in --alphabet "


@pytest.mark.parametrize(("text", "alphabet", "message"), [
    ("0,1,1", "1?", f"word, position 1: found '0', expected one of 1, ?{HOW}01"),
    ("go,stop", ("go", "?"), f"word, position 2: found 'stop', expected one of go, ?{HOW}go,stop"),
    ("ab,c", ("a", "?"), f"word, position 1: found 'ab', expected one of a, ?{HOW}a,ab"),
])  # fmt: skip
def test_a_word_beyond_the_default_alphabet(text: str, alphabet: Sequence[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_word(text, alphabet, is_default=True)
    assert str(caught.value) == message
    with pytest.raises(InputError) as plain:
        parse_word(text, alphabet)
    assert str(plain.value) == message.partition(";")[0]
