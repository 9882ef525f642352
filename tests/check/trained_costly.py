"""Files about trained networks made to take long, or much memory: by last letters, and inputs in tracks one by one."""

import json
from pathlib import Path
from typing import Any

from tests.check.trained_networks import Weights, certificate, mean_network, with_evidence

CORPUS = Path(__file__).parents[1] / "corpus" / "accepted"


def tree_as_deep_as_its_words() -> dict[str, Any]:
    """Each cut is about a word a letter longer, none of which is judged."""
    document: dict[str, Any] = json.loads((CORPUS / "trained_suffixes.cert").read_text(encoding="utf-8"))
    claim = document["claim"] | {"read": "last", "min_n": 10**9}
    return with_evidence(document | {"claim": claim}, tree=[1] * 200_000 + [0] * 200_001)


def tracks_of(network: dict[str, Any], letters: int, tokens: list[int], columns: int, layout: list[Any],
              among: list[int]) -> dict[str, Any]:
    """A claim about one track, whose machine has one state and writes each letter's token; inputs run one by one."""
    track = {"name": "a", "letters": [f"{k}" for k in range(letters)], "tokens": tokens}
    claim = {"tracks": [track], "machine": {"start": 0, "tables": [[[[0, token] for token in tokens]]], "end": [[0]]},
             "forms": [{"columns": [0] * columns, "layout": layout}], "offset": 0, "among": among, "margin": "0",
             "typed": "first-first"}
    return certificate("tracks", "forms", network, claim, {"units": [{"inputs": 5}]})


def many_columns_of_many_letters() -> dict[str, Any]:
    """Return a file in which the continuations of the inputs differ at every column."""
    letters = 60_000
    return tracks_of(mean_network(), letters, [0] * letters, 4000, [["token", 2], ["end", 0]], [0, 1])


def many_answers_above_many() -> dict[str, Any]:
    """Each of many tokens is right somewhere, and above all others."""
    count, w = 20_000, Weights(0)
    network = mean_network() | {"tokens": w.view([[0.0, 0.0]] * count),
                                "unembedding": {"weight": w.view([[0.0] * count] * 2), "bias": None}}
    step = network["steps"][0]
    head = step["heads"][0]
    nothing = {"weight": w.view([[0.0], [0.0]]), "bias": None}
    step["heads"] = [head | {"query": nothing, "key": nothing, "value": nothing, "out": w.view([[0.0, 1.0]])}]
    tokens = list(range(count))
    return tracks_of(network | {"tensors": w.tensors}, count, tokens, 1, [["track", 0, 0], ["answer", 0, 0]], tokens)


def float_run_of_many_norms() -> dict[str, Any]:
    """Return a wrong execution in a wide format, by norms of one number: each takes a root of long numbers."""
    word, steps = 2000, 3000
    document: dict[str, Any] = json.loads((CORPUS / "trained_wrong_run.cert").read_text(encoding="utf-8"))
    w, wide = Weights(0), "float(64,-16384,16384)"
    norm = {"kind": "rms", "epsilon": "1/100000", "gain": w.view([3.0]), "bias": None}
    network = document["network"] | {
        "tokens": w.view([[1.0], [2.0], [3.0]]), "positions": None, "steps": [{"step": "norm", "norm": norm}] * steps,
        "unembedding": {"weight": w.view([[1.0, 1.0]]), "bias": None}}
    claim = document["claim"] | {"offsets": [0, 0], "max_n": word, "cases": [
        {"when": {"formula": "true"}, "above": [[[0, "1"], [1, "-1"]]]}]}
    run = document["floats"][0] | dict.fromkeys(
        ("storage", "inputs", "sums", "scores", "softmax", "weights"), wide) | {"max_n": word}
    return with_evidence(document | {"network": network | {"tensors": w.tensors}, "claim": claim, "floats": [run]},
                         offset=0, word=["0"] * word, place=word, case=0, row=0)


COSTLY = {make.__name__: make for make in (
    tree_as_deep_as_its_words, many_columns_of_many_letters, many_answers_above_many,
    float_run_of_many_norms)}
