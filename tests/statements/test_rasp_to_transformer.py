"""Compiled programs hold what the interpreter computes, with one greatest score wherever a head is not uniform."""

import itertools
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.common.shipped import examples_folder
from constructions.errors import InternalError, Unsupported
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.run import Residual, attend_hard, embed, feed_exactly, run_layers, scaled_scores
from constructions.network.transformer import Head, Transformer
from constructions.rasp.interpreter import Value, run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import RaspProgram, Type, Vector
from constructions.rasp_network.circuit import literal_name
from constructions.rasp_network.rasp_to_transformer import compile_program
from tests.rasp.strategies import ALPHABET, programs
from tests.tiers import drawn

PROGRAMS = {path.stem: parse_program(path.read_text(encoding="utf-8"))
            for path in (examples_folder() / "programs").glob("*.rasp")}
LENGTHS = {2: 5, 3: 3, 4: 3, 5: 2, 6: 2}
"""The longest words that are tried, for each size of the alphabet."""


def words(program: RaspProgram, longest: int | None = None) -> Iterable[tuple[str, ...]]:
    for n in range(1, (longest or LENGTHS[len(program.alphabet)]) + 1):
        yield from itertools.product(program.alphabet, repeat=n)


def is_uniform(head: Head) -> bool:
    return not any(query and key for query, key in zip(head.queries, head.keys, strict=True))


def run_and_measure(transformer: Transformer, word: tuple[str, ...]) -> tuple[list[Residual], Fraction | None]:
    """The final residual vectors, and the least difference of the two greatest scores of a head; 0 if one ties."""
    gaps: list[Fraction] = []

    def attend(head: Head, stream: list[Residual]) -> list[Residual]:
        for scores in map(sorted, scaled_scores(head, stream)):
            if not is_uniform(head) and len(scores) > 1:
                gaps.append(scores[-1] - scores[-2])
        return attend_hard(head, stream)

    final = run_layers(embed(transformer, word), transformer, attend, feed_exactly, lambda left, right: left + right)
    return final, min(gaps, default=None)


def read_vectors(program: RaspProgram, stream: Sequence[Residual]) -> dict[str, tuple[Value, ...]]:
    """Return the values of the vectors of a compiled program, from the final residual vectors of a word.

    Raises:
        InternalError: if a direction holds something else than a value of the vector's type.
    """
    return {vector.name: tuple(_read_entry(program, vector, residual) for residual in stream)
            for vector in program.vectors}


def _read_entry(program: RaspProgram, vector: Vector, residual: Residual) -> Value:
    name = f"{vector.name}(i)"
    if vector.type == Type.SYMBOL:
        held = {symbol: residual.get(literal_name(name, symbol), Fraction(0)) for symbol in program.symbols}
        if sorted(held.values()) == [0] * (len(held) - 1) + [1]:
            return max(held, key=held.__getitem__)
        raise InternalError(f"{name}: not one symbol")
    number = residual.get(name, Fraction(0))
    if number.denominator != 1 or (vector.type == Type.BOOLEAN and number not in (0, 1)):
        raise InternalError(f"{name}: {number}, expected {vector.type.phrase}")
    return bool(number) if vector.type == Type.BOOLEAN else int(number)


def check(program: RaspProgram, tried: Iterable[tuple[str, ...]]) -> dict[int, Fraction]:
    """Return the gap by length, among the words that are tried; all vectors are compared at all positions."""
    transformer = compile_program(program)
    gaps: dict[int, Fraction] = {}
    for word in tried:
        stream, gap = run_and_measure(transformer, word)
        assert read_vectors(program, stream) == run_program(program, word), (format_program(program), word)
        if gap is not None:
            assert gap >= Fraction(1, len(word)), (format_program(program), word)
            gaps[len(word)] = min(gap, gaps.get(len(word), gap))
    return gaps


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_shipped_programs_are_exact_on_all_short_words_with_gap_1_over_n(name: str) -> None:
    program = PROGRAMS[name]
    longest = LENGTHS[len(program.alphabet)]
    assert check(program, words(program)) == {n: Fraction(1, n) for n in range(2, longest + 1)}


@pytest.mark.parametrize(("name", "word", "outputs"), [
    ("dyck_1", "()(())", ".T...T"),
    ("dyck_2", "[()]([)]", "...T...."),
    ("dyck_3", "([]{})[{}]", ".....T...T"),
    ("dyck_3", "({[({[]})]})}", "...........T."),
    ("flip_flop", "w1i0w0i1r0", ".T.T.T.T.T"),
    ("flip_flop", "w1i0w0i1r1i0", ".T.T.T.T...."),
    ("induction_head", "abcabcabca", "???bcabcab"),
    ("k_hop_2", "abcabcabca", "?????bcabc"),
    ("k_hop_3", "abcabcabca", "???????bca"),
    ("n_gram", "abcbaabcab", "???cbacbbc"),
])
def test_shipped_programs_on_longer_words(name: str, word: str, outputs: str) -> None:
    program = PROGRAMS[name]
    check(program, [tuple(word)])
    values = run_program(program, word)[program.output.name]
    assert "".join("T" if value is True else "." if value is False else str(value) for value in values) == outputs


SUPPORTED = {
    "no heads": "P(i) := Q_a(i) & !Q_b(i) out(i) := P(i) -> Q_b(i)",
    "constants": "P(i) := true R(i) := 'b' S(i) := 3 - 5 out(i) := psum j [j<=i] 0",
    "positions": "P(i) := pos(i) + pos(i) - 3 Q(i) := P(i) < 2 R(i) := P(i) >= 2 S(i) := P(i) != 1 T(i) := P(i) = 1",
    "sums": "P(i) := psum j [j<=i] 3 if Q_a(j) else -1 Q(i) := psum j [j<=i] 1 if in(j) = in(i) else 0",
    "sum of what is found": "P(i) := rightmost j [j<i, true] Q_a(j) : true Q(i) := psum j [j<=i] 2 if P(j) else 5",
    "larger of two": "P(i) := psum j [j<=i] 1 if Q_a(j) else 0 R(i) := pos(i) - P(i) out(i) := P(i) if P(i) > R(i) "
                     "else R(i) S(i) := rightmost j [j<=i, out(j) = out(i) - 1] pos(j) : -7",
    "the position to the left": "P(i) := leftmost j [1, pos(j) = pos(i) - 1] in(j) : 'b'",
    "two to the right": "P(i) := leftmost j [j>i, pos(j) = pos(i) + 2] in(j) : '?'",
    "length": "P(i) := rightmost j [1, true] pos(j) : 0 Q(i) := P(i) - pos(i) R(i) := leftmost j [1, Q(j) = pos(i)] "
              "pos(j) : P(i) S(i) := P(i) if Q_a(i) else 0 - pos(i)",
    "an integer to the right": "P(i) := psum j [j<=i] 1 if Q_a(j) else 0 R(i) := leftmost j [j>i, P(j) = P(i) + 1] "
                               "P(j) + pos(j) : 0 - pos(i)",
    "an integer to the left": "P(i) := psum j [j<=i] 1 if Q_a(j) else -1 R(i) := rightmost j [j<i, P(j) = P(i)] "
                              "P(j) - pos(j) : P(i)",
    "an integer found again": "P(i) := rightmost j [j<i, Q_a(j)] pos(j) : 0 R(i) := leftmost j [j<i, P(j) = P(i) & "
                              "in(j) = in(i)] pos(i) - pos(j) : P(i) S(i) := rightmost j [j<i, R(j) = P(i)] P(j) : 9",
    "cases": "f(i) := 'b' if pos(i) > 2 else in(i) P(i) := rightmost j [j<=i, f(j) = in(i) | Q_a(i) & Q_b(j)] "
             "in(i) if Q_a(j) else f(j) : '?'",
    "a condition of i": "P(i) := leftmost j [j>=i, Q_a(i)] Q_b(i) : Q_a(i) R(i) := rightmost j [1, Q_b(i) & Q_a(j)] "
                        "pos(j) : 0",
    "false": "P(i) := rightmost j [1, false] Q_a(j) : Q_b(i) R(i) := rightmost j [1, Q_a(j) & false] 1 : pos(i)",
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", SUPPORTED)
def test_every_kind_of_definition(name: str) -> None:
    program = parse_program("alphabet ab auxiliary '?' " + SUPPORTED[name])
    check(program, words(program))


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("choice", "mask"), list(itertools.product(["leftmost", "rightmost"],
                                                               ["1", "j<i", "j<=i", "j>i", "j>=i"])))
@pytest.mark.parametrize("score", ["true", "Q_a(j)", "in(j) = in(i)", "pos(j) + pos(j) = pos(i) + 1"])
def test_every_mask(choice: str, mask: str, score: str) -> None:
    attention = f"{choice} j [{mask}, {score}]"
    program = parse_program(f"alphabet ab P(i) := {attention} pos(j) : 0 Q(i) := {attention} in(j) : 'b'")
    check(program, words(program, 4))


@drawn(30)
@given(programs(), st.lists(st.lists(st.sampled_from(ALPHABET), min_size=4, max_size=7).map(tuple), max_size=3))
def test_programs_are_compiled_exactly_or_refused(program: RaspProgram, longer: list[tuple[str, ...]]) -> None:
    try:
        check(program, [*words(program, 2), *longer])
    except Unsupported as reason:
        assert str(reason).partition("(i): ")[0] in {vector.name for vector in program.vectors}


CHOICES = st.sampled_from(["leftmost", "rightmost"])
MASKS = st.sampled_from(["1", "j<i", "j<=i", "j>i", "j>=i"])
NUMBERS = ["pos({0})", "count({0})", "level({0})", "found({0})", "larger({0})", "1", "(1 if Q_a({0}) else 0)"]
TRUTHS = ["Q_a(j)", "in(j) = in(i)", "there(j)", "(there(j) <-> Q_b(i))", "there(i)", "level(j) > 0", "true"]


@st.composite
def programs_with_equations(draw: st.DrawFn) -> RaspProgram:
    """Return an integer of j is compared with one of i, whose kinds are what integers can be made of."""
    def number(at: str, most: int) -> str:
        terms = draw(st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=most))
        return terms[0].format(at) + "".join(
            f" {draw(st.sampled_from('+-'))} {term.format(at)}" for term in terms[1:])

    score = f"{number('j', 2)} = {number('i', 3)} & {draw(st.sampled_from(TRUTHS))}"
    value, default = draw(st.sampled_from([("in(j)", "'?'"), ("pos(j) - pos(i)", "0"), ("level(j)", "found(i)"),
                                           ("there(j) & Q_a(i)", "false")]))
    return parse_program(
        "alphabet ab auxiliary '?' count(i) := psum j [j<=i] 1 if Q_a(j) else 0 "
        "level(i) := psum j [j<=i] 1 if Q_a(j) else -1 "
        f"found(i) := {draw(CHOICES)} j [{draw(MASKS)}, Q_b(j)] pos(j) : 0 "
        f"there(i) := {draw(CHOICES)} j [{draw(MASKS)}, Q_b(j)] Q_b(i) : true "
        "larger(i) := count(i) if there(i) else found(i) "
        f"out(i) := {draw(CHOICES)} j [{draw(MASKS)}, {score}] {value} : {default}")


@settings(max_examples=25)
@given(programs_with_equations())
def test_programs_with_equations_are_compiled_exactly_or_refused(program: RaspProgram) -> None:
    try:
        check(program, [*words(program, 3), tuple("babba"), tuple("aaabbb")])
    except Unsupported as reason:
        assert str(reason).startswith("out(i): an integer at j is compared with one at i, and may exceed")


@pytest.mark.parametrize(("text", "reason"), [
    ("P(i) := rightmost j [1, pos(j) < pos(i)] Q_a(j) : true",
     "P(i): an integer at i is compared with one at j, and such comparisons are supported only as equations that a "
     "score requires, alone or joined by &"),
    ("P(i) := rightmost j [1, Q_a(j) | pos(j) = pos(i)] Q_a(j) : true",
     "P(i): an integer at i is compared with one at j, and such comparisons are supported only as equations that a "
     "score requires, alone or joined by &"),
    ("ok(i) := pos(i) > 3 P(i) := psum j [j<=i] pos(j)", "P(i): a prefix sum of an integer without a constant bound, "
     "expected values from a finite set"),
    ("P(i) := psum j [j<=i] 2 if Q_a(j) else 0 R(i) := rightmost j [1, P(j) = pos(i)] Q_a(j) : true",
     "R(i): an integer at j is compared with one at i, and may exceed the sum of its position (or the length) "
     "and a constant"),
])
def test_what_is_not_supported_is_named(text: str, reason: str) -> None:
    with pytest.raises(Unsupported) as refused:
        compile_program(parse_program(text, ("a", "b")))
    assert str(refused.value) == reason


def test_what_a_score_asks_of_both_positions_may_have_many_cases() -> None:
    """20 symbols: a table of 20 * 21 * 21 cases is divided."""
    symbols = [f"'{letter}'" for letter in "abcdefghijklmnopqrst"]
    text = ("alphabet " + ", ".join(symbols) + " auxiliary '?' P(i) := rightmost j [j<i, true] in(j) : '?' "
            "out(i) := rightmost j [j<=i, P(j) = in(i)] P(i) if Q_a(j) else in(j) : P(i)")
    check(parse_program(text), map(tuple, ["abcabdtatab", "stsqsrst"]))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_compiled_programs_are_model_files(name: str) -> None:
    transformer = compile_program(PROGRAMS[name])
    assert transformer_from_json(transformer_to_json(transformer)) == transformer


def test_the_output_of_symbols_is_their_place() -> None:
    program = parse_program("alphabet ab auxiliary '?' out(i) := leftmost j [j>i, true] in(j) : '?'")
    transformer = compile_program(program)
    final, _ = run_and_measure(transformer, ("a", "b", "a"))
    assert [residual.get(transformer.output) for residual in final] == [1, 0, 2]


def test_the_sizes_in_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "rasp.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| 1/n \| n² \|$", page, re.MULTILINE)
    assert {name for name, *_ in stated} == set(PROGRAMS) - {"dyck_1_as_printed"}
    for name, *sizes in stated:
        transformer = compile_program(PROGRAMS[name])
        units = sum(len(layer.feedforward.units) for layer in transformer.layers)
        assert list(map(int, sizes)) == [len(transformer.layers), len(list(transformer.heads())),
                                         len(transformer.directions), units], name


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_largest_embedding_is_n_squared(name: str) -> None:
    transformer = compile_program(PROGRAMS[name])
    for n in (1, 3):
        stream = embed(transformer, (transformer.alphabet[0],) * n)
        assert max(abs(value) for residual in stream for value in residual.values()) == n**2


def test_without_neighbours_and_integers_embeddings_are_at_most_1() -> None:
    program = parse_program("alphabet ab P(i) := rightmost j [j<=i, Q_a(j)] in(j) : 'b' R(i) := Q_a(i) & P(i) = 'a'")
    transformer = compile_program(program)
    assert list(transformer.position_embedding) == ["one", "i/n"]
    assert len(list(transformer.heads())) == 1 and len(transformer.layers) == 1


def test_what_nothing_needs_is_left_out() -> None:
    program = parse_program("alphabet ab P(i) := rightmost j [j<=i, Q_a(j)] pos(j) : 0 R(i) := Q_a(i)")
    transformer = compile_program(program)
    read = {name for _, _, head in transformer.heads()
            for row in (*head.queries, *head.keys, *head.values.values()) for name in row}
    read |= {name for layer in transformer.layers for unit in layer.feedforward.units for name in unit.reads}
    assert {name for name in transformer.directions if name not in read} == {"P(i)", "R(i)"}
