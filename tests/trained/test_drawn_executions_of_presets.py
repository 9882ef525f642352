"""Executions whose every choice is drawn lie in the enclosure of their preset, and none is outside of a million."""

from random import Random

import numpy as np
import pytest

from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from proofs.check.checker.kernel.verdicts import Refusal
from proofs.enclosures.float_models.model import FloatModel, presets
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.execution import executions
from tests.check.trained_networks import make_network
from tests.tiers import few_and_all
from tests.trained.drawn_runs import DrawnRun
from tests.trained.enclosed_logits import EnclosedLogits

KINDS = ("gpt2", "rotary", "post")
"""The steps of GPT-2, of LLaMA, and of the first transformer."""
MILLION, TOGETHER = 1_000_000, 100
UNKNOWN = ("binary16", "bfloat16")
"""Formats of few bits for sums and norms: of these networks nothing is known. GELU in 16 bits has no rule."""


def shares(network: TrainedNetwork, model: FloatModel, count: int, draw: Random, together: int = TOGETHER
           ) -> list[float]:
    """Return the greatest distance of drawn executions from the centres, in radii, for each drawn word."""
    enclosed, cast, found = EnclosedLogits(network, model), cast_network(network, model), list[float]()
    ways = executions(model)
    for k in range(-(-count // together)):
        tokens = [draw.randrange(network.vocabulary) for _ in range(draw.randrange(1, 4))]
        try:
            known = enclosed.of(tokens)
        except Refusal:  # nothing is said
            continue
        run = DrawnRun(cast, model, ways[k % len(ways)], np.random.default_rng(draw.randrange(1 << 32)))
        logits = run.logits(np.repeat([tokens], together, 0), 0, np.arange(len(tokens)))
        found.append(max(map(known.share, logits)))
    return found


@pytest.mark.parametrize("count", few_and_all(200, -(-MILLION // (len(presets()) * len(KINDS)))))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", presets())
def test_no_drawn_execution_is_outside_of_its_preset(name: str, kind: str, count: int) -> None:
    network = network_from_json(make_network(kind, 7), "it")
    found = shares(network, presets()[name], count, Random(f"{name} {kind}"))
    assert max(found, default=0.0) <= 1
    assert bool(found) == (name not in UNKNOWN and (name, kind) != ("llama.cpp/q8_0", "gpt2"))
