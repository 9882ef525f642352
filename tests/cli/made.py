"""Files for sessions, by their names, where a text does not say what is in them; the slower ones are made once."""

import io
import json
import pickle  # noqa: TID251  # writes what a command must refuse
import struct
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from certify import Network
from certify import certify as certify_formula
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.regimes import Regime
from constructions.trained.json_form import network_text
from constructions.trained.network import Affine, AttentionStep, Scale, Tensor, TrainedHead, TrainedNetwork, View
from examples.trained.zoo import plans
from tests.check.handmade import dump, logarithmic_certificate
from tests.learning.changed import changed, in_bits, in_half_precision
from tests.learning.test_vnnlib_queries import SIGNS, WORDS, differ, query
from tests.trained.tracks.adders import adder, claim_text

EVEN = "e\to\ta\ne\te\tb\no\te\ta\no\to\tb\ne\n"
MINE = """[mine]
storage = "bfloat16"
inputs = "bfloat16"
sums = "binary32"
scores = "binary32"
softmax = "binary32"
weights = "binary32"
normalised = "after"
exp_ulp = "2"
exp_base = "e"
block = 0
"""
TWO_CLAIMS = """
title = "Two claims"
[defaults]
lengths = "1..6"
[[claim]]
name = "enough"
statement = "Theorem 15 a"
formula = "(Q_a | Q_b) since Q_a"
alphabet = "abc"
expect = "certified"
critical = [4]
constants = { 4 = "1.374063" }
[[claim]]
name = "not-enough"
formula = "(Q_a | Q_b) since Q_a"
alphabet = "abc"
gamma = "138/100"
expect = "refuted"
counterexample = { word = "aaaac", position = 5 }
"""
CLAIM = """
alphabet = "ab"
before = [2]
read = "each"
max_n = 8
[[answer]]
kind = "sign"
token = 0
truth = "#<[Q_a] >= #<[Q_b]"
"""
SHAPES = {"embed.W_E": (3, 4), "blocks.0.attn.W_Q": (2, 4, 2), "blocks.0.attn.W_K": (2, 4, 2), "unembed.W_U": (4, 2),
          "blocks.0.attn.W_V": (2, 4, 2), "blocks.0.attn.W_O": (2, 2, 4), "blocks.0.attn.IGNORE": (),
          "blocks.0.mlp.W_in": (4, 5), "blocks.0.mlp.W_out": (5, 4), "blocks.0.ln1.w": (4,), "blocks.0.ln2.w": (4,),
          "ln_final.w": (4,)}


def difference_network(rows: int = 0) -> TrainedNetwork:
    """Logit 0 is what the token is worth (a 1, b -1, the start 1/2) plus the mean so far; logit 1 is minus it."""
    data = {"tokens": (1.0, -1.0, 0.5), "zero": (0.0,), "one": (1.0, -1.0, 0.0)}
    tensors = {name: Tensor("binary32", (len(row),), struct.pack(f"<{len(row)}f", *row)) for name, row in data.items()}
    positions = None
    if rows:
        tensors["rows"] = Tensor("binary32", (rows, 1), bytes(4 * rows))
        positions = View("rows", 0, (rows, 1), (1, 1))
    zero, one = View("zero", 0, (1, 1), (1, 1)), View("one", 0, (1, 1), (1, 1))
    minus = View("one", 1, (1, 1), (1, 1))
    heads = (TrainedHead(Affine(zero), Affine(zero), Affine(one), one),
             TrainedHead(Affine(zero), Affine(zero), Affine(zero), minus))
    attention = AttentionStep(None, heads, None, Scale(root=1))
    tokens = View("tokens", 0, (3, 1), (1, 1))
    outputs = Affine(View("one", 0, (1, 2), (1, 1)))
    return TrainedNetwork("causal", tokens, positions, (attention,), outputs, tensors)


@cache
def since() -> str:
    """Return a certificate of ``Q_1 since Q_0`` over 01 up to 5."""
    proved: Any = certify_formula("Q_1 since Q_0", alphabet="01", max_n=5)
    return str(proved.certificate)


@cache
def seven() -> TrainedNetwork:
    return plans()["tomita_7"].network()


def hooked() -> bytes:
    """Return a HookedTransformer of two heads whose numbers are 1/2, and what is written over masked scores."""
    tensors: dict[str, Any] = {name: np.full(shape, 0.5, np.float32) for name, shape in SHAPES.items()}
    tensors["blocks.0.attn.IGNORE"] = np.float32(-np.inf)
    np.savez(file := io.BytesIO(), **tensors)
    return file.getvalue()


def copying() -> str:
    """Return a model without hard heads."""
    network = Network("0,1")
    network.output("Q_1")
    return write_canonical(transformer_to_json(network.build()))


def own_class() -> str:
    """Return the float executions of flash, under another name."""
    from proofs.enclosures.float_models.model import presets

    fields = {key: value for key, value in presets()["flash"].to_json().items() if key != "name"}
    return "[own]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())


MADE: Mapping[str, Callable[[], str | bytes]] = {
    "m.json": lambda: write_canonical(transformer_to_json(
        compile_formula(parse_formula("Q_1 since Q_0"), "01", Regime()))),
    "c.cert": since, "crlf.cert": lambda: since().replace("\n", "\r\n").encode(),
    "late.cert": lambda: dump(logarithmic_certificate(8, min_n=2)),
    "even.att": lambda: EVEN, "mine.toml": lambda: MINE, "own.toml": own_class, "claims.toml": lambda: TWO_CLAIMS,
    "copy.json": copying, "m.npz": hooked, "m.pt": lambda: pickle.dumps(print, 2),
    "model.safetensors": lambda: b"\2\0\0\0\0\0\0\0{}",
    "model.json": lambda: network_text(difference_network()), "c.toml": lambda: CLAIM,
    "short.json": lambda: network_text(difference_network(rows=3)),
    "seven.json": lambda: network_text(seven()),
    "half.json": lambda: network_text(changed(seven(), in_half_precision)),
    "four.json": lambda: network_text(changed(seven(), in_bits(4))),
    "bits.json": lambda: network_text(adder(2, 5, blur=0.5)), "bits.toml": lambda: claim_text(2, 5),
    "q.vnnlib": lambda: query(WORDS, differ((1, 2, 3), SIGNS)),
}


def make(place: str) -> None:
    """Write the file that has this name."""
    content = MADE[Path(place).name]()
    Path(place).write_bytes(content if isinstance(content, bytes) else content.encode())
