"""The terminal output of an audit: every number and command, at 80 and at 132 columns."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from certify.auditing.results import AuditReport, ClaimResult
from certify.auditing.tables import print_report
from tests.auditing.sample import (
    CERTIFIED,
    CLAIMS,
    HOSTILE,
    INTERRUPTED,
    REFUTED,
    REPORT,
    STATEMENTS,
    TWO_TEMPERATURES,
)


def printed(report: AuditReport, width: int = 132, colour: bool = False) -> str:
    file = io.StringIO()
    print_report(Console(file=file, width=width, soft_wrap=True, force_terminal=colour, no_color=False,
                         color_system="standard" if colour else None), report)
    return file.getvalue()


def tabular(text: str) -> list[str]:
    """Return the lines of tables: those with columns, and no sentence or command, which are not broken."""
    return [line for line in text.splitlines() if "  " in line.strip() and not line.startswith("  ")]


@pytest.mark.parametrize("width", [80, 132])
@pytest.mark.parametrize("report", [REPORT, replace(REPORT, claims=(CERTIFIED,))], ids=["several", "one"])
def test_tables_fit_the_terminal_and_show_every_claim_and_statement(report: AuditReport, width: int) -> None:
    text = printed(report, width)
    assert all(len(line.rstrip()) <= width for line in tabular(text))
    for claim in report.claims:
        assert claim.name in text
    for statement in STATEMENTS:
        assert any(line.startswith(statement.statement) and statement.verdict in line for line in text.splitlines())


def test_a_claim_has_its_row_with_error_bound_lengths_seconds_and_expectation() -> None:
    line = next(line for line in printed(REPORT).splitlines() if line.startswith("theorem-15-a "))
    cells = [cell.strip() for cell in line.split("  ") if cell.strip()]
    assert cells == ["theorem-15-a", "Theorem 15 a", "certified", "0.0497871", "0.25", "1..64", "4.21", "yes"]


def test_each_refutation_has_its_sentence_and_the_command_that_replays_it_unbroken_at_80_columns() -> None:
    lines = printed(REPORT, 80).splitlines()
    assert ("  witness     on the word aab (n = 3) at position 3: near[Q_a since Q_b] is 0.257502, "
            "allowed is a number in [0, 1/4]") in lines
    assert "  replay      certify run 'Q_a since Q_b' aab --gamma 13/10" in lines
    assert "  replay      certify run examples/claims/models/lemma_29_bias.json 0" in lines


def test_one_claim_is_shown_length_by_length_with_its_critical_values() -> None:
    lines = [line.split() for line in printed(replace(REPORT, claims=(CERTIFIED,)), 80).splitlines()]
    assert ["1", "certified", "0"] in lines
    assert ["8", "certified", "0.0497871", "1.38625", "1.38625", "0.270514", "2.164"] in lines
    assert ["64", "certified", "0.0497871", "1.38629", "1.38629", "0.0338132", "2.164"] in lines


def test_critical_values_of_several_claims_stand_in_one_table() -> None:
    lines = [line.split() for line in printed(REPORT, 80).splitlines()]
    assert ["theorem-15-a", "64", "1.38629", "1.38629", "0.0338132", "2.164"] in lines


@pytest.mark.parametrize("claims", [(TWO_TEMPERATURES,), (TWO_TEMPERATURES, REFUTED)], ids=["one", "several"])
def test_heads_of_different_temperatures_have_a_line_each(claims: tuple[ClaimResult, ...]) -> None:
    lines = [" ".join(line.split()) for line in printed(replace(REPORT, claims=claims)).splitlines()]
    first = next(place for place, line in enumerate(lines) if " 1.33333 - 0.75 1.1 0.75" in line)
    assert lines[first + 1] == "0.375 1.2, 2.1, 2.2 and 1 more"
    assert lines[first + 3] == "0.1875 1.2, 2.1, 2.2 and 1 more"


def test_heads_are_not_named_where_temperatures_agree() -> None:
    assert "of head" in printed(replace(REPORT, claims=(TWO_TEMPERATURES, REFUTED)))
    assert "of head" not in printed(REPORT)


def test_the_summary_counts_and_says_what_is_unexpected() -> None:
    text = printed(REPORT)
    assert text.splitlines()[-1] == ("1 certified, 2 refuted, 1 unknown, 1 unsupported, 1 not decidable "
                                     "(6 claims, 1 unexpected, 66.5 s)")
    assert "  unexpected  expected certified, found refuted" in text.splitlines()
    kept = replace(REPORT, claims=CLAIMS[:2])
    assert printed(kept).splitlines()[-1] == "1 certified, 1 refuted (2 claims, all as expected, 66.5 s)"


def test_an_interrupted_audit_says_so_and_how_to_continue() -> None:
    assert printed(INTERRUPTED).splitlines()[-1] == "INTERRUPTED after 2 finished claims; --resume continues"
    assert "INTERRUPTED" not in printed(REPORT)
    assert printed(replace(INTERRUPTED, claims=())).splitlines()[-1] == "INTERRUPTED before a claim was finished"


def test_verdicts_have_their_colours() -> None:
    text = printed(REPORT, colour=True)
    for code, verdict in ((32, "certified"), (31, "refuted"), (33, "unknown"), (33, "unsupported"),
                          (36, "not decidable")):
        assert f"\x1b[1;{code}m{verdict}" in text


def test_control_characters_and_markup_of_strangers_are_shown_and_not_obeyed() -> None:
    text = printed(HOSTILE)
    assert "\x1b" not in text
    assert "on the word <b>\\x1b[31m (n = 1)" in text
    assert "says      [bold]x[/bold]" in printed(replace(REPORT, claims=(replace(REFUTED, says="[bold]x[/bold]"),)))
