"""The text for Coq contains the network and the claim: a reader of the text recovers both."""

from dataclasses import replace

import pytest

from certify.claims.formula.examples import load_examples
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.every_n.transformer_file import theorem_file
from tests.every_n.coq_reader import Unreadable, read_coq


def unnamed(network: Transformer) -> Transformer:
    """Return the network without what is for people only: the names and sources of its heads."""
    layers = [replace(layer, heads=tuple(replace(head, name="", source="") for head in layer.heads))
              for layer in network.layers]
    return replace(network, layers=tuple(layers))


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_the_printed_network_and_claim_read_back_as_they_are(regime: Regime) -> None:
    seen = 0
    for example in load_examples():
        try:
            network = compile_formula(example.formula, example.alphabet, regime)
        except Unsupported:
            continue
        text = theorem_file(network, example.formula)
        found = read_coq(text, network.alphabet, list(network.directions))
        assert found.claim is example.formula, example.name
        assert found.network == unnamed(network), example.name
        seen += 1
    assert seen > 20


def test_another_text_is_another_network_or_none() -> None:
    example = next(one for one in load_examples() if one.name == "parity")
    network = compile_formula(example.formula, example.alphabet, Regime())
    text, names = theorem_file(network, example.formula), list(network.directions)
    assert read_coq(text.replace("FutureMasked", "PastMasked"), network.alphabet, names).network != unnamed(network)
    with pytest.raises(Unreadable):
        read_coq(text.replace("FutureMasked", "LeftMasked"), network.alphabet, names)
