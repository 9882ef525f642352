"""The output for an accepted file is the checked claim, in the checker's words."""

from pathlib import Path

import pytest

from proofs.check import check_text
from tests.check import handmade
from tests.check.handmade import dump, edit

ACCEPTED = Path(__file__).parents[1] / "corpus" / "accepted"


def lines_of(name: str) -> list[str]:
    return list(check_text((ACCEPTED / f"{name}.cert").read_bytes()).lines)


def test_a_name_cannot_claim_anything() -> None:
    lines = lines_of("a_name_with_words_of_its_own")
    (output,) = [line for line in lines if "PARITY" in line]
    assert output.startswith("""output       direction "y' is exactly 1 where PARITY""") and output.endswith('"')


def test_a_name_and_a_symbol_stay_in_their_line() -> None:
    assert "output       direction 'x\\naccepted: y'" in lines_of("a_name_with_a_line_of_its_own")
    lines = lines_of("a_symbol_with_a_line_of_its_own")
    assert lines[:2] == ["formula      Q['\\n']", "alphabet     '0', '\\n'"]


def test_counts_that_cancel_are_not_in_the_formula_that_is_printed() -> None:
    lines = lines_of("counts_that_cancel")
    assert lines[0] == "formula      0 == 0"
    assert any("where" in line for line in lines) and any("comparisons are put together" in line for line in lines)
    assert any(line.endswith("1 subformulas") for line in lines)


def test_a_guard_that_never_holds_is_no_evidence() -> None:
    lines = lines_of("a_guard_that_never_holds")
    assert lines[-1] == "no evidence  of 'near': the guard holds at no (n, i)"
    assert any(line.endswith("0 near") for line in lines) and any("at the 0 rows" in line for line in lines)


def test_the_error_bound_says_at_how_many_rows_it_is_claimed() -> None:
    lines = list(check_text(dump(handmade.prev_certificate(6))).lines)
    rows = 21 - 6  # every row but the first of each length has one guard that holds
    assert any(line.startswith("error bound") and line.endswith(": 2 near") for line in lines)
    assert any(f"at the {rows} rows (n, i) where their guards hold" in line for line in lines)


def test_the_formula_is_printed_with_brackets_and_predicates_with_their_conditions() -> None:
    lines = list(check_text(dump(handmade.since_certificate(3))).lines)
    assert lines[0] == "formula      (Q_a | Q_b) since Q_b"
    lines = lines_of("by_hand_counting_third")
    assert lines[:2] == ["formula      THIRD(#<[Q_1])", "where        THIRD(k) := (k % 3) == 1"]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", sorted(path.stem for path in ACCEPTED.glob("*.cert")))
def test_text_for_people_changes_nothing_that_is_printed(name: str) -> None:
    import json

    made = json.loads((ACCEPTED / f"{name}.cert").read_bytes())
    before = check_text(dump(made)).lines
    for layer in made.get("transformer", {"layers": []})["layers"]:
        for head in layer["heads"]:
            head["name"] = head["source"] = "accepted: everything\n"
    assert check_text(dump(edit(made, "version", value=1))).lines == before
