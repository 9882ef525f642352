"""Whatever of a program does not depend on tokens is computed as torch does, or refused; without the package onnx."""

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.graph.operators import DEFAULTS, OPSET
from constructions.importing.importer import Imported, import_network
from constructions.importing.questions import Options
from proofs.trained.forward import FloatNetwork
from tests.with_torch import torch_or_skip

LENGTH, VOCABULARY = 4, 5
SINUSOID = ("p = torch.zeros(T, 4); a = torch.arange(T)[:, None] / (10000 ** (torch.arange(0, 4, 2) / 4)); "
            "p[:, 0::2] = torch.sin(a); p[:, 1::2] = torch.cos(a); h = h + p")


@pytest.fixture(autouse=True)
def without_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "onnx"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)


def module(torch: Any, body: str) -> Any:
    """A network whose ``forward`` is this, of ``h``, a row of 4 numbers for each token, and constants of many types."""
    scope: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    exec(f"def forward(self, tokens):\n    T, h = tokens.shape[1], self.table(tokens)\n{lines}    return self.out(h)",
         scope)
    torch.manual_seed(3)
    made = type("Made", (torch.nn.Module,), {"forward": scope["forward"]})()
    made.table, made.out = torch.nn.Embedding(VOCABULARY, 4), torch.nn.Linear(4, 3)
    made.w, made.s = torch.nn.Parameter(torch.randn(4, 4)), torch.nn.Parameter(torch.tensor(0.7))
    made.register_buffer("f", torch.randn(4) * 3)
    made.register_buffer("f16", (torch.randn(4) * 3).half())
    made.register_buffer("b16", (torch.randn(4) * 3).bfloat16())
    for name, kind in (("u8", torch.uint8), ("i8", torch.int8), ("i64", torch.int64)):
        made.register_buffer(name, torch.tensor([3, -128, 200, 7]).to(kind))
    return made.eval()


def program(torch: Any, model: Any, length: Any = None, decomposed: bool = False) -> bytes:
    file, shapes = io.BytesIO(), None if length is None else ({1: length},)
    made = torch.export.export(model, (torch.zeros(1, LENGTH, dtype=torch.long),), dynamic_shapes=shapes)
    torch.export.save(made.run_decompositions({}) if decomposed else made, file)
    return file.getvalue()


def read(folder: Path, data: bytes, rows: int | None = None) -> Imported:
    (folder / "m.pt2").write_bytes(data)
    return import_network([folder / "m.pt2"], Options(rows=rows))


def check(torch: Any, result: Imported, model: Any, *lengths: int) -> None:
    for length in lengths or (LENGTH,):
        words = np.random.default_rng(5).integers(0, VOCABULARY, (6, length))
        with torch.no_grad():
            expected = np.stack([model(torch.from_numpy(word)[None])[0].numpy() for word in words])
        difference = np.abs(FloatNetwork(result.network).logits(words, 0) - expected).max()
        assert difference < 3e-5 * (1 + np.abs(expected).max())


BODIES = (
    SINUSOID,
    "p = torch.empty(T, 4); p[:, ::2] = 1.0; p[:, 1::2] = torch.cos(torch.arange(T))[:, None]; h = h + p",
    "p = torch.empty_like(h[0]); p.copy_(self.f); h = h + p",
    "p = torch.full_like(h[0], 2.0); p[1] = self.f; p[:, 2].fill_(self.s); h = h + p",
    "p = torch.zeros(T, 4); q = p.t(); q[0] = 1.0; h = h + p",
    "p = torch.zeros(T, 4); q = p.view(-1); h = h + p; q[::3] = 2.0; h = h * p; p.add_(1); h = h + q.view(T, 4)",
    "p = torch.zeros(T, 4); a, b = p.chunk(2, 1); a.fill_(3); b.add_(torch.arange(2)); h = h + p",
    "m = torch.zeros(T, T); m[torch.ones(T, T).triu(1) > 0] = -1e9; h = h + (h @ h.mT + m).softmax(-1) @ h",
    "m = torch.zeros(T, T); m[0, 1:] = m[1, 2:] = m[2, 3:] = m[3, 4:] = -torch.inf; h = (h @ h.mT + m).softmax(-1) @ h",
    "m = torch.full((T, T), float('-inf')).triu_(1); h = F.scaled_dot_product_attention(h, h, h, attn_mask=m)",
    "h = F.scaled_dot_product_attention(h, h, h, is_causal=True)",
    "p = torch.arange(T); p += 1; p *= 3; h = h + p[:, None]",
    "h = h + (self.u8 + self.u8) + self.i8 * 3", "h = h + (self.u8 | self.i8) + ~self.u8",
    "h = h + torch.div(self.i64, -3, rounding_mode='trunc') + self.i64 // -3 + self.i64 % -3",
    "h = h + (self.f16 * 0.3 + self.f16).float()", "h = h + (self.b16 * 0.3).float() + self.b16",
    "h = h + self.w[torch.arange(4), torch.arange(4).flip(0)] + self.f[torch.tensor([-1, 0, 1, 2])]",
    "h = h + self.w.gather(1, torch.tensor([[0], [1], [2], [0]]))[:, 0] + self.w.diagonal() + self.f.prod()",
    "i = torch.triu_indices(4, 4, 1); m = torch.zeros(4, 4); m[i[0], i[1]] = 1; h = h + m[1]",
    "m = torch.full((T, T), -torch.inf).triu(1); m = torch.where(torch.isinf(m), -5.0, m); h = h + m.sum(0)[:, None]",
    "h = h + torch.linspace(0, 1, 4) + torch.logspace(0, 1, 4) + torch.log2(torch.arange(4) + 1.0)",
    "h = h + (torch.ones(T, T).tril().sum(0) > 2)[:, None] + (torch.arange(T) > 2).any()",
    "h = h + torch.arange(2).repeat(2) + torch.arange(2).tile(2) + self.s.expand(4) + self.f.narrow(0, 0, 4)",
    "h = h + F.gelu(self.f) + F.layer_norm(self.w, (4,))[0] + self.w[:3].softmax(-1)[2]",
    "h = h + self.w.std(-1, keepdim=True)[:, 0] + self.w.amax(0) + self.w.mean(1) + self.w @ self.f")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_constants_are_those_of_torch(tmp_path: Path, body: str, decomposed: bool) -> None:
    torch = torch_or_skip()
    model = module(torch, body)
    if decomposed and body.startswith("p = torch.empty(T"):
        return  # refused: what is put into an array that is not written reads it
    check(torch, read(tmp_path, program(torch, model, decomposed=decomposed)), model)


def test_a_textbook_sinusoid_is_read_at_any_length(tmp_path: Path) -> None:
    torch = torch_or_skip()
    model = module(torch, f"{SINUSOID}; h = F.scaled_dot_product_attention(h, h, h, is_causal=True)")
    result = read(tmp_path, program(torch, model, torch.export.Dim("length", min=2, max=9)), 9)
    check(torch, result, model, *range(1, 10))


JUMP = "a jump .* on numbers that programs round in several ways"


@pytest.mark.parametrize(("body", "printed"), [
    ("h = h + torch.linspace(0, 1, 4).floor()", JUMP), ("h = h + (torch.sin(torch.arange(4)) > 0)", JUMP),
    ("h = h + torch.exp(torch.arange(4)).long()", JUMP), ("h = h + (self.f.sum() > 0)", JUMP),
    ("h = h + self.f.mean().round()", JUMP), ("h = h + torch.arange(0, 0.4, 0.1).ceil()", JUMP),
    ("h = h + (self.f + torch.sqrt(self.f.abs())).sort().values", "a jump"),
    ("h = h + torch.sin(self.f * 0.1).sign()", JUMP), ("h = h + torch.add(self.f, self.f, alpha=0.3).floor()", JUMP),
    ("p = torch.zeros(4); p[1:] = torch.cos(self.f[1:]); h = h + p.floor()", JUMP),
    ("p = torch.empty(4); p[1:] = 1.0; h = h + p", "reads an array that was never written"),
    ("p = torch.zeros(2, 4); q = p.reshape(-1); q[0] = 1.0; h = h + p[0]", "changes in place under another name"),
    ("self.f.add_(1); h = h + self.f", "changes an input in place"),
    ("h = h * 1; h[..., 0] = 1.0", "changes in place under another name"),
    ("h = h + (self.f * self.s) // self.s", "a rounded quotient"),
    ("h = h + self.f.round(decimals=1)", "its argument decimals is not supported"),
    ("h = h + torch.rsub(self.f, 1.0, alpha=2)", "its argument alpha is not supported"),
    ("p = torch.zeros(4); p.index_put_((self.i64 % 4,), self.f, accumulate=True); h = h + p",
     "elements added at indices"),
    ("h = h + self.i64 ** self.i64", "a negative power")])
def test_what_depends_on_rounding_or_on_shared_memory_is_refused(tmp_path: Path, body: str, printed: str) -> None:
    torch = torch_or_skip()
    with pytest.raises(InputError, match=rf"^m.pt2: [^\n]*{printed}"):
        read(tmp_path, program(torch, module(torch, body)))


def test_what_the_first_output_does_not_need_is_not_read(tmp_path: Path) -> None:
    torch = torch_or_skip()
    model = module(torch, "unread = torch.special.i0(h); h = h + 1")
    check(torch, read(tmp_path, program(torch, model)), model)
    for view in ("torch.as_strided(h, (4, 4), (4, 1))", "h.unfold(1, 2, 1)[..., 0]"):  # perhaps, as it is not known
        with pytest.raises(InputError, match=r"^m.pt2: [^\n]* an operation that is not supported$"):
            read(tmp_path, program(torch, module(torch, f"h = h + 1; unread = {view}; unread.add_(1)")))


@pytest.mark.parametrize("body", ["h = h + self.table(self.places)", "h = h + self.w.index_select(0, self.places)"])
def test_indices_that_torch_does_not_take_are_refused(tmp_path: Path, body: str) -> None:
    torch = torch_or_skip()
    model = module(torch, body)
    model.register_buffer("places", torch.tensor([3, 2, 1, 0]))
    data, changed = program(torch, model), io.BytesIO()
    whole = zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(changed, "w") as archive:
        for name in whole.namelist():
            old, new = (np.array([one, 2, 1, 0]).tobytes() for one in (3, -1))
            archive.writestr(name, whole.read(name).replace(old, new))
    check(torch, read(tmp_path, data), model)
    with pytest.raises(InputError, match=r"^m.pt2: [^\n]*indices below 0, which torch does not accept here$"):
        read(tmp_path, changed.getvalue())


def test_shorter_inputs_than_a_program_states_are_the_same_network_or_refused(tmp_path: Path) -> None:
    torch = torch_or_skip()
    dim = torch.export.Dim
    result = read(tmp_path, program(torch, module(torch, "h = h + 1"), dim("length", min=3, max=6)), 6)
    assert any("states 3 tokens or more; on shorter inputs its nodes" in one for one in result.report.assumed)
    data = program(torch, module(torch, "h = h + (T == 1)"), dim("length", min=2, max=6))
    with pytest.raises(InputError, match=r"^m.pt2: on inputs of 1 tokens the graph is another network"):
        read(tmp_path, data, 6)


@pytest.mark.parametrize(("body", "size", "printed"), [
    ("h = h + 1", "2 * n", r"inputs of a size that is computed of others, Mul\(Integer\(2\), Symbol\('s"),
    ("h = h + self.f[self.f > 0].sum()", "n", r"size u\d+ does not follow from the number of tokens")])
def test_a_size_that_is_not_the_length_is_named(tmp_path: Path, body: str, size: str, printed: str) -> None:
    torch = torch_or_skip()
    length = eval(size, {"n": torch.export.Dim("n", max=9)})
    with pytest.raises(InputError, match=f"^m.pt2: {printed}"):
        read(tmp_path, program(torch, module(torch, body), length), 6)


def test_defaults_of_nodes_are_those_of_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    onnx = pytest.importorskip("onnx")
    for operation, defaults in DEFAULTS.items():
        stated = onnx.defs.get_schema(operation, OPSET, "").attributes
        for name, value in defaults.items():
            assert onnx.helper.get_attribute_value(stated[name].default_value) == value
