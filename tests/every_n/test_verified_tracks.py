"""The checker that is proved in Coq, on decisions about aligned words.

What it accepts is compared with what the Python checker says of the same file.
"""

import json
import random
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from examples.adders.by_hand import FOLDER
from tests.check.trained_networks import Weights
from tests.sabotage.certificates.judging import judge
from tests.tiers import few_and_all
from tests.with_ocaml import check_verified

CORPUS = Path(__file__).parents[1] / "corpus"
EXACT = CORPUS / "accepted" / "trained_tracks_in_exact_numbers.cert"
ONE_BY_ONE = CORPUS / "accepted" / "trained_tracks_input_by_input.cert"
Json = dict[str, Any]


def dump(document: Json) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode("ascii")


def unit_of(document: Json) -> Json:
    found: Json = document["evidence"]["units"][0]
    return found


def test_of_the_corpus_classes_of_one_layer_and_inputs_one_by_one_are_accepted_and_no_wrong_ones() -> None:
    paths = sorted(CORPUS.glob("*/trained_track*.cert"))
    found = check_verified(paths, with_zarith=True)
    assert [path for path, one in zip(paths, found, strict=True) if one.verdict == "accepted"] == [
        CORPUS / "accepted" / "trained_tracks.cert", EXACT, ONE_BY_ONE]
    assert {one.verdict for one in found} == {"accepted", "incomplete", "malformed"}


def test_the_printed_claim_is_that_of_the_file() -> None:
    (found,), python = check_verified([EXACT], with_zarith=True), judge(EXACT.read_bytes())
    for entry in ("track", "claim"):
        assert [line for line in found.lines if line.startswith(entry)] == [
            line.replace("'", '"') for line in python.lines if line.startswith(entry)]


# -- changed files -----------------------------------------------------------------------------------------------------


def change_range(document: Json, draw: random.Random) -> None:
    """Raise a least or lower a greatest average, by 2^-20 to 1."""
    unit = unit_of(document)
    data = bytearray(b64decode(unit["ranges"]))
    end = draw.randrange(len(data) // 16)
    place = slice(16 * end, 16 * end + 16)
    change = 1 << (unit["bits"] - draw.choice([0, 5, 20]))
    value = int.from_bytes(data[place], "little", signed=True) + (-change if end % 2 else change)
    data[place] = value.to_bytes(16, "little", signed=True)
    unit["ranges"] = b64encode(data).decode("ascii")


def change_class(document: Json, draw: random.Random) -> None:
    """Give a class the box of another one."""
    unit = unit_of(document)
    data = bytearray(b64decode(unit["classes"]))
    one, other = (4 * draw.randrange(len(data) // 4) for _ in range(2))
    data[one:one + 4] = data[other:other + 4]
    unit["classes"] = b64encode(data).decode("ascii")


def change_cells(document: Json, draw: random.Random) -> None:
    """Leave out the cuts of a group."""
    cells = unit_of(document)["cells"]
    cells[draw.randrange(len(cells))] = None


def change_answer(document: Json, draw: random.Random) -> None:
    """Change a token that a step writes."""
    table = draw.choice(document["claim"]["machine"]["tables"])
    step = draw.choice([step for row in table for step in row if step is not None and len(step) > 1])
    step[1] = draw.choice([token for token in document["claim"]["among"] if token != step[1]])


def change_margin(document: Json, draw: random.Random) -> None:
    document["claim"]["margin"] = draw.choice(["1/1000", "1", "3", "1000"])


def change_weight(document: Json, draw: random.Random) -> None:
    """Turn over the sign, or a bit of the exponent, of a weight that is not 0."""
    tensors = [one for one in document["network"]["tensors"].values() if any(b64decode(one["data"]))]
    tensor = draw.choice(tensors)
    data = bytearray(b64decode(tensor["data"]))
    size = {"binary32": 4, "binary64": 8}[tensor["format"]]
    place = draw.choice([place for place in range(0, len(data), size) if any(data[place:place + size])])
    data[place + size - 1] ^= draw.choice([0x80, 0x01])
    tensor |= {"data": b64encode(data).decode("ascii"), "sha256": sha256(data).hexdigest()}


def change_number(document: Json, draw: random.Random) -> None:
    """State another number of inputs."""
    unit_of(document)["inputs"] += draw.choice([-1, 1, 16])


def change_columns(document: Json, draw: random.Random) -> None:
    """Let a column be read by another table, or an end be not allowed."""
    machine, form = document["claim"]["machine"], document["claim"]["forms"][0]
    machine["tables"].append([list(reversed(row)) for row in machine["tables"][0]])
    form["columns"][draw.randrange(len(form["columns"]))] = draw.randrange(len(machine["tables"]))
    if draw.random() < 0.5:
        machine["end"][draw.randrange(len(machine["end"]))] = None
        unit_of(document)["inputs"] //= 2


Change = Callable[[Json, random.Random], None]
CHANGES: dict[Path, list[Change]] = {
    EXACT: [change_range, change_class, change_cells, change_answer, change_margin, change_weight],
    ONE_BY_ONE: [change_number, change_columns, change_answer, change_margin, change_weight]}


@pytest.mark.parametrize("number", few_and_all(60, 3000))
@pytest.mark.parametrize("file", CHANGES, ids=lambda path: path.stem)
def test_changed_decisions_are_accepted_only_where_python_accepts_them(tmp_path: Path, file: Path, number: int) -> None:
    draw, paths, accepted = random.Random(number), list[Path](), list[bool]()
    for k in range(number):
        document = json.loads(file.read_text(encoding="utf-8"))
        CHANGES[file][k % len(CHANGES[file])](document, draw)
        paths.append(tmp_path / f"{k}.cert")
        paths[-1].write_bytes(dump(document))
        accepted.append(judge(paths[-1].read_bytes()).verdict == "accepted")
    found = [one.verdict == "accepted" for one in check_verified(paths, with_zarith=True)]
    assert [k for k, (here, python) in enumerate(zip(found, accepted, strict=True)) if here and not python] == []
    assert 0 < sum(found) <= sum(accepted) < number


def decided(name: str, path: Path, network: Path | None = None, claim: Path | None = None) -> Path:
    """Write the certificate of an example, or of another network or claim."""
    network, claim = network or FOLDER / f"{name}.json", claim or FOLDER / f"{name}.toml"
    subprocess.run([sys.executable, "-m", "certify", "decide", network, "--claim", claim, "-o", path],
                   check=True, capture_output=True)
    return path


def with_norms_after_attention(network: Json) -> Json:
    """Return `parity`, followed by small blocks with norms, gates and all activations, and by a norm before logits."""
    weights, width = Weights(1), 6
    weights.tensors = dict(network["tensors"])
    one = weights.view([[float(row == column == 4) for column in range(width)] for row in range(width)])
    centred = {"weight": one, "bias": weights.view([-float(k == 4) for k in range(width)])}
    blocks = [{"step": "units", "norm": None, "in": centred, "gate": None, "activation": "identity", "out": {
        "weight": one, "bias": None}}]
    for activation, kind, gated in [("gelu", "layer", False), ("silu", "rms", True), ("tanh", "layer", False),
                                    ("gelu-tanh", "rms", True), ("sigmoid", "layer", False)]:
        blocks.append({"step": "units", "norm": weights.norm(width, kind), "in": weights.affine(width, 4),
                       "gate": weights.affine(width, 4) if gated else None, "activation": activation,
                       "out": weights.affine(4, width, bias=False, size=1 / 64)})
    blocks.append({"step": "norm", "norm": weights.norm(width, "rms", bare=True)})
    unembedding = {"weight": network["unembedding"]["weight"], "bias": None}
    del weights.tensors[network["unembedding"]["bias"]["tensor"]]
    return network | {"steps": network["steps"] + blocks, "unembedding": unembedding, "tensors": weights.tensors}


def test_norms_gates_and_all_activations_after_the_attention_are_proved(tmp_path: Path) -> None:
    """No changed file is accepted that Python does not accept."""
    network, claim, path = tmp_path / "network.json", tmp_path / "claim.toml", tmp_path / "parity.cert"
    text = (FOLDER / "parity.json").read_text(encoding="utf-8")
    network.write_bytes(dump(with_norms_after_attention(json.loads(text))))
    text = (FOLDER / "parity.toml").read_text(encoding="utf-8")
    claim.write_text(text.replace("margin = 0.99", "margin = 0"), encoding="utf-8")
    paths, python = [decided("parity", path, network, claim)], [judge(path.read_bytes()).verdict]
    draw = random.Random(1)
    for k in range(15):
        document = json.loads(path.read_text(encoding="utf-8"))
        (change_weight, change_margin, change_cells)[k % 3](document, draw)
        paths.append(tmp_path / f"{k}.cert")
        paths[-1].write_bytes(dump(document))
        python.append(judge(paths[-1].read_bytes()).verdict)
    found = [one.verdict for one in check_verified(paths, with_zarith=True)]
    assert found[0] == python[0] == "accepted"
    assert [k for k, pair in enumerate(zip(found, python, strict=True)) if pair[0] == "accepted" != pair[1]] == []
    assert found.count("accepted") < len(found) / 2


@pytest.mark.exhaustive
def test_an_adder_of_ten_digits_is_accepted_and_with_one_range_changed_refused(tmp_path: Path) -> None:
    path, other = decided("decimal", tmp_path / "decimal.cert"), tmp_path / "changed.cert"
    document = json.loads(path.read_text(encoding="utf-8"))
    change_range(document, random.Random(1))
    other.write_bytes(dump(document))
    assert [found.verdict for found in check_verified([path, other], with_zarith=True)] == ["accepted", "incomplete"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["binary", "brackets", "parity", "reverse", "sort", "ternary"])
def test_examples_of_one_layer_are_accepted(tmp_path: Path, name: str) -> None:
    """Their ranges are not in exact numbers: the reader converts them."""
    (found,) = check_verified([decided(name, tmp_path / f"{name}.cert")], with_zarith=True)
    assert found.verdict == "accepted"
