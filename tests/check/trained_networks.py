"""Small trained networks and claims as files: random weights of binary32, steps of every kind."""

import base64
import hashlib
import json
import random
import struct
from functools import partial
from typing import Any

from proofs.check import Refusal, check_text
from proofs.check.checker.chapters.trained import find_kind
from proofs.check.checker.chapters.trained.zonotopes.affine import AffineForm, CentredRange
from proofs.check.checker.chapters.trained.zonotopes.scores import Vectors
from proofs.check.checker.kernel.budget import Budget
from proofs.trained.float_executions.execution import Execution

Numbers = list[list[float]]


class Weights:
    """Tensors of a file; every matrix or vector becomes one, with a view of it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tensors: dict[str, Any] = {}

    def view(self, values: Any) -> dict[str, Any]:
        matrix = isinstance(values[0], list)
        flat = [x for row in values for x in row] if matrix else values
        shape = [len(values), len(values[0])] if matrix else [len(values)]
        data = struct.pack(f"<{len(flat)}f", *flat)
        name = f"t{len(self.tensors)}"
        self.tensors[name] = {"format": "binary32", "shape": shape, "sha256": hashlib.sha256(data).hexdigest(),
                              "data": base64.b64encode(data).decode()}
        return {"tensor": name, "start": 0, "shape": shape, "strides": [shape[1], 1] if matrix else [1]}

    def matrix(self, height: int, width: int, size: float = 1.0) -> dict[str, Any]:
        return self.view([[self.random.gauss(0, size / height**0.5) for _ in range(width)] for _ in range(height)])

    def vector(self, length: int, size: float = 0.3, center: float = 0.0) -> dict[str, Any]:
        return self.view([center + self.random.gauss(0, size) for _ in range(length)])

    def affine(self, height: int, width: int, bias: bool = True, size: float = 1.0) -> dict[str, Any]:
        return {"weight": self.matrix(height, width, size), "bias": self.vector(width) if bias else None}

    def norm_of(self, width: int, image: int, kind: str) -> dict[str, Any]:
        """Return the norm of an image of a stream of this width."""
        return self.norm(image, kind) | {"of": self.affine(width, image)}

    def norm(self, width: int, kind: str, bare: bool = False) -> dict[str, Any]:
        return {"kind": kind, "epsilon": "1/100000", "gain": None if bare else self.vector(width, 0.2, 1.0),
                "bias": None if bare or kind == "rms" else self.vector(width)}

    def attention(self, width: int, heads: int, norm: Any, rows: int, **how: Any) -> dict[str, Any]:
        m = width // heads
        made = []
        for h in range(heads):
            query, key, value = (self.affine(how.get("reads", width), m, how.get("bias", True), how.get("size", 1.0))
                                 for _ in range(3))
            slope = f"-1/{2 ** (h + 1)}" if how.get("alibi") else None
            made.append({"query": query, "key": key, "value": value, "out": self.matrix(m, width), "slope": slope})
        rotary = None
        if how.get("rotary"):
            pairs = m // 2
            angles = [[p / 100 ** (r / pairs) for r in range(pairs)] for p in range(rows)]
            from math import cos, sin
            rotary = {"cosines": self.view([[cos(x) for x in row] for row in angles]),
                      "sines": self.view([[sin(x) for x in row] for row in angles]), "pairing": how["rotary"]}
        return {"step": "attention", "norm": norm, "heads": made,
                "bias": self.vector(width) if how.get("bias", True) else None, "scale": how.get("scale", {"root": m}),
                "rotary": rotary, **({"cap": how["cap"]} if "cap" in how else {})}

    def units(self, width: int, hidden: int, norm: Any, activation: str, gated: bool = False,
              reads: int | None = None) -> dict[str, Any]:
        return {"step": "units", "norm": norm, "in": self.affine(reads or width, hidden),
                "gate": self.affine(width, hidden) if gated else None, "activation": activation,
                "out": self.affine(hidden, width)}

    def network(self, tokens: int, width: int, rows: int | None, steps: list[Any], causal: bool,
                outputs: int) -> dict[str, Any]:
        return {"format": "certify-trained", "version": 1,
                "sources": [{"file": "model.npz", "sha256": "0" * 64}],
                "compared": None, "attention": "causal" if causal else "bidirectional", "readout": "each",
                "tokens": self.matrix(tokens, width, 2.0),
                "positions": self.matrix(rows, width, 2.0) if rows else None, "steps": steps,
                "unembedding": self.affine(width, outputs, False), "tensors": self.tensors}


KINDS = ("gpt2", "post", "rotary", "alibi", "capped", "rms", "plain", "bidirectional", "deep", "images")


def make_network(kind: str, seed: int = 0, rows: int = 12, tokens: int = 4, outputs: int = 2) -> dict[str, Any]:
    """One of each kind: two letters (tokens 0 and 1), and others."""
    w = Weights(seed)
    d, hidden = 8, 16
    layer, rms = partial(w.norm, d, "layer"), partial(w.norm, d, "rms")
    positions: int | None = rows
    causal = True
    if kind == "gpt2":
        steps = [w.attention(d, 1, layer(), rows), w.units(d, hidden, layer(), "gelu-tanh"),
                 {"step": "norm", "norm": layer()}]
    elif kind == "post":
        steps = [w.attention(d, 2, None, rows), {"step": "norm", "norm": layer()},
                 w.units(d, hidden, None, "relu"), {"step": "norm", "norm": layer()}]
    elif kind == "rotary":
        positions = None
        steps = [w.units(d, hidden, rms(), "silu", True), w.attention(d, 2, rms(), rows, rotary="halves", bias=False),
                 w.attention(d, 2, rms(), rows, rotary="neighbours"), w.units(d, hidden, rms(), "silu", True),
                 {"step": "norm", "norm": rms()}]
    elif kind == "alibi":
        positions = None
        steps = [w.attention(d, 2, layer(), rows, alibi=True, scale={"times": "1/3"}),
                 w.units(d, hidden, layer(), "gelu"), w.attention(d, 2, layer(), rows, alibi=True)]
    elif kind == "capped":
        steps = [w.attention(d, 2, layer(), rows, cap="1/3"), w.units(d, hidden, layer(), "gelu"),
                 w.attention(d, 2, layer(), rows, alibi=True, cap="5")]
    elif kind == "rms":
        steps = [w.attention(d, 2, w.norm(d, "rms", True), rows), w.units(d, hidden, rms(), "tanh")]
    elif kind == "plain":
        steps = [w.attention(d, 1, None, rows), w.units(d, hidden, None, "sigmoid"), w.attention(d, 1, None, rows)]
    elif kind == "bidirectional":
        causal = False
        steps = [step for _ in range(2) for step in (w.attention(d, 2, layer(), rows),
                                                     w.units(d, hidden, layer(), "gelu"))]
        steps.append({"step": "norm", "norm": layer()})
    elif kind == "images":
        steps = [w.units(d, 3, w.norm_of(d, 4, "layer"), "identity", reads=4),
                 w.attention(d, 2, w.norm_of(d, 5, "rms"), rows, reads=5), w.units(d, 4, None, "identity", True),
                 {"step": "norm", "norm": w.norm_of(d, 6, "layer")}, w.attention(6, 2, w.norm(6, "rms"), rows),
                 {"step": "norm", "norm": w.norm_of(6, 7, "rms")}]
        network = w.network(tokens, d, positions, steps, causal, outputs)
        del w.tensors[network["unembedding"]["weight"]["tensor"]]
        return network | {"unembedding": {"weight": w.matrix(7, outputs), "bias": None}}
    else:
        steps = [step for _ in range(3) for step in (w.attention(d, 2, layer(), rows),
                                                     w.units(d, hidden, layer(), "gelu-tanh"))]
        steps.append({"step": "norm", "norm": layer()})
    return w.network(tokens, d, positions, steps, causal, outputs)


def boxed(known: CentredRange) -> Vectors:
    """Return a vector of which a range alone is known."""
    sizes = [abs(x) + reach for x, reach in zip(*known, strict=True)]
    return Vectors(AffineForm(known.centres, 1, known.reaches, sizes), known)


def rounding_network(how: dict[str, Any], causal: bool = True, outputs: int = 2) -> dict[str, Any]:
    """Two steps that round, as ``how`` says, before and after attention."""
    w, d = Weights(11), 4
    steps = [w.units(d, 3, w.norm(d, "layer"), "relu"), w.attention(d, 2, w.norm(d, "rms"), 6),
             w.units(d, 3, None, "relu")]
    for step in steps[::2]:
        step["activation"] = how
    return w.network(4, d, 6, steps, causal, outputs)


def mean_network(rows: int | None = None) -> dict[str, Any]:
    """Logit 0 is the part of tokens 1 among those up to here, logit 1 is a half: exactly, as all scores are 0."""
    w = Weights(0)
    nothing = {"weight": w.view([[0.0], [0.0]]), "bias": None}
    value = {"weight": w.view([[1.0], [0.0]]), "bias": None}
    head = {"query": nothing, "key": nothing, "value": value, "out": w.view([[0.0, 1.0]]), "slope": None}
    attention = {"step": "attention", "norm": None, "heads": [head], "bias": None, "scale": {"times": "1"},
                 "rotary": None}
    return {"format": "certify-trained", "version": 1, "sources": [], "compared": None, "attention": "causal",
            "readout": "each",
            "tokens": w.view([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
            "positions": w.view([[0.0, 0.0]] * rows) if rows else None, "steps": [attention],
            "unembedding": {"weight": w.view([[0.0, 0.0], [1.0, 0.0]]), "bias": w.view([0.0, 0.5])},
            "tensors": w.tensors}


def make_claim(**changes: Any) -> dict[str, Any]:
    """Return a claim without rows about words over 0 and 1 after token 2, before token 3."""
    claim = {"alphabet": ["0", "1"], "tokens": [0, 1], "before": [2], "after": [], "offsets": [0, 0], "min_n": 1,
             "max_n": 4, "read": "each", "empty": False, "margin": "0", "automaton": None, "predicates": [],
             "cases": []}
    return claim | changes


def decision(network: dict[str, Any], claim: dict[str, Any], cover: list[Any] | None = None) -> dict[str, Any]:
    """Return the certificate with this cover; all words of each length or place at offset 0, if none is given."""
    first = 1 if claim["read"] == "each" else claim["min_n"]
    cover = [{"offset": 0, "from": first, "to": claim["max_n"], "by": "words"}] if cover is None else cover
    return certificate("words", "cover", network, claim, {"graphs": [], "directions": [], "units": cover})


def certificate(inputs: str, by: str, network: dict[str, Any], claim: dict[str, Any], evidence: dict[str, Any],
                floats: list[Any] | None = None) -> dict[str, Any]:
    """Return the certificate of a claim about such inputs, with this evidence; `floats` are its float models."""
    return {"format": "certify-decision", "version": 1, "inputs": inputs,
            "execution": "exact" if floats is None else "float executions", "property": "answers", "by": by,
            "network": network, "claim": claim, **({} if floats is None else {"floats": floats}), "evidence": evidence}


def with_evidence(document: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """Return a copy with other evidence, in some parts."""
    return document | {"evidence": document["evidence"] | parts}


def parsed(document: dict[str, Any], budget: Budget) -> Any:
    """Return the checker's records of a document."""
    return find_kind(document).read(document, budget)


def dump(document: Any) -> bytes:
    """Return the one spelling."""
    return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


def refusal_of(document: Any) -> type[Refusal] | None:
    """Return the refusal of a document, None if it is accepted; there are no internal errors."""
    try:
        check_text(dump(document))
    except Refusal as refusal:
        assert "could not be completed" not in str(refusal), refusal
        return type(refusal)
    return None


def execution_of(run: dict[str, Any]) -> Execution:
    """Return the execution that a certificate names, as the producer has it."""
    return Execution(run["order"], run["fused"], run["normalised"] == "before", run["exp_base"])
