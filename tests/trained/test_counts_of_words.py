"""Numbers of right words: the certified bounds contain what a plain forward pass counts; no false number passes."""

import json
import random
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from itertools import product
from math import prod
from operator import mul
from typing import Any

import numpy as np
import pytest

from certify.claims.trained import word_counting
from certify.claims.trained.count_errors import tables_of_word_errors, word_count_with_errors_to_json
from certify.claims.trained.count_weights import read_weights
from certify.claims.trained.word_counting import WordsCount, count_words
from certify.exports.pages.decision.pages import page_of_decision
from certify.learning.learn import learnt_decision
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, input_tokens, judged
from constructions.trained.claim_form import claim_from_json
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import Malformed, Rejected
from proofs.enclosures.float_models.model import presets
from proofs.trained.counting.verdicts import letters_weigh
from proofs.words.tracking import cases_at
from tests.check.trained_corpus_of_counts import counted
from tests.check.trained_networks import refusal_of
from tests.tiers import few_and_all
from tests.trained.class_claims import by_counts, by_states, causal_network
from tests.trained.tracks.plain_tracks import PlainNetwork

DOUBT = 1e-7  # nearer margins would not tell which float is right
Question = tuple[TrainedNetwork, WordsClaim]


@cache
def of_the_zoo(name: str, longest: int) -> Question:
    network = plans()[name].network()
    return network, replace(plans()[name].claim(network), lengths=(1, longest), offsets=(0, 0))


def of_random_weights(name: str, seed: int) -> Question:
    claim = {"each": by_states((1, 6), empty=True), "after": by_counts((1, 6))}[name]
    network = causal_network(seed)
    offset = 0 if network.rows is None else seed % 3
    return network, replace(claim, offsets=(offset, offset))


def margins_plainly(question: Question) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield each judged word with the least of its rows minus the margin, by a plain forward pass."""
    network, claim = question
    plain = PlainNetwork(network_to_json(network))
    for n in range(claim.lengths[0], claim.lengths[1] + 1):
        words = list(product(range(len(claim.alphabet)), repeat=n))
        tokens = np.array([input_tokens(claim, [claim.alphabet[letter] for letter in word]) for word in words])
        runs = [plain.run(tokens, offset)[0] for offset in range(claim.offsets[0], claim.offsets[1] + 1)
                if network.rows is None or offset + tokens.shape[1] <= network.rows]
        for number, word in enumerate(words):
            symbols = [claim.alphabet[letter] for letter in word]
            rows = {place: [row for case in cases_at(claim, symbols, place) for row in claim.cases[case].above]
                    for place, _ in judged(claim, n)}
            if rows[n]:
                yield word, min(sum(float(c) * logits[number, at, token] for token, c in row) - float(claim.margin)
                                for logits in runs for place, at in judged(claim, n) for row in rows[place])


def counted_plainly(question: Question, letters: Sequence[Fraction] = ()) -> list[tuple[Fraction, Fraction]]:
    """Return the weight of the judged words of each length, and of the right ones, run one by one."""
    first, last = question[1].lengths
    found = [(Fraction(0), Fraction(0))] * (last + 1)
    for word, margin in margins_plainly(question):
        assert abs(margin) > DOUBT
        weight = prod((letters[letter] for letter in word if letters), start=Fraction(1))
        total, right = found[len(word)]
        found[len(word)] = total + weight, right + weight * (margin > 0)
    return found[first:]


ZOO = [("tomita_7", 8), ("tomita_7_deep", 6), ("palindromes", 7), ("majority", 7), ("flip_flop", 5), ("dyck_1", 6),
       ("tomita_4_turned", 7)]


@pytest.mark.parametrize(("name", "longest"), ZOO)
def test_networks_are_right_on_as_many_words_as_run_one_by_one(name: str, longest: int) -> None:
    question = of_the_zoo(name, longest)
    rows = count_words(*question).rows
    assert [(row.total, row.least) for row in rows] == counted_plainly(question)
    assert all(row.is_exact and row.total == row.most + sum(row.wrong_at.values()) for row in rows)


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in ("each", "after") for seed in range(6)])
def test_random_networks_are_counted_as_all_words_say(name: str, seed: int) -> None:
    question = of_random_weights(name, seed)
    letters = [Fraction(2, 3), Fraction(seed, 2)]
    weights = [letters_weigh(n, letters) for n in range(1, 7)]
    for given, by in ((None, ()), (weights, letters)):
        rows = count_words(*question, weights=given).rows
        assert [(row.total, row.least) for row in rows] == counted_plainly(question, by)
        assert all(row.is_exact for row in rows)


@pytest.mark.parametrize("changes", [{"offsets": (0, 2)}, {"margin": Fraction(1, 2)}])
@pytest.mark.parametrize("seed", range(3))
def test_several_offsets_and_margins_are_bounded(seed: int, changes: dict[str, Any]) -> None:
    network, claim = of_random_weights("each", seed)
    question = network, replace(claim, **changes)
    for row, (total, right) in zip(count_words(*question).rows, counted_plainly(question), strict=True):
        assert row.total == total and row.least <= right <= row.most
        assert "margin" in changes or row.is_exact


def test_words_that_are_wrong_at_some_offsets_only_are_wrong() -> None:
    network, claim = of_random_weights("each", 0)
    for last, own in ((2, [0, 1, 2]), (8, [0, 4])):
        question = network, replace(claim, offsets=(0, last))
        found = count_words(*question)
        assert [(row.total, row.least, row.most) for row in found.rows] == [
            (total, right, right) for total, right in counted_plainly(question)]
        parts = json.loads(found.certificate)["evidence"]["parts"]
        assert [part["offsets"][0] for part in parts if "offsets" in part] == own


def test_a_lemma_about_some_offsets_proves_no_word_right_and_none_without_rows_there() -> None:
    network, claim = of_random_weights("each", 0)
    document = json.loads(count_words(network, replace(claim, offsets=(0, 2))).certificate)
    assert refusal_of(document) is None

    def changed(number: int, **keys: Any) -> dict[str, Any]:
        made = deepcopy(document)
        made["evidence"]["parts"][number] |= keys
        return made

    keys = ("max_n", "margin", "offsets", "automaton", "cases", "by", "evidence")
    first = document["evidence"]["parts"][0] | {"offsets": [0, 0]}
    units = [unit for unit in first["evidence"]["units"] if unit["offset"] == 0]
    first["evidence"] = {**first["evidence"], "units": units}
    made = deepcopy(document)
    made["evidence"]["parts"][0] = {key: first[key] for key in keys}
    assert refusal_of(made) is Rejected
    made["counts"]["right"] = [["0", most] for _, most in made["counts"]["right"]]
    assert refusal_of(made) is None
    for offsets in ([0, 3], [1, 0], [0], []):
        assert refusal_of(changed(1, offsets=offsets)) is Malformed
    made = deepcopy(document)
    del made["evidence"]["parts"][1]["offsets"]
    assert refusal_of(made) is Rejected
    network, claim = of_random_weights("each", 17)
    found = count_words(network, replace(claim, offsets=(0, 5)))
    document = json.loads(found.certificate)
    assert document["counts"]["right"][-1] == ["4", "5"] and refusal_of(document) is None  # no rows at offset 5
    document["counts"]["right"][-1] = ["4", "4"]
    assert refusal_of(document) is Rejected


def first_errors(question: Question, letters: Sequence[Fraction]) -> Iterator[tuple[tuple[Any, ...], bool, Fraction]]:
    """Yield, for each word of the greatest length and each place up to the first error, a required row and the word's
    letters up to there; whether the row fails, and is the least; and the weight of the word."""
    network, claim = question
    plain, n = PlainNetwork(network_to_json(network)), claim.lengths[1]
    for word in product(range(len(claim.alphabet)), repeat=n):
        symbols = [claim.alphabet[letter] for letter in word]
        logits = plain.run(np.array([input_tokens(claim, symbols)]), claim.offsets[0])[0][0]
        rows = {place: sorted(row for case in cases_at(claim, symbols, place) for row in claim.cases[case].above)
                for place, _ in judged(claim, n)}
        weight = Fraction(1)
        for letter in word:
            weight *= letters[letter]
        for place, at in judged(claim, n) if rows[n] else ():
            values = {row: sum(float(c) * logits[at, token] for token, c in row) for row in rows[place]}
            is_wrong = min(values.values(), default=1.0) < 0
            for row in values:
                yield (row, word[:place]), is_wrong and row == min(values, key=values.__getitem__), weight
            if is_wrong:
                break


@pytest.mark.parametrize(("name", "seed"), [("each", 1), ("each", 7), ("after", 2)])
def test_kinds_of_errors_weigh_as_the_words_that_run_one_by_one(name: str, seed: int) -> None:
    network, claim = of_random_weights(name, seed)
    question, letters = (network, replace(claim, empty=False)), [Fraction(2, 3), Fraction(5, 2)]
    found = count_words(*question, weights=[letters_weigh(n, letters) for n in range(1, 7)])
    plain = [*first_errors(question, letters)]
    assert sum(one.weight for one in found.kinds) == sum(found.rows[-1].wrong_at.values()) > 0
    for one in found.kinds:
        whole = None in one.ending
        ending = tuple(letter for letter in one.ending if letter is not None)
        mine = [(fails, weight) for (row, word), fails, weight in plain if row == one.row and (
            word == ending if whole else word[len(word) - len(ending):] == ending)]
        assert one.matching == sum(weight for _, weight in mine)
        assert one.weight == sum(weight for fails, weight in mine if fails)


def test_errors_of_tomita_7_are_of_these_kinds() -> None:
    found = count_words(*of_the_zoo("tomita_7", 12))
    (_, _, rows), = tables_of_word_errors(found, 2)
    assert rows == [("…0111", "logit[0]", "104", "34.78 %", "100 %"),
                    ("…0000011", "logit[0]", "41", "13.71 %", "100 %")]
    assert word_count_with_errors_to_json(found)["kinds"][0] == {
        "n": 12, "ending": ["0", "1", "1", "1"], "is_whole": False, "row": [[0, "1"]], "at_least": "104",
        "share": "8/23", "matching": "104"}
    assert "…0000011" in page_of_decision(found)


def test_wrong_prefixes_bound_the_right_words_of_greater_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    question = of_the_zoo("tomita_7", 9)
    right = [right for _, right in counted_plainly(question)]
    monkeypatch.setattr(word_counting, "MOST_WORDS", 150)
    *short, longest = count_words(*question).rows
    assert [row.least for row in short[:6]] == [row.most for row in short[:6]] == right[:6]
    assert 0 < longest.least <= right[-1] <= longest.most < longest.total


@pytest.mark.parametrize(("name", "seed"), [("each", 0), ("each", 1), ("after", 0)])
def test_right_states_bound_the_right_words_that_are_not_run(name: str, seed: int, monkeypatch: pytest.MonkeyPatch
                                                              ) -> None:
    for limit, number in (("MOST_WORDS", 30), ("FEW_WORDS", 1), ("MOST_STATES", 16), ("ROUNDS", 6)):
        monkeypatch.setattr(word_counting, limit, number)
    question = of_random_weights(name, seed)
    for row, (total, right) in zip(count_words(*question).rows, counted_plainly(question), strict=True):
        assert row.total == total and row.least <= right <= row.most


def test_abstract_words_decide_lengths_of_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counting, "MOST_WORDS", 20)
    network, claim = of_the_zoo("first", 9)
    assert [row.least for row in count_words(network, claim).rows] == [2**n for n in range(1, 10)]
    learnt = count_words(*of_the_zoo("tomita_7", 5), learns=learnt_decision)
    assert [row.least for row in learnt.rows] == [row.most for row in learnt.rows] == [2, 4, 8, 14, 23]


def test_every_execution_is_counted_as_the_exact_numbers_are_where_margins_are_large() -> None:
    found = count_words(*of_the_zoo("tomita_7", 4), run=presets()["binary32"])
    assert [(row.least, row.most) for row in found.rows] == [(n, n) for n in (2, 4, 8, 14)]
    coarse = count_words(*of_the_zoo("tomita_7", 4), run=presets()["bfloat16/binary32"])
    assert [row.least for row in coarse.rows] == [2, 4, 8, 14]


def test_answers_that_depend_on_later_letters_are_not_counted() -> None:
    network, claim = of_random_weights("each", 0)
    with pytest.raises(Unsupported, match="depend on later letters"):
        count_words(replace(network, attention="bidirectional"), claim)


def test_lengths_are_drawn_alike_where_a_file_says_so(tmp_path: Any) -> None:
    question = of_the_zoo("tomita_7", 5)
    (tmp_path / "weights.toml").write_text('lengths = "alike"\n[letters]\n0 = "1/3"\n1 = "2/3"\n')
    weights = read_weights(str(tmp_path / "weights.toml"), question[1])
    found = count_words(*question, weights=weights)
    plainly = counted_plainly(question, [Fraction(1, 3), Fraction(2, 3)])
    assert found.total == 1
    assert found.shares == (sum(right / total for total, right in plainly) / 5,) * 2


# -- false certificates ------------------------------------------------------------------------------------------------


@cache
def count() -> WordsCount:
    return count_words(*of_the_zoo("tomita_7", 5))


def document() -> dict[str, Any]:
    certificate: dict[str, Any] = json.loads(count().certificate)
    return deepcopy(certificate)


def test_other_numbers_are_refused_unless_they_say_less() -> None:
    for n, (least, most) in enumerate(document()["counts"]["right"][3:], 3):
        for below, above in ((-1, 1), (-1, -1), (1, 1), (1, 2)):
            found = document()
            found["counts"]["right"][n] = [str(int(least) + below), str(int(most) + above)]
            assert (refusal_of(found) is None) == (below <= 0 <= above)


def test_a_part_that_another_claim_replaces_proves_no_other_number() -> None:
    """The length, the margin, a case with its row negated, a state of a case."""
    def changed(**changes: Any) -> dict[str, Any]:
        found = document()
        found["evidence"]["parts"][0] |= changes
        return found

    (part,) = document()["evidence"]["parts"]
    assert refusal_of(changed()) is None
    assert refusal_of(changed(max_n=4)) is not None
    assert refusal_of(changed(max_n=6)) is not None
    assert refusal_of(changed(margin="-1")) is not None
    for place, case in enumerate(part["cases"]):
        for rows in ([], [[[token, str(-Fraction(c))] for token, c in row] for row in case["above"]]):
            cases = [*part["cases"][:place], case | {"above": rows}, *part["cases"][place + 1:]]
            assert refusal_of(changed(cases=cases)) is not None
    assert refusal_of(changed(by="each word", evidence={})) is not None
    found = document()
    found["evidence"]["parts"] = []
    assert refusal_of(found) is not None
    found["counts"]["right"] = [["0", "100"]] * 5
    assert refusal_of(found) is None


def mutated(found: dict[str, Any], draw: random.Random) -> None:
    """Change a step, the states of a case, a row, the start or the length of a part."""
    part = draw.choice(found["evidence"]["parts"])
    states, case = len(part["automaton"]["steps"]), draw.choice(part["cases"])
    match draw.randrange(5):
        case 0 | 1:
            draw.choice(part["automaton"]["steps"])[draw.randrange(2)] = draw.randrange(states)
        case 2:
            case["when"]["states"] = sorted({*case["when"]["states"]} ^ {draw.randrange(states)})
        case 3:
            row = draw.choice(case["above"])
            row[0][draw.randrange(2)] = draw.choice([0, 1, 2, 3, "1", "-1"])
        case 4:
            part["automaton"]["start"] = draw.randrange(states)


def mutants_are_refused(first: dict[str, Any], exact: Sequence[int], seed: int, mutants: int) -> None:
    """Check that no mutant proves that fewer, or more, words of a length are right than are."""
    draw, lengths = random.Random(seed), len(exact)
    for _ in range(mutants):
        found = deepcopy(first)
        for _ in range(draw.randrange(1, 4)):
            mutated(found, draw)
        n = draw.randrange(lengths)
        false = exact[n] + draw.choice([-1, 1])
        found["counts"]["right"] = [["0", "100"]] * lengths
        found["counts"]["right"][n] = [str(false), "100"] if false > exact[n] else ["0", str(false)]
        assert refusal_of(found) is not None


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 100))])
def test_no_mutant_proves_a_false_number(seed: int) -> None:
    mutants_are_refused(document(), [int(least) for least, _ in document()["counts"]["right"]], seed, 10)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 100))])
def test_no_mutant_of_a_lemma_proves_a_false_number_of_ties(seed: int) -> None:
    """Only words without a 1 are right: a tie follows the first letter, or an error."""
    mutants_are_refused(counted(), [1] * 4, seed, 100)


@cache
def certificates() -> tuple[str, ...]:
    """Return certificates of exact counts: of the zoo, with weights of letters, and at several offsets."""
    weights = [letters_weigh(n, [Fraction(2, 3), Fraction(5, 2)]) for n in range(1, 7)]
    network, claim = of_random_weights("each", 0)
    return (count().certificate, count_words(*of_random_weights("after", 2), weights=weights).certificate,
            count_words(network, replace(claim, offsets=(0, 2))).certificate)


def weight_of(automaton: dict[str, Any], word: Sequence[int]) -> Fraction:
    """Return the sum over all runs, one by one."""
    found = [*map(Fraction, automaton["start"])]
    for table, letter in zip(automaton["columns"], word, strict=True):
        steps = automaton["tables"][table][letter]
        found = [sum((found[source] * Fraction(weight) for source, target, weight in steps if target == state),
                     Fraction(0)) for state in range(len(found))]
    return sum(map(mul, found, map(Fraction, automaton["end"])), Fraction(0))


def bounds_plainly(found: dict[str, Any]) -> list[list[Fraction]]:
    """Return, for each length, the weight of the words that are surely right, and of those that are not surely wrong.
    """
    claim, weights = claim_from_json(found["claim"]), found["counts"]["weights"]
    bounds = [[Fraction(0)] * 2 for _ in range(claim.lengths[1] + 1)]
    for word, margin in margins_plainly((network_from_json(found["network"], "network"), claim)):
        weight = Fraction(1) if weights is None else weight_of(weights[len(word) - claim.lengths[0]], word)
        for end, least in enumerate((DOUBT, -DOUBT)):
            bounds[len(word)][end] += weight * (margin > least)
    return bounds[claim.lengths[0]:]


def drawn_weights(draw: random.Random, n: int) -> dict[str, Any]:
    """Return a weighted automaton for words of n letters, with one state or two."""
    states = draw.choice([1, 2])
    weight = partial(draw.choice, ["0", "1", "1/2", "3", "2/3"])
    tables = [[[[draw.randrange(states), draw.randrange(states), weight()] for _ in range(states)] for _ in range(2)]
              for _ in range(2)]
    return {"start": ["1"] * states, "columns": [draw.randrange(2) for _ in range(n)], "tables": tables,
            "end": [weight() for _ in range(states)]}


def with_one_change(draw: random.Random) -> dict[str, Any]:
    """Return a certificate with one change: of the network, the claim, a part, a letter's weight, or the numbers."""
    found: dict[str, Any] = json.loads(draw.choice(certificates()))
    claim, counts, parts = found["claim"], found["counts"], found["evidence"]["parts"]
    longest, kind = claim["max_n"], draw.randrange(8)
    if kind == 0:
        tensor = draw.choice(list(found["network"]["tensors"].values()))
        data = bytearray(b64decode(tensor["data"]))
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        tensor |= {"data": b64encode(data).decode(), "sha256": sha256(data).hexdigest()}
    elif kind in (1, 2):
        mutated(found, draw)
    elif kind == 3:
        draw.choice(parts).update(draw.choice([
            {"max_n": draw.randrange(1, longest + 1)}, {"margin": draw.choice(["-1", "1/100", "1"])},
            {"offsets": draw.choice([[0, 0], [0, 1], [1, 2], [0, 2], [2, 2]])}, {"cases": []}]))
    elif kind == 4:
        parts[:] = [draw.choice(parts) for _ in range(draw.randrange(3))]
    elif kind == 5 and claim["automaton"] and draw.random() < 0.5:
        mutated({"evidence": {"parts": [claim]}}, draw)
    elif kind == 5:
        claim.update(draw.choice([{"margin": draw.choice(["1/100", "1"])}, {"empty": not claim["empty"]},
                                  {"read": "last"}]))
    elif kind == 6:
        counts["weights"] = [drawn_weights(draw, n) for n in range(1, longest + 1)]
        if draw.random() < 0.5:
            counts["right"] = [[*map(str, ends)] for ends in bounds_plainly(found)]
    n = draw.randrange(longest)
    if kind == 7 or draw.random() < 0.5:
        counts["right"][n] = [str(max(Fraction(0), Fraction(end) + Fraction(draw.choice(some)))) for end, some in zip(
            counts["right"][n], (("-1", "0", "0", "1/9", "1"), ("-1", "-1/9", "0", "0", "1")), strict=True)]
    if draw.random() < 0.5:
        counts["right"] = [ends if number == n else ["0", "100000"] for number, ends in enumerate(counts["right"])]
    return found


@pytest.mark.parametrize("number", few_and_all(20, 2000))
def test_what_is_accepted_of_mutants_is_true_of_all_words(number: int) -> None:
    accepted = Counter[bool]()
    for seed in range(number):
        found = with_one_change(random.Random(seed))
        if refusal_of(found) is None:
            accepted[found["counts"]["weights"] is None] += 1
            for (least, most), (sure, possible) in zip(found["counts"]["right"], bounds_plainly(found), strict=True):
                assert Fraction(least) <= possible and sure <= Fraction(most), seed
    print(f"{number} mutants, {accepted.total()} accepted, {accepted[False]} of them with weights: all are true")
    assert accepted.total() > number / 20
