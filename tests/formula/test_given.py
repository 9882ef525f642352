"""Claims that are about the positions where something is given: from formulas, models, claims files and Python."""

import json
from dataclasses import replace
from itertools import product

import pytest

from certify import Network, certify
from certify.claims.formula.outcomes import Certified, Refuted
from certify.requests.vacuity import find_vacuous_lengths
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.assumption import assume, local_directions
from constructions.network.json_form import transformer_to_json
from proofs.check import Malformed, Rejected, RequiredClaim, check_text
from proofs.words.replay import run_soft
from tests.check.handmade import dump
from tests.formula.test_guards_on_words import ALPHABET, WRITES, latest_write

WRITTEN = f"O ({WRITES})"
FORMULA = f"(({WRITES}) -> Q_w01) since ({WRITES})"


def cell(constant: int) -> Network:
    """Return the lookup whose own meaning has no guard, and whose rounding has no gate."""
    return latest_write(constant, "true")


def certified(given: str = WRITTEN) -> Certified:
    outcome = cell(400).certify(max_n=4, given=given)
    assert isinstance(outcome, Certified)
    return outcome


@pytest.mark.parametrize(("constant", "given", "verdict"), [
    (400, None, "refuted"), (400, WRITTEN, "certified"), (3, WRITTEN, "refuted"),
    (400, f"{WRITTEN} & EVEN", "certified"), (400, "!Q_w11", "refuted"), (400, "prev true", "refuted"),
    (400, WRITES, "certified")])
def test_a_lookup_is_right_where_its_cell_was_written_before(constant: int, given: str | None, verdict: str) -> None:
    assert cell(constant).certify(max_n=5, given=given).verdict == verdict


@pytest.mark.parametrize("given", [WRITTEN, "Q_w00", "Q_w01 | prev Q_w00", "FIRST & Q_w01"])
def test_where_something_is_given_the_output_of_a_certified_network_is_the_truth_on_every_word(given: str) -> None:
    outcome = certified(given)
    assert outcome.transformer is not None
    formula, assumed = parse_formula(FORMULA, ALPHABET), parse_formula(given, ALPHABET)
    for n in range(1, 5):
        for word in product(ALPHABET, repeat=n):
            rows = zip(truth_values(assumed, word), truth_values(formula, word),
                       run_soft(outcome.transformer, word, 128, 1 << 12), strict=True)
            for holds, truth, vector in rows:
                value = vector[outcome.transformer.output]
                assert not holds or value.lower == value.upper == truth


@pytest.mark.parametrize(("formula", "given"), [
    ("O Q_b", "prev Q_b"), ("!O Q_b", "!prev Q_b"), ("prev Q_a", "!FIRST & Q_b"), ("Q_a since Q_b", "F Q_b"),
    ("next Q_a -> Q_b", "next Q_a"), ("#<[Q_a] > #<[Q_b]", "#<[Q_a] != #<[Q_b]"), ("prev Q_a", "#<[Q_a] > #<[Q_b]"),
    ("ODD(#<[Q_a])", "Q_a")])
@pytest.mark.parametrize("gamma", ["1/8", "1/2", "1", "3"])
def test_verdicts_agree_with_what_the_output_is_on_all_words(formula: str, given: str, gamma: str) -> None:
    outcome = certify(formula, alphabet="ab", max_n=4, gamma=gamma, given=given)
    assert outcome.transformer is not None and outcome.verdict in ("certified", "refuted")
    assumed, local = parse_formula(given, "ab"), local_directions(outcome.transformer)
    assert outcome.transformer.output in local
    wrong = False
    for n in range(1, 5):
        for word in product("ab", repeat=n):
            rows = zip(truth_values(assumed, word), truth_values(parse_formula(formula, "ab"), word),
                       run_soft(outcome.transformer, word, 128, 1 << 12), strict=True)
            outputs = [(truth, vector[outcome.transformer.output]) for holds, truth, vector in rows if holds]
            wrong |= any(not value.lower == value.upper == truth for truth, value in outputs)
    assert not (wrong and outcome.verdict == "certified")
    if isinstance(outcome, Refuted) and outcome.counterexample.direction in local:
        assert truth_values(assumed, outcome.counterexample.word)[outcome.counterexample.position - 1]


@pytest.mark.parametrize("given", [
    "true", "false", "Q_a & !Q_a", "prev prev Q_a", "next Q_b", "Q_a until (Q_b & prev Q_b)", "LAST & EVEN", "MOD(3,2)",
    "#<[Q_a] - #>[Q_b] >= 3", "SQUARE(#<[Q_a]) & #<[Q_a] > 1", "!LAST & !FIRST", "LAST & prev prev (Q_a since Q_b)"])
def test_the_lengths_at_which_an_assumption_holds_nowhere_are_those_of_all_words(given: str) -> None:
    formula = parse_formula(given, "ab")
    assert find_vacuous_lengths(formula, "ab", range(1, 7)) == [n for n in range(1, 7) if not any(
        any(truth_values(formula, word)) for word in product("ab", repeat=n))]


@pytest.mark.parametrize("given", [None, "true", "O Q_r", f"{WRITTEN} | EVEN", "O Q_w10"])
def test_a_certificate_that_gives_less_is_rejected(given: str | None) -> None:
    made = json.loads(certified().certificate)
    assert made["claim"].pop("given") == WRITTEN
    made["claim"] |= {} if given is None else {"given": given}
    with pytest.raises(Rejected, match="the output changes"):
        check_text(dump(made))


def test_a_certificate_that_gives_more_is_accepted_and_printed() -> None:
    made = json.loads(certified().certificate)
    made["claim"]["given"] = f"EVEN & {WRITTEN}"
    lines = check_text(dump(made)).lines
    assert f"given        EVEN & (true since ({WRITES}))" in lines
    assert any("at which what is given holds" in line for line in lines)


def test_what_a_head_reads_must_hold_everywhere() -> None:
    net = cell(400)
    net.output(net.round(net.head("again", key=FORMULA, value=FORMULA, means=f"O ({FORMULA})", temperature="1/99")))
    local = local_directions(assume(net.build(), parse_formula(WRITTEN, ALPHABET)))
    assert net.build().output in local and "cell" not in local
    outcome = net.certify(max_n=4, given=WRITTEN)
    assert isinstance(outcome, Refuted) and outcome.counterexample.direction == "cell"


def test_what_units_write_for_a_head_must_hold_everywhere() -> None:
    net = cell(400)
    shut = net.units(f"!({FORMULA})", [({FORMULA: 1}, 0, -1)], 1)
    local = local_directions(assume(net.build(), parse_formula(WRITTEN, ALPHABET)))
    assert not {"cell", shut, net.build().output} & local
    assert net.certify(max_n=4, given=WRITTEN).verdict == "refuted"
    net.output(f"!({FORMULA})")
    assert net.certify(max_n=4, given=WRITTEN).verdict == "certified"


def test_the_checker_finds_that_a_head_reads_what_is_right_only_where_something_is_given() -> None:
    """The certificate is changed: a head, of which nothing is claimed, reads the output."""
    made = json.loads(certified().certificate)
    made["transformer"]["directions"]["spy"] = {"kind": "any"}
    head = json.loads(json.dumps(made["transformer"]["layers"][0]["heads"][0]))
    head["name"], head["values"], head["keys"] = "spy", {"spy": {made["transformer"]["output"]: "1"}}, [{}]
    head["queries"] = [{}]
    made["transformer"]["layers"].append({"heads": [head], "feedforward": {"units": [], "bias": {}}})
    with pytest.raises(Rejected, match="the output changes"):
        check_text(dump(made))
    head["values"] = {"spy": made["transformer"]["layers"][0]["heads"][0]["values"]["cell"]}
    check_text(dump(made))


def test_who_asks_for_a_claim_says_what_may_be_given() -> None:
    text, plain = certified().certificate.encode(), certify("prev Q_a", max_n=3)
    check_text(text)
    check_text(text, RequiredClaim(given=WRITTEN, formula=FORMULA))
    for asked in (RequiredClaim(formula=FORMULA), RequiredClaim(max_n=4), RequiredClaim(given="O Q_w00")):
        with pytest.raises(Rejected, match="claim differs: the file has given"):
            check_text(text, asked)
    assert isinstance(plain, Certified)
    check_text(plain.certificate.encode(), RequiredClaim(given="Q_a"))  # it holds at all positions


def test_claims_about_float_executions_do_not_go_beside_it() -> None:
    made = json.loads(certified().certificate)
    with pytest.raises(Malformed, match="given: expected no claims about float executions"):
        check_text(dump(made | {"floats": []}))


def test_nothing_given_changes_no_network() -> None:
    network = cell(400).build()
    assert transformer_to_json(assume(network, parse_formula("true"))) == transformer_to_json(network)
    assert not local_directions(network)
    once = assume(network, parse_formula(WRITTEN, ALPHABET))
    assert assume(once, parse_formula(WRITTEN, ALPHABET)) == once == replace(once)
