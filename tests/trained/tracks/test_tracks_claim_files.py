"""Claim files about inputs in tracks: machines that are built in against arithmetic, layouts, and complaints."""

import itertools
from collections.abc import Callable, Sequence
from math import comb
from pathlib import Path

import pytest

from certify.claims.trained.tracks_file import tracks_claim_of_table
from certify.claims.trained.tracks_run import read_input
from constructions.errors import InputError, Unsupported
from constructions.tables import read_toml
from constructions.trained.machines import TransducerMaker, built_in
from constructions.trained.tracks import TracksClaim, all_inputs, count_inputs
from constructions.trained.tracks_form import tracks_claim_from_json, tracks_claim_to_json
from tests.trained.tracks.adders import adder

NETWORK = adder(8, 2)  # ten tokens, eight logits, eight rows


def read(text: str) -> TracksClaim:
    return tracks_claim_of_table(read_toml(text, "claim"), "claim", NETWORK)


def number(letters: Sequence[int], base: int) -> int:
    """Return the number whose digits these are, the least significant first."""
    return sum(letter * base**place for place, letter in enumerate(letters))


def digits(value: int, base: int, count: int) -> list[int]:
    return [value // base**place % base for place in range(count)]


ARITHMETIC: dict[str, tuple[str, Callable[[Sequence[Sequence[int]]], list[int] | None]]] = {
    "add": ('tracks = ["a", "b"]\nmachine = "add"',
            lambda t: digits(number(t[0], 3) + number(t[1], 3), 3, 3)),
    "subtract": ('tracks = ["a", "b"]\nmachine = "subtract"',
                 lambda t: None if number(t[0], 3) < number(t[1], 3) else digits(
                     number(t[0], 3) - number(t[1], 3), 3, 2)),
    "multiply-by": ('tracks = ["a"]\nmachine = "multiply-by"\nby = 2', lambda t: digits(2 * number(t[0], 3), 3, 3)),
    "compare": ('tracks = ["a", "b"]\nmachine = "compare"',
                lambda t: [0 if t[0] == t[1] else 1 if number(t[0], 3) < number(t[1], 3) else 2]),
    "max": ('tracks = ["a", "b"]\nmachine = "max"', lambda t: max(list(t[0]), list(t[1]))),
    "min": ('tracks = ["a", "b"]\nmachine = "min"', lambda t: min(list(t[0]), list(t[1]))),
    "copy": ('tracks = ["a"]\nmachine = "copy"', lambda t: list(t[0])),
    "reverse": ('tracks = ["a"]\nmachine = "reverse"', lambda t: list(t[0])[::-1]),
    "modular-sum": ('tracks = ["a", "b"]\nmachine = "modular-sum"\nby = 3', lambda t: [(sum(t[0]) + sum(t[1])) % 3]),
    "sort": ('tracks = ["a"]\nmachine = "sort"', lambda t: sorted(t[0]))}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_machines_that_are_built_in_write_what_arithmetic_says(name: str) -> None:
    more, truth = ARITHMETIC[name]
    tracks = 2 if '"b"' in more else 1
    claim = read(f'alphabet = "012"\ncolumns = 2\n'
                 f'layout = ["a", {"" if tracks == 1 else chr(34) + "b" + chr(34) + ","} '
                 f'"answer"]\n{more}')
    (form,) = claim.forms
    met = set()
    for columns in all_inputs(claim, form):
        letters = [[column[track] for column in columns] for track in range(tracks)]
        met.add(columns)
        wanted = truth(letters)
        assert wanted is not None and list(claim.tokens(form, columns)[form.asked[0]:]) == wanted
    everything = set(itertools.product(itertools.product(range(3), repeat=tracks), repeat=2))
    assert all(truth([[column[track] for column in columns] for track in range(tracks)]) is None
               for columns in everything - met)
    assert count_inputs(claim, form) == len(met)
    assert tracks_claim_from_json(tracks_claim_to_json(claim), "claim") == claim


def test_a_sum_of_several_tracks_with_very_many_columns_is_to_be_one_of_more_columns() -> None:
    printed = ("machine: modular-sum of 2 tracks has 12,769 different columns, too many in 113 states; expected the "
               "same sum of one track: tracks = ..a.., columns = 2$")
    with pytest.raises(InputError, match=printed):
        built_in("modular-sum", ("a", "b"), 113, 1, 113)
    assert built_in("modular-sum", ("a",), 113, 2, 113).answers == ("answer",)


def test_many_letters_are_sorted() -> None:
    maker = TransducerMaker(["a"], [26], range(26), {})
    machine, places = maker.make({2: built_in("sort", ["a"], 26, 2, None)})
    assert len(machine.end) == comb(2 + 25, 2) and len(places[2]) == 2
    for letters in itertools.product(range(26), repeat=2):
        state = machine.start
        for column, letter in enumerate(letters):
            step = machine.tables[places[2][column]][state][letter]
            assert step is not None
            (state,) = step
        assert machine.end[state] == tuple(sorted(letters))


def test_a_machine_of_expressions_is_the_one_that_is_built_in() -> None:
    both = 'alphabet = "0123"\ncolumns = 2\ntracks = ["a", "b"]\nlayout = ["a", "b", "answer"]\n'
    written = both + """typed = "last-first"
[machine]
start = { carry = 0 }
write = { answer = "(a + b + carry) % 4" }
next = { carry = "1 if a + b + carry >= 4 else 0" }
end = { answer = ["carry"] }
"""
    assert read(written) == read(both + 'machine = "add"')


def test_layouts_reverse_interleave_and_pad() -> None:
    claim = read('alphabet = "01"\ncolumns = 2\ntracks = ["a", "b"]\nmachine = "add"\n'
                 'layout = [{ each = ["a", "b"], from = "last" }, 5, { track = "answer", from = "last" }]')
    (form,) = claim.forms
    assert claim.tokens(form, ((1, 0), (1, 1))) == (1, 1, 1, 0, 5, 1, 0, 1)
    padded = read('alphabet = "01"\ncolumns = [1, 2]\ntracks = ["a"]\nmachine = "copy"\n'
                  'layout = [{ track = "a", to = 3, pad = 7 }, "answer"]')
    assert [padded.tokens(form, ((1,),) * len(form.columns)) for form in padded.forms] == [
        (1, 7, 7, 1), (1, 1, 7, 1, 1)]


def test_a_shorter_track_has_its_first_letter_beyond_its_length() -> None:
    claim = read('alphabet = "01"\ncolumns = 2\ntracks = ["a", "b"]\nlengths = { b = 1 }\nmachine = "add"\n'
                 'layout = ["a", "b", "answer"]')
    (form,) = claim.forms
    assert count_inputs(claim, form) == 8 and len(form.layout) == 2 + 1 + 3
    assert claim.tokens(form, ((1, 1), (1, 0))) == (1, 1, 1, 0, 0, 1)


def test_numbers_are_typed_most_significant_digit_first() -> None:
    claim = read('alphabet = "0123"\ncolumns = 2\ntracks = ["a", "b"]\nmachine = "add"\nlayout = ["a", "b", "answer"]')
    form, columns = read_input(claim, "12 + 03")
    assert columns == ((2, 3), (1, 0)) and claim.tokens(form, columns)[-3:] == (1, 2, 0)
    assert claim.show_input(columns) == "a=12 b=03"
    with pytest.raises(InputError, match="word: 1 parts, expected one for each of the tracks a, b"):
        read_input(claim, "12")
    with pytest.raises(InputError, match="word: 3 letters, expected 2"):
        read_input(claim, "123 001")


def test_letters_of_several_characters_have_commas_between_and_of_one_track_blanks_or_commas() -> None:
    of_one = read('alphabet = ["go", "no"]\ncolumns = 2\ntracks = ["a"]\nmachine = "copy"\nlayout = ["a", "answer"]')
    for text in ("go no", " go,no", "a=go no"):
        assert read_input(of_one, text)[1] == ((0,), (1,))
    both = read('alphabet = ["go", "no"]\ncolumns = 2\ntracks = ["a", "b"]\nmachine = "add"\n'
                'layout = ["a", "b", "answer"]')
    assert read_input(both, "go,no go,go")[1] == ((1, 0), (0, 0))
    with pytest.raises(InputError, match="word: 4 parts, expected one for each of the tracks a, b, with blanks "
                                         "between; between letters commas"):
        read_input(both, "go no go go")


BASE = 'alphabet = "01"\ncolumns = 2\ntracks = ["a"]\nmachine = "copy"\nlayout = ["a", "answer"]\n'


@pytest.mark.parametrize(("old", "new", "complaint"), [
    ('machine = "copy"', 'machine = "coppy"', "machine: 'coppy', expected one of add"),
    ('machine = "copy"', 'machine = "add"\nby = 3', "machine: add, expected no `by`"),
    ('machine = "copy"', 'machine = "compare"', "machine: compare reads 2 tracks"),
    ('tracks = ["a"]\nmachine = "copy"', 'tracks = ["n0"]\nmachine = "sort"', "tracks: 'n0' is also a variable"),
    ('["a", "answer"]', '["answer"]', "layout: expected a token or a track before the answers"),
    ('["a", "answer"]', '["a", "answer", 3]', "nothing but answers after them"),
    ('["a", "answer"]', '["a", "b", "answer"]', "layout: 'b', expected one of a, answer"),
    ('["a", "answer"]', '["a", 99, "answer"]', "layout: 99, expected a token of the network"),
    ("columns = 2", "columns = 0", "columns: 0 to 0"),
    ("columns = 2", "columns = 9", "inputs of 17 tokens at offset 0, but the network has 8 rows"),
    ('tracks = ["a"]', 'tracks = ["a", "a"]', "tracks"),
    ('alphabet = "01"', 'alphabet = "00"', "alphabet '00': '0' occurs twice"),
    ('machine = "copy"', 'machine = { write = { answer = "a ** 2" } }', "expected numbers, names"),
    ('machine = "copy"', 'machine = { write = { answer = "c" } }', "c in 'c', expected one of a, column, columns"),
    ('machine = "copy"', 'machine = { write = { answer = "a + 5" } }', "is 5, expected an answer from 0 to 1"),
    ('machine = "copy"', 'machine = { write = { answer = "a // a" } }', "divides by 0"),
    ('machine = "copy"', 'machine = { write = { answer = "__import__(1)" } }', "expected numbers, names"),
    ('machine = "copy"', 'machine = { regex = "<2>*" }', "2"),
    ('machine = "copy"', 'machine = { regex = "0*" }\nby = 3', "by: only for a built-in machine"),
    ('machine = "copy"', 'machine = { dfa = "missing.toml" }', "missing.toml"),
    ('machine = "copy"', 'machine = { regex = "0*" }\nanswers = [1]', "answers: expected a token for no and one for"),
    ('machine = "copy"', 'machine = { write = { answer = "a" }, given = "0" }', "no input of 2 columns is allowed"),
    ('machine = "copy"', 'machine = "copy"\namong = [0]', "among: no token 1, expected all answers"),
    ('machine = "copy"', 'machine = "copy"\noffset = 6', "inputs of 3 tokens at offset 6"),
    ('machine = "copy"', 'machine = "copy"\ncolours = 5', "unknown key \"colours\""),
])
def test_a_mistake_is_one_line(old: str, new: str, complaint: str) -> None:
    assert old in BASE
    with pytest.raises(InputError) as error:
        read(BASE.replace(old, new))
    assert complaint in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("machine", "holds"), [
    ('{ dfa = "equal.toml" }', lambda a, b: a == b),
    ('{ dfa = "equal.toml", states = ["no"] }', lambda a, b: a != b),
    ('{ regex = "(<0,0>|<1,1>)*" }', lambda a, b: a == b),
    ('{ regex = ".*<1,0>" }', lambda a, b: (a[-1], b[-1]) == (1, 0)),
], ids=("dfa", "its other state", "regex", "the last column"))
def test_a_language_of_columns_is_answered_by_no_or_yes(tmp_path: Path, machine: str,
                                                        holds: Callable[..., bool]) -> None:
    (tmp_path / "equal.toml").write_text('start = "yes"\naccepting = ["yes"]\n[steps]\nyes = { "0,0" = "yes", '
                                         '"1,1" = "yes", "0,1" = "no", "1,0" = "no" }\nno = { "0,0" = "no", '
                                         '"0,1" = "no", "1,0" = "no", "1,1" = "no" }\n', encoding="utf-8")
    claim = tracks_claim_of_table(read_toml(
        f'alphabet = "01"\ncolumns = [1, 2]\ntracks = ["a", "b"]\nanswers = [5, 4]\nlayout = ["a", 3, "b", "answer"]\n'
        f'machine = {machine}\n', "c"), "c", NETWORK, folder=tmp_path)
    for form in claim.forms:
        inputs = list(all_inputs(claim, form))
        assert len(inputs) == 4 ** len(form.columns)
        for columns in inputs:
            a, b = zip(*columns, strict=True)
            assert claim.tokens(form, columns) == (*a, 3, *b, 4 if holds(a, b) else 5)


def test_a_language_of_columns_is_not_asked_about_letters_that_stand_nowhere() -> None:
    claim = read('alphabet = "01"\ncolumns = 2\ntracks = ["a", "b"]\nlengths = { b = 1 }\n'
                 'machine = { regex = ".*<1,0>" }\nlayout = ["a", "b", "answer"]')
    assert sorted(claim.tokens(claim.forms[0], columns) for columns in all_inputs(claim, claim.forms[0])) == [
        (a, c, b, int(c == 1)) for a in (0, 1) for c in (0, 1) for b in (0, 1)]


def test_a_machine_of_very_many_states_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="states"):
        read('alphabet = "01234567"\ncolumns = 5\ntracks = ["a"]\nlayout = ["a", "answer"]\n[machine]\n'
             'start = { x = 0 }\nnext = { x = "x * 8 + a" }\nend = { answer = ["0"] }\n')
