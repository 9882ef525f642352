"""Whatever a network computes, in whatever execution, lies in what is said of it: operations × executions × domains.

An execution is one of a float model: a way of summing and normalising, bit by bit, or with random roundings
within what the class allows. A domain is balls, or affine forms.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from constructions.trained.json_form import network_from_json
from proofs.check.checker.chapters.float_models.choices import ExecutionChoices
from proofs.check.checker.chapters.float_models.reading import FloatClaim
from proofs.check.checker.chapters.trained.balls.precision import Precision, Undecided
from proofs.check.checker.chapters.trained.balls.prefix_tree import make_traversal
from proofs.check.checker.chapters.trained.floats.ball_stack import StackOnBalls
from proofs.check.checker.chapters.trained.floats.casting import balls_have_rules
from proofs.check.checker.chapters.trained.floats.casting import cast_network as cast_in_checker
from proofs.check.checker.chapters.trained.floats.execution import NetworkExecution
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.reading.network import Network
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Refusal
from proofs.enclosures.float_models.model import read_float_model
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.execution import executions
from proofs.trained.float_executions.replay import Replay
from tests.check.trained_corpus import BFLOAT16, BINARY32, CUT_OFF, FLUSHED, float_executions
from tests.check.trained_networks import make_claim, make_network, parsed, rounding_network
from tests.trained.drawn_runs import DrawnRun

KINDS = ("gpt2", "post", "rotary", "alibi", "capped", "plain", "images", "rms", "bidirectional")
ROUNDINGS: dict[str, dict[str, Any]] = {
    "a scale": {"scale": "1/10", "zero": 3, "least": -8, "greatest": 23},
    "a token": {"range": "token", "greatest": 31}, "all tokens": {"range": "input", "greatest": 31}}
FINER = BINARY32 | dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(18,-60,60)")
CLASSES: dict[str, dict[str, Any]] = {
    "binary32": BINARY32, "bfloat16": BFLOAT16, "flushed": FLUSHED, "cut off": CUT_OFF,
    "merged": FINER | {"also": ["merged"]}, "one pass": FINER | {"also": ["one pass"]},
    "stored": FINER | dict.fromkeys(("storage", "inputs", "scores", "weights"), "float(14,-60,60)") | {
        "also": ["gains", "scales"]}, "integers": FINER | {"also": ["integers"]},
    "eights": BINARY32 | {"weights": "binary16", "also": ["eights", "integers"]}}
OUTPUTS, LENGTH = 3, 4


class Bounds(NamedTuple):
    """The bounds of the logits at a place, by a domain."""

    domain: str
    least: list[Fraction]
    greatest: list[Fraction]


def of_forms(network: Network, run: FloatClaim, tokens: Sequence[int], offset: int) -> Iterator[Bounds]:
    """Yield the affine forms of the logits of the last token."""
    try:
        stack = FloatStack(Budget(1000), network, run)
        ((_, stream),) = CachedExecutions(stack, offset).attended(tokens, [len(tokens) - 1])
        known = spread(stack.budget, stack.finish(stream))
    except Refusal:  # nothing is said
        return
    pairs = [*zip(known.centres, known.reaches, strict=True)]
    yield Bounds("forms", [Fraction(x - e, UNIT) for x, e in pairs], [Fraction(x + e, UNIT) for x, e in pairs])


def of_balls(network: Network, run: FloatClaim, tokens: Sequence[int], offset: int) -> Iterator[Bounds]:
    """Yield the balls of the last token's logits, a row for each logit."""
    rows = [((token, Fraction(1)),) for token in range(OUTPUTS)]
    try:
        stack = StackOnBalls(Precision(1, {}), Budget(1000), network, set(tokens), rows, Fraction(0), LENGTH, run)
        walk = make_traversal(stack, stack, offset, [[token] for token in tokens])
        found = walk.logits(tokens, [len(tokens) - 1])[len(tokens) - 1]
        pairs = stack.rows.values(found, range(OUTPUTS))
    except (Refusal, Undecided):
        return
    one = stack.precision.one
    yield Bounds("balls", [Fraction(x - e, one) for x, e in pairs], [Fraction(x + e, one) for x, e in pairs])


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("kind", [*KINDS, *ROUNDINGS])
def test_every_run_of_a_class_lies_in_the_forms_and_in_the_balls_of_its_network(kind: str, name: str) -> None:
    document, seed, printed = rounding_network(ROUNDINGS[kind], outputs=OUTPUTS) if kind in ROUNDINGS else make_network(
        kind, len(name), outputs=OUTPUTS), Random(kind + name), set[str]()
    given = parsed(float_executions(document, make_claim(), CLASSES[name]), Budget(100))
    run, of_class = given.floats[0], read_float_model("class", dict(CLASSES[name]))
    network, mine = cast_in_checker(given.network, run), cast_network(network_from_json(document, "it"), of_class)
    for _ in range(2):
        tokens, offset = [seed.randrange(4) for _ in range(seed.randrange(1, LENGTH + 1))], seed.randrange(3)
        known = [*of_forms(network, run, tokens, offset), *of_balls(network, run, tokens, offset)]
        printed |= {one.domain for one in known}
        for numbers in runs_of(mine, of_class, network, run, tokens, offset, seed):
            for bounds in known:
                for least, x, greatest in zip(bounds.least, numbers, bounds.greatest, strict=True):
                    assert least <= x <= greatest, (bounds.domain, tokens, offset)
    assert name != "eights" or "balls" not in printed  # which have no rule for them
    if name in ("binary32", "flushed", "integers"):  # of coarser formats nothing may be known
        assert printed == {"forms", *["balls"] * balls_have_rules(network)}


def runs_of(mine: Any, of_class: Any, network: Network, run: FloatClaim, tokens: Sequence[int], offset: int,
            seed: Random) -> Iterator[list[Fraction]]:
    """Yield the logits at the last token of bit-exact executions, by two implementations, and of random roundings."""
    known = executions(of_class)
    ways = seed.sample(known, min(5, len(known)))
    for way in ways:
        replayed = [Fraction(x) for x in Replay(mine, of_class, way).logits(tokens, offset, len(tokens) - 1)]
        choices = ExecutionChoices(way.order, way.fused, way.before, way.base)
        by_checker = NetworkExecution(Budget(1000), network, run, choices)
        assert replayed == [Fraction(x) for x in by_checker.logits(tokens, offset, len(tokens) - 1)]
        yield replayed
    for k in range(8):
        rows = DrawnRun(mine, of_class, ways[k % len(ways)], np.random.default_rng(k)).logits(
            np.array([tokens]), offset, np.array([len(tokens) - 1]))[0, 0]
        yield [Fraction(float(x)) for x in rows]
