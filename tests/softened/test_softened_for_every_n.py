"""Theorem 26 for every n, by Coq: what is proved, what is refused with a reason, and that the constants agree."""

import os
import re
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify.commands.soften import read_hard_network
from constructions.errors import Unsupported
from constructions.language.expressions import parse_expression
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import Law, constants_of
from proofs.every_n.library import SOFTENING, imported_files, needed_sources
from proofs.every_n.softened_file import (
    Temperature,
    ask_softened,
    describe_dull_head,
    initial_law,
    softened_file,
    temperature_of,
)
from tests.in_process import run_certify
from tests.with_coq import coq_or_skip, larger_library_of, staying_coq_or_skip

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PROGRAMS = (
    "alternation", "dyck_2", "dyck_3", "flip_flop", "induction_head", "k_hop_2", "k_hop_3", "majority", "n_gram",
)


def _network(name: str) -> Transformer:
    return read_hard_network(str(EXAMPLES / name), None)


def _reason(network: Transformer, temperature: Temperature) -> str:
    coq = staying_coq_or_skip()
    answer = ask_softened(coq, larger_library_of(coq), network, temperature)
    assert answer.proved == (answer.reason == "")
    return answer.reason


@pytest.mark.parametrize(("name", "b", "p"), [("hard/flip_flop.json", 9, 2), ("programs/dyck_1.rasp", 190, 6)])
def test_the_theorem_holds_for_every_n(name: str, b: int, p: int) -> None:
    network = _network(name)
    assert temperature_of(network) == Temperature(b, p)
    assert _reason(network, Temperature(b, p)) == ""


@pytest.mark.exhaustive
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_is_softened_for_every_n(program: str) -> None:
    network = _network(f"programs/{program}.rasp")
    assert _reason(network, temperature_of(network)) == ""


def test_a_temperature_above_the_theorems_is_refused() -> None:
    """The least b is the library's too, so K1 and K2 are those of Python."""
    reason = _reason(_network("hard/flip_flop.json"), Temperature(8, 2))
    assert reason.startswith("Coq does not accept the theorem")


def test_a_head_that_ties_is_refused_by_name() -> None:
    network = _network("hard/tied.json")
    assert _reason(network, temperature_of(network)).startswith("head 1.1 (last bit) is not shown to be tieless")


def test_scores_with_a_weight_that_is_no_integer_are_refused() -> None:
    network = _network("hard/flip_flop.json")
    (layer,), (head,) = network.layers, network.layers[0].heads
    changed = replace(head, keys=({**head.keys[0], "write": Fraction(1, 2)},))
    halved = replace(network, layers=(replace(layer, heads=(changed,)),))
    assert _reason(halved, temperature_of(halved)).startswith("head 1.1 (last bit) is not shown to be tieless")


def test_an_unknown_embedding_is_unsupported() -> None:
    with pytest.raises(Unsupported, match=r"position embedding 'place': i/n\^2"):
        temperature_of(_network("hard/flip_flop_small_gap.json"))


def test_what_positions_and_symbols_both_embed_is_unsupported() -> None:
    network = _network("hard/flip_flop.json")
    tokens = {**network.token_embedding, "-": {"one": Fraction(1)}}
    with pytest.raises(Unsupported, match=r"^direction 'one': it is embedded by the position and by symbols"):
        temperature_of(replace(network, token_embedding=tokens))


def test_the_temperature_is_that_of_theorem_26_for_a_gap_of_1_over_n() -> None:
    network = _network("programs/dyck_1.rasp")
    law = initial_law(network)
    expected = constants_of(network).temperature(Law(Fraction(1), -1), law)
    assert law == Law(Fraction(1), 2)
    assert str(temperature_of(network).expression()) == str(expected)


def test_a_network_without_a_dull_head_has_no_reason() -> None:
    assert describe_dull_head("     = None\n     : option (nat * nat)", _network("hard/flip_flop.json")) == ""


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_certify("model", *arguments, folder=EXAMPLES / "hard", environment=dict(os.environ))


def _settled(text: str) -> list[str]:
    return [re.sub(r"Coq \S+ |[\d.]+ s$", "", line.rstrip()) for line in text.strip().splitlines()]


def test_the_run_in_the_guide_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the library of the other tests, which has more files than the command compiles."""
    library = larger_library_of(coq_or_skip())
    monkeypatch.setattr("certify.claims.softened.every_n.compiled_library", lambda *_: library)
    guide = (EXAMPLES.parent / "docs" / "howto" / "soften.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```console\n\$ certify model flip_flop.json --every-n\n(.*?)```", guide, re.DOTALL)
    assert _settled(_run("flip_flop.json", "--every-n").stdout) == _settled(shown)


def test_the_command_compiles_all_that_its_theorems_import() -> None:
    for name in ("hard/flip_flop.json", "programs/dyck_1.rasp"):
        network = _network(name)
        assert imported_files(softened_file(network, temperature_of(network))) <= needed_sources(*SOFTENING).keys()


@pytest.mark.parametrize(("arguments", "status", "complaint"), [
    (("flip_flop.json", "--every-n", "--max-n", "3"), 2, "certify: --max-n: does not go with --every-n"),
    (("flip_flop.json", "--every-n", "--break-ties"), 2, "certify: --break-ties: does not go with --every-n"),
    (("--every-n",), 2, "certify: no FILE, expected a model file"),
    (("--examples", "--every-n"), 2, "certify: --examples: does not go with --every-n"),
])
def test_options_that_do_not_go_with_every_n_are_refused(arguments: tuple[str, ...], status: int,
                                                         complaint: str) -> None:
    done = _run(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(complaint) and done.stderr.count("\n") == 1


@pytest.mark.parametrize("weighting", [Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX])
def test_one_position_of_many_that_tie_is_not_their_average(weighting: Weighting) -> None:
    """All scores are 0: softmax averages at every temperature, so this hard attention is never near it."""
    uniform = _network("hard/uniform.json")
    layers = tuple(replace(layer, heads=tuple(replace(head, weighting=weighting) for head in layer.heads))
                   for layer in uniform.layers)
    with pytest.raises(Unsupported, match=r"^head 1\.1 \(.*\): (left|right)most-hardmax of scores that are all 0"):
        softened_file(replace(uniform, layers=layers), temperature_of(uniform))


def _with_softmax_at(temperature: str) -> Transformer:
    uniform, tau = _network("hard/uniform.json"), parse_expression(temperature)
    return replace(uniform, layers=tuple(replace(layer, heads=tuple(
        replace(head, weighting=Weighting.SOFTMAX, temperature=tau) for head in layer.heads))
        for layer in uniform.layers))


def test_softmax_of_scores_that_are_all_0_is_the_average() -> None:
    network = _with_softmax_at("2/3")
    assert temperature_of(network) == temperature_of(_network("hard/uniform.json"))
    assert _reason(network, temperature_of(network)) == ""


@pytest.mark.parametrize("temperature", ["-1", "0", "1/(i-2)", "n"])
def test_softmax_at_what_may_be_no_temperature_is_unsupported(temperature: str) -> None:
    network = _with_softmax_at(temperature)
    with pytest.raises(Unsupported, match=r"^head 1\.1 \(share\): softmax at temperature .*, expected a positive"):
        softened_file(network, temperature_of(network))
