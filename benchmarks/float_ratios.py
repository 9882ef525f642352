"""Print how near bounds of float executions are: the table of docs/background/floats_rules.md, How near the bounds are.

``PYTHONPATH=. python benchmarks/float_ratios.py [--words N] CLASS ... [NETWORK ...]``: words are drawn at random; what
is proved of their rows is compared with drawn executions, and with those of an adversary on the first N words.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np

from benchmarks.markdown import table
from constructions.trained.claim import Row, WordsClaim, input_tokens
from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack, make_row_maps
from proofs.check.checker.chapters.trained.floats.inputs import NetworkUnderModel
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.floats.scaled_rows import is_above
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, apply, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import presets
from proofs.trained.certificate import each_word_text
from proofs.trained.float_executions.adversary import Adversary
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.execution import executions
from proofs.trained.forward import FloatNetwork
from tests.check.trained_networks import make_network, parsed
from tests.trained.drawn_runs import DrawnRun

ZOO = {"tomita_2": 8, "majority": 8, "d_2": 8, "tomita_7_deep": 6, "d_2_deep": 8, "palindromes": 5}
MADE = {"gpt2": 1, "post": 2, "rms": 6, "bidirectional": 3, "rotary": 7, "deep": 4}
RUNS = 100  # of each of four executions
PAIR: Row = ((0, Fraction(1)), (1, Fraction(-1)))


def asked() -> Iterator[tuple[str, TrainedNetwork, WordsClaim, list[tuple[int, ...]], list[Row]]]:
    """Yield name, network, a claim that fits it, words as tokens, and rows."""
    claim = None
    for name, length in ZOO.items():
        draw, network = Random(0), plans()[name].network()
        claim = replace(plans()[name].claim(network), lengths=(length, length), offsets=(0, 0))
        words = [input_tokens(claim, [draw.choice(claim.alphabet) for _ in range(length)]) for _ in range(4)]
        yield name, network, claim, words, sorted({row for case in claim.cases for row in case.above})[:1]
    assert claim is not None
    for name, seed in MADE.items():
        draw, network = Random(seed), network_from_json(make_network(name, seed), name)
        own = replace(claim, alphabet=("0",), tokens=(0,), before=(), after=(), lengths=(6, 6), cases=(),
                      automaton=None)
        yield name, network, own, [tuple(draw.randrange(4) for _ in range(6)) for _ in range(4)], [PAIR]


def measured(network: TrainedNetwork, claim: WordsClaim, words: Sequence[tuple[int, ...]], rows: Sequence[Row],
             name: str, attacked: int = 0) -> tuple[float, float]:
    """Return the greatest distance from the reals that was seen, and the greatest that is not excluded.

    An adversary aims at the first rows of the first ``attacked`` words.
    """
    run, weights = presets()[name], np.zeros((network.outputs, len(rows)))
    for column, row in enumerate(rows):
        for token, coefficient in row:
            weights[token, column] = float(coefficient)
    given = parsed(json.loads(each_word_text(network, claim, run)), Budget(1000))
    stack = NetworkUnderModel(Budget(10**5), given.network, given.floats[0]).forms
    cast, seen, bound = cast_network(network, run), 0.0, 0.0
    adversary = Adversary(cast, run)
    for number, word in enumerate(words):
        last = len(word) - 1
        ((_, stream),) = CachedExecutions(stack, 0).attended(word, [last])
        maps = make_row_maps(stack.budget, rows, network.outputs)
        centres, reaches = (np.array(one) / UNIT for one in spread(stack.budget, apply(
            stack.budget, maps, stack.finish(stream))))
        real = FloatNetwork(cast).logits(np.array([word]), 0)[0, -1] @ weights
        for column, row in enumerate(rows):
            for sign in (1, -1):
                low = sign * centres[column] - reaches[column]
                bound = max(bound, sign * real[column] - scaled_margin(stack, stream, row, sign, low,
                                                                       sign * real[column]))
        if number < attacked:
            seen = max(seen, *(sign * real[0] - adversary.worst(word, 0, last, sign * weights[:, 0])[0]
                               for sign in (1, -1)))
        for seed, execution in enumerate(executions(run)[:4]):
            drawn = DrawnRun(cast, run, execution, np.random.default_rng(seed))
            found = drawn.logits(np.repeat([word], RUNS, 0), 0, np.array([last]))[:, 0] @ weights
            assert (np.abs(found - centres) <= reaches).all()
            seen = max(seen, float(np.abs(found - real).max()))
    return seen, bound


def scaled_margin(stack: FloatStack, stream: AffineForm, row: Row, sign: int, proved: float, real: float) -> float:
    """Return the greatest margin that is proved of the row times a sign, by way of a last norm, or the one given.

    It is found within 1/64 of the distance from the row over the reals.
    """
    maps = make_row_maps(stack.budget, [tuple((token, sign * c) for token, c in row)], stack.network.outputs)
    low, high = 0, 64
    while high - low > 1 and len(stack.stages) > 1:
        middle = (low + high) // 2
        is_proved = is_above(stack, maps, stream, int((proved + (real - proved) * middle / 64) * UNIT))
        low, high = (middle, high) if is_proved else (low, middle)
    return proved + (real - proved) * low / 64


def main() -> None:
    """Print a table for each float model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("asked", nargs="+")
    given = parser.parse_args()
    chosen = {*given.asked} & {*ZOO, *MADE}
    for one in [name for name in given.asked if name not in chosen]:
        print(f"## {one}\n")
        print(table(["network", "seen", "bound", "ratio"], [], [
            [f"`{name}`", f"{seen:.2g}", f"{bound:.2g}", f"{bound / seen:.0f}"]
            for name, network, claim, words, rows in asked() if not chosen or name in chosen
            for seen, bound in [measured(network, claim, words, rows, one, given.words)]]))


if __name__ == "__main__":
    main()
