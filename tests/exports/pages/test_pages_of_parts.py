"""Pages about parts: the drawing has every part and what is proved of it; marks and weights are those of the head."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from certify.claims.trained.ablation import Ablation, decide_circuit, find_circuit
from certify.claims.trained.hardening import Hardening, harden, read_patterns
from certify.claims.trained.heads import HeadsQuestion, HeadsTable, find_patterns
from certify.exports.html import page_of
from certify.exports.pages.parts.drawing import draw_circuit, draw_weights
from certify.exports.pages.parts.hardened import describe_attention, hardening_page, side_by_side
from certify.exports.pages.parts.page import circuit_page, heads_page
from constructions.trained.edit_kinds import CutEdges, KeepNeurons, SetHead, SharpenHead
from constructions.trained.edits import edit_network
from constructions.trained.head_patterns import HeadClaim, find_pattern, mass_question, parse_pattern
from examples.trained.zoo import plans
from proofs.trained.forward import FloatNetwork
from proofs.trained.masses import Masses
from tests.trained.test_ablation import zoo

TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


@cache
def table() -> HeadsTable:
    return find_patterns(*zoo("first", 5), HeadsQuestion(near=("hard", "uniform"), proves=True))


@cache
def circuit() -> Ablation:
    return find_circuit(*zoo("tomita_2", 6))


def test_a_circuit_has_a_box_for_every_part_of_the_original() -> None:
    network = plans()["tomita_7_deep"].network()
    steps = [k for k, step in enumerate(network.steps) if hasattr(step, "heads")]
    edited = edit_network(network, [SetHead(steps[0], 0), SharpenHead(steps[1], 0, 2),
                                    KeepNeurons(steps[0] + 1, tuple(range(9)))])
    drawn = draw_circuit(edited, {(2, 1): "reads the first letter"})
    assert TEXT.findall(drawn) == [
        "tokens", "head 1.1", "set to 0", "block 1", "9 of 64 neurons kept", "1.1, 1.2, 1.3, 1.4, 1.5,",
        "1.6, 1.7, 1.8 …", "head 2.1", "scores times 4", "reads the first letter", "block 2", "64 neurons", "logits"]
    assert drawn.count("stroke-dasharray") == 1


def test_a_part_whose_edges_are_cut_has_the_others_in_its_box() -> None:
    network = plans()["tomita_7_deep"].network()
    edited = edit_network(network, [KeepNeurons(1, ()), CutEdges(2, 0, ((-1, 1),)), CutEdges(3, 0, ((-1, 0), (2, 0))),
                                    CutEdges(4, 0, ((-1, 0), (-1, 1), (0, 0), (1, 0), (2, 0), (3, 0)))])
    assert TEXT.findall(draw_circuit(edited, {(2, 1): "reads the first letter"}))[4:] == [
        "head 2.1", "edges from tokens, head 1.1", "reads the first letter", "block 2", "64 neurons",
        "edges from positions, head", "1.1", "logits", "no edges"]


def test_bars_are_the_weights_of_the_head_and_those_of_the_pattern_are_marked() -> None:
    network, words = zoo("first", 5)
    weights, marks = Masses(network, words).on_word(1, 1, "0110", parse_pattern("rightmost Q_1", "01", {}))
    expected = FloatNetwork(network).attention(np.array([2, 0, 1, 1, 0]), 0)[0][0, -1]
    assert weights == pytest.approx(expected, abs=1e-15) and marks == (False, False, False, True, False)
    drawn = draw_weights("⊢0110", weights.tolist(), marks, "weights")
    assert drawn.count("var(--certified)") == 1 and f"position 1, 0: {expected[1]:.6g}" in drawn


@pytest.mark.parametrize("text", ["first", "itself", "start", "letters", "previous", "all Q_1", "rightmost Q_0 | Q_1",
                                  "leftmost Q_0 & prev Q_1", "rightmost O Q_1"])
def test_the_pattern_of_a_claim_is_found_again(text: str) -> None:
    network, words = zoo("first", 5)
    claim = HeadClaim(1, 1, parse_pattern(text, "01", {}), least=table().rows[0].claimed)
    assert find_pattern(mass_question(network, words, claim)[1]) == claim.pattern
    assert find_pattern(words) is None


def test_the_page_of_heads_states_what_is_proved_and_draws_it() -> None:
    page = heads_page(table(), "proofs")
    assert "reads the first letter: at" in page and "least 0.9967" in page
    assert "head 1.1 is hard: its score at the first letter is ahead by at least 5.71" in page
    assert page.count('class="curve"') == 4 and "python -I -S check.pyz proofs/head_1_1.cert" in page


def test_the_page_of_a_circuit_has_the_word_of_every_part() -> None:
    page, found = circuit_page(circuit(), "proofs"), circuit()
    assert found.needed and all(one.word and f"<code>{''.join(one.word.word)}</code>" in page for one in found.needed)
    assert len(found.circuit) - 1 == 2 and "2 of 64 neurons kept" in page
    asked = decide_circuit(*zoo("tomita_2", 4), [])
    assert "64 neurons" in circuit_page(asked) and "What it needs" not in circuit_page(asked)


def test_the_page_of_a_certificate_draws_what_it_is_about() -> None:
    mass = table().certificates["head_1_1.cert"]
    assert "reads the first letter:</text>" in page_of(mass, "x.cert", "x.cert")
    without = circuit().certificates["without_head_1.1.cert"]
    page = page_of(without, "x.cert", "x.cert")
    assert "set to 0" in page and "2 of 64 neurons kept" in page and page.count('stroke-dasharray="4 3"') == 1
    whole = decide_circuit(*zoo("tomita_2", 4), []).decision.certificate
    assert whole is not None and "The circuit" not in page_of(whole, "x.cert", "x.cert")


@cache
def hardened() -> Hardening:
    network, words = zoo("flip_flop", 4)
    return harden(network, words, read_patterns(network, words, ["1.1=rightmost Q_r | Q_s"]))


def test_the_page_of_a_hard_network_says_what_each_head_attends_to_and_has_both_decisions_and_the_program() -> None:
    page = hardening_page(hardened(), "hard.cert")
    (head,) = hardened().heads
    assert head.mass and describe_attention(head) == (
        f"reads the last r or s, else to itself, hard: as trained at least {head.mass.least:.4g} (measured)")
    assert "reads the last r or s, else" in page
    assert "c1(i) := rightmost j" in page and page.count("right on every word of length 1 .. 4") >= 2
    assert "python -I -S check.pyz hard.cert" in page


def test_the_words_of_the_page_have_the_answers_and_weights_of_soft_hard_and_program() -> None:
    data, network = side_by_side(hardened()), hardened().network
    assert len(data["entries"]) == 3 + 9 + 27 + 81 and data["heads"] == ["1.1"]
    for word in ("rsk", "k", "kk", "srkk"):
        entry = data["entries"][" ".join(str("rsk".index(letter)) for letter in word)]
        tokens = np.array([3, *("rsk".index(letter) for letter in word)])
        logits, at = FloatNetwork(network).logits(tokens[np.newaxis], 0)[0, -1], max(
            (place for place, letter in enumerate(word, 1) if letter != "k"), default=len(word))
        assert entry["soft"][0] == pytest.approx(FloatNetwork(network).attention(tokens, 0)[0][0, -1], abs=1e-4)
        assert entry["hard"] == [[float(place == at) for place in range(len(tokens))]]
        said = word[at - 1] == "s"
        assert entry["answers"] == [[bool(logits[1] > logits[0])], [said]] and entry["claim"] == [said]
        assert entry["program"] == {"c1": word[at - 1].replace("k", "none"), "answer": "yes" if said else "no"}


def test_names_of_letters_are_escaped() -> None:
    network, words = zoo("first", 3)
    words = replace(words, alphabet=("<", "&"))
    page = heads_page(find_patterns(network, words, HeadsQuestion(proves=True)))
    assert "<code><" not in page and "&lt;" in page
