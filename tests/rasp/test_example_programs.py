"""The shipped programs, each against a definition that knows nothing of attention."""

import itertools
import re
from pathlib import Path

import pytest

from certify.claims.formula.examples import load_examples
from certify.common.shipped import examples_folder
from constructions.language.semantics import truth_values
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in (examples_folder() / "programs").glob("*.rasp")}


def test_the_shipped_programs() -> None:
    assert set(PROGRAMS) == {"flip_flop", "induction_head", "k_hop_2", "k_hop_3", "n_gram",
                             "dyck_1", "dyck_2", "dyck_3", "dyck_1_as_printed", "alternation", "majority"}


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


@pytest.mark.parametrize("length", range(1, 7))
def test_majority_counts_more_ones_than_zeros(length: int) -> None:
    program = parse_program(PROGRAMS["majority"])
    for word in itertools.product("01", repeat=length):
        expected = tuple(2 * word[:place].count("1") > place for place in range(1, length + 1))
        assert run_program(program, word)["out"] == expected, word


@pytest.mark.parametrize("length", range(1, 7))
def test_alternation_is_a_then_b_again_and_again(length: int) -> None:
    program = parse_program(PROGRAMS["alternation"])
    for word in map("".join, itertools.product("ab", repeat=length)):
        expected = tuple(re.fullmatch("(ab)+", word[: place + 1]) is not None for place in range(length))
        assert run_program(program, word)["Y"] == expected, word


def predicted(word: str) -> str:
    earlier = word.rfind(word[-1], 0, len(word) - 1)
    return word[earlier + 1] if earlier >= 0 else "?"


@pytest.mark.parametrize("length", range(1, 7))
def test_the_induction_head_predicts_what_followed_last_time(length: int) -> None:
    program = parse_program(PROGRAMS["induction_head"])
    for word in map("".join, itertools.product("abc", repeat=length)):
        expected = tuple(predicted(word[: place + 1]) for place in range(length))
        assert run_program(program, word)["out"] == expected, word


def hop(word: str, hops: int) -> str:
    """Return the symbol after the last occurrence of the last symbol, repeated ``hops`` times."""
    for _ in range(hops):
        earlier = word.rfind(word[-1], 0, len(word) - 1)
        if earlier < 0:
            return "?"
        word = word[: earlier + 2]
    return word[-1]


@pytest.mark.parametrize("length", range(1, 7))
@pytest.mark.parametrize("hops", [2, 3])
def test_k_hops_follow_what_followed_last_time(hops: int, length: int) -> None:
    program = parse_program(PROGRAMS[f"k_hop_{hops}"])
    for word in map("".join, itertools.product("abc", repeat=length)):
        expected = tuple(hop(word[: place + 1], hops) for place in range(length))
        assert run_program(program, word)["out"] == expected, word


def test_hops_end_where_nothing_is_found() -> None:
    assert [hop("abcabcabca", hops) for hops in range(1, 6)] == ["b", "c", "a", "b", "?"]
    assert [hop("aab", 1), hop("abab", 1), hop("abab", 2), hop("abab", 3)] == ["?", "a", "b", "?"]


def next_symbol(word: str) -> str:
    """Return the symbol after the last occurrence of the last two symbols, or else of the last one."""
    for length in (2, 1):
        places = [k for k in range(len(word) - length) if word[k : k + length] == word[-length:]]
        if len(word) >= length and places:
            return word[places[-1] + length]
    return "?"


@pytest.mark.parametrize("length", range(1, 7))
def test_the_trigram_lookup_falls_back_to_bigrams(length: int) -> None:
    program = parse_program(PROGRAMS["n_gram"])
    for word in map("".join, itertools.product("abc", repeat=length)):
        expected = tuple(next_symbol(word[: place + 1]) for place in range(length))
        assert run_program(program, word)["out"] == expected, word


def test_the_trigram_lookup_prefers_the_longer_context() -> None:
    assert [next_symbol(word) for word in ("abcbaab", "abb", "a", "ba")] == ["c", "b", "?", "?"]


def test_the_induction_head_and_the_formula_of_the_examples_agree() -> None:
    formula = next(example.formula for example in load_examples() if example.name == "induction_head")
    program = parse_program(PROGRAMS["induction_head"])
    for word in map("".join, itertools.product("abc", repeat=5)):
        out = run_program(program, word)["out"]
        predicts_b = tuple(symbol == "a" and found == "b" for symbol, found in zip(word, out, strict=True))
        assert truth_values(formula, word) == predicts_b, word


def test_the_program_of_the_documentation_computes_what_its_comments_say() -> None:
    page = (ROOT / "docs" / "reference" / "rasp.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```text\n(alphabet .*?)```", page, re.DOTALL)
    assert run_program(parse_program(text), "aabab") == {
        "as": (1, 2, 2, 3, 3),
        "last": (0, 1, 0, 2, 3),
        "swap": ("?", "b", "?", "b", "a"),
        "out": (True, True, False, False, False),
    }
