"""Attention and RotaryEmbedding of ONNX are what its reference and ONNX Runtime compute, or are refused by name."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from proofs.trained.forward import FloatNetwork
from tests.importing.small_graphs import Node, imported, written

pytest.importorskip("onnx")
RANDOM = np.random.default_rng(6)
LENGTH, WIDTH = 4, 16
WORDS = np.array(list(product(range(3), repeat=LENGTH)))[::7]
ANGLES = np.arange(6)[:, np.newaxis] / np.array([1, 3, 9, 27]) + np.array(0.0)


def small(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(np.float32)


ARRAYS: dict[str, Any] = {
    "t": small(3, WIDTH), "p": small(LENGTH, WIDTH), "q_": small(WIDTH, WIDTH), "k_": small(WIDTH, WIDTH),
    "v_": small(WIDTH, WIDTH), "half_": small(WIDTH, 8), "other_": small(WIDTH, 8), "by_head": np.array([0, 0, 4, 4]),
    "by_shared": np.array([0, 0, 2, 4]), "flat": np.array([0, 0, WIDTH]),
    "seen": np.array([[1, 0, 0, 1], [1, 1, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]], bool),
    "of_heads": small(1, 4, LENGTH, LENGTH), "none": np.zeros((LENGTH, LENGTH), bool), "short": small(LENGTH, 3),
    "cos": np.cos(ANGLES)[:, :2].astype(np.float32), "sin": np.sin(ANGLES)[:, :2].astype(np.float32),
    "cos1": np.cos(ANGLES)[np.newaxis, :LENGTH, :2].astype(np.float32),
    "sin1": np.sin(ANGLES)[np.newaxis, :LENGTH, :2].astype(np.float32),
    "cos3": np.cos(ANGLES)[np.newaxis, :LENGTH, :1].astype(np.float32),
    "sin3": np.sin(ANGLES)[np.newaxis, :LENGTH, :1].astype(np.float32),
    "places": np.arange(LENGTH)[np.newaxis], "later": np.arange(LENGTH)[np.newaxis] + 2,
    "zero": np.array(0), "axes": np.array([1, 2]), "square": np.array([1, 1, 4, 4]),
    "two": np.float32(2), "later_": np.where(np.tri(LENGTH, dtype=bool), 0, -np.inf).astype(np.float32),
    "least": np.float32(-np.inf), "none_": np.float32(0),
    "past": np.zeros((1, 4, 1, 4), np.float32), "valid": np.array([LENGTH])}
PARTS: list[Node] = [
    ("Gather", ["t", "x"], "e", {}), ("Add", ["e", "p"], "h", {}),
    *[("MatMul", ["h", f"{name}_"], name, {}) for name in ("q", "k", "v", "half", "other")],
    *[node for name, shape in (("q", "by_head"), ("k", "by_head"), ("v", "by_head"), ("half", "by_shared"),
                               ("other", "by_shared"))
      for node in (("Reshape", [name, shape], f"{name}r", {}),
                   ("Transpose", [f"{name}r"], f"{name}4", {"perm": [0, 2, 1, 3]}))]]
FOUR, FEW = {"q_num_heads": 4, "kv_num_heads": 4}, {"q_num_heads": 4, "kv_num_heads": 2}
BACK: list[Node] = [("Transpose", ["z"], "s", {"perm": [0, 2, 1, 3]}), ("Reshape", ["s", "flat"], "y", {})]


def turned(how: dict[str, Any], *tables: str, end: str = "") -> list[Node]:
    """Queries and keys that are turned before three axes (or four) are attended."""
    return [*PARTS, *[("RotaryEmbedding", [one + end, *tables], f"{one}t", how) for one in "qk"]]


def padding(by: str, given: list[str]) -> list[Node]:
    """Return a mask of keys that are the token 0, a row for each query."""
    return [*PARTS, ("Equal", ["x", "zero"], "hides", {}), (by, given, "sees", {}),
            ("Unsqueeze", ["sees", "axes"], "row", {}), ("Expand", ["row", "square"], "mask", {})]


READ: dict[str, list[Node]] = {
    "heads": [*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR)],
    "causal": [*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"is_causal": 1})],
    "four-axes": [*PARTS, ("Attention", ["q4", "k4", "v4"], "z", {"is_causal": 1}), *BACK],
    "shared-keys": [*PARTS, ("Attention", ["q", "half", "other"], "y", FEW | {"is_causal": 1})],
    "shared-keys-of-four-axes": [*PARTS, ("Attention", ["q4", "half4", "other4"], "z", {}), *BACK],
    "scale": [*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"scale": 0.3})],
    "cap": [*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"softcap": 0.7, "is_causal": 1})],
    "cap-by-hand": [*PARTS, ("Transpose", ["k4"], "kt", {"perm": [0, 1, 3, 2]}), ("MatMul", ["q4", "kt"], "s1", {}),
                    ("Tanh", ["s1"], "s2", {}), ("Mul", ["s2", "two"], "s3", {}), ("Add", ["s3", "later_"], "s4", {}),
                    ("Softmax", ["s4"], "w", {}), ("MatMul", ["w", "v4"], "z", {}), *BACK],
    "a-width-without-a-root": [*PARTS, ("Attention", ["q", "k", "v"], "y", {"q_num_heads": 2, "kv_num_heads": 2})],
    "conditions": [*PARTS, ("Attention", ["q", "k", "v", "seen"], "y", FOUR)],
    "conditions-and-causal": [*PARTS, ("Attention", ["q", "k", "v", "seen"], "y", FOUR | {"is_causal": 1})],
    "numbers-of-each-head": [*PARTS, ("Attention", ["q4", "k4", "v4", "of_heads"], "z", {"is_causal": 1}), *BACK],
    "padding": [*padding("Not", ["hides"]), ("Attention", ["q", "k", "v", "mask"], "y", FOUR)],
    "padding-and-causal": [*padding("Where", ["hides", "least", "none_"]),
                           ("Attention", ["q", "k", "v", "mask"], "y", FOUR | {"is_causal": 1})],
    "precision": [*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"softmax_precision": 1})],
    "turned": [*turned({"num_heads": 4}, "cos", "sin", "places"), ("Attention", ["qt", "kt", "v"], "y", FOUR)],
    "turned-at-other-places": [*turned({"num_heads": 4}, "cos", "sin", "later"),
                               ("Attention", ["qt", "kt", "v"], "y", FOUR | {"is_causal": 1})],
    "turned-as-neighbours": [*turned({"interleaved": 1}, "cos", "sin", "places", end="4"),
                             ("Attention", ["qt", "kt", "v4"], "z", {"is_causal": 1}), *BACK],
    "turned-by-tables-of-tokens": [*turned({}, "cos1", "sin1", end="4"), ("Attention", ["qt", "kt", "v4"], "z", {}),
                                   *BACK],
    "turned-in-part": [*turned({"num_heads": 4, "rotary_embedding_dim": 2}, "cos3", "sin3"),
                       ("Attention", ["qt", "kt", "v"], "y", FOUR)],
    "turned-in-part-as-neighbours": [*turned({"num_heads": 2, "rotary_embedding_dim": 4, "interleaved": 1}, "cos1",
                                             "sin1"),
                                     ("Attention", ["qt", "kt", "v"], "y", {"q_num_heads": 2, "kv_num_heads": 2})]}
REFUSED: dict[str, tuple[list[Node], str]] = {
    "negative-cap": ([*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"softcap": -5.0})], "softcap -5.0, expected"),
    "capped-padding": ([*padding("Not", ["hides"]),
                        ("Attention", ["q", "k", "v", "mask"], "y", FOUR | {"softcap": 2.0})],
                       "a table, or a mask of keys by tokens, added to scores that have a cap"),
    "cache": ([*PARTS, ("Attention", ["q", "k", "v", "", "past", "past"], "y", FOUR)], "past_key: attention with a"),
    "valid": ([*PARTS, ("Attention", ["q", "k", "v", "", "", "", "valid"], "y", FOUR)], "nonpad_kv_seqlen: attention"),
    "hidden-rows": ([*PARTS, ("Attention", ["q", "k", "v", "none"], "y", FOUR)], "scores hidden by numbers"),
    "short": ([*PARTS, ("Attention", ["q", "k", "v", "short"], "y", FOUR)], "attn_mask, expected a constant or mask"),
    "one-row": ([*padding("Not", ["hides"]), ("Attention", ["q", "k", "v", "row"], "y", FOUR)], "attn_mask, expected"),
    "no-heads": ([*PARTS, ("Attention", ["q", "k", "v"], "y", {})], "queries of width 16 and None heads"),
    "heads-twice": ([*PARTS, ("Attention", ["q4", "k4", "v4"], "z", FOUR), *BACK], "queries with 4 axes beside a num"),
    "odd-shares": ([*PARTS, ("Attention", ["q4", "k4", "other4"], "z", {}), *BACK], "4 heads of queries, 4 of keys, 2"),
    "negative-scale": ([*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"scale": -1.0})], "scale -1.0, expected"),
    "flag": ([*PARTS, ("Attention", ["q", "k", "v"], "y", FOUR | {"is_causal": 2})], "attribute is_causal is 2"),
    "odd-turn": ([*turned({"num_heads": 4, "rotary_embedding_dim": 3}, "cos1", "sin1"),
                  ("Attention", ["qt", "kt", "v"], "y", FOUR)], "rotary_embedding_dim 3 of heads of width 4"),
    "tables-without-places": ([*turned({"num_heads": 4}, "cos", "sin"), ("Attention", ["qt", "kt", "v"], "y", FOUR)],
                              "rotary tables of shape (6, 2), expected (1, 4, 2)")}


@pytest.mark.parametrize("opset", [23, 24])
@pytest.mark.parametrize("name", READ)
def test_it_is_what_the_reference_and_onnx_runtime_compute(tmp_path: Path, name: str, opset: int) -> None:
    from onnx.reference import ReferenceEvaluator

    whole, words = written(READ[name], ARRAYS, LENGTH, opset=opset), WORDS
    words = words[words[:, 0] != 0] if "padding" in name else words
    found = FloatNetwork(imported(tmp_path, whole).network).logits(words, 0)
    reference: Any = ReferenceEvaluator(whole)
    expected = np.concatenate([reference.run(None, {"x": word[np.newaxis]})[0] for word in words])
    assert np.abs(found - expected).max() < 1e-4
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(whole, providers=["CPUExecutionProvider"])
    expected = np.concatenate([session.run(None, {"x": word[np.newaxis]})[0] for word in words])
    assert np.abs(found - expected).max() < 1e-4


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_certain_is_refused_by_name(tmp_path: Path, name: str) -> None:
    nodes, printed = REFUSED[name]
    with pytest.raises(InputError) as refused:
        imported(tmp_path, written(nodes, ARRAYS, LENGTH, opset=24))
    assert f"): {printed}" in str(refused.value) and "\n" not in str(refused.value)
