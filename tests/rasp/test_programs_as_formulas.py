"""Formulas of programs against the interpreter: shipped programs, every kind of attention, random programs."""

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings

from certify.common.shipped import examples_folder
from constructions.errors import NoFormula
from constructions.language.fragments import find_future_subformula
from constructions.language.semantics import truth_values
from constructions.language.syntax import FALSE, Count, Previous, Symbol, subformulas
from constructions.rasp.attention_in_ltl import WINDOWS, attention
from constructions.rasp.interpreter import run_program
from constructions.rasp.linear_forms import UNRELATED, Atom, AttendedCount, Linear
from constructions.rasp.parser import parse_program
from constructions.rasp.syntax import Choice, Mask, RaspProgram, needed_vectors
from constructions.rasp.to_formula import Value, program_to_formulas
from tests.rasp.strategies import programs
from tests.tiers import drawn

MASKS = ("1", "j<i", "j<=i", "j>i", "j>=i")
PROGRAMS = ("flip_flop", "induction_head", "k_hop_2", "k_hop_3", "n_gram")


def shipped(name: str) -> RaspProgram:
    return parse_program((examples_folder() / "programs" / f"{name}.rasp").read_text(encoding="utf-8"))


def words(alphabet: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(1, longest + 1):
        yield from itertools.product(alphabet, repeat=length)


def check(program: RaspProgram, longest: int) -> None:
    """Exactly one value, or form, of each vector has a true formula: the interpreter's entry."""
    formulas = program_to_formulas(program)
    assert {key if isinstance(key, str) else key[0] for key in formulas} == needed_vectors(program)
    for word in words(program.alphabet, longest):
        had: dict[str, list[list[Value]]] = {name: [[] for _ in word] for name in needed_vectors(program)}
        for key, formula in formulas.items():
            name, value = (key, True) if isinstance(key, str) else key
            for place, truth in enumerate(truth_values(formula, word)):
                if truth or isinstance(key, str):
                    had[name][place].append(number_at(value, word, place + 1) if isinstance(value, Linear) else truth
                                            if isinstance(key, str) else value)
        for name, values in had.items():
            assert values == [[entry] for entry in run_program(program, word)[name]], (name, word)


def number_at(form: Linear, word: Sequence[str], i: int) -> int:
    """Return the value of a form at a position, by the definitions of its counts."""
    return form.constant + sum(number * count_at(atom, word, i) for atom, number in form.summands)


def count_at(atom: Atom, word: Sequence[str], i: int) -> int:
    if isinstance(atom, Count):
        truths = truth_values(atom.operand, word)
        return sum(truths[:i] if atom.side == "left" else truths[i - 1:])
    assert isinstance(atom, AttendedCount)
    (first, last), truths = atom.by.window, truth_values(atom.by.score, word)
    places = [j for j, truth in enumerate(truths, 1) if truth and (first is None or first <= j - i)
              and (last is None or j - i <= last)]
    return count_at(atom.count, word, places[-1 if atom.by.choice == "rightmost" else 0])


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
def test_random_programs_agree_with_the_interpreter(program: RaspProgram) -> None:
    check(program, 3)


@drawn(80)
@given(programs())
def test_random_programs_that_sum_agree_with_the_interpreter_or_say_why_not(program: RaspProgram) -> None:
    try:
        check(program, 3)
    except NoFormula as reason:
        assert str(reason) == UNRELATED or "psum of integers without a bound" in str(reason)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("choice", ["leftmost", "rightmost"])
@pytest.mark.parametrize("score", ["true", "Q_a(j)", "pos(j) < pos(i) - 1", "2 * pos(i) + 2 >= 2 * pos(j) + 1",
                                   "m(j) > 1", "pos(j) = pos(i) - 2 | pos(j) = pos(i) + 1",
                                   "pos(j) != m(j) & pos(i) != pos(j)",
                                   "m(j) - m(i) = pos(i) - 2 | pos(i) - pos(j) <= 2 & pos(j) - pos(i) <= 2"])
def test_sums_found_by_attention_agree_with_the_interpreter(choice: str, mask: str, score: str) -> None:
    score = score.replace("2 * pos(i)", "pos(i) + pos(i)").replace("2 * pos(j)", "pos(j) + pos(j)")
    program = f"""alphabet ab
        m(i) := psum j [j<=i] 2 if Q_a(j) else 0 - 1
        n(i) := psum j [j<=i] 1 if Q_b(j) & pos(j) + 2 > pos(i) | pos(i) < 2 else 0
        end(i) := rightmost j [1, true] m(j) + n(j) : 0
        found(i) := {choice} j [{mask}, {score}] m(j) - pos(j) + end(j) : m(i)
        twice(i) := {choice} j [{mask}, m(j) > 0] found(j) + 1 : 0
        out(i) := found(i) > 0 | twice(i) <= 3"""
    try:
        check(parse_program(program), 5)
    except NoFormula as reason:
        assert str(reason) == UNRELATED and "m(i)" in score


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PROGRAMS)
def test_formulas_of_shipped_programs_agree_with_the_interpreter_on_longer_words(name: str) -> None:
    check(shipped(name), 5 if name == "flip_flop" else 7)


@pytest.mark.exhaustive
@settings(max_examples=3000)
@given(programs(sums=False, positions=False))
def test_many_random_programs_agree_with_the_interpreter(program: RaspProgram) -> None:
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


@pytest.mark.parametrize(("text", "formula"), [
    ("out(i) := pos(i) = 1", "#<[true] == 1"),
    ("out(i) := pos(i) > 0", "true"),
    ("s(i) := psum j [j<=i] 1 if Q_a(j) else 0 - 1  out(i) := s(i) > 1", "#<[Q_a] > #<[Q_b] + 1"),
    ("out(i) := rightmost j [j<i, pos(j) = pos(i) - 2] Q_a(j) : false", "prev prev Q_a"),
    ("p(i) := rightmost j [j<i, Q_a(j)] pos(j) : 0  out(i) := p(i) > 2",
     "prev O Q_a & prev ((Q_a -> #<[true] > 2) since Q_a)"),
    ("p(i) := rightmost j [j<i, true] pos(j) : 0  out(i) := p(i) = 2", "prev true & #<[true] == 3"),
    ("p(i) := leftmost j [j<=i, Q_a(j)] pos(j) : 0  out(i) := p(i) > 3", "O Q_a & #<[!prev O Q_a] > 3"),
    ("p(i) := rightmost j [j<=i, Q_a(j)] pos(j) : 0  out(i) := pos(i) - p(i) < 2",
     "O Q_a & (Q_a | prev Q_a) | !O Q_a & #<[true] < 2"),
    ("n(i) := rightmost j [1, true] pos(j) : 0  out(i) := pos(i) + pos(i) > n(i)", "#<[true] > #>[next true]"),
])
def test_positions_and_sums_are_counted(text: str, formula: str) -> None:
    assert str(program_to_formulas(parse_program("alphabet ab " + text))["out"]) == formula


@pytest.mark.parametrize(("text", "message", "found"), [
    ("s(i) := psum j [j<=i] 1 if Q_a(j) else 0  out(i) := rightmost j [j<i, s(j) = s(i)] true : false",
     UNRELATED, "s(j)"),
    ("out(i) := rightmost j [j<i, pos(j) + pos(j) = pos(i)] true : false", UNRELATED, "pos(j) + "),
    ("out(i) := rightmost j [j<i, pos(j) = pos(i) - 101] true : false",
     "a comparison of positions 102 apart, expected at most 100", "pos(j) = "),
    ("s(i) := psum j [j<=i] pos(j)  out(i) := s(i) > 1",
     "s: psum of integers without a bound, which are not a sum of counts", "pos(j)"),
])
def test_counts_at_two_positions_and_sums_of_sums_have_no_formula(text: str, message: str, found: str) -> None:
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
