"""Formulas of programs against the interpreter: shipped programs, every kind of attention, random programs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings

from certify.frame.shipped import examples_folder
from constructions.errors import NoFormula
from constructions.language.fragments import find_future_subformula
from constructions.language.semantics import truth_values
from constructions.language.syntax import FALSE, Previous, Symbol, subformulas
from constructions.rasp.attention_in_ltl import WINDOWS, attention
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.syntax import Choice, Mask, Program
from constructions.rasp.to_formula import needed_vectors, program_to_formulas
from tests.rasp.strategies import programs
from tests.tiers import drawn

MASKS = ("1", "j<i", "j<=i", "j>i", "j>=i")
PROGRAMS = ("flip_flop", "induction_head", "k_hop_2", "k_hop_3", "n_gram")


def shipped(name: str) -> Program:
    return parse_program((examples_folder() / "programs" / f"{name}.rasp").read_text(encoding="utf-8"))


def words(alphabet: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(1, longest + 1):
        yield from itertools.product(alphabet, repeat=length)


def check(program: Program, longest: int) -> None:
    """Every formula is true exactly where the interpreter's entry is true, or is the value."""
    formulas = program_to_formulas(program)
    assert {key if isinstance(key, str) else key[0] for key in formulas} == needed_vectors(program)
    for word in words(program.alphabet, longest):
        vectors = run_program(program, word)
        for key, formula in formulas.items():
            name, value = (key, True) if isinstance(key, str) else key
            entries = tuple(entry == value and type(entry) is type(value) for entry in vectors[name])
            assert truth_values(formula, word) == entries, (key, word)
        for name in needed_vectors(program):
            if name not in formulas:  # a value without a formula never occurs
                assert all((name, entry) in formulas for entry in vectors[name]), (name, word)


@pytest.mark.parametrize(("name", "longest"), [("flip_flop", 3), ("induction_head", 5), ("k_hop_2", 5), ("k_hop_3", 5),
                                               ("n_gram", 4)])
def test_formulas_of_shipped_programs_agree_with_the_interpreter(name: str, longest: int) -> None:
    check(shipped(name), longest)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("choice", ["leftmost", "rightmost"])
@pytest.mark.parametrize("default", ["true", "false", "Q_b(i)"])
def test_every_kind_of_attention_agrees_with_the_interpreter(choice: str, mask: str, default: str) -> None:
    for score in ("true", "Q_a(j)", "Q_a(i) & Q_a(j) | Q_b(i) & !Q_b(j)", "false", "in(j) = in(i)"):
        for value in ("true", "Q_b(j)", "Q_b(j) | Q_c(i)", "!Q_a(j)"):
            check(parse_program(f"alphabet abc  out(i) := {choice} j [{mask}, {score}] {value} : {default}"), 4)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("choice", ["leftmost", "rightmost"])
def test_attention_on_what_attention_found_agrees_with_the_interpreter(choice: str, mask: str) -> None:
    check(parse_program(f"""alphabet ab  auxiliary '?'
                            func pair(s, t) := 2 if s = t else 1 if s = '?' else 0
                            P(i) := rightmost j [j<i, Q_b(j)] in(j) : '?'
                            R(i) := leftmost j [j>i, P(j) != in(i)] P(j) : in(i)
                            N(i) := pair(P(i), R(i)) - pair(R(i), 'a')
                            out(i) := {choice} j [{mask}, P(j) = R(i) & N(i) <= N(j)] N(j) + N(i) : -7"""), 4)


@drawn(40)
@given(programs(sums=False, positions=False))
def test_random_programs_agree_with_the_interpreter(program: Program) -> None:
    check(program, 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PROGRAMS)
def test_formulas_of_shipped_programs_agree_with_the_interpreter_on_longer_words(name: str) -> None:
    check(shipped(name), 5 if name == "flip_flop" else 7)


@pytest.mark.exhaustive
@settings(max_examples=3000)
@given(programs(sums=False, positions=False))
def test_many_random_programs_agree_with_the_interpreter(program: Program) -> None:
    check(program, 5)


# -- formulas stay small -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "value", "default", "formula"), [
    ("true", "Q_a(j)", "false", "prev Q_a"),
    ("true", "Q_a(j)", "true", "!prev !Q_a"),
    ("Q_b(j)", "Q_a(j)", "false", "prev ((Q_b -> Q_a) since Q_b)"),
    ("Q_b(j)", "true", "false", "prev O Q_b"),
    ("Q_b(j)", "false", "true", "!prev O Q_b"),
    ("Q_b(j) & Q_a(i)", "true", "false", "Q_a & prev O Q_b"),
    ("Q_b(j) & false", "true", "Q_a(i)", "Q_a"),
    ("Q_a(i) | !Q_a(i)", "Q_a(j)", "false", "prev Q_a"),
    ("in(i) = in(j)", "true", "false", "Q_a & prev O Q_a | Q_b & prev O Q_b | Q_c & prev O Q_c"),
])
def test_constants_fold_and_parts_without_influence_are_not_distinguished(score: str, value: str, default: str,
                                                                          formula: str) -> None:
    program = parse_program(f"alphabet abc  out(i) := rightmost j [j<i, {score}] {value} : {default}")
    assert str(program_to_formulas(program)["out"]) == formula


@pytest.mark.parametrize(("choice", "mask", "formula"), [
    ("rightmost", "j<=i", "(Q_a -> Q_b) since Q_a"),
    ("leftmost", "j<=i", "O (Q_a & Q_b & !O (Q_a & !Q_b))"),
    ("leftmost", "j>=i", "(Q_a -> Q_b) until Q_a"),
    ("rightmost", "j>=i", "F (Q_a & Q_b & !F (Q_a & !Q_b))"),
    ("leftmost", "j<i", "prev O (Q_a & Q_b & !O (Q_a & !Q_b))"),
    ("leftmost", "j>i", "next ((Q_a -> Q_b) until Q_a)"),
    ("leftmost", "1", "O (Q_a & Q_b & !O (Q_a & !Q_b)) | F (Q_a & Q_b & !O (Q_a & !Q_b))"),
    ("rightmost", "1", "O (Q_a & Q_b & !F (Q_a & !Q_b)) | F (Q_a & Q_b & !F (Q_a & !Q_b))"),
])
def test_each_kind_of_attention_has_the_formula_of_the_documentation(choice: Choice, mask: Mask, formula: str) -> None:
    assert str(attention(choice, WINDOWS[mask], Symbol("a"), Symbol("b"), FALSE)) == formula


def test_combinations_that_no_letter_admits_are_left_out() -> None:
    score = "Q_a(i) & Q_b(j) | Q_b(i) & Q_a(j)"
    program = parse_program(f"alphabet abc  out(i) := rightmost j [j<=i, {score}] true : false")
    assert str(program_to_formulas(program)["out"]) == "Q_a & O Q_b | Q_b & O Q_a"


def test_what_is_known_of_a_part_decides_the_larger_parts_that_contain_it() -> None:
    program = parse_program("""alphabet ab  auxiliary '?'  P(i) := rightmost j [j<i, true] in(j) : '?'
                               out(i) := rightmost j [j<i, P(j) = P(i) & P(i) != '?'] true : false""")
    assert str(program_to_formulas(program)["out"]) == "prev Q_a & prev O prev Q_a | prev Q_b & prev O prev Q_b"


def test_a_vector_is_translated_once_however_often_it_is_used() -> None:
    lines = ["alphabet ab  P0(i) := Q_a(i)"]
    lines += [f"P{k + 1}(i) := rightmost j [j<i, P{k}(j) | Q_b(j)] P{k}(j) & Q_a(i) : P{k}(i)" for k in range(12)]
    formulas = program_to_formulas(parse_program("\n".join(lines)))
    assert len(subformulas(formulas["P12"])) < 200


def test_vectors_that_the_output_does_not_depend_on_have_no_formula() -> None:
    program = parse_program("alphabet ab  n(i) := pos(i) + 1  P(i) := Q_a(i)  late(i) := n(i) > 2  out(i) := !P(i)")
    assert list(program_to_formulas(program)) == ["P", "out"]


def test_programs_that_look_back_give_formulas_of_the_past() -> None:
    for name in PROGRAMS:
        for formula in program_to_formulas(shipped(name)).values():
            assert find_future_subformula(formula) is None


def test_bigrams_and_trigrams_need_as_many_steps_back_as_they_are_long() -> None:
    depths = {key: sum(isinstance(part, Previous) for part in subformulas(formula))
              for key, formula in program_to_formulas(shipped("n_gram")).items()}
    assert (depths["before", "a"], depths["earlier", "a"]) == (1, 2)


@pytest.mark.parametrize("variable", ["i", "j"])
def test_values_as_deep_as_the_parser_allows_have_a_formula(variable: str) -> None:
    deep = "Q_a(i)"
    for k in range(196):
        deep = f"({deep}) {'&|'[k % 2]} P({variable})"
    check(parse_program(f"""alphabet ab  P(i) := rightmost j [j<i, Q_a(j)] Q_b(j) : false
                            out(i) := rightmost j [j<i, ({deep}) & Q_a(j)] P(j) : false"""), 3)


# -- what has no formula -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "message", "found"), [
    ("out(i) := pos(i) = 1", "pos has no formula of LTL, expected a program without psum and pos", "pos"),
    ("out(i) := rightmost j [j<i, pos(j) = pos(i)] true : false",
     "pos has no formula of LTL, expected a program without psum and pos", "pos"),
    ("s(i) := psum j [j<=i] 1 if Q_a(j) else 0  out(i) := s(i) > 1",
     "s: psum has no formula of LTL, expected a program without psum and pos", "1 if"),
])
def test_positions_and_sums_have_no_formula(text: str, message: str, found: str) -> None:
    with pytest.raises(NoFormula) as raised:
        program_to_formulas(parse_program("alphabet ab " + text))
    assert str(raised.value) == message
    assert ("alphabet ab " + text)[raised.value.place :].startswith(found)


def test_too_many_combinations_are_refused() -> None:
    vectors = " ".join(f"P{k}(i) := leftmost j [j<i, Q_{'ab'[k % 2]}(j)] {f'P{k - 1}(j)' if k else 'Q_a(i)'} : false"
                       for k in range(10))
    score = " & ".join(f"(P{k}(i) -> P{k}(j))" for k in range(10))
    text = f"alphabet abc {vectors} out(i) := rightmost j [1, {score}] true : false"
    with pytest.raises(NoFormula, match=r"^out: more than 1000 combinations of values at i$"):
        program_to_formulas(parse_program(text))


def test_too_many_values_are_refused() -> None:
    letters, number = "abcdefghijklmnop", "0"
    for place, letter in enumerate(letters):
        number = f"{place} if s = '{letter}' else ({number})"
    text = f"""alphabet {letters}  func f(s) := {number}  scaled(i) := {" + ".join(["f(in(i))"] * 13)}
               out(i) := rightmost j [j<i, true] scaled(j) + f(in(i)) : 0"""
    assert len({13 * j + i for j in range(16) for i in range(16)}) == 211
    with pytest.raises(NoFormula, match=r"^out: 211 values, expected at most 200$"):
        program_to_formulas(parse_program(text))
