"""The shipped programs, each against a definition that knows nothing of attention."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from certify.examples import examples_folder, load_examples
from constructions.language.semantics import truth_values
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in (examples_folder() / "programs").glob("*.rasp")}


def test_the_shipped_programs() -> None:
    assert set(PROGRAMS) == {"flip_flop", "induction_head", "dyck_1", "dyck_2", "dyck_3", "dyck_1_as_printed",
                             "k_hop_2", "k_hop_3", "n_gram"}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_shipped_programs_print_and_parse(name: str) -> None:
    program = parse_program(PROGRAMS[name])
    assert parse_program(format_program(program)) == program


def is_flip_flop(word: str) -> bool:
    memory = None
    if not re.fullmatch("w[01]([wri][01])*", word):
        return False
    for instruction, bit in zip(word[::2], word[1::2], strict=True):
        if instruction == "r" and bit != memory:
            return False
        memory = bit if instruction == "w" else memory
    return True


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_flip_flop_accepts_the_prefixes_in_the_language(length: int) -> None:
    program = parse_program(PROGRAMS["flip_flop"])
    for word in map("".join, itertools.product("wri01", repeat=length)):
        expected = tuple(is_flip_flop(word[: place + 1]) for place in range(length))
        assert run_program(program, word)["out"] == expected, word


def test_flip_flop_reads_what_was_written_last() -> None:
    program = parse_program(PROGRAMS["flip_flop"])
    assert run_program(program, "w1i0w0i1r0r1i0")["out"][1::2] == (True, True, True, True, True, False, False)
    assert is_flip_flop("w1i0w0i1r0") and not is_flip_flop("w1i0w0i1r0r1")


def predicted(word: str) -> str:
    earlier = word.rfind(word[-1], 0, len(word) - 1)
    return word[earlier + 1] if earlier >= 0 else "?"


@pytest.mark.parametrize("length", range(1, 7))
def test_the_induction_head_predicts_what_followed_last_time(length: int) -> None:
    program = parse_program(PROGRAMS["induction_head"])
    for word in map("".join, itertools.product("abc", repeat=length)):
        expected = tuple(predicted(word[: place + 1]) for place in range(length))
        assert run_program(program, word)["out"] == expected, word


def test_the_induction_head_and_the_formula_of_the_examples_agree() -> None:
    formula = next(example.formula for example in load_examples() if example.name == "induction_head")
    program = parse_program(PROGRAMS["induction_head"])
    for word in map("".join, itertools.product("abc", repeat=5)):
        out = run_program(program, word)["out"]
        predicts_b = tuple(symbol == "a" and found == "b" for symbol, found in zip(word, out, strict=True))
        assert truth_values(formula, word) == predicts_b, word


def test_the_program_of_the_documentation_computes_what_its_comments_say() -> None:
    page = (ROOT / "docs" / "rasp.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```text\n(alphabet .*?)```", page, re.DOTALL)
    assert run_program(parse_program(text), "aabab") == {
        "as": (1, 2, 2, 3, 3),
        "last": (0, 1, 0, 2, 3),
        "swap": ("?", "b", "?", "b", "a"),
        "out": (True, True, False, False, False),
    }
