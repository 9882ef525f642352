"""[SHA] Appendix E, the program for DYCK-k: as printed, repaired, and each thing that the paper says about it."""

import itertools
from collections.abc import Iterator

import pytest

from certify.common.shipped import examples_folder
from constructions.errors import InputError
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import RaspProgram

PAIRS = {"(": ")", "[": "]", "{": "}"}


def program_named(name: str) -> RaspProgram:
    return parse_program((examples_folder() / "programs" / f"{name}.rasp").read_text(encoding="utf-8"))


def words(program: RaspProgram, length: int) -> Iterator[str]:
    """All words of the length, in the order of the alphabet."""
    return map("".join, itertools.product(program.alphabet, repeat=length))


def stacks(word: str) -> list[list[str] | None]:
    """Return, for each prefix, the open brackets, or None after a wrong closing bracket."""
    pending: list[str] | None = []
    result: list[list[str] | None] = []
    for symbol in word:
        if pending is not None:
            if symbol in PAIRS:
                pending = [*pending, PAIRS[symbol]]
            else:
                pending = pending[:-1] if pending[-1:] == [symbol] else None
        result.append(pending)
    return result


def check_repaired(k: int, length: int, prefix: str = "") -> None:
    """``out``, ``okprefix`` and ``d`` are what the paper says, on all words of a length with this prefix."""
    program = program_named(f"dyck_{k}")
    for word in (prefix + rest for rest in words(program, length - len(prefix))):
        vectors = run_program(program, word)
        expected = stacks(word)
        assert vectors["out"] == tuple(stack == [] for stack in expected), word
        assert vectors["okprefix"] == tuple(stack is not None for stack in expected), word
        for symbol, stack, depth in zip(word, expected, vectors["d"], strict=True):
            assert stack is None or depth == len(stack) + (symbol not in PAIRS), word


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("k", "length"), [*((1, n) for n in range(1, 11)), *((2, n) for n in range(1, 7)),
                                           *((3, n) for n in range(1, 5))])
def test_the_repaired_program_agrees_with_a_stack(k: int, length: int) -> None:
    check_repaired(k, length)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("k", "length"), [*((1, n) for n in range(11, 15)), (2, 7), (2, 8), (3, 5), (3, 6)])
def test_the_repaired_program_agrees_with_a_stack_on_longer_words(k: int, length: int) -> None:
    check_repaired(k, length)


@pytest.mark.exhaustive
@pytest.mark.parametrize("prefix", ["".join(pair) for pair in itertools.product("()[]", repeat=2)])
def test_dyck_2_agrees_with_a_stack_on_every_word_up_to_length_10(prefix: str) -> None:
    """Every entry up to i is that of the word up to i, as all masks are j <= i or j < i: so length 10 has them all."""
    check_repaired(2, 10, prefix)


def find_counterexample(program: RaspProgram, max_length: int) -> tuple[str, int, object, bool] | None:
    """Return the first word and position (from 1) where ``out`` is wrong, with what it is and should be."""
    for length in range(1, max_length + 1):
        for word in words(program, length):
            found = run_program(program, word)["out"]
            for place, stack in enumerate(stacks(word)):
                if found[place] != (stack == []):
                    return word, place + 1, found[place], stack == []
    return None


def test_the_smallest_counterexample_of_the_program_as_printed() -> None:
    assert find_counterexample(program_named("dyck_1_as_printed"), 3) == ("()", 2, False, True)
    assert find_counterexample(program_named("dyck_1"), 8) is None


def test_as_printed_the_program_accepts_no_prefix_of_any_word() -> None:
    program = program_named("dyck_1_as_printed")
    assert not any(any(run_program(program, word)["out"]) for length in range(1, 9) for word in words(program, length))


def test_as_printed_a_sum_is_the_position_or_0() -> None:
    vectors = run_program(program_named("dyck_1_as_printed"), "(()")
    assert vectors["sleft"] == (1, 2, 0) and vectors["sright"] == (0, 0, 3) and vectors["diff"] == (1, 2, -3)


def test_as_printed_and_repaired_differ_in_the_two_sums_alone() -> None:
    printed, repaired = (format_program(program_named(name)) for name in ("dyck_1_as_printed", "dyck_1"))
    assert printed.replace("left(in(i))", "left(in(j))", 1).replace("right(in(i))", "right(in(j))", 1) == repaired


@pytest.mark.parametrize("repaired", ["left", "right"])
def test_both_sums_need_the_repair(repaired: str) -> None:
    text = format_program(program_named("dyck_1_as_printed"))
    program = parse_program(text.replace(f"[j<=i] {repaired}(in(i))", f"[j<=i] {repaired}(in(j))"))
    assert find_counterexample(program, 3) == ("()", 2, False, True)


def test_at_a_right_bracket_of_a_good_prefix_check_is_its_left_bracket_and_at_another_there_is_an_error() -> None:
    """So the default '?' decides nothing: it is found only where er1 holds."""
    program = program_named("dyck_2")
    for word in (word for length in range(1, 6) for word in words(program, length)):
        vectors = run_program(program, word)
        for symbol, check, error, stack in zip(word, vectors["check"], vectors["er1"], stacks(word), strict=True):
            if symbol not in PAIRS:
                assert stack is None or PAIRS[str(check)] == symbol, word
                assert error or check != "?", word


def test_at_a_left_bracket_check_may_be_a_right_bracket_which_er2_ignores() -> None:
    vectors = run_program(program_named("dyck_1"), "()()")
    assert vectors["check"] == ("?", "(", ")", "(") and vectors["er2"] == (False, False, False, False)


def test_a_symbol_that_is_no_bracket_hides_the_left_bracket() -> None:
    """Why the alphabet must have brackets only, as the paper assumes."""
    text = format_program(program_named("dyck_1")).replace("alphabet '(', ')'", "alphabet '(', ')', 'x'")
    assert run_program(parse_program(text), "(x)")["out"] == (False, False, False)
    with pytest.raises(InputError, match=r"word, position 2: found 'x', expected one of \(, \)"):
        run_program(program_named("dyck_1"), "(x)")


@pytest.mark.parametrize("depth", [16, 40])
def test_long_words(depth: int) -> None:
    program = program_named("dyck_3")
    word = "([{" * depth + "}])" * depth + "()"
    assert run_program(program, word)["out"] == tuple(stack == [] for stack in stacks(word))
    assert run_program(program, word)["out"][-3:] == (True, False, True)
    assert not run_program(program, word.replace("}]", "]}", 1))["okprefix"][-1]
