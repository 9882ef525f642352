"""In which formats small networks are right on all inputs: some cells of the table of examples/adders/README.md."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.float_executions_of_adders import Quantised
from certify.claims.trained.track_runs_forms import FormInRuns
from constructions.trained.network import TrainedNetwork
from constructions.trained.numbers import numbers
from constructions.trained.tracks import TracksClaim
from examples.adders.board import in_formats, read
from proofs.enclosures.float_models.model import presets
from proofs.trained.forward import FloatNetwork


def of_8_bits(name: str) -> tuple[TrainedNetwork, TracksClaim]:
    """Return a network with weights of 8 bits, and the claim that its answers are right."""
    network, claim = read(name)
    return Quantised(network, presets()["binary32"]).network(), replace(claim, margin=Fraction(0))


def test_ternary_sums_are_wrong_with_weights_of_8_bits() -> None:
    """On the input of the table; over the reals, too."""
    network, claim = of_8_bits("ternary")
    row = FormInRuns(network, claim, presets()["binary32"], 1).result(0).row
    assert row.verdict == "refuted" and row.wrong is not None
    shown = claim.show_input(row.wrong.columns)
    assert in_formats("ternary") == ["certified", *["wrong on `a=202 b=202`"] * 2, f"wrong on `{shown}`"]
    tokens = claim.tokens(claim.forms[0], row.wrong.columns)
    logits = FloatNetwork(network).logits(np.array([tokens[:row.wrong.place]]), claim.offset, [row.wrong.place - 1])
    assert logits[0, 0, row.wrong.other] >= logits[0, 0, tokens[row.wrong.place]]


@pytest.mark.slow
def test_parities_are_right_with_weights_of_8_bits() -> None:
    network, claim = of_8_bits("parity")
    found = FormInRuns(network, claim, presets()["binary32"], 1).result(0)
    assert found.row.verdict == "certified" == in_formats("parity")[3] and found.unit is not None


def test_weights_of_8_bits_are_whole_multiples_of_a_scale_for_each_output() -> None:
    network, given = of_8_bits("ternary")[0], read("ternary")[0]
    before, after = (numbers(one, one.unembedding.weight) for one in (given, network))
    scales = (np.abs(before).max(0) / 127).astype(np.float32).astype(float)
    whole = after / np.where(scales, scales, 1)
    assert (whole == np.rint(whole)).all() and np.abs(whole).max() == 127
    assert (np.abs(after - before) <= scales * 0.501).all()
