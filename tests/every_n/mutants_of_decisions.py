"""Mutants of decisions about trained networks by words: changed weights, claims and evidence."""

import json
import random
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from proofs.check.checker.chapters.trained.reading.network import read_network
from proofs.check.checker.chapters.trained.reading.words_claim import read_claim
from proofs.check.checker.chapters.trained.words.obligations import obligations
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Malformed

Json = dict[str, Any]


def dump(document: Json) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode("ascii")


def word_by_word(data: bytes) -> bytes:
    """Return the same claim with the evidence that every word is run; a file that states a wrong word as it is."""
    document = json.loads(data)
    if document["by"] == "wrong word":
        return data
    network = read_network(document["network"], Budget())
    claim = read_claim(document["claim"], network, Budget())
    units = [{"offset": one.offset, "from": one.first, "to": one.last, "by": "words"}
             for one in obligations(network, claim)]
    return dump(document | {"evidence": {"graphs": [], "directions": [], "units": units}})


def change_weight(document: Json, draw: random.Random) -> None:
    """Turn over the sign, or a high bit of the fraction, of a weight."""
    tensor = draw.choice(list(document["network"]["tensors"].values()))
    data = bytearray(b64decode(tensor["data"]))
    size = {"binary32": 4, "binary64": 8, "binary16": 2, "bfloat16": 2}[tensor["format"]]
    place = size * draw.randrange(len(data) // size)
    data[place + size - 1] ^= draw.choice([0x80, 0x01])
    tensor |= {"data": b64encode(data).decode("ascii"), "sha256": sha256(data).hexdigest()}


def change_margin(document: Json, draw: random.Random) -> None:
    document["claim"]["margin"] = draw.choice(["1/10", "1", "3", "1000"])


def change_length(document: Json, draw: random.Random) -> None:
    document["claim"]["max_n"] = max(document["claim"]["min_n"], document["claim"]["max_n"] + draw.choice([-1, 1, 2]))


def change_row(document: Json, draw: random.Random) -> None:
    """Turn over the sign of a coefficient."""
    rows = [row for case in document["claim"]["cases"] for row in case["above"] if row]
    entry = draw.choice(draw.choice(rows))
    entry[1] = entry[1].removeprefix("-") if entry[1].startswith("-") else f"-{entry[1]}"


def change_tokens(document: Json, draw: random.Random) -> None:
    document["claim"]["tokens"].reverse()


def change_mask(document: Json, draw: random.Random) -> None:
    found = document["network"]["attention"]
    document["network"]["attention"] = "causal" if found == "bidirectional" else "bidirectional"


def change_step(document: Json, draw: random.Random) -> None:
    """Change an activation, an epsilon, a scale or a slope."""
    for step in document["network"]["steps"]:
        if step["step"] == "units":
            step["activation"] = draw.choice(["relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh", "identity"])
        elif step["step"] == "attention" and draw.random() < 0.5:
            step["scale"] = draw.choice([{"times": "1/2"}, {"root": 3}, {"times": "-1"}])
        if step.get("norm"):
            step["norm"]["epsilon"] = draw.choice(["1/100000", "1/10", "2"])
            step["norm"]["kind"] = draw.choice(["layer", "rms"])


def change_readout(document: Json, draw: random.Random) -> None:
    """Change where logits are read, or what is before and after a word."""
    claim = document["claim"]
    if draw.random() < 0.5:
        claim["read"] = draw.choice(["each", "last", "first"])
    else:
        claim[draw.choice(["before", "after"])].append(draw.randrange(len(claim["tokens"])))


def change_evidence(document: Json, draw: random.Random) -> None:
    """Change a wrong word, or where it is wrong."""
    evidence, letters = document["evidence"], document["claim"]["alphabet"]
    if "word" not in evidence:
        return
    kind = draw.choice(["word", "longer", "offset", "place"])
    if kind == "longer":
        evidence["word"].insert(0, draw.choice(letters))
    elif kind == "word" and evidence["word"]:
        evidence["word"][draw.randrange(len(evidence["word"]))] = draw.choice(letters)
    elif kind in ("offset", "place"):
        evidence[kind] = max(0, evidence[kind] + draw.choice([-1, 1]))


CHANGES: list[Callable[[Json, random.Random], None]] = [
    change_weight, change_margin, change_length, change_row, change_tokens, change_mask, change_step,
    change_readout, change_evidence]


def mutants(data: bytes, number: int) -> Iterator[bytes]:
    """Yield mutants of a file, each with the evidence that fits its claim; as it is if the claim fits no network."""
    draw = random.Random(number)
    for k in range(number):
        document = json.loads(data)
        CHANGES[k % len(CHANGES)](document, draw)
        changed = dump(document)
        try:
            yield word_by_word(changed)
        except Malformed:
            yield changed
