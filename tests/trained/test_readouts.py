"""Readouts: logits are read where the network outputs them, in claims, runs, and certificates alike."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify.claims.numbers.sensitivity.logits import read_trained_subject
from certify.claims.trained.claim_file import Scope, claim_of_table
from certify.claims.trained.flags import Flags, table_of_flags
from certify.claims.trained.show import describe_places
from certify.claims.trained.word_run import run_tokens, run_word
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.claim_form import claim_to_json
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import ImportComparison, Readout
from constructions.trained.tracks import writes_tokens
from proofs.check import main
from proofs.words.tracking import cases_at
from tests.trained.claims import claim_of, network_of
from tests.trained.small_networks import small_network, write_network

ACCEPTED = Path(__file__).parents[1] / "corpus/accepted/trained_bidirectional_by_length.cert"


def asked(flags: Flags, readout: Readout = "each", attention: str = "bidirectional") -> WordsClaim:
    network = replace(network_of("causal" if attention == "causal" else "bidirectional"), readout=readout)
    return claim_of_table(table_of_flags(flags), "options", Path(), network, Scope(max_n=3))


@pytest.mark.parametrize("readout", ["each", "first", "last"])
@pytest.mark.parametrize("read", ["each", "first", "last"])
def test_a_claim_reads_logits_only_where_the_network_outputs_them(readout: Readout, read: Readout) -> None:
    network, claim = replace(network_of(), readout=readout), claim_of([parse_formula("Q_a")], read=read)
    if readout in ("each", read):
        check_fits(network, claim)
        return
    with pytest.raises(InputError, match=f"claim: read: logits are read at .*, but the network outputs them at its "
                                         f"{readout} token only, expected read = \"{readout}\""):
        check_fits(network, claim)
    with pytest.raises(InputError, match="but the network outputs them"):
        run_word(network, claim, "ab", 0)


def test_tracks_are_written_by_networks_that_output_logits_at_each_token_or_causally_at_the_last() -> None:
    each, last, first = (replace(network_of(), readout=readout) for readout in ("each", "last", "first"))
    assert [writes_tokens(network) for network in (each, last, first)] == [True, True, False]
    assert not writes_tokens(replace(last, attention="bidirectional"))


@pytest.mark.parametrize(("readout", "indices"), [("each", [0, 1, 2]), ("first", [0]), ("last", [2])])
def test_tokens_are_run_to_the_logits_that_the_network_outputs(readout: Readout, indices: list[int]) -> None:
    network = replace(small_network(), readout=readout)
    places = run_tokens(network, [0, 1, 2], 0).places
    every = run_tokens(small_network(), [0, 1, 2], 0).places
    assert [place.index for place in places] == indices
    assert [place.logits for place in places] == [every[index].logits for index in indices]


def test_without_a_claim_sensitivity_reads_only_logits_that_the_network_outputs(tmp_path: Path) -> None:
    write_network(replace(small_network(), readout="first"), tmp_path / "m.json")
    subject = read_trained_subject(str(tmp_path / "m.json"), None, None)
    assert subject.question(2, "first", ()).tokens == (0,)
    with pytest.raises(InputError, match="--at last: the network outputs logits at its first token only"):
        subject.question(2, "last", ())


@pytest.mark.parametrize(("flags", "readout", "read"), [
    (Flags("ab", sign=("0: Q_a",)), "first", "first"), (Flags("ab", sign=("0: Q_a",)), "last", "last"),
    (Flags("ab", at="last", sign=("0: Q_a",)), "each", "last"),
    (Flags("ab", at="every", sign=("0: Q_a",)), "each", "each"),
    (Flags("ab", read="first", at="first", sign=("0: Q_a",)), "each", "first")])
def test_logits_are_read_where_the_network_says_unless_the_claim_does(flags: Flags, readout: Readout,
                                                                      read: str) -> None:
    assert asked(flags, readout).read == read


@pytest.mark.parametrize(("flags", "readout", "message"), [
    (Flags("ab", sign=("0: Q_a",)), "each", "read: not stated, and the network outputs logits at each token"),
    (Flags("ab", at="first", sign=("0: Q_a",)), "each", "read: not stated"),
    (Flags("ab", read="each", at="last", sign=("0: Q_a",)), "each", "at: \"last\", but logits are read at each letter"),
    (Flags("ab", at="every", sign=("0: Q_a",)), "last", "at: \"every\", but logits are read at one token"),
    (Flags("ab", read="last", sign=("0: Q_a",)), "first", "but the network outputs them at its first token only")])
def test_where_logits_are_read_is_not_guessed(flags: Flags, readout: Readout, message: str) -> None:
    with pytest.raises(InputError, match=message):
        asked(flags, readout)


@pytest.mark.parametrize("read", ["first", "last"])
def test_a_formula_is_judged_at_the_position_that_at_names(read: str) -> None:
    text = "(! Q_b) since Q_a | next Q_b"
    for at, position in (("first", 1), ("last", 3)):
        claim = asked(Flags("ab", read=read, at=at, sign=(f"0: {text}",)))
        for word in ("aab", "baa", "bba", "abb"):
            truth = satisfies(parse_formula(text, "ab"), word, position)
            assert cases_at(claim, tuple(word), 3) == (0 if truth else 1,)


def test_a_formula_that_looks_ahead_of_the_last_position_is_named() -> None:
    ahead, back = Flags("ab", at="last", sign=("0: F Q_a",)), Flags("ab", at="last", sign=("0: O Q_a",))
    first = Flags("ab", read="last", at="first", sign=("0: F Q_a",))
    assert describe_places(asked(ahead)) == ("at the last token (F Q_a refers to the future, but is judged at the last "
                                             "position; --at first judges formulas at the first)")
    assert {describe_places(asked(flags)) for flags in (back, first)} == {"at the last token"}


def comparison(original: str, inputs: int, lengths: list[int], difference: str) -> dict[str, object]:
    """Return the JSON object of a comparison."""
    return {"original": original, "inputs": inputs, "lengths": lengths, "difference": difference}


def test_readout_and_comparison_are_read_back_from_the_file() -> None:
    compared = ImportComparison("onnxruntime 1.31.1", 40, (1, 8), Fraction(1, 10**6))
    network = replace(small_network(), readout="first", compared=compared)
    data = network_to_json(network)
    assert network_from_json(data, "m.json") == network
    assert data["compared"] == comparison("onnxruntime 1.31.1", 40, [1, 8], "1/1000000")


@pytest.mark.parametrize(("changes", "complaint"), [
    ({"readout": "mean"}, "m.json, readout: \"mean\""),
    ({"compared": comparison("tensorflow 2", 1, [1, 8], "0")}, "m.json, compared.original: "),
    ({"compared": comparison("torch ../x", 1, [1, 8], "0")}, "m.json, compared.original: "),
    ({"compared": comparison("torch 2.13.0", 0, [1, 8], "0")}, "m.json, compared.inputs: 0"),
    ({"compared": comparison("torch 2.13.0", 1, [2, 1], "0")}, "m.json, compared.lengths: "),
    ({"compared": comparison("torch 2.13.0", 1, [1, 8], "-1")}, "m.json, compared.difference: -1")])
def test_another_readout_or_comparison_is_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        network_from_json(network_to_json(small_network()) | changes, "m.json")
    assert str(caught.value).startswith(complaint)


def with_network(**changes: object) -> str:
    data = json.loads(ACCEPTED.read_text(encoding="utf-8"))
    data["network"] = {key: changes.get(key, value) for key, value in data["network"].items()}
    return json.dumps(data, indent=1) + "\n"


@pytest.mark.parametrize(("changes", "lines"), [
    ({"readout": "last"}, ["read out at the last token alone", "compared     with no original"]),
    ({"compared": comparison("torch 2.13.0", 40, [1, 8], "1/1000")},
     ["compared     with torch '2.13.0' on 40 inputs of 1 to 8 tokens, "
      "greatest difference of logits 1/1000 (not checked)"])])
def test_the_checker_prints_readout_and_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                   changes: dict[str, object], lines: list[str]) -> None:
    (tmp_path / "d.cert").write_text(with_network(**changes), encoding="utf-8")
    assert main([str(tmp_path / "d.cert")]) == 0
    out = capsys.readouterr().out
    assert all(line in out for line in lines)


@pytest.mark.parametrize(("changes", "reason"), [
    ({"readout": "first"}, "read: the network outputs logits of its first token only"),
    ({"readout": "mean"}, "readout"),
    ({"compared": comparison("eval 1", 1, [1, 8], "0")}, "original"),
    ({"compared": comparison("torch a\nb", 1, [1, 8], "0")}, "original"),
    ({"compared": comparison("torch 2", 1, [2, 1], "0")}, "lengths"),
    ({"compared": comparison("torch 2", 1, [1, 2, 3], "0")}, "lengths"),
    ({"compared": comparison("torch 2", 1, [1, 8], "-1")}, "difference")])
def test_the_checker_refuses_a_claim_about_logits_that_the_network_does_not_output(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], reason: str) -> None:
    (tmp_path / "d.cert").write_text(with_network(**changes), encoding="utf-8")
    assert main([str(tmp_path / "d.cert")]) == 2
    out = capsys.readouterr().out
    assert out.startswith("malformed") and reason in out


def test_a_claim_has_the_same_json_whatever_said_where_it_is_judged() -> None:
    assert claim_to_json(asked(Flags("ab", read="last", sign=("0: Q_a",)))) == claim_to_json(
        asked(Flags("ab", sign=("0: Q_a",)), "last"))


