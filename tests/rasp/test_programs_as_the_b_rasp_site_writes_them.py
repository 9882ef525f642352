"""B-RASP as its authors' page writes it: what it means, against functions that are built beside the text."""

import itertools
from collections.abc import Callable, Sequence
from random import Random

import pytest

from constructions.errors import ProgramError
from constructions.language.semantics import truth_values
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import Type
from constructions.rasp.to_formula import program_to_formulas

Row = Callable[[Sequence[str], int], bool]
Pair = Callable[[Sequence[str], int, int], bool]

MASKS: dict[str, Callable[[int, int], bool]] = {
    "1": lambda i, j: True,
    "j<i": lambda i, j: j < i, "j<=i": lambda i, j: j <= i, "i<j": lambda i, j: i < j, "i<=j": lambda i, j: i <= j,
    "i>j": lambda i, j: i > j, "i>=j": lambda i, j: i >= j, "j>i": lambda i, j: j > i, "j>=i": lambda i, j: j >= i,
}  # fmt: skip


class Writer:
    """Rows one after the other, each as a text and as a function."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.rows: dict[str, Row] = {"Q_a": lambda w, i: w[i] == "a", "Q_b": lambda w, i: w[i] == "b"}
        self.lines: list[str] = []

    def expression(self, variables: str, depth: int) -> tuple[str, Pair]:
        if depth == 0:
            return self.atom(variables)
        left, first = self.expression(variables, depth - 1)
        if self.random.randrange(3) == 0:
            return f"{self.random.choice(['not ', '!', '~'])}({left})", lambda w, i, j: not first(w, i, j)
        right, second = self.expression(variables, depth - 1)
        if self.random.randrange(2):
            return (f"({left}) {self.random.choice(['&', 'and'])} ({right})",
                    lambda w, i, j: first(w, i, j) and second(w, i, j))
        return (f"({left}) {self.random.choice(['|', 'or'])} ({right})",
                lambda w, i, j: first(w, i, j) or second(w, i, j))

    def atom(self, variables: str) -> tuple[str, Pair]:
        if self.random.randrange(5) == 0:
            digit = self.random.choice("01")
            return digit, lambda w, i, j: digit == "1"
        name, variable = self.random.choice(list(self.rows)), self.random.choice(variables)
        row = self.rows[name]
        return f"{name}({variable})", lambda w, i, j: row(w, i if variable == "i" else j)

    def add_attention(self, name: str) -> None:
        choice, mask = self.random.choice(["leftmost", "rightmost"]), self.random.choice(list(MASKS))
        score, value = self.expression("ij", 1), self.expression("ij", 1)
        default = self.expression("i", self.random.randrange(2))
        self.lines.append(f"{name}(i) := {choice} [{mask}, {score[0]}] {value[0]} : {default[0]}")

        def attend(w: Sequence[str], i: int) -> bool:
            found = [j for j in range(len(w)) if MASKS[mask](i, j) and score[1](w, i, j)]
            if not found:
                return default[1](w, i, i)
            return value[1](w, i, min(found) if choice == "leftmost" else max(found))

        self.rows[name] = attend

    def add_boolean(self, name: str) -> None:
        text, meaning = self.expression("i", 2)
        self.lines.append(f"{name}(i) := {text}")
        self.rows[name] = lambda w, i: meaning(w, i, i)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_and_their_formulas_mean_what_they_are_built_to_mean(seed: int) -> None:
    writer = Writer(seed)
    writer.add_attention("P_1")
    writer.add_attention("S_?")
    writer.add_boolean("Y2")
    program = parse_program("\n".join(["Q_a(i)", "Q_b(i)", *writer.lines]))
    assert all(vector.type is Type.BOOLEAN for vector in program.vectors)
    formulas = program_to_formulas(program)
    for length in range(1, 5):
        for word in itertools.product("ab", repeat=length):
            computed = run_program(program, word)
            for name in ("P_1", "S_?", "Y2"):
                row = tuple(writer.rows[name](word, i) for i in range(length))
                assert computed[name] == row, (name, word)
                assert name not in formulas or truth_values(formulas[name], word) == row, (name, word)


@pytest.mark.parametrize(("one", "other"), [
    ("rightmost [j<i, 1] Q_a(j) : 0", "rightmost j [j<i, true] Q_a(j) : false"),
    ("leftmost [i<j, not Q_b(j)] Q_a(j) : 1", "leftmost j [j>i, !Q_b(j)] Q_a(j) : true"),
    ("leftmost [i<=j, 1] 1 : 0", "leftmost j [j>=i, true] true : false"),
    ("rightmost [i>=j, 0] Q_a(j) | Q_b(i) : Q_b(i)", "rightmost j [j<=i, false] Q_a(j) | Q_b(i) : Q_b(i)"),
    ("rightmost [1, 1 & ~0] 1 if Q_a(i) else 0 : 0",
     "rightmost j [1, true & !false] true if Q_a(i) else false : false"),
])  # fmt: skip
def test_what_the_site_writes_is_an_other_spelling(one: str, other: str) -> None:
    start = "alphabet ab\nP(i) := "
    assert parse_program(start + one) == parse_program(start + other)


def test_0_and_1_are_what_is_expected_of_them() -> None:
    program = parse_program("alphabet ab\nT(i) := 1 | 0\nN(i) := 1\nV(i) := rightmost j [j<i, 1] 1 : 0\n"
                            "W(i) := Q_a(i) if 1 else 0\nB(i) := T(i) ? 0 : W(i)")
    types = {vector.name: vector.type for vector in program.vectors}
    assert types == {"T": Type.BOOLEAN, "N": Type.INTEGER, "V": Type.INTEGER, "W": Type.BOOLEAN, "B": Type.BOOLEAN}
    assert parse_program(format_program(program)) == program


def test_0_and_1_alone_are_truth_values_where_attention_leaves_out_its_variable() -> None:
    program = parse_program("alphabet ab\nN(i) := 1\nV(i) := rightmost [j<i, 1] 1 : 0")
    assert [vector.type for vector in program.vectors] == [Type.BOOLEAN, Type.BOOLEAN]


@pytest.mark.parametrize(("text", "alphabet"), [
    ("Q_a(i)\nQ_b(i)\nP(i) := Q_a(i)", ("a", "b")),
    ("Q_((i) Q_)(i)\nP(i) := Q_((i)", ("(", ")")),
    ("Q_1(i)\nQ_?(i)\nP(i) := rightmost [j<i, Q_1(j)] Q_?(j) : 0", ("1", "?")),
    ("P(i) := Q_?(i) | Q_l(i) | Q_#(i)", ("#", "?", "l", "*")),
    ("Q_ab(i)\nP(i) := 1", ("ab",)),
])  # fmt: skip
def test_initial_rows_are_the_alphabet(text: str, alphabet: tuple[str, ...]) -> None:
    assert parse_program(text).alphabet == alphabet


def test_a_question_mark_belongs_to_a_name_only_before_a_variable() -> None:
    program = parse_program("alphabet ab\nB_?(i) := Q_a(i)\nB?2(i) := B_?(i)\nN(i) := B?2(i)?1:2")
    assert [vector.name for vector in program.vectors] == ["B_?", "B?2", "N"]
    function = parse_program("alphabet ab\nfunc f(s, t) := s = t?1:2\nN(i) := f(in(i), 'a')")
    assert function.functions[0].type is Type.INTEGER


@pytest.mark.parametrize(("text", "column", "message"), [
    ("P(i) := rightmost [j<i] Q_b(j) : 0", 23, "found ']', expected ','"),
    ("P(i) := rightmost [j<k, 1] Q_b(j) : 0", 20, "found 'j<k', expected the mask 1 or j<i or j<=i or j>i or j>=i"),
    ("P(i) := rightmost [j<i, 1] Q_b(k) : 0", 28, "found an entry at k, expected i or j"),
    ("P(i) := rightmost [j<i, 1] Q_b(j) : Q_a(j)", 37,
     "found an entry at j, expected i; j is in scope in attention and psum only, not in the default"),
    ("P(i) := rightmost [j<i, 2] Q_b(j) : 0", 25, "found an integer, expected a truth value"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(text: str, column: int, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_program(text)
    assert (caught.value.line, caught.value.column, caught.value.message) == (1, column, message)
