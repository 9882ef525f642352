"""Float executions on balls: whatever a run of a class does is as near to the numbers as the checker says.

In each class but two one format alone is coarse, so that a bound without its roundings is too small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from constructions.trained.json_form import network_from_json
from proofs.check.checker.chapters.trained.balls.precision import Logits, Stream
from proofs.check.checker.chapters.trained.balls.stack import pass_on
from proofs.check.checker.chapters.trained.floats import ball_finish, proof
from proofs.check.checker.chapters.trained.floats.ball_finish import are_proved_by_balls
from proofs.check.checker.chapters.trained.floats.form_stack import make_row_maps
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.reading.words_claim import WordsUnit
from proofs.check.checker.chapters.trained.words.running import DecisionOfWords
from proofs.check.checker.chapters.trained.zonotopes.affine import apply, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.enclosures.float_models.model import read_float_model
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import executions
from tests.check.trained_corpus import BFLOAT16, BINARY32, float_executions
from tests.check.trained_networks import Weights, make_claim, make_network, parsed, refusal_of
from tests.trained.drawn_runs import DrawnRun

FINE = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(40,-200,200)") | {
    "normalised": "either", "exp_ulp": "1", "exp_base": "e", "block": 0}
COARSE, WIDE = "float(10,-60,60)", "float(12,-60,60)"
NARROW = dict.fromkeys(("storage", "inputs", "scores"), WIDE)
CLASSES = {
    "inputs": FINE | {"inputs": COARSE},
    "storage": FINE | {"inputs": COARSE, "storage": COARSE},
    "scores": FINE | {"scores": COARSE},
    "weights": FINE | {"weights": COARSE, "normalised": "after"},
    "shares": FINE | {"weights": COARSE, "normalised": "before"},
    "sums": FINE | NARROW | {"sums": WIDE},
    "softmax": FINE | NARROW | {"softmax": WIDE, "weights": WIDE},
    "base 2": FINE | NARROW | {"softmax": WIDE, "weights": WIDE, "exp_base": "2"},
    "functions": FINE | {"exp_ulp": "2147483648"},
    "binary32": BINARY32, "bfloat16": BFLOAT16}
CUT_OFF = {
    "sums cut off": FINE | NARROW | {"sums": WIDE, "sum_ulp": "2"},
    "small factors": FINE | NARROW | {"sums": WIDE, "sum_ulp": "2"} | dict.fromkeys(
        ("inputs", "weights"), "float(12,-9,60)")}
WORD = (2, 0, 1, 1, 0)
LOGITS = [{"when": {"formula": "true"}, "above": [[[0, "1"]], [[1, "1"]], [[0, "-2"], [1, "1/3"]]]}]


ERRORS: dict[str, list[int]] = {
    "bias": [1420288638, 1423231978, 789, 789, 789, 3559793256, 1107241991, 1107241991, 35958828, 967535, 5710558077],
    "bias and units": [8895179672, 7543265923, 106970, 106970, 106970, 25239483774, 4617218422, 4617218422,
                       145330141, 6451326, 30612424060],
    "sum": [51243661818, 72865545394, 801800, 801800, 801800, 144109892356, 620870563793, 620870563793, 9109068549,
            127501346, 293108652919],
    "gelu": [16520220, 13317031, 1779, 1779, 1779, 63277480, 43334495, 43334495, 64008272, 31809, 53836636],
    "attention": [32942669, 7531600, 29640327, 5809609, 5809609, 838939224, 25866936, 58860470, 11974231, 197756,
                  54303249],
    "thirds": [14699965, 6207253, 2930000, 5551341, 5551341, 180136421, 201567758, 205362684, 236610273, 130710,
               47341762],
    "post": [15919853, 31177277, 11503645, 9365553, 9365553, 994871795, 148805134, 164137741, 96057649, 168049,
             178968596],
    "rms": [24193910, 22777659, 12006802, 14374084, 14374084, 644230024, 463300618, 478581806, 1130003515, 386392,
            154097121]}
"""Of networks how far the last stream and the rows may be off in each class, all in all, in units of 2^-26."""
ERRORS_CUT_OFF = {
    "bias": [6778185120, 7158408255],
    "bias and units": [48647812607, 51182423595],
    "sum": [261321657168, 279326377006],
    "gelu": [123555766, 149678307],
    "attention": [1836972188, 5311237841],
    "thirds": [358068303, 1925561673],
    "post": [2781292849, 4675543956],
    "rms": [1397048454, 10622773680]}
"""The same where sums are cut off."""


def network_of(kind: str) -> dict[str, Any]:
    """Networks with what there is a rule for; those of one step feel its roundings alone.

    Some have numbers far from 0 whose differences alone are seen in the logits, so that their roundings are much.
    """
    w, d = Weights(5), 8
    norm, far = {"step": "norm"}, {"kind": "layer", "epsilon": "1/100000", "gain": None}
    steps: dict[str, Callable[[], list[Any]]] = {
        "product": list, "norm": lambda: [norm | {"norm": w.norm(d, "layer")}],
        "mean": lambda: [norm | {"norm": w.norm(d, "layer", True)}],
        "bias": lambda: [norm | {"norm": far | {"bias": w.vector(d, 0.1, 300.0)}}],
        "bias and units": lambda: [w.units(d, 4, far | {"bias": w.vector(d, 0.1, 300.0)}, "relu")],
        "sum": lambda: [w.units(d, 4, w.norm(d, "layer"), "relu")],
        "units": lambda: [w.units(d, 12, None, "relu")], "gelu": lambda: [w.units(d, 12, w.norm(d, "rms"), "gelu")],
        "attention": lambda: [w.attention(d, 2, None, 12, size=2.0)],
        "thirds": lambda: [w.attention(d, 2, w.norm(d, "layer"), 12, scale={"times": "-1/3"})]}
    if kind not in steps:
        return make_network(kind, 7)
    made = w.network(4, d, 12, steps[kind](), True, 2)
    if kind in ("mean", "bias", "sum", "bias and units"):
        signs = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] * 2
        del w.tensors[made["unembedding"]["weight"]["tensor"]]
        made["unembedding"]["weight"] = w.view(signs)
    if kind in ("mean", "sum"):
        del w.tensors[made["positions"]["tensor"]]
        made["positions"] = w.view([[100.0] * d] * 12)
    return made


def given_of(network: dict[str, Any], fields: dict[str, Any]) -> DecisionOfWords:
    claim = make_claim(cases=LOGITS, read="last", min_n=1, offsets=[1, 1])
    return parsed(float_executions(network, claim, fields), Budget(100))


def known_rows(network: dict[str, Any], fields: dict[str, Any], word: tuple[int, ...]
               ) -> tuple[list[tuple[int, int]], Stream]:
    """Return each row's value and error bound in a run, in units of 2^-26; and the last stream."""
    given = given_of(network, fields)
    prover = proof.ModelProver(given, given.floats[0])
    known, last = prover._rows.balls.at(0).rows, list[Stream]()
    judge = known.logits

    def kept(stream: Stream) -> Logits:
        last.append(stream)
        return judge(stream)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "logits", kept)
        found = prover.inputs(WordsUnit(1, 1, 4))._runner.logits(0, word, [len(word) - 1])[len(word) - 1]
    return known.values(found, range(3)), last[0]


def drawn_rows(network: dict[str, Any], fields: dict[str, Any], word: tuple[int, ...]) -> Any:
    """Return the rows of runs, some of them drawn, in units of 2^-26; with whole coefficients."""
    run, draw = read_float_model("class 1", fields), np.random.default_rng(3)
    cast, at = cast_network(network_from_json(network, "test"), run), np.array([len(word) - 1])
    found = [emulation.logits(np.tile(word, (count, 1)), 1, at)[:, 0] for execution in executions(run)[:2]
             for emulation, count in ((Emulation(cast, run, execution), 1), (DrawnRun(cast, run, execution, draw), 40))]
    logits = np.concatenate(found)
    return np.stack([logits[:, 0], logits[:, 1], logits[:, 1] - 6 * logits[:, 0]], -1) * 2**26


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["product", "norm", "mean", "bias", "bias and units", "sum", "units", "gelu",
                                  "attention", "thirds", "post", "rms"])
@pytest.mark.parametrize("name", [*CLASSES, *CUT_OFF])
def test_rows_of_drawn_runs_are_within_their_balls(kind: str, name: str) -> None:
    network, fields = network_of(kind), (CLASSES | CUT_OFF)[name]
    known, _ = known_rows(network, fields, WORD)
    values, errors = np.array(known).T
    worst = float((np.abs(drawn_rows(network, fields, WORD) - values) / errors).max())
    assert 0 < worst <= 1


@pytest.mark.parametrize("kind", ERRORS)
def test_each_rounding_is_in_the_errors_and_these_are_as_small_as_they_were(kind: str) -> None:
    """A rounding that is left out changes a number; so does a looser bound."""
    known = [known_rows(network_of(kind), fields, WORD) for fields in (CLASSES | CUT_OFF).values()]
    found = [stream[1] + sum(error for _, error in rows) for rows, stream in known]
    assert found == ERRORS[kind] + ERRORS_CUT_OFF[kind]


def forms_of(network: dict[str, Any], fields: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the centre and radius of the form of each row, in units of 2^-44."""
    given = given_of(network, fields)
    prover = proof.ModelProver(given, given.floats[0])
    stack = prover.network.forms
    ((_, stream),) = CachedExecutions(stack, 1).attended(WORD, [len(WORD) - 1])
    logits = stack.finish(stream)
    maps = [make_row_maps(stack.budget, [row], given.network.outputs) for row in prover._rows.rows]
    rows = [spread(stack.budget, apply(stack.budget, row, logits)) for row in maps]
    return [(centre, reach) for (centre,), (reach,) in rows]


REACHES = {"norm": [9494193, 6462461, 3313],
           "mean": [776989062705, 2653926851, 51267390],
           "sum": [653913721158, 2543734291, 63367823],
           "thirds": [55287416, 36139135, 20818]}
"""How far rows may be off, all in all, class by class, in units of 2^-26."""


@pytest.mark.parametrize("kind", REACHES)
def test_rows_of_drawn_runs_are_within_forms_that_know_that_a_mean_is_one_number(kind: str) -> None:
    network, found = network_of(kind), []
    for name in ("softmax", "functions", "binary32"):
        centres, reaches = np.array(forms_of(network, CLASSES[name])).T / 2**18 * (1, 1, 3)
        assert (np.abs(drawn_rows(network, CLASSES[name], WORD) - centres) <= reaches).all()
        found.append(int(reaches.sum()))
    assert found == REACHES[kind]


def test_a_norm_of_numbers_that_are_all_alike_is_refused_in_one_line() -> None:
    """Its s is less than a unit."""
    w, d = Weights(3), 24
    head = {"query": w.affine(d, 2), "key": w.affine(d, 2), "value": {"weight": w.view([[0.0] * 2] * d), "bias": None},
            "out": w.matrix(2, d), "slope": None}
    attention = {"step": "attention", "norm": None, "heads": [head], "bias": None, "scale": {"root": 2}, "rotary": None}
    norm = {"kind": "layer", "epsilon": f"1/{2**53}", "gain": None, "bias": None}
    network = network_of("product") | {
        "tokens": w.view([[1.0] * d] * 4), "positions": None, "steps": [attention, {"step": "norm", "norm": norm}],
        "unembedding": {"weight": w.matrix(d, 2), "bias": w.view([1.0, 0.0])}, "tensors": w.tensors}
    claim = make_claim(max_n=1, cases=[{"when": {"formula": "true"}, "above": [[[0, "1"], [1, "-1"]]]}])
    assert refusal_of(float_executions(network, claim, BINARY32)) is Rejected


@pytest.mark.parametrize("name", list(CLASSES)[:4])
def test_rows_of_drawn_runs_are_above_what_balls_prove_after_an_attention_on_forms(
        name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    w, word = Weights(7), (2, 0, 1, 1)
    norm = w.norm(8, "layer")
    network = w.network(4, 8, 12, [w.attention(8, 2, norm, 12), w.units(8, 12, norm, "gelu"),
                                   {"step": "norm", "norm": norm}], True, 2)
    given = given_of(network, CLASSES[name])
    prover = proof.ModelProver(given, given.floats[0])
    rows = prover._rows
    (walk,), known = prover.inputs(WordsUnit(1, 1, 4))._caches, rows.balls.at(0).rows
    ((_, stream),) = walk.attended(word, [3])
    found, given_balls = drawn_rows(network, CLASSES[name], word), list[Stream]()

    def passed(steps: Any, ball: Stream) -> Stream:
        given_balls.append(ball)
        return pass_on(steps, ball)

    monkeypatch.setattr(ball_finish, "pass_on", passed)
    assert are_proved_by_balls(rows.balls, rows.network.budget, [], stream)
    ((x, e),), (centres, reaches) = given_balls, spread(Budget(10), stream)
    assert e >= sum((abs(c / 2**18 - y) + r / 2**18)**2 for c, r, y in zip(centres, reaches, x, strict=True))**0.5
    for row in range(3):
        known.least[row] = int(found[:, row].min())
        assert not are_proved_by_balls(rows.balls, rows.network.budget, [row], stream)
        known.least[row] -= 4 << 26
        assert are_proved_by_balls(rows.balls, rows.network.budget, [row], stream)
