"""A graph has the meaning of its opset: what ONNX Runtime computes on every word, or a refusal that names the node."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.operators import WITHOUT_EFFECT, Attributes
from proofs.trained.forward import FloatNetwork
from tests.importing.small_graphs import Node, imported, written

onnx = pytest.importorskip("onnx")
RANDOM = np.random.default_rng(4)
WORDS = np.array(list(product(range(3), repeat=3)))
LATER = ~np.tri(3, dtype=bool)


def small(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(np.float32)


ARRAYS: dict[str, Any] = {
    "t": small(3, 4), "q": small(4, 4), "k": small(4, 4), "g": small(4), "two": np.float32(2), "half": np.float32(0.5),
    "three": np.float32(3), "eps": np.float32(0.25), "tenth": np.float32(1e-4), "later": LATER, "tri": ~LATER,
    "low": np.float32(-1e4), "least": np.float32(-np.inf), "near": np.float32(-20),
    "zero": np.array(0), "short": np.array(0, np.int32), "one": np.float32(1), "axis": np.array([2]),
    "middle": np.array([1]), "rows": np.where(LATER, np.float32(-1e4), np.float32(0)), "depth": np.array(3),
    "bits": np.array([0, 1]), "whole": np.array(2), "last": np.array([-1]), "no": np.array(False),
    "infinite": np.array([1, np.inf, 1, 1], np.float32), "all": np.full((3, 3), -1e9, np.float32)}
EMBEDDED: list[Node] = [("Gather", ["t", "x"], "h", {})]
SCORES: list[Node] = [*EMBEDDED, ("MatMul", ["h", "q"], "a", {}), ("MatMul", ["h", "k"], "b", {}),
                      ("Transpose", ["b"], "c", {"perm": [0, 2, 1]}), ("MatMul", ["a", "c"], "s", {})]
PADDED: list[Node] = [*SCORES, ("Equal", ["x", "zero"], "e", {}), ("Unsqueeze", ["e", "middle"], "p", {})]


def attends(*between: Node, axis: int | None = 2, start: list[Node] = SCORES) -> list[Node]:
    """Scores, what is done to them (``s`` to ``m``), a softmax and the average."""
    how = {} if axis is None else {"axis": axis}
    return [*start, *between, ("Softmax", ["m" if between else "s"], "w", how), ("MatMul", ["w", "h"], "y", {})]


def norm(*squares: Node) -> list[Node]:
    """x less its mean over the root of what is made of it (``d`` to ``v``)."""
    return [*EMBEDDED, ("ReduceMean", ["h", "axis"], "n", {}), ("Sub", ["h", "n"], "d", {}), *squares,
            ("Add", ["v", "eps"], "r", {}), ("Sqrt", ["r"], "u", {}), ("Div", ["d", "u"], "y", {})]


READ: dict[str, tuple[int, list[Node]]] = {
    "softmax-without-axis": (13, attends(("Identity", ["s"], "m", {}), axis=None)),
    "softmax-over-the-last-axis": (11, attends()), "softmax-from-the-end": (11, attends(axis=-1)),
    "causal-by-a-finite-number": (18, attends(("Add", ["s", "rows"], "m", {}))),
    "causal-by-choice": (18, attends(("Where", ["later", "low", "s"], "m", {}))),
    "a-mask-that-a-scale-makes-a-table": (18, attends(("Add", ["s", "rows"], "i", {}),
                                                      ("Mul", ["i", "tenth"], "m", {}))),
    "padding": (18, attends(("Where", ["p", "least", "s"], "m", {}), start=PADDED)),
    "padding-by-a-finite-number": (18, attends(("Where", ["p", "low", "s"], "i", {}), ("Mul", ["i", "half"], "m", {}),
                                               start=PADDED)),
    "a-square-of-differences": (18, norm(("Mul", ["d", "d"], "i", {}), ("ReduceMean", ["i", "last"], "v", {}))),
    "leaky-relu-by-default": (16, [*EMBEDDED, ("LeakyRelu", ["h"], "y", {})]),
    "bounds-that-are-attributes": (7, [*EMBEDDED, ("Clip", ["h"], "y", {"min": -0.5})]),
    "bounds-that-are-inputs": (13, [*EMBEDDED, ("Clip", ["h", "", "half"], "y", {})]),
    "flattened-before-9": (7, [*EMBEDDED, ("Flatten", ["h"], "f", {"axis": 2}), ("Gemm", ["f", "q", "g"], "y", {})]),
    "dropout-before-12": (7, [*EMBEDDED, ("Dropout", ["h"], "y", {"ratio": 0.9})]),
    "dropout": (13, [*EMBEDDED, ("Dropout", ["h", "half", "no"], "y", {"seed": 1})]),
    "one-hot-of-whole-numbers": (18, [("OneHot", ["x", "depth", "bits"], "o", {}), ("Mul", ["o", "whole"], "p", {}),
                                      ("Cast", ["p"], "f", {"to": 1}), ("MatMul", ["f", "t"], "y", {})]),
    "rows-of-scales": (17, [*EMBEDDED, ("LayerNormalization", ["h", "g"], "y", {"stash_type": 1, "axis": 2})]),
    "a-sum-of-what-is-not-summed": (18, [*EMBEDDED, ("ReduceSum", ["h", "axis"], "i", {"noop_with_empty_axes": 1}),
                                         ("Add", ["h", "i"], "y", {})])}
REFUSED: dict[str, tuple[int, list[Node], str]] = {
    "flattened-softmax": (11, attends(axis=None), "n_w (Softmax): a softmax of something other than scores"),
    "flattened-logits": (12, [*EMBEDDED, ("Softmax", ["h"], "y", {})], "n_y (Softmax): a softmax of something"),
    "a-mask-that-a-scale-undoes": (18, attends(("Where", ["later", "low", "s"], "i", {}),
                                               ("Mul", ["i", "tenth"], "m", {})),
                                   "n_w (Softmax): scores replaced by numbers that do not hide them"),
    "a-number-that-hides-nothing": (18, attends(("Where", ["later", "near", "s"], "m", {})),
                                    "n_w (Softmax): scores replaced by numbers that do not hide them"),
    "padding-that-a-scale-undoes": (18, attends(("Where", ["p", "low", "s"], "i", {}), ("Mul", ["i", "tenth"], "m", {}),
                                                start=PADDED), "n_w (Softmax): a mask by tokens that hides different"),
    "all-keys-hidden": (18, attends(("Add", ["s", "all"], "m", {})), "n_w (Softmax): scores hidden by numbers "
                        "near those of visible ones, or all scores of a query"),
    "nothing-times-infinity": (18, attends(("Where", ["later", "least", "s"], "i", {}),
                                           ("Mul", ["i", "tri_"], "m", {})), "n_m (Mul): scores with a mask of "),
    "differences-of-multiples": (18, [*EMBEDDED, ("Mul", ["h", "three"], "z", {}), *norm(
        ("ReduceMean", ["z", "axis"], "o", {}), ("Sub", ["z", "o"], "f", {}), ("Mul", ["d", "f"], "i", {}),
        ("ReduceMean", ["i", "last"], "v", {}))[1:]], "n_u (Sqrt): a root of something other than a mean of squares"),
    "an-attribute-of-another-opset": (18, [*EMBEDDED, ("ReduceMean", ["h"], "y", {"axes": [2]})],
                                      "n_y (ReduceMean): attribute axes, which the definition of opset 18 does not"),
    "an-input-of-another-opset": (11, [*EMBEDDED, ("Squeeze", ["h", "middle"], "y", {})],
                                  "n_y (Squeeze): 2 inputs, expected 1 to 1"),
    "an-operation-of-another-opset": (16, [*EMBEDDED, ("LayerNormalization", ["h", "g"], "y", {})],
                                      "n_y (LayerNormalization): no operation of opset 16"),
    "a-flag-that-is-none": (13, [*EMBEDDED, ("ReduceSum", ["h", "axis"], "y", {"keepdims": 2})],
                            "n_y (ReduceSum): attribute keepdims is 2, expected 0 or 1"),
    "quotients-of-whole-numbers": (18, [("OneHot", ["x", "depth", "bits"], "o", {}), ("Div", ["o", "whole"], "p", {}),
                                        ("Cast", ["p"], "y", {"to": 1})], "n_p (Div): a quotient of numbers of tokens "
                                   "of an integer type by constants"),
    "tokens-of-another-type": (18, [*SCORES, ("Equal", ["x", "short"], "y", {})],
                               "n_y (Equal): tokens compared with something other than a number of type int64"),
    "infinite-weights": (18, [*EMBEDDED, ("Mul", ["h", "infinite"], "y", {})],
                         "n_y (Mul): infinite or NaN constants beside numbers"),
    "opset-6": (6, EMBEDDED, "opset 6 of ONNX, expected 7 to 24"), "opset-25": (25, EMBEDDED, "opset 25 of ONNX"),
    "one-name-for-two": (18, [*EMBEDDED, ("Neg", ["h"], "g", {})], "two arrays with the name g, expected one")}


def model(opset: int, nodes: list[Node]) -> bytes:
    used = {name for _, given, *_ in nodes for name in given} | {"g"}
    arrays = ARRAYS | {"tri_": ARRAYS["tri"].astype(np.float32)}
    return written(nodes, {name: array for name, array in arrays.items() if name in used}, opset=opset)


@pytest.mark.parametrize("name", READ)
def test_it_is_what_onnx_runtime_computes(tmp_path: Path, name: str) -> None:
    runtime = pytest.importorskip("onnxruntime")
    data = model(*READ[name])
    result = imported(tmp_path, data)
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    words = WORDS[(WORDS != 0).any(1)] if "padding" in name else WORDS
    expected = np.concatenate([session.run(None, {"x": word[np.newaxis]})[0].reshape(1, 3, 4) for word in words])
    assert np.abs(FloatNetwork(result.network).logits(words, 0) - expected).max() < 1e-5


@pytest.mark.parametrize("name", REFUSED)
def test_what_means_something_else_is_refused(tmp_path: Path, name: str) -> None:
    opset, nodes, printed = REFUSED[name]
    with pytest.raises(InputError) as refused:
        imported(tmp_path, model(opset, nodes))
    assert str(refused.value).startswith(f"m.onnx: {'node ' * printed.startswith('n_')}{printed}")
    assert "\n" not in str(refused.value)


def test_what_hides_by_a_finite_number_is_said(tmp_path: Path) -> None:
    printed = "scores are hidden by finite numbers"
    assert any(printed in one for one in imported(tmp_path, model(*READ["causal-by-choice"])).report.assumed)
    assert not any(printed in one for one in imported(tmp_path, model(*READ["padding"])).report.assumed)


def test_a_domain_of_onnx_has_no_functions(tmp_path: Path) -> None:
    """A function of the name of an operation would be what its nodes mean."""
    whole = onnx.load_model_from_string(model(18, [*EMBEDDED, ("Neg", ["h"], "y", {})]))
    whole.functions.add(name="Neg", domain="")
    with pytest.raises(InputError, match=r"^m.onnx: a function in a domain of ONNX, expected only ONNX's own"):
        imported(tmp_path, whole.SerializeToString())


def test_an_output_without_a_name_is_not_taken_for_another(tmp_path: Path) -> None:
    nodes: list[Node] = [("Gather", ["t", "x"], "h", {}), ("Split", ["h"], "c", {"axis": 2, "num_outputs": 4}),
                         ("Concat", ["c", "d"], "y", {"axis": 2})]
    whole = onnx.load_model_from_string(model(18, nodes))
    del whole.graph.node[1].output[:]
    whole.graph.node[1].output.extend(["", "c", "", "d"])
    found = FloatNetwork(imported(tmp_path, whole.SerializeToString()).network).logits(WORDS[-1:], 0)
    assert (found[0, 0] == ARRAYS["t"][2, [1, 3]]).all()


@pytest.mark.parametrize("one", [("Relu", "alpha", 1.0), ("Softmax", "axis", 1.0), ("Transpose", "perm", 1)])
def test_an_attribute_that_is_none_of_the_operation_is_refused(one: tuple[str, str, Any]) -> None:
    operation, name, value = one
    with pytest.raises(NotUnderstood, match=f"^attribute {name}"):
        Attributes(onnx.helper.make_node(operation, ["x"], ["y"], **{name: value}), {"": 20})


def test_an_attribute_that_nothing_reads_is_refused() -> None:
    how = Attributes(onnx.helper.make_node("Gemm", ["x", "w"], ["y"], alpha=2.0, transA=1), {"": 20})
    assert how.attribute("transA") == 1
    with pytest.raises(NotUnderstood, match=r"^attribute alpha, which is not supported here$"):
        how.expect_all_read()
    assert how.attribute("alpha") == 2
    how.expect_all_read()


def test_attributes_without_effect_are_those_of_definitions() -> None:
    for operation, name in WITHOUT_EFFECT:
        assert any(name in schema.attributes for schema in onnx.defs.get_all_schemas_with_history()
                   if (schema.name, schema.domain) == (operation, ""))
