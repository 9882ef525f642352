"""Files of trained networks: whatever is changed in one, it is refused in order, or what it says is still true."""

import itertools
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs.check import Malformed, Refusal, check_text, main, verdict_of
from proofs.check.checker.chapters.word_semantics.truth import TruthsAlongWord
from proofs.check.checker.kernel.budget import MAX_BYTES, Budget
from proofs.checking.parts import check_part, estimate
from tests.check import handmade
from tests.check.trained_corpus import (
    changed,
    make_units,
    means,
    signs_of_logits,
    with_bit,
    wrong_word,
)
from tests.check.trained_networks import decision, dump, make_network, parsed
from tests.check.trained_reference import Reference, rational
from tests.in_process import run_certify
from tests.tiers import few_and_all

Document = dict[str, Any]
CORPUS = Path(__file__).parents[1] / "corpus"


def verdict(data: bytes) -> str:
    try:
        check_text(data)
    except Refusal as refusal:
        return verdict_of(refusal)
    return "accepted"


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path] * bool(path) + [p for key, inner in items for p in places(inner, (*path, key))]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("value", [None, True, 77, -1, "x", "1/2", [], {}, [[]], [None], {"a": 1}])
@pytest.mark.parametrize("make", [means, wrong_word])
def test_every_place_survives_every_type(make: Any, value: object) -> None:
    """Nothing fails from within; what is accepted has no weight, token or case of another value."""
    original = make()
    harmless = {("claim", key) for key in ("predicates",)} | {("network", "sources"), ("network", "tokens", "strides")}
    for path in places(original):
        made = changed(original, *path, value=value)
        try:
            check_text(dump(made))
        except Refusal as refusal:
            assert "could not be completed" not in str(refusal), path
        else:
            assert made == original or path[:2] in harmless or is_true(made), path


def is_true(document: Document) -> bool:
    """Return whether, by the reference, a claim by states or always holds on all words, or is refuted rightly."""
    claim = document["claim"]
    if document["by"] == "wrong word" or claim["automaton"] is None:
        return mean_is_true(document)
    reference, steps = Reference(document["network"]), claim["automaton"]["steps"]
    for n in range(1, claim["max_n"] + 1):
        for word in itertools.product(range(2), repeat=n):
            state = claim["automaton"]["start"]
            for letter in word:
                state = steps[state][letter]
            tokens = [*claim["before"], *(claim["tokens"][letter] for letter in word), *claim["after"]]
            logits = reference.logits(tokens)[-1]
            for case in claim["cases"]:
                rows = case["above"] if state in case["when"]["states"] else []
                if any(sum(rational(c) * logits[t] for t, c in row) <= rational(claim["margin"]) for row in rows):
                    return False
    return True


def mean_is_true(document: Document) -> bool:
    """Return whether the claim about the mean is true, if the weights are unchanged."""
    budget = Budget()
    wrong = document["by"] == "wrong word"
    given = parsed(document, budget)
    if document["network"]["tensors"] != means()["network"]["tensors"]:
        return False
    truth, claim = TruthsAlongWord(given.claim.conditions, given.claim.language), given.claim
    words = [given.evidence.word] if wrong else itertools.chain(
        *(itertools.product(range(2), repeat=n) for n in range(1, claim.max_n + 1)))
    for word in words:
        for i, holding in truth.cases(word, range(1, len(word) + 1)).items():
            logits = (Fraction(sum(word[:i]), i + 1), Fraction(1, 2))
            rows = [row for case in holding for row in claim.cases[case].above]
            if wrong:
                at = given.evidence
                rows = [claim.cases[at.case].above[at.row]] if i == at.place and at.case in holding else []
            if any((sum(c * logits[t] for t, c in row) <= claim.margin) != wrong for row in rows):
                return False
    return True


@pytest.mark.parametrize("flips", few_and_all(3, 12))
@pytest.mark.parametrize("kind", ["gpt2", "rotary", "bidirectional"])
def test_a_flipped_bit_of_a_weight_is_never_accepted_wrongly(kind: str, flips: int) -> None:
    network, rng = make_network(kind, seed=6), random.Random(8)
    changes = {} if network["attention"] == "causal" else {"read": "last", "after": [3]}
    original = decision(network, signs_of_logits(network, 3, **changes))
    assert verdict(dump(original)) == "accepted"
    refused = 0
    for _ in range(flips):
        name = rng.choice(sorted(network["tensors"]))
        size = len(network["tensors"][name]["data"]) * 6
        made = with_bit(original, name, 32 * rng.randrange(size // 32 - 1) + rng.randrange(25, 32))
        if verdict(dump(made)) == "accepted":
            assert is_true(made)
        else:
            refused += 1
    assert refused > 0


def test_a_decision_may_be_larger_than_other_files() -> None:
    name = "m" * MAX_BYTES
    large = changed(means(), "network", "sources", value=[{"file": name, "sha256": "0" * 64}])
    assert verdict(dump(large)) == "accepted"
    with pytest.raises(Malformed, match=r"^limit: more than 16777216 bytes; --work 2 allows more$"):
        check_text(dump(changed(large, "format", value="certify-certificate")))


def test_a_view_of_one_element_cannot_fill_the_memory() -> None:
    wide = changed(means(), "network", "tokens", "shape", value=[1 << 24, 4])
    wide["network"]["tokens"]["strides"] = [0, 0]
    with pytest.raises(Malformed, match="it has more elements than the tensor"):
        check_text(dump(wide))


def test_words_that_are_too_many_are_estimated() -> None:
    many = changed(means(), "claim", "max_n", value=60)
    many["network"]["positions"] = None
    del many["network"]["tensors"]["t4"]
    many["network"]["tensors"] = {f"t{k}": t for k, t in enumerate(many["network"]["tensors"].values())}
    for where, name in (("weight", "t4"), ("bias", "t5")):
        many["network"]["unembedding"][where]["tensor"] = name
    many["claim"]["offsets"] = [0, 0]
    many["evidence"]["units"] = [{"offset": 0, "from": first, "to": last, "by": "words"}
                                 for first, last in ((60, 60), (1, 59))]
    assert estimate(dump(many))["words"] == 2**61 - 2


def test_only_decisions_have_parts() -> None:
    for data in (handmade.dump(handmade.since_certificate(2)), dump(wrong_word())):
        with pytest.raises(Malformed, match="a file of this kind has no parts and no samples"):
            check_part(data, 1, 2)


@pytest.mark.parametrize(("options", "printed"), [
    (["--part", "1/2"], "part 1/2 is proved: 68 words"), (["--part", "2/2"], "part 2/2 is proved: 56 words"),
    (["--sample", "1"], "a sample of 1 is proved: "),
    (["--estimate"], "nothing is proved; about: 124 words, 0 nodes, 1 seconds")])
def test_a_part_is_incomplete_and_says_what_it_proved(options: list[str], printed: str, tmp_path: Path) -> None:
    path = str(CORPUS / "accepted" / "trained_mean.cert")
    run = run_certify("check", *options, path, folder=tmp_path, environment={})
    assert run.returncode == 3 and run.stdout.startswith(f"incomplete: {path}: {printed}")


@pytest.mark.parametrize(("options", "message"), [
    *((["--part", part], "--part: expected K/M, K from 1 to M") for part in ("0/2", "3/2", "1", "a/b", "1/", "-1/2")),
    (["--sample", "0"], "--sample: expected a number of 1 or more, got 0"),
    (["--part", "1/2", "--estimate"], "--part, --sample, --estimate: expected one of them")])
def test_parts_that_make_no_sense_are_refused(options: list[str], message: str, tmp_path: Path) -> None:
    run = run_certify("check", *options, "x", folder=tmp_path, environment={})
    assert run.returncode == 2 and message in run.stderr and not run.stdout


@pytest.mark.parametrize(("options", "status"), [
    (["--max-n", "5"], 0), (["--alphabet", "01"], 0), (["--max-n", "6"], 1), (["--min-n", "2"], 1),
    (["--alphabet", "0"], 1), (["--formula", "Q_0", "--alphabet", "01"], 1), (["--causal"], 1)])
def test_what_is_asked_for_is_compared_where_it_makes_sense(options: list[str], status: int) -> None:
    assert main([*options, str(CORPUS / "accepted" / "trained_mean.cert")]) == status


def test_a_refutation_is_no_answer_to_a_claim_that_is_asked_for() -> None:
    path = str(CORPUS / "accepted" / "trained_wrong_word.cert")
    assert main([path]) == 0
    assert main(["--max-n", "5", path]) == 1


def test_what_is_printed_is_the_whole_claim() -> None:
    lines = check_text(dump(means())).lines
    assert "case 1       where #<[Q_1] - #<[Q_0] > 1" in lines
    assert "             1 * logit 0 + -1 * logit 1" in lines
    whole = means(offsets=[0, 6], max_n=7, cases=[])
    whole["evidence"]["units"] = [{"offset": o, "from": 1, "to": 7 - o, "by": "words"} for o in range(7)]
    assert any("its whole domain" in line for line in check_text(dump(whole)).lines)
    assert not any("its whole domain" in line for line in lines)
    assert check_text(dump(wrong_word())).lines[0] == "the claim that follows is FALSE:"


@pytest.mark.parametrize(("changes", "reason"), [
    ({"offsets": [0, 0], "max_n": 8}, "claim: max_n: at offset 0 no word longer than 7 has rows"),
    ({"offsets": [3, 3], "max_n": 5}, "claim: max_n: at offset 3 no word longer than 4 has rows"),
    ({"offsets": [0, 7], "max_n": 7}, "claim: offsets: no word of length 1 has rows at 7"),
    ({"offsets": [0, 6], "min_n": 2, "max_n": 7}, "claim: offsets: no word of length 2 has rows at 6")])
def test_a_claim_that_names_lengths_or_offsets_without_rows_is_malformed(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed, match=f"^{reason}$"):
        check_text(dump(means(**changes)))


def test_names_of_sources_stay_in_their_line() -> None:
    hostile = changed(means(), "network", "sources", value=[{"file": "x\naccepted: y", "sha256": "0" * 64}])
    (line,) = [line for line in check_text(dump(hostile)).lines if "accepted" in line]
    assert line.startswith("from         'x\\naccepted: y', sha256 ")


def test_units_are_read() -> None:
    assert verdict(dump(make_units())) == "accepted"
    assert json.loads(dump(make_units()))["claim"]["cases"] == []


def test_a_unit_that_names_directions_which_are_not_there_is_malformed() -> None:
    made = json.loads((CORPUS / "accepted" / "trained_mean_by_classes.cert").read_text(encoding="ascii"))
    made["evidence"]["units"][2]["directions"] = 1
    with pytest.raises(Malformed, match=r"^evidence: units: there are no directions 1$"):
        check_text(dump(made))


@pytest.mark.parametrize("changes", [{"read": "last"}, {"before": []}])
def test_the_word_without_letters_is_judged_where_each_letter_is_and_a_token_stands_before(
        changes: dict[str, Any]) -> None:
    assert verdict(dump(means(empty=True, offsets=[0, 0]))) != "malformed"
    with pytest.raises(Malformed, match=r"^claim: empty: only with each, and a token before$"):
        check_text(dump(means(empty=True, offsets=[0, 0], **changes)))


def test_what_stands_at_the_places_of_an_input_and_of_its_answers_is_printed() -> None:
    lines = check_text((CORPUS / "accepted" / "trained_tracks.cert").read_bytes()).lines
    at = next(k for k, line in enumerate(lines) if line.startswith("form 1"))
    assert [line.strip() for line in lines[at:at + 3]] == [
        "form 1       2 columns, read by table 1",
        "input: 'a' of column 1, 'a' of column 2, token 2, 'b' of column 1, 'b' of column 2, token 3",
        "answers: answer 1 of column 1, answer 1 of column 2, end 1"]


@pytest.mark.parametrize(("shape", "strides"), [([2], [1]), ([2, 1, 1], [1, 1, 1]), ([2, 1], [1]), ([2], [1, 1])])
def test_a_matrix_has_two_dimensions_and_a_stride_for_each(shape: list[int], strides: list[int]) -> None:
    made = means()
    made["network"]["steps"][0]["heads"][0]["query"]["weight"] |= {"shape": shape, "strides": strides}
    with pytest.raises(Malformed, match=r"expected 2 dimensions$"):
        check_text(dump(made))


@pytest.mark.parametrize(("path", "value", "reason"), [
    (("claim", "forms", 0, "layout", 0), ["track", 2, 0], "there is no track 2"),
    (("claim", "forms", 0, "layout", 8), ["end", 1], "there is no end 1"),
    (("evidence", "units", 0, "splits"), [[0, 0]], "expected query, class and column of each")])
def test_a_place_and_a_split_name_what_is_there(path: tuple[Any, ...], value: Any, reason: str) -> None:
    made = json.loads((CORPUS / "accepted" / "trained_tracks.cert").read_text(encoding="ascii"))
    with pytest.raises(Malformed, match=f"{reason}$"):
        check_text(dump(changed(made, *path, value=value)))
