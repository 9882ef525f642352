"""Options say what claim files say, and what is wrong with them is said in one line."""

from pathlib import Path
from typing import Any

import pytest

from certify.claims.trained.claim_file import Scope, claim_of_table
from certify.claims.trained.flags import Flags, table_of_flags, tracks_table_of_flags
from certify.claims.trained.question import read_question
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.errors import InputError
from constructions.network.json_form import write_canonical
from constructions.tables import read_toml
from constructions.trained.claim_form import claim_to_json
from constructions.trained.json_form import network_to_json
from tests.trained.claims import claim_of, network_of
from tests.trained.small_networks import write_network

FOLLOW = Flags("ab", before="2", at="every", empty=True, follow="regex:(ab)*", end="4", margin="1/4")
FOLLOW_IN_TOML = """
alphabet = "ab"
before = [2]
read = "each"
empty = true
margin = 0.25
[[answer]]
kind = "follow"
language = { regex = "(ab)*" }
end = 4
"""


@pytest.mark.parametrize(("flags", "toml"), [
    (FOLLOW, FOLLOW_IN_TOML),
    (Flags("a,b", "1,0", after="3,3", at="last", given="ODD", larger=("1,0: Q_a",),
           predicate=("LATE(k) := k > 1",)),
     """alphabet = "a,b"\ntokens = [1, 0]\nafter = [3, 3]\nread = "last"\ngiven = "ODD"
     predicate = ["LATE(k) := k > 1"]\n[[answer]]\nkind = "larger"\ntokens = [1, 0]\ntruth = "Q_a" """),
    (Flags("ab", read="first", argmax=("0: Q_a", "1: regex:.*b")),
     """alphabet = "ab"\nread = "first"\nat = "last"\n[[answer]]\nkind = "argmax"
     choices = [{ token = 0, truth = "Q_a" }, { token = 1, truth = { regex = ".*b" } }]"""),
])
def test_options_say_what_a_file_says(flags: Flags, toml: str) -> None:
    network, scope = network_of(rows=9, vocabulary=6), Scope(max_n=4)
    of_flags = claim_of_table(table_of_flags(flags), "options", Path(), network, scope)
    assert of_flags == claim_of_table(read_toml(toml, "c.toml"), "c.toml", Path(), network, scope)


@pytest.mark.parametrize(("flags", "toml"), [
    (Flags("01", "1,0", machine="add", columns="2", layout="a,2,b,3,answer", margin="1/4"),
     """alphabet = "01"\ntokens = [1, 0]\ncolumns = 2\ntracks = ["a", "b"]\nmachine = "add"\nmargin = "1/4"
     layout = ["a", 2, "b", 3, "answer"]"""),
    (Flags("abc", machine="modular-sum:2", columns="1-3", layout="x:last, 4, answer"),
     """alphabet = "abc"\ncolumns = [1, 3]\ntracks = ["x"]\nmachine = "modular-sum"\nby = 2
     layout = [{ track = "x", from = "last" }, 4, "answer"]"""),
    (Flags("ab", machine="regex:(ab)*", columns="2", layout="x,4,answer"),
     """alphabet = "ab"\ncolumns = 2\ntracks = ["x"]\nmachine = { regex = "(ab)*" }\nlayout = ["x", 4, "answer"]"""),
])
def test_options_say_what_a_file_about_tracks_says(flags: Flags, toml: str) -> None:
    network = network_of(rows=9, vocabulary=6)
    assert tracks_claim_of_table(tracks_table_of_flags(flags), "options", network) == tracks_claim_of_table(
        read_toml(toml, "c.toml"), "c.toml", network)


@pytest.mark.parametrize(("flags", "message"), [
    (Flags(machine="add", columns="2"), "--machine: expected --layout beside it"),
    (Flags(machine="add", layout="a,answer"), "--machine: expected --columns beside it"),
    (Flags(machine="add", columns="2", layout="a,answer", at="last"),
     "--at: the claim is about inputs in tracks (--machine), expected no such option"),
    (Flags(machine="add", columns="x", layout="a,answer"), '--columns: "x", expected a number or a range such as 1-10'),
    (Flags(machine="add", columns="2", layout="a,,answer"),
     '--layout: "", expected tokens and tracks such as a,10,b:last,11,answer'),
    (Flags(machine="add", columns="2", layout="a:first,answer"),
     '--layout: "a:first", expected tokens and tracks such as a,10,b:last,11,answer'),
    (Flags(machine="add:x", columns="2", layout="a,answer"),
     '--machine: "add:x", expected a name such as add or multiply-by:3, or dfa:FILE'),
])
def test_options_about_tracks_that_are_not_of_their_form_are_refused(flags: Flags, message: str) -> None:
    with pytest.raises(InputError) as caught:
        tracks_table_of_flags(flags)
    assert str(caught.value) == message


@pytest.mark.parametrize(("flags", "message"), [
    (Flags("ab", at="last", sign=("0: Q_a",), columns="3"), "--columns: expected --machine beside it"),
    (Flags("ab", at="last", sign=("0: Q_a",), layout="a"), "--layout: expected --machine beside it"),
    (Flags(at="every"), "no claim: expected --claim FILE, or --alphabet, --read and one of --sign, "
                            "--larger, --argmax, --follow"),
    (Flags("ab", at="every"), "no meaning of the logits: expected one of --sign, --larger, --argmax, --follow"),
    (Flags("ab", at="every", sign=("Q_a",)), "--sign: \"Q_a\", expected '0: FORMULA'"),
    (Flags("ab", at="every", sign=("0,1: Q_a",)), "--sign: \"0,1: Q_a\", expected '0: FORMULA'"),
    (Flags("ab", at="every", larger=("0: Q_a",)), "--larger: \"0: Q_a\", expected '0,1: FORMULA'"),
    (Flags("ab", before="x", at="every"), '--before: "x", expected tokens such as 2 or 2,3'),
])
def test_options_that_are_not_of_their_form_are_refused(flags: Flags, message: str) -> None:
    with pytest.raises(InputError) as caught:
        table_of_flags(flags)
    assert str(caught.value) == message


def written(tmp_path: Path, **more: Any) -> str:
    """Return a network in a file, or with a claim in a certificate."""
    path = tmp_path / "model.json"
    network = network_of(rows=9, vocabulary=6)
    if more:
        path.write_text(write_canonical(more | {"network": network_to_json(network)}), encoding="utf-8")
    else:
        write_network(network, path)
    return str(path)


def test_a_claim_is_in_a_file_or_in_options_and_not_in_both(tmp_path: Path) -> None:
    claim = tmp_path / "c.toml"
    claim.write_text(FOLLOW_IN_TOML, encoding="utf-8")
    model = written(tmp_path)
    assert read_question(model, str(claim), Flags(), Scope(3))[1].lengths == (1, 3)
    with pytest.raises(InputError, match="--alphabet: given together with a claim file, expected one of the two"):
        read_question(model, str(claim), Flags("ab"), Scope(3))


def test_a_certificate_has_a_claim_of_its_own(tmp_path: Path) -> None:
    own = claim_of([], offsets=(1, 2), lengths=(1, 4))
    model = written(tmp_path, format="certify-decision", inputs="words", claim=claim_to_json(own))
    assert read_question(model, None, Flags(), Scope())[1] == own
    claim = read_question(model, None, Flags(), Scope(max_n=3, min_n=2, offsets="all"))[1]
    assert (claim.lengths, claim.offsets) == ((2, 3), (0, 7))
    with pytest.raises(InputError, match="max_n: 9, but at offset 1 no word of more than 8 letters fits"):
        read_question(model, None, Flags(), Scope(max_n=9, min_n=9))
