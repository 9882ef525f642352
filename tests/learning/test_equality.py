"""Two networks compared: equal to itself however it is written, and a planted difference is found and enclosed."""

import json
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.learning.equality import Equality, compare
from certify.learning.learn import Effort
from certify.learning.question import OUT, LearningQuestion, read_words
from certify.learning.show_equality import SAME, write_equality
from constructions.errors import InputError
from constructions.network.json_form import write_canonical
from constructions.trained.json_form import network_from_json, network_text
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import Rejected, check_text
from tests.learning.changed import Change, Values, changed, in_bits, in_half_precision, without_the_smallest
from tests.learning.planted import planted
from tests.learning.questions import brute_force, network_of_the_zoo, of_the_zoo
from tests.learning.random_questions import claim_about
from tests.tiers import few_and_all
from tests.trained.random_networks import random_network


def shortest_differences(one: TrainedNetwork, other: TrainedNetwork, question: LearningQuestion) -> list[str]:
    """Return by brute force all shortest words on which both differ, among those that both allow."""
    answers = [brute_force(network, question) for network in (one, other)]
    words = [word for word in answers[0] if answers[0][word] != answers[1][word]
             and OUT not in (answers[0][word], answers[1][word])]
    return ["".join(question.claim.alphabet[letter] for letter in word) for word in words
            if len(word) == len(words[0])]


def check_equality(found: Equality, one: TrainedNetwork, other: TrainedNetwork, question: LearningQuestion) -> None:
    expected = shortest_differences(one, other, question)
    assert found.difference is None if not expected else found.difference is not None and (
        "".join(found.difference.word) in expected)
    assert found.verdict == ("refuted" if expected else "certified")
    assert (found.certified_to or 0) == (max(len(expected[0]) - 1, 0) if expected else question.longest)
    for text in found.certificates.values():
        check_text(text.encode())
    if found.difference:
        assert found.difference.first[0] > 0 >= found.difference.second[1]


@pytest.mark.parametrize("name", ["tomita_2", "flip_flop", "palindromes", "majority"])
def test_a_network_equals_itself_and_its_file_read_again(name: str) -> None:
    network, question = of_the_zoo(name, 4)
    again = network_from_json(json.loads(network_text(network)), "again")
    found = compare(network, again, question)
    assert (found.verdict, found.certified_to, found.difference) == ("certified", 4, None)
    assert list(found.certificates) == ["first.cert", "second.cert"]
    assert found.certificates["first.cert"] == found.certificates["second.cert"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("name", "change"), [
    ("tomita_2", in_half_precision), ("tomita_2", in_bits(4)), ("tomita_7", in_bits(8)), ("tomita_7", in_bits(4)),
    ("d_2", in_bits(6)), ("flip_flop", in_bits(3)),
])
def test_rounded_weights_are_compared_as_brute_force_does(name: str, change: Change) -> None:
    network, question = of_the_zoo(name, 5)
    other = changed(network, change)
    check_equality(compare(network, other, question), network, other, question)


def test_two_architectures_of_one_task_are_equal() -> None:
    network, question = of_the_zoo("tomita_4", 6)
    turned = network_of_the_zoo("tomita_4_turned")
    found = compare(network, turned, question)
    assert (found.verdict, found.certified_to) == ("certified", 6)
    check_equality(found, network, turned, question)


def with_one_tensor_changed(network: TrainedNetwork, seed: int) -> TrainedNetwork:
    """Return a random network with a tensor exchanged for that of another, if the shapes are equal."""
    other = random_network(seed)
    draw = np.random.default_rng(seed)
    names = sorted(name for name, tensor in network.tensors.items()
                   if name in other.tensors and tensor.shape == other.tensors[name].shape)
    if not names:
        return network
    name = names[draw.integers(len(names))]
    return replace(network, tensors=dict(network.tensors) | {name: other.tensors[name]})


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("read", ["last", "first"])
def test_random_networks_are_compared_as_brute_force_does(seed: int, read: str) -> None:
    network = random_network(seed)
    question = read_words(network, claim_about(network, read, 3), None, intended=False)
    others = [random_network(other) for other in range(2)]
    for twin in (network, with_one_tensor_changed(network, seed + 100),
                 *(other for other in others if min(3, other.outputs) == min(3, network.outputs))):
        check_equality(compare(network, twin, question), network, twin, question)


def with_a_vector_moved(network: TrainedNetwork, row: int) -> TrainedNetwork:
    """Return the vector of one position number turned around."""
    def change(name: str, values: Values) -> Values:
        if name.endswith("wpe.weight"):
            values[row] = -9 * values[row]
        return values
    return changed(network, change)


@pytest.mark.parametrize("row", [3, 6])
def test_a_change_at_one_position_number_is_found_or_proved_to_change_nothing(row: int) -> None:
    network, question = of_the_zoo("first", 7)
    other = with_a_vector_moved(network, row)
    check_equality(compare(network, other, question), network, other, question)


def test_a_difference_beyond_the_table_is_found_by_deciding() -> None:
    network, question = of_the_zoo("tomita_7", 6)
    other = changed(network, in_bits(6))
    assert len(shortest_differences(network, other, question)[0]) >= 4
    found = compare(network, other, question, effort=Effort(table=4))
    check_equality(found, network, other, question)


def test_what_is_not_learnt_is_unknown() -> None:
    network, question = of_the_zoo("palindromes", 5)
    found = compare(network, network, question, effort=Effort(states=5))
    assert (found.verdict, found.certified_to) == ("unknown", 3)
    first = found.first("unknown")
    assert first and first.reason == ("the first network: more than 5 states are needed for words of at most 4 letters")


def test_a_network_without_the_tokens_of_the_question_is_refused() -> None:
    network, question = of_the_zoo("flip_flop", 3)
    with pytest.raises(InputError, match="the second network: before: token 3, but the network has the tokens 0 to 2"):
        compare(network, network_of_the_zoo("even"), question)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    network, question = of_the_zoo("tomita_7", 5)
    place = tmp_path_factory.mktemp("equality") / "compared"
    write_equality(str(place), compare(network, changed(network, in_bits(4)), question))
    return place


def is_one_claim(folder: Path, name: str) -> bool:
    done = subprocess.run([sys.executable, "-I", "-c", SAME.format(name)], cwd=folder, capture_output=True, text=True,
                          check=False)
    return done.returncode == 0 and done.stdout.startswith("one claim")


def test_the_folder_has_what_it_says_and_its_commands_work(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "first.cert", "second.cert", "second.wrong"]
    text = (folder / "README.md").read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("python ")]
    assert [command[-1] for command in commands[:3]] == ["first.cert", "second.cert", "second.wrong"]
    assert all(is_one_claim(folder, name) for name in ("second.cert", "second.wrong"))
    for name in ("first.cert", "second.cert", "second.wrong"):
        check_text((folder / name).read_bytes())


def mutants(claim: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the claim with one step of its automaton, one row or one state of a case changed."""
    found = []
    for state, row in enumerate(claim["automaton"]["steps"]):
        for letter in range(len(row)):
            one = json.loads(json.dumps(claim))
            one["automaton"]["steps"][state][letter] = (row[letter] + 1) % len(claim["automaton"]["steps"])
            found.append(one)
    for number in range(len(claim["cases"])):
        one = json.loads(json.dumps(claim))
        token, value = one["cases"][number]["above"][0][0]
        one["cases"][number]["above"][0][0] = [token, value[1:] if value[0] == "-" else f"-{value}"]
        found.append(one)
    return found


def test_no_changed_certificate_passes_as_one_of_the_comparison(folder: Path) -> None:
    """It is rejected, or is about another automaton than the first."""
    original = (folder / "second.cert").read_text(encoding="utf-8")
    data = json.loads(original)
    try:
        for claim in mutants(data["claim"]):
            (folder / "second.cert").write_text(write_canonical(data | {"claim": claim}), encoding="utf-8")
            try:
                check_text((folder / "second.cert").read_bytes())
            except Rejected:
                continue
            assert not is_one_claim(folder, "second.cert")
        changed_weights = json.loads(original)
        other = json.loads((folder / "first.cert").read_text(encoding="utf-8"))
        changed_weights["claim"]["max_n"] = other["claim"]["max_n"]
        (folder / "second.cert").write_text(write_canonical(changed_weights), encoding="utf-8")
        with pytest.raises(Rejected):
            check_text((folder / "second.cert").read_bytes())
    finally:
        (folder / "second.cert").write_text(original, encoding="utf-8")


def test_every_network_of_the_zoo_is_of_binary32() -> None:
    """The state that the changes of these tests assume."""
    for plan in plans().values():
        assert changed(plan.network(), lambda _, values: values).tensors == plan.network().tensors
        assert np.dtype("<f4").itemsize == 4


@pytest.mark.parametrize("length", few_and_all(6, 20))
def test_a_difference_on_one_word_is_found_and_no_shorter_one_is_there(length: int) -> None:
    """The 223,317 words of 20 letters without 000, and all shorter ones; with 6 letters no table is used."""
    network, question = of_the_zoo("tomita_4", length)
    other, word = planted(network, question.claim, length)
    found = compare(network, other, question, effort=Effort(table=16) if length < 20 else None)
    assert (found.verdict, found.certified_to) == ("refuted", length - 1)
    assert found.difference is not None and "".join(found.difference.word) == word
    assert found.difference.first[0] > 0 >= found.difference.second[1]
    for text in found.certificates.values():
        check_text(text.encode())


@pytest.mark.exhaustive
@pytest.mark.parametrize(("change", "difference"), [(in_bits(8), None), (without_the_smallest(5), None),
                                                    (without_the_smallest(20), "010010110010110101001")],
                         ids=["8 bits", "pruned by 5 %", "pruned by 20 %"])
def test_a_quantised_and_a_pruned_network_are_compared_on_all_words_of_21_letters(change: Change,
                                                                                 difference: str | None) -> None:
    network, question = of_the_zoo("d_2", 21)
    found = compare(network, changed(network, change), question)
    assert found.certified_to == (21 if difference is None else 20)
    assert (found.difference and "".join(found.difference.word)) == difference
