"""The interpreter against values worked out by hand, against temporal logic, and against its own mirror image."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.rasp import interpreter
from constructions.rasp.interpreter import Value, run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.syntax import (
    AttentionTerm,
    Choice,
    ComparisonTerm,
    Integer,
    Mask,
    PrefixSum,
    RaspExpression,
    RaspProgram,
    Type,
    Vector,
    VectorEntry,
)
from tests.rasp.strategies import ALPHABET, programs
from tests.tiers import drawn

MIRRORED_MASK: dict[Mask, Mask] = {"1": "1", "j<i": "j>i", "j<=i": "j>=i", "j>i": "j<i", "j>=i": "j<=i"}
MIRRORED_CHOICE: dict[Choice, Choice] = {"leftmost": "rightmost", "rightmost": "leftmost"}
WORDS = st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=6)


def output(body: str, word: str = "abba") -> tuple[Value, ...]:
    program = parse_program(f"alphabet ab  auxiliary '?'  func is_a(s) := s = 'a'  out(i) := {body}")
    return run_program(program, word)["out"]


@pytest.mark.parametrize(("body", "expected"), [
    ("Q_a(i)", (True, False, False, True)),
    ("Q_a(i) | Q_b(i)", (True, True, True, True)),
    ("Q_a(i) -> false", (False, True, True, False)),
    ("Q_a(i) <-> pos(i) <= 2", (True, False, True, False)),
    ("in(i)", ("a", "b", "b", "a")),
    ("pos(i) - 3 + -1", (-3, -2, -1, 0)),
    ("pos(i) - (3 - 1)", (-1, 0, 1, 2)),
    ("pos(i) = 2 | pos(i) != 2 & pos(i) > 3", (False, True, False, True)),
    ("pos(i) >= 3", (False, False, True, True)),
    ("in(i) != 'b'", (True, False, False, True)),
    ("is_a(in(i)) ? '?' : in(i)", ("?", "b", "b", "?")),
    ("1 if Q_a(i) else 2 if pos(i) = 2 else 3", (1, 2, 3, 1)),
    ("rightmost j [1, Q_b(j)] pos(j) : 0", (3, 3, 3, 3)),
    ("leftmost j [1, Q_b(j)] pos(j) : 0", (2, 2, 2, 2)),
    ("rightmost j [j<i, Q_b(j)] pos(j) : -pos(i)", (-1, -2, 2, 3)),
    ("rightmost j [j<=i, Q_b(j)] pos(j) : 0", (0, 2, 3, 3)),
    ("leftmost j [j>i, Q_b(j)] pos(j) : 0", (2, 3, 0, 0)),
    ("leftmost j [j>=i, Q_b(j)] pos(j) : 0", (2, 2, 3, 0)),
    ("rightmost j [j>i, in(j) = in(i)] pos(j) - pos(i) : 0", (3, 1, 0, 0)),
    ("leftmost j [j<i, pos(j) + 1 = pos(i)] in(j) : '?'", ("?", "a", "b", "b")),
    ("leftmost j [1, false] true : Q_a(i)", (True, False, False, True)),
    ("psum j [j<=i] 1", (1, 2, 3, 4)),
    ("psum j [j<=i] pos(j) if Q_b(j) else -1", (-1, 1, 4, 3)),
    ("psum j [j<=i] pos(i)", (1, 4, 9, 16)),
])  # fmt: skip
def test_values_by_position(body: str, expected: tuple[Value, ...]) -> None:
    assert output(body) == expected


def test_functions_of_functions() -> None:
    text = """alphabet abc
    func next(s) := 'b' if s = 'a' else 'c' if s = 'b' else 'a'
    func same(s, t) := s = t
    func follows(s, t) := same(next(s), t) & !same(s, t)
    out(i) := follows(in(i), next(next(in(i)))) | follows('a', in(i))"""
    assert run_program(parse_program(text), "abca")["out"] == (False, True, False, False)


def test_vectors_are_given_in_the_order_of_definition() -> None:
    program = parse_program("alphabet ab  R(i) := pos(i)  P(i) := R(i) + R(i)  func f(s) := s  out(i) := f(in(i))")
    assert list(run_program(program, "ba").items()) == [("R", (1, 2)), ("P", (2, 4)), ("out", ("b", "a"))]


@given(st.text(alphabet="ab", min_size=1, max_size=8))
@pytest.mark.parametrize(("formula", "body"), [
    ("prev Q_a", "rightmost j [j<i, true] Q_a(j) : false"),
    ("next Q_a", "leftmost j [j>i, true] Q_a(j) : false"),
    ("Q_a since Q_b", "rightmost j [j<=i, Q_b(j) | !Q_a(j)] Q_b(j) & Q_a(j) : false"),
    ("Q_a S Q_b", "rightmost j [j<=i, Q_b(j) | !Q_a(j)] Q_b(j) : false"),
    ("Q_a U Q_b", "leftmost j [j>=i, Q_b(j) | !Q_a(j)] Q_b(j) : false"),
    ("O Q_a", "rightmost j [j<=i, Q_a(j)] true : false"),
    ("G Q_a", "leftmost j [j>=i, !Q_a(j)] false : true"),
])  # fmt: skip
def test_attention_computes_the_temporal_operators(formula: str, body: str, word: str) -> None:
    assert output(body, word) == truth_values(parse_formula(formula), word)


@given(st.text(alphabet="ab", min_size=1, max_size=8))
def test_prefix_sums_compute_counts(word: str) -> None:
    balanced = truth_values(parse_formula("#<[Q_a] == #<[Q_b]"), word)
    program = "psum j [j<=i] Q_a(j) ? 1 : -1"
    assert tuple(total == 0 for total in output(program, word)) == balanced


def mirror(program: RaspProgram) -> RaspProgram:
    """Left for right and right for left."""
    return replace(program, vectors=tuple(
        replace(vector, body=replace(body, choice=MIRRORED_CHOICE[body.choice], mask=MIRRORED_MASK[body.mask]))
        if isinstance(body := vector.body, AttentionTerm) else vector for vector in program.vectors))


@drawn(30)
@given(programs(sums=False, positions=False), WORDS)
def test_the_mirrored_program_computes_the_mirrored_vectors_of_the_mirrored_word(
        program: RaspProgram, word: list[str]) -> None:
    mirrored = run_program(mirror(program), word[::-1])
    assert {name: entries[::-1] for name, entries in mirrored.items()} == run_program(program, word)


@drawn(30)
@given(programs(), WORDS)
def test_every_entry_is_of_the_type_of_its_vector(program: RaspProgram, word: list[str]) -> None:
    types = {Type.BOOLEAN: bool, Type.INTEGER: int, Type.SYMBOL: str}
    vectors = run_program(program, word)
    for vector in program.vectors:
        assert [type(entry) for entry in vectors[vector.name]] == [types[vector.type]] * len(word)


@drawn(30)
@given(programs(), WORDS, WORDS)
def test_entries_of_a_common_prefix_are_those_of_each_word(program: RaspProgram, word: list[str],
                                                           other: list[str]) -> None:
    for last in (other, word + other):
        assert run_program(program, last, (word, run_program(program, word))) == run_program(program, last)


@drawn(30)
@given(programs(), WORDS)
def test_a_sum_is_at_each_position_the_sum_of_its_values_there(program: RaspProgram, word: list[str]) -> None:
    """Attention to one position computes the summand there."""
    for vector in program.vectors:
        if isinstance(vector.body, PrefixSum):
            summands = [Vector(f"at{k}", attention_to(k, vector.body.value), Type.INTEGER)
                        for k in range(1, len(word) + 1)]
            vectors = run_program(replace(program, vectors=(*program.vectors, *summands)), word)
            for i in range(len(word)):
                assert vectors[vector.name][i] == sum(int(vectors[f"at{k}"][i]) for k in range(1, i + 2))


def attention_to(k: int, value: RaspExpression) -> AttentionTerm:
    return AttentionTerm("leftmost", "1", ComparisonTerm("==", VectorEntry("pos", "j"), Integer(k)), value, Integer(0))


@pytest.mark.parametrize(("word", "message"), [
    ("", r"^word: found nothing, expected at least one symbol \(words are not empty\)$"),
    ("ab?", r"^word, position 3: found '\?', expected one of a, b$"),
])
def test_bad_words_are_refused(word: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        output("true", word)


def test_entries_of_more_than_1000_digits_are_refused() -> None:
    text = f"alphabet a  P(i) := {'9' * 1000}  R(i) := P(i) - 1  out(i) := P(i) + 1 if pos(i) = 2 else 0"
    program = parse_program(text)
    assert run_program(program, "a")["R"] == (10**1000 - 2,)
    with pytest.raises(InputError, match=r"^vector out, position 2: more than 1000 digits$"):
        run_program(program, "aa")


def test_programs_that_take_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MAX_STEPS", 10)
    assert output("psum j [j<=i] 1", "abbababbab") == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    assert output("psum j [j<=i] pos(i)", "abba") == (1, 4, 9, 16)
    for text in ("psum j [j<=i] 1", "psum j [j<=i] pos(i)"):
        with pytest.raises(InputError, match=r"^more than 10 evaluations on this word, expected a shorter"):
            output(text, "abbababbaba" if text.endswith("1") else "abbab")


def test_functions_are_not_computed_again_for_the_same_symbols() -> None:
    doubled = "".join(f"func f{k}(s) := f{k - 1}(s) + f{k - 1}(s)\n" for k in range(1, 99))
    program = parse_program(f"alphabet a\nfunc f0(s) := 1\n{doubled}out(i) := f98(in(i))")
    assert run_program(program, "a")["out"] == (2**98,)
