"""Initial networks: random tensors with the names of nanoGPT, torch's encoder or Hugging Face's LLaMA, imported.

So the trained network is what `certify import` reads from the file.
"""

import hashlib
import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from certify.learning.training.lessons import Draw
from constructions.errors import InputError, Unsupported
from constructions.importing.config_file import positive_decimal, read_config
from constructions.importing.contents import Contents, Stored
from constructions.importing.importer import recognise
from constructions.importing.questions import Options
from constructions.trained.network import Attends, Source, TrainedNetwork

FILE = "model.safetensors"
COMPUTED = "computed."
"""Prefix of tensors that are not in files."""
_KINDS = {"binary64": "F64", "binary32": "F32", "binary16": "F16", "bfloat16": "BF16"}


def weights_bytes(network: TrainedNetwork) -> bytes:
    """Return the file, written here, since the package safetensors has no bfloat16 for numpy."""
    kept = {name: tensor for name, tensor in network.tensors.items() if not name.startswith(COMPUTED)}
    header, start = {}, 0
    for name, tensor in kept.items():
        header[name] = {"dtype": _KINDS[tensor.format], "shape": list(tensor.shape),
                        "data_offsets": [start, start + len(tensor.data)]}
        start += len(tensor.data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(tensor.data for tensor in kept.values())


def with_its_source(network: TrainedNetwork) -> TrainedNetwork:
    """Return the network with this file as its source."""
    return replace(network, sources=(Source(FILE, hashlib.sha256(weights_bytes(network)).hexdigest()),))


Positions = Literal["learned", "none", "rotary"]
EPSILON = "1e-5"
MOST_NUMBERS = 1_000_000
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Sizes:
    """The sizes of a new network; None is as many as the claim needs (of hidden units: four times the width)."""

    layers: int = 1
    width: int = 16
    heads: int = 1
    units: int | None = None
    attention: Attends | None = None
    positions: Positions = "learned"
    rows: int | None = None

    @property
    def inner(self) -> int:
        """The number of hidden units in a layer."""
        return 4 * self.width if self.units is None else self.units

    def check(self) -> None:
        """Raise InputError for the first size that is out of range."""
        for name, value in (("layers", self.layers), ("width", self.width), ("heads", self.heads),
                            ("units", self.inner), ("rows", 1 if self.rows is None else self.rows)):
            if not 1 <= value <= MOST_NUMBERS:
                raise InputError(f"--{name}: {value}, expected from 1 to {MOST_NUMBERS}")
        pairs = 2 if self.positions == "rotary" else 1
        if self.width % (self.heads * pairs):
            raise InputError(f"--width: {self.width}, expected a multiple of the {self.heads} heads"
                             + (" with an even number of coordinates each" if pairs == 2 else ""))
        if self.layers * self.width * (4 * self.width + 3 * self.inner) > MOST_NUMBERS:
            raise InputError(f"--layers, --width: more than {MOST_NUMBERS} numbers, expected a small network")


@dataclass(frozen=True)
class Recipe:
    """The shapes of the tensors by name, and the settings, or the answers for `certify import`."""

    shapes: Shapes
    answers: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def imported(self, tensors: Mapping[str, bytes]) -> TrainedNetwork:
        """Return the network with these tensors, binary32."""
        stored = {name: Stored("F32", "binary32", shape, partial(tensors.__getitem__, name))
                  for name, shape in self.shapes.items()}
        epsilon = self.answers.get("epsilon")
        options = Options(**{**self.answers, "epsilon": epsilon and positive_decimal(epsilon, "epsilon")})
        settings = read_config(self.config, "config.json").settings if self.settings else {}
        return recognise(Contents(stored, settings), options, "the new network", "config.json", ()).network

    @property
    def config(self) -> bytes:
        """The settings as a file."""
        return (json.dumps(self.settings, indent=2) + "\n").encode()

    @property
    def flags(self) -> list[str]:
        """The answers as options of the command line."""
        words = [("--norm-first" if value else "--norm-last",) if name == "norm_first"
                 else (f"--{name.replace('_', '-')}", str(value)) for name, value in self.answers.items()]
        return [word for pair in words for word in pair]


def recipe(sizes: Sizes, attention: Attends, vocabulary: int, rows: int) -> Recipe:
    """Return the recipe of a network of these sizes.

    Raises:
        Unsupported: if there is no such architecture.
    """
    if sizes.positions == "rotary" and attention != "causal":
        raise Unsupported("rotary positions with bidirectional attention: no such network is trained")
    if sizes.positions == "rotary":
        return _llama(sizes, vocabulary, rows)
    if sizes.positions == "learned" and attention == "causal":
        return _gpt(sizes, vocabulary, rows)
    return _encoder(sizes, attention, vocabulary, rows)


def begun(made: Recipe, draw: Draw) -> TrainedNetwork:
    """Initialise: normal tables of embeddings, matrices as in torch, biases 0, gains 1."""
    tensors, generic, any_numbers = {}, {}, np.random.default_rng(0)
    for name, shape in made.shapes.items():
        generic[name] = any_numbers.normal(size=shape).astype("<f4").tobytes()
        if len(shape) == 1:
            array = np.full(shape, 0.0 if name.endswith("bias") else 1.0)
        elif "emb" in name or "pos" in name or ".wte" in name or ".wpe" in name:
            array = draw.normal(size=shape)
        else:
            array = draw.uniform(-1, 1, size=shape) / math.sqrt(shape[1])
        tensors[name] = array.astype("<f4").tobytes()
    network = made.imported(generic)  # all numbers differ, so that no tensor is mistaken for another one
    return replace(network, tensors={name: replace(tensor, data=tensors[name]) if name in tensors else tensor
                                     for name, tensor in network.tensors.items()})


def _gpt(sizes: Sizes, vocabulary: int, rows: int) -> Recipe:
    """Return the shapes of nanoGPT: layer norm first, learned positions, GELU."""
    width, shapes = sizes.width, Shapes()
    shapes["transformer.wte.weight"], shapes["transformer.wpe.weight"] = (vocabulary, width), (rows, width)
    for layer in (f"transformer.h.{index}" for index in range(sizes.layers)):
        shapes |= _vectors(width, f"{layer}.ln_1", f"{layer}.ln_2")
        shapes |= _linear(f"{layer}.attn.c_attn", width, 3 * width) | _linear(f"{layer}.attn.c_proj", width, width)
        shapes |= _linear(f"{layer}.mlp.c_fc", width, sizes.inner) | _linear(f"{layer}.mlp.c_proj", sizes.inner, width)
    shapes |= _vectors(width, "transformer.ln_f") | {"lm_head.weight": (vocabulary, width)}
    return Recipe(shapes, {"kind": "nanogpt", "attention": "causal", "heads": sizes.heads, "activation": "gelu",
                           "epsilon": EPSILON})


def _encoder(sizes: Sizes, attention: Attends, vocabulary: int, rows: int) -> Recipe:
    """Return the shapes of torch's encoder: with positions by its defaults, without them norms first and GELU."""
    width, placed = sizes.width, sizes.positions == "learned"
    shapes: Shapes = {"embedding.weight": (vocabulary, width)}
    shapes |= {"positions.weight": (rows, width)} if placed else {}
    for layer in (f"encoder.layers.{index}" for index in range(sizes.layers)):
        shapes |= {f"{layer}.self_attn.in_proj_weight": (3 * width, width),
                   f"{layer}.self_attn.in_proj_bias": (3 * width,)}
        shapes |= _linear(f"{layer}.self_attn.out_proj", width, width)
        shapes |= _linear(f"{layer}.linear1", width, sizes.inner) | _linear(f"{layer}.linear2", sizes.inner, width)
        shapes |= _vectors(width, f"{layer}.norm1", f"{layer}.norm2")
    shapes |= _linear("output", width, vocabulary)
    return Recipe(shapes, {"kind": "torch-encoder", "readout": "each", "attention": attention, "heads": sizes.heads,
                           "activation": "relu" if placed else "gelu", "epsilon": EPSILON, "norm_first": not placed,
                           **({} if placed else {"positions": "none"})})


def _llama(sizes: Sizes, vocabulary: int, rows: int) -> Recipe:
    """Return the shapes of LLaMA: RMS norm first, rotary positions, SiLU gates, no biases."""
    width, shapes = sizes.width, Shapes({"model.embed_tokens.weight": (vocabulary, sizes.width)})
    for layer in (f"model.layers.{index}" for index in range(sizes.layers)):
        shapes |= {f"{layer}.self_attn.{name}_proj.weight": (width, width) for name in "qkvo"}
        shapes |= {f"{layer}.mlp.{name}_proj.weight": (sizes.inner, width) for name in ("gate", "up")}
        shapes |= {f"{layer}.mlp.down_proj.weight": (width, sizes.inner)}
        shapes |= {f"{layer}.{name}_layernorm.weight": (width,) for name in ("input", "post_attention")}
    shapes |= {"model.norm.weight": (width,), "lm_head.weight": (vocabulary, width)}
    return Recipe(shapes, {}, {
        "model_type": "llama", "vocab_size": vocabulary, "hidden_size": width, "intermediate_size": sizes.inner,
        "num_hidden_layers": sizes.layers, "num_attention_heads": sizes.heads, "num_key_value_heads": sizes.heads,
        "max_position_embeddings": rows, "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
        "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": False})


def _linear(name: str, inward: int, outward: int) -> Shapes:
    return {f"{name}.weight": (outward, inward), f"{name}.bias": (outward,)}


def _vectors(width: int, *names: str) -> Shapes:
    return {f"{name}.{part}": (width,) for name in names for part in ("weight", "bias")}
