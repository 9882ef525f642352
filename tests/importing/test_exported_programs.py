"""Programs of torch.export (.pt2): the network that is read has the logits of torch; what is not read is named."""

import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from certify.claims.trained.originals_torch import open_program
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
    """Return the model as torch.export.save writes it."""
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


@pytest.mark.parametrize(("kind", "by", "printed"), [
    ("masked", "program", r"node layer_norm \(ReduceMean\): a mean or sum of numbers of tokens except padding$"),
    ("shifted", "program", r"node pad \(aten.pad.default\): an operation that is not supported$"),
    ("masked", "graph", r"node /first/LayerNormalization \(LayerNormalization\): a norm of numbers of tokens except "),
    ("shifted", "graph", r"node /Pad \(Pad\): an operation that is not supported on values that depend on tokens$")])
def test_what_is_not_read_is_named_with_its_node(tmp_path: Path, kind: str, by: str, printed: str) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    with pytest.raises(InputError, match=f"^m.{'pt2' if by == 'program' else 'onnx'}: {printed}"):
        _ = read(tmp_path, program(torch, model)) if by == "program" else of_onnx(torch, tmp_path, model, True)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("kind", ANY_LENGTH)
def test_a_program_for_words_of_any_length(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    result = read(tmp_path, program(torch, model, dynamic=True), graphs.ROWS)
    assert result.network.attention == "causal"
    assert any("states 2 tokens or more" in one for one in result.report.assumed)
    check(torch, result, model, 1e-6)


@cache
def decoder_of_any_length() -> bytes:
    """Return a program, used with wrong lengths, and damaged."""
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
    """Return a program that is damaged."""
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


@pytest.mark.parametrize(("size", "printed"), [
    (23, r"node unflatten \(aten.unflatten.int\): a result of shape \(6, 1, 3, 8\), expected \(6, 1, 3, 8\) of an "
         r"array of shape \(6, 1, 23\)"),
    (10**9, r"node linear \(aten.linear.default\): an array of more than 16777216 elements")])
def test_arrays_have_the_shapes_that_the_program_states(tmp_path: Path, size: int, printed: str) -> None:
    def change(text: str) -> str:
        document = json.loads(text)
        if "graph_module" in document:
            document["graph_module"]["graph"]["tensor_values"]["linear"]["sizes"][2]["as_int"] = size
        return json.dumps(document)

    with pytest.raises(InputError, match=f"^m.pt2: {printed}$"):
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


@pytest.mark.parametrize(("body", "printed"), [
    ("h[..., :2].mul_(2); x = torch.cat([h, h], -1)[..., :4]", CHANGED),
    ("h[..., :2].mul_(2); x = torch.stack([h, h]).sum(0)", CHANGED),
    ("h[..., :2].mul_(2); x = torch.einsum('btd,de->bte', h, c)", CHANGED),
    ("h.unbind(1)[0].unsqueeze(0).mul_(2) if False else h.select(1, 0).mul_(2); x = torch.cat([h])", CHANGED),
    ("self.calls.add_(1); x = h * self.calls", CHANGED),
    ("x = h + (torch.arange(4) & 2)", ""),
    ("x = h + (torch.arange(4) | 2)", ""),
    ("x = h + ~torch.arange(4)", ""),
    ("x = h + (torch.arange(4) < 2.5).to(h.dtype)", ""), ("x = h + (torch.arange(4) >= 2.5).to(h.dtype)", ""),
    ("x = h + (torch.arange(4) != 2.5).to(h.dtype)", ""),
    ("x = h + (torch.tensor([200], dtype=torch.uint8) > torch.tensor([-3], dtype=torch.int8)).to(h.dtype)", ""),
    ("x = h + ((torch.arange(4) > 0) < 1).to(h.dtype)", ""),
    ("x = h + ((torch.arange(4) > 0) == 0).to(h.dtype)", "")])
def test_types_and_changes_in_place_are_those_of_torch_or_refused(tmp_path: Path, body: str, printed: str) -> None:
    torch = torch_or_skip()
    model = small(torch, f"{body}; return x")
    if printed:
        with pytest.raises(InputError, match=f"^m.pt2: node .*{printed}"):
            read(tmp_path, program(torch, model))
    else:
        check(torch, read(tmp_path, program(torch, model)), model, 1e-6)


def small(torch: Any, body: str) -> Any:
    """A network whose ``forward`` is this, of ``tokens``, ``h`` (a row of 4 numbers for each) and ``c``, a matrix."""
    scope: dict[str, Any] = {"torch": torch}
    exec(f"def forward(self, tokens):\n    h, c = self.table(tokens) * 1, self.c\n    {body}", scope)
    made = type("Made", (torch.nn.Module,), {"forward": scope["forward"]})()
    made.table, made.c = torch.nn.Embedding(graphs.VOCABULARY, 4), torch.nn.Parameter(torch.eye(4))
    made.register_buffer("calls", torch.ones(1))
    return made


def for_sizes(torch: Any, body: str, *sizes: Any) -> bytes:
    """Such a network for batches and lengths that torch finds, or of these sizes."""
    shapes = ({axis: size for axis, size in enumerate(sizes) if size is not None},) if any(sizes) else None
    example = torch.zeros(1 if sizes[0] is None else 4, 4, dtype=torch.long)
    file = io.BytesIO()
    torch.export.save(torch.export.export(small(torch, body), (example,), dynamic_shapes=shapes), file)
    return file.getvalue()


@pytest.mark.parametrize(("condition", "length"), [
    ("T % 2 == 0", 5), ("T != 3", 3), ("max(T, 5) % 3 == 2", 6), ("T * T // 2 < 18", 6)])
def test_a_program_is_read_for_lengths_that_its_guards_allow(tmp_path: Path, condition: str, length: int) -> None:
    """torch writes the branch that its example takes, and on what sizes it does so."""
    torch = torch_or_skip()
    data = for_sizes(torch, f"T = tokens.shape[1]; return h if {condition} else h * 2", None, torch.export.Dim.AUTO)
    with pytest.raises(InputError, match=rf"^m.pt2: guard [^\n]+ is false for {length} tokens, expected a program "):
        read(tmp_path, data, 6)
    with pytest.raises(InputError, match=rf"^m.pt2: [^\n]* a guard of the program is false for {length} tokens$"):
        open_program(data, "m.pt2", {})([0] * length)


def test_a_program_whose_guards_hold_is_read(tmp_path: Path) -> None:
    torch = torch_or_skip()
    data = for_sizes(torch, "return h + c[:tokens.shape[1], :1]", None, torch.export.Dim.AUTO)
    assert b"guards_code\": [\"L['tokens'].size()[1] <= 4" in zipfile.ZipFile(io.BytesIO(data)).read(
        next(name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if name.endswith("model.json")))
    assert read(tmp_path, data, 4).network.rows == 4


@pytest.mark.parametrize("guard", ["exit(1)", "L['tokens'].size()[7] == 4", "L['other'].size()[0] == 1", "1 +",
                                   "x" * 2000, "9 ** 9 > 1", "L['tokens'].fill_(1) == 1", "'a' * 9 == 1",
                                   "L.size()[0] == 1"])
def test_a_guard_that_is_not_read_is_one_line(tmp_path: Path, guard: str) -> None:
    torch_or_skip()
    data = altered(lambda text: text.replace('"guards_code": []', json.dumps({"guards_code": [guard]})[1:-1]))
    with pytest.raises(InputError, match=r"^m.pt2: guard [^\n]* is not read, expected a condition on sizes of inputs$"):
        read(tmp_path, data)
    with pytest.raises(InputError, match=r"^m.pt2: the program cannot be run [^\n]*$"):
        open_program(data, "m.pt2", {})([0] * LENGTH)


def test_a_program_for_batches_of_several_sequences_is_refused(tmp_path: Path) -> None:
    torch = torch_or_skip()
    data = for_sizes(torch, "return h", torch.export.Dim("batch", min=3), torch.export.Dim("length", max=9))
    with pytest.raises(InputError, match=r"^m.pt2: a program for batches of several sequences only"):
        read(tmp_path, data, 6)
    with pytest.raises(InputError, match=r"^m.pt2: [^\n]*: inputs of other sizes than of one sequence of 4 tokens$"):
        open_program(data, "m.pt2", {})([0] * 4)


@pytest.mark.parametrize(("name", "old", "new", "printed"), [
    ("models/model.json", '"major": 8', '"major": 9', "a program of version 9 of the format"),
    ("models/model.json", '"aten": ', '"other": ', "a program of version 8 of the format with operations of other"),
    ("models/second.json", "", "", "not a whole program of torch.export.save: programs [^,]*, [^,]*second.json, exp")])
def test_an_archive_has_one_program_of_a_known_version(tmp_path: Path, name: str, old: str, new: str, printed: str
                                                       ) -> None:
    whole, changed = zipfile.ZipFile(io.BytesIO(classifier())), io.BytesIO()
    members = {one: whole.read(one) for one in whole.namelist()}
    (program_of,) = (one for one in members if one.endswith("models/model.json"))
    other = program_of.replace("models/model.json", name)
    members[other] = members[program_of].replace(old.encode(), new.encode(), 1)
    with zipfile.ZipFile(changed, "w") as archive:
        for one, data in members.items():
            archive.writestr(one, data)
    with pytest.raises(InputError, match=f"^m.pt2: {printed}"):
        read(tmp_path, changed.getvalue())
    with pytest.raises(InputError, match=r"^m.pt2: the program cannot be run [^\n]*$"):
        open_program(changed.getvalue(), "m.pt2", {})


def test_a_length_that_another_operation_computes_is_not_taken_from_the_file(tmp_path: Path) -> None:
    """A value of an operator of the owner is known where it runs; the file has what its stand-in made."""
    torch = torch_or_skip()
    data = for_sizes(torch, "return h * (tokens.shape[1] // 100 + 1)", None, torch.export.Dim("n", max=9))
    assert read(tmp_path, data, 6).network.width == 4
    data = altered(lambda text: text.replace("_operator.floordiv", "torch.ops.owners.length.default"), data)
    with pytest.raises(InputError, match=r"^m.pt2: node \w+ \(owners.length.default\): an operation that is not "):
        read(tmp_path, data, 6)


@pytest.mark.parametrize("numbers", ["places.half() / 7 * 1.1", "1.1 / (places.half() + 3)",
                                     "places.half() / 7 + 0.1", "torch.arange(4, dtype=torch.bfloat16) * 100 + 1",
                                     "torch.full((4,), 0.1, dtype=torch.bfloat16)"])
def test_constants_of_16_bits_are_rounded_as_torch_rounds_them(tmp_path: Path, numbers: str) -> None:
    torch = torch_or_skip()
    body = f"places = torch.arange(4); return h + ({numbers}).to(h.dtype)"
    model = small(torch, body)
    check(torch, read(tmp_path, program(torch, model)), model, 1e-6)


@pytest.mark.parametrize("first", ["None", "3", "tokens.shape[1]"])
def test_outputs_that_are_not_arrays_are_left_out_after_the_first(tmp_path: Path, first: str) -> None:
    torch = torch_or_skip()
    with pytest.raises(InputError, match=r"^m.pt2: the first output is not an array, expected logits of tokens$"):
        read(tmp_path, for_sizes(torch, f"return {first}, h", None, None))
    data = for_sizes(torch, f"return h, {first}", None, None)
    assert read(tmp_path, data).network.width == open_program(data, "m.pt2", {})([0] * 4).shape[-1] == 4


@pytest.mark.parametrize("body", ["torch._assert_async((tokens < 4).all()); return h",
                                  "torch._assert_scalar((tokens < 4).sum().item() >= 0, ''); return h"])
def test_a_program_that_refuses_some_words_is_not_read_as_one_for_all(tmp_path: Path, body: str) -> None:
    torch = torch_or_skip()
    with pytest.raises(InputError, match=r"^m.pt2: node \w+ \(aten.\w+.default\): an [^\n]*$"):
        read(tmp_path, for_sizes(torch, body, None, torch.export.Dim("n", max=9)), 6)
