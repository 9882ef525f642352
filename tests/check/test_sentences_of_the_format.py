"""docs/reference/trained.md, section 2: both readers refuse what breaks a sentence about parts of a network."""

import base64
import hashlib
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from constructions.errors import InputError
from constructions.trained.json_form import network_from_json
from constructions.trained.validation import MAX_TENSOR_BYTES, MAX_VIEWED
from proofs.check import Malformed, check_text
from proofs.check.checker.kernel import budget
from tests.check.handmade import dump
from tests.check.trained_networks import decision, make_claim, make_network, rounding_network

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "trained.md"
NETWORKS = {"gpt2": make_network("gpt2"), "rotary": make_network("rotary"), "alibi": make_network("alibi"),
            "scale": rounding_network({"scale": "1/8", "zero": 3, "least": 0, "greatest": 15}),
            "range": rounding_network({"range": "token", "greatest": 127})}
Change = tuple[str, str, Any]
"""A network, the path of a part of it, and the value that stands there, or a function of what stood there."""


def with_element(form: str, element: bytes) -> Callable[[Any], Any]:
    def change(tensor: Any) -> Any:
        data = element + base64.b64decode(tensor["data"])[len(element):]
        return tensor | {"format": form, "data": base64.b64encode(data).decode(),
                         "sha256": hashlib.sha256(data).hexdigest()}
    return change


def key(name: str, value: Any) -> Callable[[Any], Any]:
    return lambda part: part | {name: value}


def edit(kind: str, step: int = 0, **more: Any) -> dict[str, Any]:
    return {"edit": kind, "step": step, **more}


def cut(step: int, *parts: list[int]) -> dict[str, Any]:
    return edit("cut edges", step, head=0, **{"from": [*parts], "to": None})


SENTENCES: dict[str, list[Change]] = {
    "`format`: `binary32`, `binary64`, `binary16` or `bfloat16`": [("gpt2", "tensors t0", key("format", "float32"))],
    "`data`: base64 of its elements in row-major order, little-endian": [
        ("gpt2", "tensors t0 data", lambda text: text[:-4] + "===="),
        ("gpt2", "tensors t0 data", lambda text: text[4:])],
    "`sha256`: of these bytes, as they are in the source file": [("gpt2", "tensors t0 sha256", "0" * 64)],
    "Every element is finite": [("gpt2", "tensors t0", with_element("binary32", b"\x00\x00\x80\x7f"))],
    "Every tensor is used": [("gpt2", "tensors", lambda all: all | {"more": all["t0"]})],
    "all of them have at most 40,000,000 bytes": [],
    "{tensor, start, shape, strides}: element (i, j) of a MATRIX is element start + i·strides[0] + j·strides[1] of the "
    "tensor, flattened": [("gpt2", "tokens", key("strides", [1])), ("gpt2", "tokens", key("tensor", "nowhere"))],
    "A VECTOR (one shape, one stride) is read in the same way": [("gpt2", "steps 0 bias", key("shape", [2, 4]))],
    "Start and strides are 0 or more, sizes 1 or more": [
        ("gpt2", "tokens start", -1), ("gpt2", "tokens strides", [8, -1]), ("gpt2", "tokens shape", [4, 0])],
    "A view lies inside its tensor and has no more elements than it": [
        ("gpt2", "tokens start", 1), ("gpt2", "tokens", key("shape", [5, 8])),
        ("gpt2", "tokens", lambda view: view | {"shape": [5, 8], "strides": [0, 1]})],
    "All views of a network have at most 50,000,000": [],
    "{weight: MATRIX [in, out], bias: VECTOR [out] or null}: y_j = Σ_i x_i weight_ij + bias_j": [
        ("gpt2", "steps 1 in weight shape", [8, 15]), ("gpt2", "steps 1 in bias shape", [15])],
    "{kind: `layer` or `rms`, epsilon: rational above 0, gain: VECTOR or null, bias: VECTOR or null}": [
        ("gpt2", "steps 0 norm kind", "batch"), ("gpt2", "steps 0 norm epsilon", "0")],
    "Of an image of h it has the key `of`: AFFINE": [("gpt2", "steps 0 norm", key("of", None))],
    "Gain and bias are as wide as what is normalised": [("gpt2", "steps 0 norm gain shape", [7])],
    "{step: `norm`, norm: NORM}": [("gpt2", "steps 2 norm", None), ("gpt2", "steps 2", key("step", "dropout"))],
    "{step: `attention`, norm: NORM or null, heads: list of HEAD (not empty), bias: VECTOR or null, scale: SCALE, "
    "rotary: ROTARY or null}": [("gpt2", "steps 0 heads", []), ("gpt2", "steps 0", key("window", "30"))],
    "Where scores have a cap, it also has the key `cap`: rational above 0": [("gpt2", "steps 0", key("cap", "0"))],
    "{step: `units`, norm: NORM or null, in: AFFINE, gate: AFFINE or null, activation: name or ROUNDING, "
    "out: AFFINE}": [
        ("gpt2", "steps 1 activation", "softplus"), ("gpt2", "steps 1 in", None)],
    "{scale: rational above 0, zero, least, greatest: whole numbers below 2^32, least ≤ zero ≤ greatest}, or {range: "
    "`input` (of all tokens) or `token`, greatest: whole number above 0}": [
        ("scale", "steps 0 activation scale", "0"), ("scale", "steps 0 activation zero", 16),
        ("scale", "steps 0 activation greatest", 1 << 33), ("range", "steps 0 activation range", "word"),
        ("range", "steps 0 activation greatest", 0)],
    "there is no gate beside it": [("scale", "steps 0", lambda step: step | {"gate": step["in"]})],
    "{query: AFFINE, key: AFFINE, value: AFFINE, out: MATRIX [head width, width], slope: rational or null}": [
        ("gpt2", "steps 0 heads 0 out shape", [8, 7]), ("alibi", "steps 0 heads 0 slope", "steep"),
        ("rotary", "steps 1 heads 0 key weight shape", [8, 3])],
    "{times: rational} or {root: m}, which means 1/sqrt(m)": [
        ("gpt2", "steps 0 scale", {"root": 0}), ("gpt2", "steps 0 scale", {"times": "1", "root": 2})],
    "{edit: `set head`, step, head, to: list of dyadic rationals or null}": [
        ("gpt2", "edits", [edit("set head", head=9, to=None)]),
        ("gpt2", "edits", [edit("set head", head=0, to=["1/3"])])],
    "{edit: `keep neurons`, step, neurons: ascending numbers, to: one dyadic rational for each other neuron, "
    "or null}": [
        ("gpt2", "edits", [edit("keep neurons", 1, neurons=[1, 0], to=None)]),
        ("gpt2", "edits", [edit("keep neurons", 1, neurons=[0], to=["1"])]),
        ("gpt2", "edits", [edit("keep neurons", 0, neurons=[0], to=None)])],
    "{edit: `sharpen head`, step, head, doublings: 1 to 64}": [
        ("gpt2", "edits", [edit("sharpen head", head=0, doublings=0)]),
        ("gpt2", "edits", [edit("sharpen head", head=0, doublings=65)])],
    "{edit: `mark tokens`, tokens: ascending numbers, which may repeat}": [
        ("gpt2", "edits", [{"edit": "mark tokens", "tokens": [1, 0]}])],
    "{edit: `attend hard`, step, head, tokens: ascending numbers}": [
        ("gpt2", "edits", [edit("attend hard", head=0, tokens=[1, 0])]),
        ("gpt2", "edits", [edit("attend hard", head=0, tokens=[1, 1])]),
        ("gpt2", "edits", [edit("attend hard", head=9, tokens=[1])])],
    "{edit: `cut edges`, step, head (0 of a block or of the end), from: ascending pairs [step, head], [-1, 0] of the "
    "tokens, [-1, 1] of the positions, to: one dyadic rational for each coordinate, or null}": [
        ("gpt2", "edits", [cut(1, [-1, 1], [-1, 0])]), ("gpt2", "edits", [cut(1, [1, 0])]), ("gpt2", "edits", [cut(1)]),
        ("gpt2", "edits", [cut(1, [-1, 0]) | {"head": 1}]), ("gpt2", "edits", [cut(1, [-1, 0]) | {"to": ["1"]}])],
    "{edit: `read head`, step, head, what: `mass`, `average` or `average less uniform`}": [
        ("gpt2", "edits", [edit("read head", head=0, what="mass")]),
        ("gpt2", "edits", [edit("read head", head=0, what="values")])],
    "Their meaning: [parts](../background/parts.md)": [],
    "{cosines: MATRIX [rows, pairs], sines: MATRIX [rows, pairs], pairing: `halves` or `neighbours`}: pair r is "
    "coordinates (r, r + pairs) or (2r, 2r + 1)": [
        ("rotary", "steps 1 rotary pairing", "thirds"),
        ("rotary", "steps 1 rotary sines shape", lambda shape: [shape[0] - 1, shape[1]])],
    "(x, y) becomes (x cos - y sin, y cos + x sin)": [],
}
"""Changes that break each sentence. Four have none: two limits, tested below, an equation that
networks are run by, and the page on edits, tests/trained/test_edits.py."""
BROKEN = [(sentence, *change) for sentence, changes in SENTENCES.items() for change in changes]


def sentences_of_the_page() -> list[str]:
    """Return the sentences of the table of parts, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index("## 2. The file of a network"):text.index("## 3. The claim")]
    rows = re.findall(r"^\| \w+ \| (.*) \|$", section, re.MULTILINE)
    return [sentence for row in rows for sentence in re.split(r"; |(?<=[^.])\. ", row)]


def changed(network: str, path: str, value: Any) -> Any:
    """Return the network with another value at the path."""
    data = deepcopy(NETWORKS[network])
    *before, last = [int(step) if step.isdigit() else step for step in path.split()]
    part: Any = data
    for step in before:
        part = part[step]
    part[last] = value(part[last]) if callable(value) else value
    return data


def test_every_sentence_of_the_page_stands_here() -> None:
    assert sentences_of_the_page() == [*SENTENCES]


@pytest.mark.parametrize(("sentence", "network", "path", "value"), BROKEN)
def test_what_breaks_a_sentence_is_refused_by_both_readers(sentence: str, network: str, path: str, value: Any) -> None:
    data = changed(network, path, value)
    with pytest.raises(InputError):
        network_from_json(data, "m.json")
    with pytest.raises(Malformed, match=r"^network: "):
        check_text(dump(decision(data, make_claim())))


@pytest.mark.parametrize("network", NETWORKS)
def test_what_breaks_none_is_read_by_both(network: str) -> None:
    network_from_json(NETWORKS[network], "m.json")
    check_text(dump(decision(NETWORKS[network], make_claim())))


def test_both_readers_have_the_limits_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MAX_TENSOR_BYTES, MAX_VIEWED) == (budget.MAX_TENSOR_BYTES, budget.MAX_VIEWED) == (40_000_000, 50_000_000)
    for place in ("proofs.check.checker.chapters.trained.reading.dyadics", "constructions.trained.validation"):
        for name in ("MAX_TENSOR_BYTES", "MAX_VIEWED"):
            monkeypatch.setattr(f"{place}.{name}", 100)
            with pytest.raises((InputError, Malformed), match=r"at most 100|more than 100"):
                if "check" in place:
                    check_text(dump(decision(NETWORKS["gpt2"], make_claim())))
                network_from_json(NETWORKS["gpt2"], "m.json")
            monkeypatch.undo()
