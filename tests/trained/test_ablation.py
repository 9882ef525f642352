"""Certified circuits: all answers by brute force, and a wrong word without any of the parts."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.claims.trained.ablation import Ablation, answer_about_parts, decide_circuit, find_circuit, name_of
from certify.claims.trained.decide import Settings
from certify.learning.equality import compare
from certify.learning.own_answers import own_answers
from certify.learning.question import read_words
from constructions.errors import InputError
from constructions.trained.claim import WordsClaim, input_tokens, judged
from constructions.trained.edit_kinds import CutEdges, KeepNeurons, ReadHead, SetHead, SharpenHead
from constructions.trained.edits import edit_network
from constructions.trained.network import TrainedNetwork, UnitsStep
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.circuits import CircuitSearch, Part, edges_of, parts_of
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import cases_at


def zoo(name: str, n: int) -> tuple[TrainedNetwork, WordsClaim]:
    network = plans()[name].network()
    return network, replace(plans()[name].claim(network), lengths=(1, n), offsets=(0, 0))


def is_right(network: TrainedNetwork, claim: WordsClaim, word: tuple[str, ...]) -> bool:
    logits = FloatNetwork(network).logits(np.array([input_tokens(claim, word)]), 0)[0]
    return all(sum(logits[at][token] * float(c) for token, c in row) > 0 for place, at in judged(claim, len(word))
               for case in cases_at(claim, word, place) for row in claim.cases[case].above)


@pytest.fixture(scope="module")
def circuit() -> Ablation:
    return find_circuit(*zoo("tomita_2", 9))


def test_a_circuit_is_right_on_every_word(circuit: Ablation) -> None:
    assert circuit.verdict == "certified" and circuit.is_minimal
    assert sorted(name_of(circuit.network, part) for part in circuit.circuit)[0] == "head 1.1"
    assert len(circuit.circuit) <= 4 < len(parts_of(circuit.network))
    for n in range(1, 7):
        assert all(is_right(circuit.edited, circuit.claim, word) for word in product("01", repeat=n))


def test_a_circuit_is_wrong_without_any_of_its_parts(circuit: Ablation) -> None:
    search = CircuitSearch(circuit.network, circuit.claim)
    assert {one.part for one in circuit.needed} == circuit.circuit
    for one in circuit.needed:
        assert one.word is not None
        smaller = edit_network(circuit.network, search.edits(circuit.circuit - {one.part}))
        assert not is_right(smaller, circuit.claim, one.word.word)


def test_a_circuit_of_edges_is_right_and_wrong_without_any_of_them() -> None:
    found = find_circuit(*zoo("first", 7), edges=True)
    names = [name_of(found.network, one.part) for one in found.needed]
    assert names == ["head 1.1", "tokens -> head 1.1", "positions -> head 1.1", "head 1.1 -> logits"]
    assert found.verdict == "certified" and found.is_minimal and {one.part for one in found.needed} == found.circuit
    assert all(is_right(found.edited, found.claim, word) for n in range(1, 8) for word in product("01", repeat=n))
    search = CircuitSearch(found.network, found.claim, edges=True)
    for one in found.needed:
        smaller = edit_network(found.network, search.edits(search.tidy(found.circuit - {one.part})))
        assert one.word is not None and not is_right(smaller, found.claim, one.word.word)
    assert "without_tokens_to_head_1.1.cert" in found.certificates


def test_edges_of_an_edited_network_are_added_to_its_own() -> None:
    network, claim = zoo("first", 5)
    edges = {name_of(network, edge): edge for edge in edges_of(network)}
    once = decide_circuit(network, claim, [edges["tokens -> block 1"]]).edited
    both = [edges["tokens -> block 1"], edges["head 1.1 -> block 1"]]
    found = decide_circuit(once, claim, both[1:])
    assert found.edited == decide_circuit(network, claim, both).edited and both[0] not in found.whole
    assert decide_circuit(found.edited, claim, [Part(0, 0, True)]).edited.edits[0] == SetHead(0, 0)


def test_means_of_edges_are_those_of_what_the_parts_write() -> None:
    network, claim = zoo("first", 5)
    edges = [edge for edge in edges_of(network) if edge.to == (1, 0)]
    (cut,) = decide_circuit(network, claim, edges, "mean").edited.edits
    assert isinstance(cut, CutEdges) and cut.parts == ((-1, 0), (-1, 1), (0, 0)) and cut.to is not None
    floats, sums = FloatNetwork(network), list[NDArray[np.float64]]()
    for n in range(1, 6):
        for word in product("01", repeat=n):
            tokens = np.array([input_tokens(claim, word)])
            x = floats.embedded(tokens, np.arange(tokens.shape[1]))
            after = floats.after(floats.steps[0], x, np.arange(tokens.shape[1]), np.arange(tokens.shape[1]))
            bias = getattr(floats.steps[0], "bias", None)
            sums += [after[0, at] - (0 if bias is None else bias) for _, at in judged(claim, n)]
    assert np.array([float(one) for one in cut.to]) == pytest.approx(np.mean(sums, 0), abs=1e-6)


def test_its_certificates_name_the_edits(circuit: Ablation) -> None:
    assert set(circuit.certificates) == {"circuit.cert", *(f"without_{name_of(circuit.network, part).replace(' ', '_')}"
                                                           ".cert" for part in circuit.circuit)}
    for name, text in circuit.certificates.items():
        printed = str(check_text(text.encode()))
        assert "step 1 keeps the neurons" in printed
        assert ("instead of its average it has 0" in printed) == (name == "without_head_1.1.cert")


def test_parts_that_go_by_name_are_decided() -> None:
    network, claim = zoo("last_letter", 12)
    found = decide_circuit(network, claim, [part for part in parts_of(network) if part.is_head])
    assert found.verdict == "certified" and found.edited.edits == (SetHead(0, 0),) and not found.needed


def test_means_are_those_of_the_activations() -> None:
    network, claim = zoo("tomita_2", 6)
    parts = parts_of(network)
    edits = CircuitSearch(network, claim, "mean").edits(frozenset(parts[:1]))
    assert isinstance(edits[0], KeepNeurons) and edits[0].to is not None and len(edits[0].to) == len(parts) - 1
    assert all(np.float32(float(one)) == one for one in edits[0].to) and any(edits[0].to)


def test_a_circuit_of_an_edited_network_is_one_of_its_original() -> None:
    network, claim = zoo("tomita_2", 6)
    block = next(k for k, step in enumerate(network.steps) if isinstance(step, UnitsStep))
    earlier = (*(None,) * 3, Fraction(1, 2))
    edited = edit_network(network, [KeepNeurons(block, tuple(range(60)), tuple(one or Fraction(0) for one in earlier)),
                                    SharpenHead(0, 0, 1)])
    search = CircuitSearch(edited, claim)
    assert len(search.whole) == 61 and edit_network(network, search.edits(search.whole)) == edited
    smaller = search.edits(search.whole - {Part(0, 0, True), Part(block, 2, False)})
    kept = tuple(k for k in range(60) if k != 2)
    assert smaller == [SetHead(0, 0), KeepNeurons(block, kept, (*[Fraction(0)] * 4, Fraction(1, 2)))]
    found = decide_circuit(edited, claim, [Part(block, 3, False)])
    assert found.network == network and found.edited.original == network and found.verdict == "certified"
    for n in range(1, 7):
        assert all(is_right(found.edited, claim, word) for word in product("01", repeat=n))


def test_an_edited_network_without_answers_or_means_is_refused() -> None:
    network, claim = zoo("tomita_2", 6)
    with pytest.raises(InputError, match="the network ends at a head that it reads"):
        CircuitSearch(edit_network(network, [ReadHead(0, 0, "average")]), claim)
    with pytest.raises(InputError, match="the network has edits, which number its parts anew"):
        CircuitSearch(edit_network(network, [SharpenHead(0, 0, 1)]), claim, "mean")


def test_a_circuit_with_equal_answers_has_those_of_the_network_and_not_those_that_are_right() -> None:
    network, claim = zoo("last_letter", 5)
    wrong = replace(claim, cases=tuple(replace(case, when=other.when) for case, other in zip(
        claim.cases, reversed(claim.cases), strict=True)))
    assert decide_circuit(network, wrong, []).verdict == "refuted"
    own, certificate = own_answers(network, wrong, Settings())
    assert not check_text(certificate.encode()).is_refutation
    found = answer_about_parts(network, own, (), (), (), "zero", Settings(), certificate)
    assert found.verdict == "certified" and found.is_minimal and not found.circuit
    assert set(found.certificates) == {"circuit.cert", "network.cert"}
    for word in product("01", repeat=4):
        answers = [FloatNetwork(one).logits(np.array([input_tokens(claim, word)]), 0)[0] for one in (
            network, found.edited)]
        rows = [[sum(logits[at][token] * float(c) for token, c in row) > 0 for _, at in judged(claim, 4)
                 for case in claim.cases for row in case.above] for logits in answers]
        assert rows[0] == rows[1]
    assert compare(network, found.edited, read_words(network, wrong, None)).verdict == "certified"


def test_answers_that_are_not_proved_are_not_kept() -> None:
    network, claim = zoo("last_letter", 5)
    with pytest.raises(InputError, match="min_n: 2, expected 1"):
        own_answers(network, replace(claim, lengths=(2, 5)), Settings())
