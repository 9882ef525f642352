"""Decisions about inputs in tracks against all inputs, one by one."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify.auditing.claims import AuditClaim
from certify.auditing.claims_file import read_claims
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge
from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.json_form import network_from_json, network_text
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, count_inputs
from examples.adders.board import COUNTS, NAMES, counted, rows
from examples.adders.by_hand import FOLDER, BoardEntry, brackets, parity, reverser, sorter, write
from examples.adders.by_hand import adder as adder_of_board
from examples.counts.entries import read_entries, table_text
from proofs.check import Malformed, Rejected, check_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.deciding import FormSearch
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import VOCABULARY, least_margin, random_claim, random_layer

ROUNDING = 1e-7


def decide_and_compare(network: TrainedNetwork, claim: TracksClaim) -> TracksDecision:
    """Return the decision, which no input contradicts."""
    least, decision = least_margin(network, claim), decide_tracks(network, claim)
    if decision.verdict == "certified":
        assert least > float(claim.margin) - ROUNDING
        assert decision.certificate is not None
    if decision.verdict == "refuted":
        assert least <= float(claim.margin) + ROUNDING
        assert decision.wrong_certificate is not None
        check_text(decision.wrong_certificate.encode())
    return decision


def best_claim(seed: int, network: TrainedNetwork) -> tuple[TracksClaim, float]:
    """Return a claim about a pair of logits that keep their order on all inputs, if there is one; and by how much."""
    found = [(claim, least_margin(network, claim)) for answer in range(VOCABULARY) for other in range(VOCABULARY)
             if other != answer for claim in [random_claim(seed, network, (answer,), (other,))]]
    return max(found, key=lambda pair: pair[1])


def decide_around_its_margin(seed: int) -> tuple[str, ...]:
    """Decide a random claim below, at and above its margin."""
    network = random_layer(seed)
    claim, least = best_claim(seed, network)
    if count_inputs(claim, claim.forms[0]) == 0 or least <= 0:
        return ()
    margins = [Fraction(0), Fraction(least * 0.98), Fraction(least * 1.02)]
    return tuple(decide_and_compare(network, replace(claim, margin=margin)).verdict for margin in margins)


def test_random_networks_are_decided_as_all_inputs_say() -> None:
    printed = [verdicts for seed in (1, 2, 3) if (verdicts := decide_around_its_margin(seed))]
    assert len(printed) == 3
    assert all(below != "refuted" and above == "refuted" for below, _, above in printed)
    assert all(below == "certified" for below, _, _ in printed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(10, 1010, 50))
def test_many_random_networks_are_decided_as_all_inputs_say(first: int) -> None:
    printed = [verdicts for seed in range(first, first + 50) if (verdicts := decide_around_its_margin(seed))]
    assert all(below != "refuted" and near != "refuted" and above == "refuted" for below, near, above in printed)


@pytest.mark.parametrize("seed", range(2))
def test_random_truths_are_refuted(seed: int) -> None:
    network = random_layer(seed)
    claim = random_claim(seed, network, tuple(range(VOCABULARY)), ())
    if count_inputs(claim, claim.forms[0]):
        assert decide_and_compare(network, claim).verdict in ("refuted", "certified")


@pytest.mark.parametrize(("base", "columns"), [(2, 4), (3, 3)])
def test_adders_are_proved_up_to_their_margin(base: int, columns: int) -> None:
    network = adder(base, columns)
    assert decide_and_compare(network, adds(network, base, columns)).verdict == "certified"
    assert decide_and_compare(network, adds(network, base, columns, "margin = 0.999")).verdict == "certified"
    assert decide_and_compare(network, adds(network, base, columns, "margin = 1.001")).verdict == "refuted"


def test_a_blurred_adder_is_refuted_by_an_input() -> None:
    network = adder(3, 3, blur=0.3)
    decision = decide_and_compare(network, adds(network, 3, 3))
    assert decision.verdict == "refuted" and decision.rows[0].inputs == 729


def test_an_adder_of_two_heads_is_proved() -> None:
    network = adder(3, 2, heads=2)
    assert decide_and_compare(network, adds(network, 3, 2)).verdict == "certified"


def test_classes_that_are_split_are_proved_by_all_their_parts() -> None:
    """Two classes are split, one of them twice; a split that is left out does not fit."""
    network = adder(3, 3)
    claim = adds(network, 3, 3)
    search = FormSearch(FloatNetwork(network), claim, 0, 1)
    whole = sum(map(len, search.ranged))
    first, last = search.ranged[8][0], search.ranged[-1][0]
    assert search.split([first, last]) and search.split([search.ranged[-1][0]])
    proved = search.run()
    assert proved.unit is not None and len(proved.unit["splits"]) == 3 and proved.classes > whole
    check_text(tracks_text(network, claim, [proved.unit]).encode())
    for number in range(3):
        left = [split for place, split in enumerate(proved.unit["splits"]) if place != number]
        with pytest.raises((Malformed, Rejected)):
            check_text(tracks_text(network, claim, [proved.unit | {"splits": left}]).encode())


def test_the_example_is_the_adder_that_is_written_by_hand() -> None:
    folder = Path(__file__).parents[3] / "examples" / "adders"
    assert (folder / "ternary.json").read_text(encoding="utf-8") == network_text(adder(3, 3))
    network = network_from_json(json.loads((folder / "ternary.json").read_text(encoding="utf-8")), "ternary.json")
    assert tracks_claim_of_table(read_toml((folder / "ternary.toml").read_text(encoding="utf-8"), "claim"), "claim",
                                 network) == adds(adder(3, 3), 3, 3)


def test_the_board_has_what_its_script_writes(tmp_path: Path) -> None:
    write(tmp_path)
    folder = Path(__file__).parents[3] / "examples" / "adders"
    for made in sorted(tmp_path.iterdir()):
        assert made.read_text(encoding="utf-8") == (folder / made.name).read_text(encoding="utf-8"), made.name


@pytest.mark.parametrize("entry", [parity("parity", 6), sorter("sort", 6), reverser("reverse", 2, 40.0),
                                   brackets("brackets", 5, 40.0),
                                   adder_of_board("add", 4, 2, 40.0), adder_of_board("soft", 3, 3, 2.0)],
                         ids=lambda entry: entry.name)
def test_small_networks_of_the_board_are_decided_as_all_inputs_say(entry: BoardEntry) -> None:
    claim = tracks_claim_of_table(read_toml(entry.claim, "claim"), "claim", entry.network)
    verdict = decide_and_compare(entry.network, claim).verdict
    assert verdict == ("refuted" if entry.name == "soft" else "certified")


def test_the_table_of_the_board_is_that_of_its_claims_file() -> None:
    assert table_text(rows()) in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [*read_entries(COUNTS)] == [*NAMES] and counted("ternary") == read_entries(COUNTS)["ternary"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("claim", read_claims(str(COUNTS)).claims, ids=lambda claim: claim.name)
def test_the_counts_of_the_board_are_certified_again(claim: AuditClaim) -> None:
    found = judge(claim, AuditSearch())
    assert (found.verdict, found.mismatch) == ("certified", "")
