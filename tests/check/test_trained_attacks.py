"""Decisions by classes that are false in the last bit: every rounding is charged to the side of the claim.

Each word is a class of its own, so its ranges and rows are numbers, known to 300 bits; values are so small that the
ranges are stated as finely as the checker counts.
"""

import base64
import hashlib
import itertools
import struct
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import pytest
from mpmath import ceil, floor, mpf

from proofs.check import Rejected, check_text
from tests.check.trained_networks import Weights, decision, dump, make_claim, with_evidence
from tests.check.trained_reference import Reference, rational

Document = dict[str, Any]
FINE = 44  # bits behind the point of ranges, and of the checker's numbers
SMALL = 16  # values are multiplied by 2^-16, what they are written with by 2^16: averages are int32 numbers over 2^44
ROOM = 200  # how much wider than the truth the ranges are that are accepted, in units of 2^-44
NEAR = Fraction(1, 1 << 16)  # by so little less than the truth a margin is accepted
ROW: list[Any] = [[0, "1"], [1, "-2/7"], [2, "3/5"]]
WORDS = [word for n in (1, 2) for word in itertools.product((0, 1), repeat=n)]
GRAPH = [[[0, 1]], [[0, 1], [2, 3]], [[], [], [], []]]
KINDS = ("layer", "slopes", "rotary", "gated", "plain", "images")


class Known(NamedTuple):
    """A network, the least value of the row, and the averages of each word's last token, head by head."""

    network: Document
    least: mpf
    averages: list[mpf]


class Recording(Reference):
    """Remembers the averages: head by head, token by token."""

    def __init__(self, network: Document) -> None:
        super().__init__(network)
        self.averages: list[list[mpf]] = []

    def affine(self, affine: Document, x: list[mpf]) -> list[mpf]:
        if "bias" not in affine:
            self.averages.append(x)
        return super().affine(affine, x)


def make_steps(kind: str, w: Weights) -> list[Document]:
    """Return a network with one attention step."""
    d = 4
    if kind == "images":
        return [w.units(d, 3, w.norm_of(d, 5, "rms"), "identity", reads=5),
                w.attention(d, 1, w.norm_of(d, 3, "layer"), 8, reads=3), w.units(d, 2, None, "identity", True),
                {"step": "norm", "norm": w.norm_of(d, d, "layer")}]
    if kind == "layer":
        return [w.attention(d, 1, w.norm(d, "layer"), 8), w.units(d, 5, w.norm(d, "layer"), "gelu"),
                {"step": "norm", "norm": w.norm(d, "layer")}]
    if kind == "slopes":
        return [w.attention(d, 2, None, 8, alibi=True, scale={"times": "-2/3"}),
                w.units(d, 5, w.norm(d, "rms"), "silu")]
    if kind == "rotary":
        return [w.units(d, 3, None, "gelu-tanh"), w.attention(d, 2, w.norm(d, "rms"), 8, rotary="neighbours")]
    if kind == "gated":
        return [w.attention(d, 1, None, 8, rotary="halves"), w.units(d, 3, w.norm(d, "rms"), "sigmoid", True)]
    return [w.attention(d, 1, w.norm(d, "rms", True), 8), w.units(d, 5, None, "tanh"), w.units(d, 5, None, "relu")]


def multiply(network: Document, view: Document, power: int) -> None:
    """All weights of a tensor times 2^power, exactly."""
    tensor = network["tensors"][view["tensor"]]
    data = base64.b64decode(tensor["data"])
    form = f"<{len(data) // 4}f"
    data = struct.pack(form, *(x * 2.0**power for x in struct.unpack(form, data)))
    tensor |= {"data": base64.b64encode(data).decode(), "sha256": hashlib.sha256(data).hexdigest()}


@cache
def make(kind: str) -> Known:
    """Return the row is above 0, as the bias of the first logit is large."""
    w = Weights(3)
    network = w.network(4, 4, 8, make_steps(kind, w), True, 3)
    network["unembedding"]["bias"] = w.view([64.0, 0.0, 0.0])
    (heads,) = [step["heads"] for step in network["steps"] if step["step"] == "attention"]
    for head in heads:
        for view, power in ((head["value"]["weight"], -SMALL), (head["value"]["bias"], -SMALL), (head["out"], SMALL)):
            multiply(network, view, power)
    values, averages = [], []
    for word in WORDS:
        reference = Recording(network)
        logits = reference.logits([2, *word])[-1]
        values.append(sum(rational(c) * logits[token] for token, c in ROW))
        tokens = len(word) + 1
        averages += [x for h in range(len(heads)) for x in reference.averages[h * tokens + tokens - 1]]
    return Known(network, min(values), averages)


def numbers(known: Known) -> list[int]:
    """Ranges around the averages."""
    return [end for x in known.averages for end in (int(floor(x * 2**FINE)) - ROOM, int(ceil(x * 2**FINE)) + ROOM)]


def check(known: Known, margin: Fraction, ranges: list[int]) -> None:
    """Check that the row is above the margin on all words.

    Raises:
        Rejected: if it does not.
    """
    claim = make_claim(max_n=2, margin=str(margin), cases=[{"when": {"formula": "true"}, "above": [ROW]}])
    unit = {"offset": 0, "from": 1, "to": 2, "by": "classes", "graph": 0, "directions": 0, "bits": FINE,
            "ranges": base64.b64encode(struct.pack(f"<{len(ranges)}i", *ranges)).decode()}
    (heads,) = [step["heads"] for step in known.network["steps"] if step["step"] == "attention"]
    widths = [head["value"]["weight"]["shape"][1] for head in heads]
    directions = [base64.b64encode(struct.pack(f"<{m * m}i", *(
        (i == j) << 30 for i in range(m) for j in range(m)))).decode() for m in widths]
    document = with_evidence(decision(known.network, claim, [unit]), graphs=[GRAPH], directions=[[directions]])
    check_text(dump(document))


def nearest(x: mpf) -> Fraction:
    """Return a little more than x, or x."""
    return Fraction(int(ceil(x * 2**80)), 2**80)


@pytest.mark.parametrize("kind", KINDS)
def test_a_margin_is_accepted_just_below_the_least_row_and_not_just_above(kind: str) -> None:
    known = make(kind)
    least = nearest(known.least)
    check(known, least - NEAR, numbers(known))
    with pytest.raises(Rejected, match=r"a row is not shown to be above the margin$"):
        check(known, least, numbers(known))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_range_that_leaves_out_the_average_by_one_unit_is_rejected(kind: str) -> None:
    known = make(kind)
    for place, x in enumerate(known.averages):
        for end, number in ((0, int(floor(x * 2**FINE)) + 1), (1, int(ceil(x * 2**FINE)) - 1)):
            ranges = numbers(known)
            ranges[2 * place + end] = number
            with pytest.raises(Rejected, match=r"a range of head . is not proved$"):
                check(known, Fraction(0), ranges)
