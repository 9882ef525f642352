"""A claim that begins at a length: what it covers, how it is spelled, and who may be told of it."""

from pathlib import Path
from typing import Any

import pytest

from proofs.check import check_text, main
from tests.check import handmade
from tests.check.handmade import dump, edit, starting
from tests.check.hostile import HEAD, malformed, rejected
from tests.covered import fields

SINCE = handmade.since_certificate(6)
PLACE = ("transformer", "position_embedding", "one")
WRONG_AT_2 = edit(SINCE, *PLACE, value="1-0^((n-2)^2)")  # 0 at n = 2, and 1 elsewhere


@pytest.mark.parametrize("min_n", [2, 3, 6])
def test_the_rows_from_the_least_length_on_are_covered(min_n: int) -> None:
    rows = sum(range(min_n, 7))
    given = check_text(dump(starting(SINCE, min_n)))
    assert (given.given.claim.min_n, given.given.claim.max_n) == (min_n, 6)
    assert fields(given).head_rows == fields(given).feed_forward_rows == rows
    assert fields(given).embedding_cells == 3 * rows * (len(SINCE["transformer"]["directions"]) - 2)


@pytest.mark.parametrize("name", handmade.ALL)
def test_what_holds_from_1_holds_from_3(name: str) -> None:
    check_text(dump(starting(handmade.ALL[name](max_n=5), 3)))


def test_without_a_least_length_it_is_1() -> None:
    assert check_text(dump(SINCE)).given.claim.min_n == 1


def test_what_is_false_only_below_the_least_length_is_accepted() -> None:
    check_text(dump(starting(WRONG_AT_2, 3)))
    rejected(starting(WRONG_AT_2, 2), "it is 0, expected 1, at n = 2, i = 1")
    rejected(WRONG_AT_2, "it is 0, expected 1, at n = 2, i = 1")


@pytest.mark.parametrize(("temperature", "least"), [
    ("1/(4*n*(n-3)^2)", 4), ("1/(8*n*log2floor(n-3))", 5), ("1/(8*n*ln(n-3))", 5), ("1/sqrt(64*n^2*(n-3))", 4),
])  # fmt: skip
def test_what_is_not_defined_only_below_the_least_length_is_accepted(temperature: str, least: int) -> None:
    made = edit(SINCE, *HEAD, "temperature", value=temperature)
    check_text(dump(starting(made, least)))
    rejected(starting(made, 3), "has no value at n = 3")


def test_a_worst_case_below_the_least_length_does_not_matter() -> None:
    hot = edit(SINCE, *HEAD, "temperature", value="(1+10*0^((n-2)^2))/n")
    check_text(dump(starting(hot, 3)))
    rejected(starting(hot, 2), "below the worst case at n = 2, i = 2")


def test_a_uniform_head_below_the_least_length_does_not_matter() -> None:
    made = handmade.uniform_certificate(5)
    value = ("transformer", "directions", "mean future", "value")
    wrong = edit(made, *value, value="(i+1)/2+0^((n-2)^2)")
    check_text(dump(starting(wrong, 3)))
    rejected(starting(wrong, 2), "the mean is 1, expected 2, at n = 2, i = 1")


@pytest.mark.parametrize("min_n", [1, 0, -1, 4097, True, "2", None, 2.0, [2]])
def test_other_spellings_of_the_least_length_are_malformed(min_n: Any) -> None:
    malformed(starting(SINCE, min_n), "min_n: expected 2 to 4096")


def test_a_least_length_above_the_greatest_is_malformed() -> None:
    check_text(dump(starting(SINCE, 6)))
    malformed(starting(SINCE, 7), "min_n is above max_n")


def test_a_least_length_out_of_order_is_malformed() -> None:
    keys = "formula, alphabet, min_n, max_n, regime, causal"
    malformed(edit(SINCE, "claim", "min_n", value=2), f"expected the keys {keys}, got ")


@pytest.mark.parametrize("place", [("transformer",), HEAD, ("bounds", 0), ()])
def test_a_least_length_anywhere_else_is_malformed(place: tuple[str | int, ...]) -> None:
    malformed(edit(SINCE, *place, "min_n", value=2), "expected the keys")


@pytest.mark.parametrize(("asked", "begins_at_1", "begins_at_3"), [
    ([], 0, 0),
    (["--max-n", "6"], 0, 1),
    (["--max-n", "6", "--min-n", "1"], 0, 1),
    (["--max-n", "6", "--min-n", "3"], 1, 0),
    (["--max-n", "7", "--min-n", "3"], 1, 1),
    (["--min-n", "1"], 0, 1),
    (["--min-n", "2"], 1, 1),
    (["--min-n", "3"], 1, 0),
    (["--min-n", "few"], 2, 2),
])  # fmt: skip
def test_who_asks_for_a_greatest_length_only_means_all_lengths_up_to_it(
    asked: list[str], begins_at_1: int, begins_at_3: int, tmp_path: Path
) -> None:
    for name, made, status in (("from1", SINCE, begins_at_1), ("from3", starting(SINCE, 3), begins_at_3)):
        (tmp_path / name).write_bytes(dump(made))
        assert main([*asked, str(tmp_path / name)]) == status


def test_the_range_of_lengths_is_printed_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_bytes(dump(starting(SINCE, 3)))
    assert main([str(tmp_path / "x")]) == 0
    assert "for every n in 3..6, every word" in capsys.readouterr().out
    assert main([str(tmp_path / "x"), "--max-n", "6"]) == 1
    assert "claim differs: the file has min_n 3" in capsys.readouterr().out
    (tmp_path / "x").write_bytes(dump(SINCE))
    assert main([str(tmp_path / "x"), "--min-n", "2"]) == 1
    assert "claim differs: the file has min_n 1" in capsys.readouterr().out
