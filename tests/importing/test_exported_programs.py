"""Programs of torch.export (.pt2): the network that is read has the logits of torch; what is not read is named."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from constructions.errors import InputError
from constructions.importing.importer import Imported, import_network
from constructions.importing.questions import Options
from constructions.trained.json_form import read_network
from constructions.trained.network import UnitsStep
from tests.importing import graphs_in_torch as graphs
from tests.importing import habits_in_torch as habits
from tests.importing.test_onnx_graphs import ANY_LENGTH, LENGTH, ONE_LENGTH, check
from tests.importing.test_onnx_graphs import read as of_onnx
from tests.trained.small_networks import write_network
from tests.with_torch import torch_or_skip


def program(torch: Any, model: Any, length: int = LENGTH, dynamic: bool = False) -> bytes:
    """The model as torch.export.save writes it."""
    file = io.BytesIO()
    shapes = ({1: torch.export.Dim("length", min=2, max=graphs.ROWS)},) if dynamic else None
    torch.export.save(torch.export.export(model, (torch.zeros(1, length, dtype=torch.long),), dynamic_shapes=shapes),
                      file)
    return file.getvalue()


def read(folder: Path, data: bytes, rows: int | None = None) -> Imported:
    """Imported, written to a file and read again."""
    pytest.importorskip("onnx")
    (folder / "m.pt2").write_bytes(data)
    result = import_network([folder / "m.pt2"], Options(rows=rows))
    write_network(result.network, folder / "network.json")
    assert read_network(folder / "network.json") == result.network
    return result


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", (*ANY_LENGTH, *ONE_LENGTH))
def test_a_program_has_the_logits_of_torch(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    result = read(tmp_path, program(torch, model))
    assert result.report.kind.startswith("program of torch.export")
    check(torch, result, model, 1e-6)


HABITS = ("byplaces", "bykeys", "byqueries", "withtable", "normedlater", "scaledbyplace", "inpieces", "grouped",
          "normedscaled", "squaredlater")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "by"), [*product(HABITS, ("program", "graph")), ("turnedabout", "program")])
def test_a_layer_in_another_habit_has_the_logits_of_torch(tmp_path: Path, kind: str, by: str) -> None:
    torch = torch_or_skip()
    model = habits.make(torch, kind)
    result = read(tmp_path, program(torch, model)) if by == "program" else of_onnx(torch, tmp_path, model, False)
    assert result.network.attention == "causal"
    check(torch, result, model, 1e-6)


@pytest.mark.parametrize(("kind", "gates"), [("normedbytorch", 0), ("normedscaled", 8)])
def test_a_norm_of_what_was_turned_is_a_turn_of_the_norm_and_of_nothing_else(tmp_path: Path, kind: str, gates: int
                                                                             ) -> None:
    torch = torch_or_skip()
    model = habits.make(torch, kind)
    result = read(tmp_path, program(torch, model))
    check(torch, result, model, 1e-6)
    assert sum(step.gate.weight.shape[1] for step in result.network.steps
               if isinstance(step, UnitsStep) and step.gate) == 2 * gates
    assert any("keep lengths" in one for one in result.report.assumed) is (gates == 0)


@pytest.mark.parametrize(("kind", "by", "said"), [
    ("window", "program", r"node softmax\w* \(Softmax\): a mask that is neither causal nor everywhere open \(query 3,"),
    ("masked", "program", r"node layer_norm \(ReduceMean\): a mean or sum of numbers of tokens but padding$"),
    ("shifted", "program", r"node pad \(aten.pad.default\): an operation that is not handled$"),
    ("window", "graph", r"node /Softmax \(Softmax\): a mask that is neither causal nor everywhere open \(query 3, key"),
    ("masked", "graph", r"node /first/LayerNormalization \(LayerNormalization\): a norm of numbers of tokens but "),
    ("shifted", "graph", r"node /Pad \(Pad\): an operation that is not handled on what depends on tokens$")])
def test_what_is_not_read_is_named_with_its_node(tmp_path: Path, kind: str, by: str, said: str) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    with pytest.raises(InputError, match=f"^m.{'pt2' if by == 'program' else 'onnx'}: {said}"):
        _ = read(tmp_path, program(torch, model)) if by == "program" else of_onnx(torch, tmp_path, model, True)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("kind", ANY_LENGTH)
def test_a_program_for_words_of_any_length(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    result = read(tmp_path, program(torch, model, dynamic=True), graphs.ROWS)
    assert result.network.attention == "causal"
    assert any("reads 2 tokens or more" in one for one in result.report.assumed)
    check(torch, result, model, 1e-6)


@cache
def decoder_of_any_length() -> bytes:
    """A program that is asked for the wrong lengths, and damaged."""
    torch = torch_or_skip()
    return program(torch, graphs.make(torch, "decoder"), dynamic=True)


def test_the_number_of_positions_is_asked_for_and_within_what_the_program_says(tmp_path: Path) -> None:
    data = decoder_of_any_length()
    for rows in (None, 1, graphs.ROWS + 1):
        with pytest.raises(InputError, match=rf"^m.pt2: the graph reads inputs of any length, expected --rows N, for "
                                             rf"how many positions, 2 to {graphs.ROWS}$"):
            read(tmp_path, data, rows)


def test_a_program_that_is_another_one_for_other_lengths_is_refused(tmp_path: Path) -> None:
    torch = torch_or_skip()
    data = program(torch, graphs.make(torch, "bylength"), dynamic=True)
    with pytest.raises(InputError, match="on inputs of 11 tokens the graph is another network than on those of 12"):
        read(tmp_path, data, graphs.ROWS)


@pytest.mark.parametrize("text", [
    "Symbol(s27)", "Integer(10**9**9)", "FloorDiv(Integer(1), Integer(0))", "Pow(Symbol('s27'), Integer(400))",
    "exit(1)", "Symbol('s27').is_integer",
    "Add(" * 200 + ")" * 200, "1 +", "Mul(Symbol('s27'), Integer(1 << 90))"])
def test_a_size_that_is_no_expression_of_the_length_is_one_line(tmp_path: Path, text: str) -> None:
    changed = altered(lambda old: old.replace("Symbol('s27', positive=True, integer=True)", text),
                      decoder_of_any_length())
    with pytest.raises(InputError, match=r"^m.pt2: [^\n]*$"):
        read(tmp_path, changed, graphs.ROWS)


@cache
def classifier() -> bytes:
    """A program that is damaged."""
    torch = torch_or_skip()
    return program(torch, graphs.make(torch, "classifier"))


def altered(change: Callable[[str], str], data: bytes | None = None) -> bytes:
    """Its files of JSON, or those of another program, changed."""
    whole, changed = zipfile.ZipFile(io.BytesIO(data or classifier())), io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name in whole.namelist():
            data = whole.read(name)
            archive.writestr(name, change(data.decode()) if name.endswith(".json") else data)
    return changed.getvalue()


@pytest.mark.parametrize("old", ["target", "sizes", "as_tensor", "strides", "path_name", "user_input", "outputs"])
def test_a_damaged_program_is_one_line(tmp_path: Path, old: str) -> None:
    """Each word of its JSON stands for something: without it the program is refused, and nothing else happens."""
    with pytest.raises(InputError, match=r"^m.pt2: [^\n]*$"):
        read(tmp_path, altered(lambda text: text.replace(f'"{old}"', '"other"')))


@pytest.mark.parametrize(("size", "said"), [
    (23, r"node unflatten \(aten.unflatten.int\): a result of shape \(6, 1, 3, 8\), expected \(6, 1, 3, 8\) of an "
         r"array of shape \(6, 1, 23\)"),
    (10**9, r"node linear \(aten.linear.default\): an array of more than 16777216 elements")])
def test_arrays_have_the_shapes_that_the_program_states(tmp_path: Path, size: int, said: str) -> None:
    def change(text: str) -> str:
        document = json.loads(text)
        if "graph_module" in document:
            document["graph_module"]["graph"]["tensor_values"]["linear"]["sizes"][2]["as_int"] = size
        return json.dumps(document)

    with pytest.raises(InputError, match=f"^m.pt2: {said}$"):
        read(tmp_path, altered(change))


def test_a_tensor_that_repeats_its_elements_fills_no_memory(tmp_path: Path) -> None:
    """Strides of 0 make any number of them from a few bytes."""
    def change(text: str) -> str:
        document = json.loads(text)
        for entry in document.get("config", {}).values():
            meta = entry["tensor_meta"]
            meta |= {"sizes": [{"as_int": 1 << 30}] * 2, "strides": [{"as_int": 0}] * 2}
        return json.dumps(document)

    with pytest.raises(InputError, match=r"^m.pt2: not a whole program of torch.export.save$"):
        read(tmp_path, altered(change))


CHANGED = "changes "


@pytest.mark.parametrize(("body", "said"), [
    ("h[..., :2].mul_(2); x = torch.cat([h, h], -1)[..., :4]", CHANGED),
    ("h[..., :2].mul_(2); x = torch.stack([h, h]).sum(0)", CHANGED),
    ("h[..., :2].mul_(2); x = torch.einsum('btd,de->bte', h, c)", CHANGED),
    ("h.unbind(1)[0].unsqueeze(0).mul_(2) if False else h.select(1, 0).mul_(2); x = torch.cat([h])", CHANGED),
    ("self.calls.add_(1); x = h * self.calls", CHANGED),
    ("x = h + (torch.arange(4) & 2)", "bits of whole numbers"),
    ("x = h + (torch.arange(4) | 2)", "bits of whole numbers"),
    ("x = h + ~torch.arange(4)", "bits of whole numbers"),
    ("x = h + (torch.arange(4) < 2.5).to(h.dtype)", ""), ("x = h + (torch.arange(4) >= 2.5).to(h.dtype)", ""),
    ("x = h + (torch.arange(4) != 2.5).to(h.dtype)", ""),
    ("x = h + (torch.tensor([200], dtype=torch.uint8) > torch.tensor([-3], dtype=torch.int8)).to(h.dtype)", ""),
    ("x = h + ((torch.arange(4) > 0) < 1).to(h.dtype)", ""),
    ("x = h + ((torch.arange(4) > 0) == 0).to(h.dtype)", "")])
def test_types_and_changes_in_place_are_those_of_torch_or_refused(tmp_path: Path, body: str, said: str) -> None:
    torch = torch_or_skip()
    scope: dict[str, Any] = {"torch": torch}
    exec(f"def forward(self, tokens):\n    h, c = self.table(tokens) * 1, self.c\n    {body}\n    return x", scope)
    made = type("Made", (torch.nn.Module,), {"forward": scope["forward"]})()
    made.table, made.c = torch.nn.Embedding(graphs.VOCABULARY, 4), torch.nn.Parameter(torch.eye(4))
    made.register_buffer("calls", torch.ones(1))
    data = program(torch, made)
    if said:
        with pytest.raises(InputError, match=f"^m.pt2: node .*{said}"):
            read(tmp_path, data)
    else:
        check(torch, read(tmp_path, data), made, 1e-6)
