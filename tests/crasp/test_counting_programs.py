"""C-RASP programs: what they compute, against definitions that know nothing of the parser, and their formulas."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from certify.common.shipped import examples_folder
from constructions.crasp.interpreter import run_counting_program
from constructions.crasp.parser import parse_counting_program
from constructions.crasp.syntax import CountingProgram
from constructions.crasp.to_formula import MAX_CASES, counting_program_to_formulas
from constructions.errors import InputError, NoFormula
from constructions.language.printer import format_formula
from constructions.language.semantics import truth_values
from constructions.rasp.syntax import Type
from tests.crasp.random_programs import random_program

PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in (examples_folder() / "programs").glob("*.cr")}


def words(alphabet: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(1, longest + 1):
        yield from itertools.product(alphabet, repeat=length)


def check_formulas(program: CountingProgram, longest: int) -> None:
    """Every formula is true exactly where the interpreter says so."""
    formulas = counting_program_to_formulas(program)
    assert list(formulas) == [made.name for made in program.definitions if made.type is Type.BOOLEAN]
    for word in words(program.alphabet, longest):
        rows = run_counting_program(program, word)
        for name, formula in formulas.items():
            assert truth_values(formula, word) == rows[name], (name, word)


def formula_of(text: str) -> str:
    program = parse_counting_program(text)
    return format_formula(counting_program_to_formulas(program)[program.output.name])


def balanced(word: str) -> bool:
    while "()" in word:
        word = word.replace("()", "")
    return not word


def predicts_b(word: str) -> bool:
    following = [after for before, after in itertools.pairwise(word) if before == "a"]
    return word[-1] == "a" and 2 * following.count("b") > len(following)


LANGUAGES: dict[str, Callable[[str], bool]] = {
    "majority": lambda word: word.count("1") > word.count("0"),
    "ab_star": lambda word: re.fullmatch("(ab)*", word) is not None,
    "dyck_1": lambda word: balanced(word.replace("?", "")),
    "equally_many": lambda word: word.count("a") == word.count("b") == word.count("c"),
    "bigram": predicts_b,
    "alternating": lambda word: re.fullmatch("(10)*1?", word) is not None,
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_shipped_programs_accept_their_languages_and_so_do_their_formulas(name: str) -> None:
    program = parse_counting_program(PROGRAMS[name])
    formula = counting_program_to_formulas(program)[program.output.name]
    for word in words(program.alphabet, 6 if len(program.alphabet) < 4 else 4):
        accepted = LANGUAGES[name]("".join(word))
        assert run_counting_program(program, word)[program.output.name][-1] is accepted, word
        assert truth_values(formula, word)[-1] is accepted, word


def test_the_formulas_in_the_documentation_are_those_of_the_programs() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "crasp.md").read_text(encoding="utf-8")
    _, page = page.split("## 4.")
    stated = re.findall(r"^\| `(\w+)` \| .+? \| `(.+)` \|$", page, re.MULTILINE)
    assert [name for name, _ in stated] == ["majority", "dyck_1", "bigram", "alternating"]
    for name, formula in stated:
        assert formula_of(PROGRAMS[name]) == formula.replace("\\|", "|"), name


def test_every_shipped_program_has_a_language() -> None:
    assert set(PROGRAMS) == set(LANGUAGES)


@pytest.mark.parametrize("name", ["majority", "dyck_1", "bigram"])
def test_all_definitions_of_shipped_programs_agree_with_their_formulas(name: str) -> None:
    check_formulas(parse_counting_program(PROGRAMS[name]), 5)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_mean_what_they_are_built_to_mean(seed: int) -> None:
    text, meanings = random_program(seed)
    program = parse_counting_program(text, "abc")
    for word in words("abc", 4):
        rows = run_counting_program(program, word)
        assert set(rows) == set(meanings)
        for name, row in rows.items():
            assert row == tuple(meanings[name](word, i) for i in range(len(word))), (name, word)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_formulas_of_random_programs_agree_with_the_interpreter(seed: int) -> None:
    program = parse_counting_program(random_program(seed)[0], "abc")
    check_formulas(program, 4)


@pytest.mark.parametrize(("text", "formula"), [
    ('D = "a" && !("b" || true)', "false"),
    ('D = "a" || false', "Q_a"),
    ('D = # "a" >= 1', "#<[Q_a] >= 1"),
    ('A = #"a"\nB = #"b"\nD = (2*A) - 3 < (B + A)', "#<[Q_a] < #<[Q_b] + 3"),
    ('D = #"a" - #"a" == 0', "true"),
    ('D = #(#"a" > #"b") == #true', "#<[#<[Q_a] > #<[Q_b]] == #<[true]"),
    ('#import pred4\nD = (#[pred4] "a") == 1', "prev prev prev prev Q_a"),
    ('#import pred\nD = (#[pred] "a") == 0', "!prev Q_a"),
    ('#import pos_even\nD = pos_even && "a"', "ODD & Q_a"),
    ('#import pos_odd\nD = pos_odd', "EVEN"),
    ('D = (1 if "a" else 0) == 1', "Q_a"),
    ('D = (#"a" if "a" else #"b") >= 2', "Q_a & #<[Q_a] >= 2 | !Q_a & #<[Q_b] >= 2"),
    ('D = (1 if "a" else 0) + (1 if "b" else 0) == 3', "false"),
    ('D = (1 if "a" else 0) * #"b" >= 1', "Q_a & #<[Q_b] >= 1"),
    ('D = min(#"a", 3) <= 3', "true"),
    ('D = min(#"a", 3) == 2', "#<[Q_a] <= 3 & #<[Q_a] == 2"),
    ('D = min(2, 3) == 2', "true"),
    ('D = max(#"a", #"a" + 1) - #"a" == 1', "true"),
    ('D = -#"a" == 0 - 1', "1 == #<[Q_a]"),
])  # fmt: skip
def test_formulas_as_they_are_written(text: str, formula: str) -> None:
    assert formula_of(text) == formula


@pytest.mark.parametrize(("word", "row"), [("ab", (True, False)), ("aabba", (True, False, True, False, True))])
def test_predicates_of_positions_count_from_zero(word: str, row: tuple[bool, ...]) -> None:
    program = parse_counting_program("#import pos_even\nD = pos_even", "ab")
    assert run_counting_program(program, word)["D"] == row


@pytest.mark.parametrize("distance", [1, 2, 5, 64])
def test_a_predicate_of_two_positions_looks_that_far_back(distance: int) -> None:
    name = "pred" if distance == 1 else f"pred{distance}"
    program = parse_counting_program(f'#import {name}\nC = #[{name}] "a"', "ab")
    for place in (0, 3):
        word = "b" * place + "a" + "b" * 70
        row = run_counting_program(program, word)["C"]
        assert [i for i, value in enumerate(row) if value] == [place + distance]


def test_the_alphabet_is_what_is_mentioned_and_one_more() -> None:
    assert parse_counting_program('D = "b" || "(" || "ab"').alphabet == ("(", "ab", "b", "?")
    assert parse_counting_program('D = "b"', ("b", "c")).alphabet == ("b", "c")


@pytest.mark.parametrize(("text", "message"), [
    ('A = (#"a") * #"b"\nD = A == 1', "a product of two counts, expected at most one of them to depend on counts"),
    ("\n".join(["x0 = #true", *(f"x{k + 1} = x{k} * 1000000007" for k in range(120)), "D = x120 == 1"]),
     "a coefficient of more than 1000 digits, expected smaller ones"),
    ("\n".join(["x0 = 0", *(f'x{k + 1} = (2*x{k}) + (1 if #"a" > {k} else 0)' for k in range(9)), "D = x9 == 1"]),
     f"a number with 128 cases, expected at most {MAX_CASES}"),
])  # fmt: skip
def test_what_has_no_formula_is_refused(text: str, message: str) -> None:
    with pytest.raises(NoFormula, match=re.escape(message)):
        counting_program_to_formulas(parse_counting_program(text))


def test_cases_that_agree_are_one_case() -> None:
    """Thirty choices between 0 and 1 have 31 sums, not 2^30."""
    choices = " + ".join(f'(1 if #"a" > {k} else 0)' for k in range(30))
    program = parse_counting_program(f"D = {choices} >= 3", "ab")
    formula = counting_program_to_formulas(program)["D"]
    for word in ("aab", "aabaa"):
        assert truth_values(formula, word)[-1] is (word.count("a") >= 3)


def test_a_chain_of_doublings_is_refused_by_the_interpreter_before_numbers_are_long() -> None:
    text = "\n".join(["x0 = 1", *(f"x{k + 1} = x{k} + x{k}" for k in range(4000))])
    with pytest.raises(InputError, match="more than 1000 digits"):
        run_counting_program(parse_counting_program(text, "a"), "a")
