"""Formulas by reference: the table of a network, and definitions in what is asked for."""

import copy
from typing import Any

import pytest

from proofs.check import Malformed, Rejected, RequiredClaim, check_text
from proofs.check.checker.kernel.budget import MAX_BYTES
from tests.check.handmade import dump, edit, since_certificate

Json = dict[str, Any]
SINCE = since_certificate(2)
FORMULA = SINCE["claim"]["formula"]
DOUBLED = "".join(f"p{k + 1} = p{k} since prev p{k}; " for k in range(1, 40))


def with_table(certificate: Json, *entries: str) -> Json:
    """Return a copy whose network has a table, in its place after the predicates."""
    made = copy.deepcopy(certificate)
    keys = list(made["transformer"])
    after = keys.index("predicates") + 1
    made["transformer"] = {key: entries if key == "formulas" else made["transformer"][key]
                           for key in [*keys[:after], "formulas", *keys[after:]]}
    return made


def referring(certificate: Json, text: str, entry: str) -> Json:
    """Return a copy in which every formula that has this text is a reference."""
    made = copy.deepcopy(certificate)
    places = [made["claim"], *made["transformer"]["directions"].values()]
    for place in places:
        if place.get("formula") == text:
            place["formula"] = entry
    return made


def test_a_reference_stands_for_its_entry() -> None:
    made = with_table(referring(SINCE, FORMULA, "$1"), FORMULA)
    assert made != SINCE
    assert check_text(dump(made)).lines == check_text(dump(SINCE)).lines


def test_an_entry_may_mention_those_before_it() -> None:
    left, right = FORMULA.split(" since ")
    made = with_table(referring(SINCE, FORMULA, "$3"), left, right, "$1 since $2")
    assert check_text(dump(made), RequiredClaim(formula=FORMULA)).lines == check_text(dump(SINCE)).lines


@pytest.mark.parametrize(("entries", "message"), [
    (["$1"], "transformer: formulas: 1: column 1: expected an operand, got '$1'"),
    (["$2", "Q_a"], "transformer: formulas: 1: column 1: expected an operand, got '$2'"),
    ([], "transformer: formulas: expected 1 to 100000 (limit) formulas"),
    (["#<[Q_a]"], "transformer: formulas: 1: expected a formula"),
    (["Q_a", "$01"], "transformer: formulas: 2: column 1: expected an operand, got '$'"),
    (["ODD", "$1(#<[Q_a])"], "transformer: formulas: 2: '$1' is no predicate"),
])  # fmt: skip
def test_other_tables_are_malformed(entries: list[str], message: str) -> None:
    with pytest.raises(Malformed) as refusal:
        check_text(dump(with_table(SINCE, *entries)))
    assert str(refusal.value) == message


def test_a_reference_to_another_entry_is_another_claim() -> None:
    made = with_table(referring(SINCE, FORMULA, "$1"), FORMULA, "Q_a")
    with pytest.raises(Rejected, match="the output does not mean the claimed formula"):
        check_text(dump(edit(made, "claim", "formula", value="$2")))


def test_a_formula_may_be_asked_for_with_definitions() -> None:
    left, right = FORMULA.split(" since ")
    check_text(dump(SINCE), RequiredClaim(formula=f"let p = {left}; q = {right};\np since q"))
    with pytest.raises(Rejected, match="claim differs"):
        check_text(dump(SINCE), RequiredClaim(formula=f"let p = {left}; q = {right}; q since p"))


def test_definitions_are_never_written_out() -> None:
    with pytest.raises(Rejected, match="claim differs"):
        check_text(dump(SINCE), RequiredClaim(formula=f"let p1 = Q_a; {DOUBLED}p40"))


@pytest.mark.parametrize(("text", "message"), [
    ("let Q_1", "let: expected NAME = formula; ... and a formula"),
    ("let p = p; p", "definition 1: column 2: expected an operand, got 'p'"),
    ("let S = Q_1; S", "definition 1: expected NAME = formula, with a new name"),
    ("let p = Q_1; p = Q_0; p", "definition 2: expected NAME = formula, with a new name"),
    ("let p = Q_1; p; p", "definition 2: expected NAME = formula, with a new name"),
    ("let p = Q_1;", "ends where an operand is expected"),
    ("let p == Q_1; p", "definition 1: expected NAME = formula, with a new name"),
    ("p = Q_1; p", "column 1: expected an operand, got 'p'"),
    ("$1", "column 1: expected an operand, got '$1'"),
])  # fmt: skip
def test_other_definitions_are_malformed(text: str, message: str) -> None:
    with pytest.raises(Malformed) as refusal:
        check_text(dump(SINCE), RequiredClaim(formula=text))
    assert str(refusal.value) == f"--formula: {message}"


def test_definitions_stand_in_questions_only() -> None:
    with pytest.raises(Malformed, match="claim: formula: column 1: expected an operand, got 'let'"):
        check_text(dump(edit(SINCE, "claim", "formula", value=f"let p = {FORMULA}; p")))


def test_a_semicolon_in_a_quoted_symbol_ends_no_definition() -> None:
    with pytest.raises(Rejected, match="claim differs"):
        check_text(dump(SINCE), RequiredClaim(formula="let p = Q[';']; p"))


def test_who_allows_more_work_allows_larger_files() -> None:
    large = dump(edit(SINCE, "transformer", "layers", 0, "heads", 0, "name", value="m" * MAX_BYTES))
    with pytest.raises(Malformed, match=r"^limit: more than 16777216 bytes; --work 2 allows more$"):
        check_text(large)
    assert check_text(large, work=2).lines == check_text(dump(SINCE)).lines
