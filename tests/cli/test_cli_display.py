"""Terminal output: tables that fit the terminal, progress on standard error, numbers rounded outward."""

import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.common.files import write_text
from certify.common.numbers import decimal_lower, decimal_upper, enclosed
from certify.common.progress import ProgressLine
from certify.common.words import show_alphabet
from constructions.text import printable
from tests.cli.reports import interrupt

FORMULA = "prev (Q_a since (Q_b | next Q_c)) & (Q_c until (Q_a & prev Q_b) -> next (Q_a S Q_b))"


@pytest.mark.parametrize("width", [80, 100, 132])
def test_the_table_fits_and_no_number_is_broken(certify: Any, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = certify("formula", FORMULA, "--alphabet", "abc", "--max-n", "5").out.splitlines()
    header = next(place for place, line in enumerate(lines) if line.startswith("statement"))
    table = lines[header : lines.index("", header)]
    for title in ("statement", "head", "approximates", "worst at n, i", "error bound", "below 1/4 by"):
        assert title in table[0]
    assert max(map(len, table)) <= width
    rows = [line for line in table if line.startswith("Theorem")]
    assert len(rows) == 11 and sum("0.0024" in row for row in rows) == 8
    assert "=  the same obligation as in an earlier row, proved once" in lines
    assert lines[0] == f"formula   {FORMULA}"  # never broken, so that it can be copied


@pytest.mark.usefixtures("few_examples")
@pytest.mark.parametrize("width", [80, 132])
def test_the_demo_fits_and_has_one_row_per_example(
        certify: Any, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = certify("formula", "--max-n", "2").out.splitlines()
    rows = lines[lines.index("") + 1 : -2]
    assert max(map(len, rows)) <= width
    for title in ("example", "layers", "heads", "worst error", "verdict", "seconds"):
        assert title in rows[0]


@pytest.mark.parametrize("width", [40, 80, 132])
def test_a_long_run_is_cut_into_tables_that_show_every_position_whole(
        certify: Any, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = certify("run", "prev Q_0", "01" * 20, "--alphabet", "01").out.splitlines()
    positions = [cell for line in lines if " position " in line for cell in line.split()[1:]]
    assert positions == [str(place) for place in range(1, 41)]
    assert "…" not in "".join(lines) and max(map(len, lines)) <= max(width, 80)
    truths = [cell for line in lines if line.startswith("prev Q_0") for cell in line.split()[3:]]
    assert truths == [".", *("T." * 20)[:39]]


def table_cells(out: str, title: str) -> list[str]:
    """The cells of a column, from whichever block of a table has it: by its place, as no cell has two blanks in it."""
    lines = out.splitlines()
    (head,) = [place for place, line in enumerate(lines) if title in re.split("  +", line.strip())]
    place = re.split("  +", lines[head].strip()).index(title)
    rows = itertools.takewhile(str.strip, lines[head + 1:])
    return [re.split("  +", row.strip())[place] for row in rows if not row.startswith("left out")]


@pytest.mark.parametrize("width", [44, 60])
def test_a_table_that_is_too_wide_is_printed_in_blocks_with_every_cell_whole(
        certify: Any, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    arguments = ("formula", "prev Q_a since Q_b", "--alphabet", "ab", "--max-n", "5")
    wide = certify(*arguments).out
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = certify(*arguments).out
    tables, wide = (out[out.index("statement"):out.index("exact  ")] for out in (narrow, wide))
    assert max(map(len, tables.splitlines())) <= width
    for cell, number in ((r"\d, \d\b", 3), (r"\d\.\d{5,}", 6)):
        found = re.findall(cell, tables)
        assert sorted(found) == sorted(re.findall(cell, wide)) and len(found) == number
    heads = [line.split() for line in tables.splitlines() if line.startswith("statement")]
    assert len(heads) > 1 and all(head[:2] == ["statement", "head"] for head in heads)


def test_columns_that_are_left_out_are_named(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    note = "left out for lack of room (COLUMNS=132 or --json has them): attends to, rows"
    assert note not in certify("formula", "prev Q_a", "--max-n", "3").out
    monkeypatch.setenv("COLUMNS", "80")
    assert note in certify("formula", "prev Q_a", "--max-n", "3").out.splitlines()
    monkeypatch.setenv("COLUMNS", "60")
    assert note in " ".join(certify("formula", "prev Q_a", "--max-n", "3").out.splitlines())


def test_errors_are_rounded_up_and_slack_down(certify: Any) -> None:
    """The error of ``since`` in the paper's constant is e^-3 = 0.04978706837: 1/4 less that is 0.20021293163."""
    arguments = ("formula", "(Q_a | Q_b) since Q_a", "--alphabet", "abc", "--max-n", "12")
    out, data = certify(*arguments).out, certify(*arguments, "--json").json
    assert table_cells(out, "error bound") == ["0.0497871"] and table_cells(out, "below 1/4 by") == ["0.200212"]
    error = Fraction(data["worst_error"]["upper"])
    assert Fraction("0.0497870") < error < Fraction("0.0497871")
    assert Fraction("0.200212") < Fraction(1, 4) - error < Fraction("0.200213")


def test_progress_is_shown_on_standard_error_only_and_only_for_long_work(
        certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert certify("formula", "prev Q_1", "--max-n", "3").err == ""
    ticks = iter(range(0, 10**6, 4))
    monkeypatch.setattr("certify.common.progress.monotonic", lambda: float(next(ticks)))
    result = certify("formula", "prev Q_1", "--max-n", "3", "--json")
    assert json.loads(result.out)["verdict"] == "certified"
    lines = result.err.splitlines()
    assert lines and all(line.startswith("certify: ") and " s: " in line for line in lines)
    assert any(": layer 1, " in line for line in lines)


def test_a_progress_line_on_a_terminal_is_overwritten_and_cleared(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ticks = iter([0.0, 0.5, 2.0, 2.1, 3.0])
    monkeypatch.setattr("certify.common.progress.monotonic", lambda: next(ticks))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with ProgressLine() as progress:
        for message in ("too early", "shown", "too soon", "shown again"):
            progress(message)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "\r\x1b[Kcertify: 2 s: shown\r\x1b[Kcertify: 3 s: shown again\r\x1b[K"


@given(st.fractions(min_value=-3, max_value=3), st.integers(1, 15))
def test_decimals_are_rounded_to_the_safe_side(x: Fraction, digits: int) -> None:
    low, high = Fraction(decimal_lower(x, digits)), Fraction(decimal_upper(x, digits))
    assert low <= x <= high
    unit = Fraction(10) ** (math.floor(math.log10(abs(x))) + 2 - digits) if x else 0
    assert high - low <= unit


def test_an_enclosure_prints_the_digits_that_are_certain_or_both_ends() -> None:
    assert enclosed(Fraction(1, 3), Fraction(1, 3)) == "0.333333"
    assert enclosed(Fraction(1, 3), Fraction(2, 3)) == "0.333333 .. 0.666667"
    assert enclosed(Fraction(2, 3), Fraction(3, 4)) == "0.666666 .. 0.75"


def test_large_alphabets_are_abbreviated() -> None:
    assert show_alphabet("ab") == "{a, b}"
    assert show_alphabet(map(str, range(100))).endswith("39, ...} (100 symbols)")


def test_printable_leaves_text_alone_and_escapes_the_rest() -> None:
    assert printable("Q['ä'] ∧ ⊖Q_0") == "Q['ä'] ∧ ⊖Q_0"
    assert printable("a\nb\x1b[0m\x9b\ud800") == "a\\nb\\x1b[0m\\x9b\\ud800"


# -- writing files -----------------------------------------------------------------------------------------------------


def test_an_interrupted_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "c.cert"
    target.write_text("old")

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(str(target), "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("c.cert", "old")]


def test_writing_through_a_symbolic_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(str(tmp_path / "link"), "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


def test_an_interrupted_command_says_so_in_one_line(
        certify: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("certify.claims.formula.pipeline.certify_request", interrupt)
    result = certify("formula", "Q_1", "-o", "c.cert", "--json")
    assert (result.code, result.err) == (130, "certify: interrupted\n")
    assert result.json == {"verdict": "unknown", "error": "interrupted"}
    assert list(tmp_path.iterdir()) == []
