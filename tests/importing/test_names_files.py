"""Files of names: tensors under other names, transposed, split, joined; what is wrong with one is a line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import import_network
from constructions.importing.names_file import read_names
from constructions.importing.questions import Options
from proofs.trained.forward import FloatNetwork
from tests.importing import models_in_torch as models
from tests.importing.test_logits_are_those_of_torch import check_logits
from tests.with_torch import torch_or_skip

NAMES = """
ignore = ["scores.{i}", "step"]

[settings]
model_type = "gpt2"
n_head = 2
n_layer = 2
activation_function = "gelu_new"
layer_norm_epsilon = 1e-5

[tensors]
"wte.weight" = { from = "tokens", axes = [1, 0] }
"wpe.weight" = { from = "tables", rows = [3, 15], shape = [12, 8] }
"ln_f.weight" = "last.g"
"ln_f.bias" = { zeros = [8] }
"h.{i}.attn.c_attn.weight" = { join = ["q{i}", { from = "kv{i}", axes = [1, 0] }], axis = 1 }
"h.{i}.attn.c_attn.bias" = "qkv_bias{i}"
"h.{i}.attn.c_proj.weight" = "out{i}"
"h.{i}.attn.c_proj.bias" = "out_bias{i}"
"""


def test_a_network_under_other_names_is_the_same_network(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, logits = models.gpt2(torch, "")
    state["ln_f.bias"].zero_()
    other = dict(state)
    other["tokens"] = other.pop("wte.weight").T.contiguous()
    other["tables"] = torch.cat([torch.ones(3, 8), other.pop("wpe.weight"), torch.ones(1, 8)])
    other["last.g"] = other.pop("ln_f.weight")
    del other["ln_f.bias"]
    for i in (0, 1):
        packed = other.pop(f"h.{i}.attn.c_attn.weight")
        other[f"q{i}"], other[f"kv{i}"] = packed[:, :8].contiguous(), packed[:, 8:].T.contiguous()
        other[f"qkv_bias{i}"] = other.pop(f"h.{i}.attn.c_attn.bias")
        other[f"out{i}"] = other.pop(f"h.{i}.attn.c_proj.weight")
        other[f"out_bias{i}"] = other.pop(f"h.{i}.attn.c_proj.bias")
        other[f"scores.{i}"] = torch.zeros(2)
    other["step"] = torch.tensor(3)
    torch.save(other, tmp_path / "model.pt")
    (tmp_path / "names.toml").write_text(NAMES)
    result = import_network([tmp_path / "model.pt"], Options(), read_names(tmp_path / "names.toml"))
    check_logits(torch, result, logits)
    assert result.network.tensors["wte.weight"].data == state["wte.weight"].numpy().tobytes()
    assert set(result.report.not_weights) == {"scores.0", "scores.1", "step"}


def test_a_bare_network_without_biases_is_read_as_a_hooked_transformer(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    arrays: dict[str, Any] = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in {
        "E": (4, 3), "P": (6, 4), "q": (4, 4), "k": (4, 4), "v": (4, 4), "o": (4, 4), "U": (3, 4)}.items()}
    np.savez(tmp_path / "m.npz", **arrays)
    rules = {"embed.W_E": '{ from = "E", axes = [1, 0] }', "pos_embed.W_pos": '"P"',
             "unembed.W_U": '{ from = "U", axes = [1, 0] }',
             "blocks.0.attn.W_O": '{ from = "o", shape = [2, 2, 4] }'}
    rules |= {f"blocks.0.attn.W_{name.upper()}":
              f'{{ join = [{{ from = "{name}", rows = [0, 2], shape = [1, 2, 4] }}, '
              f'{{ from = "{name}", rows = [2, 4], shape = [1, 2, 4] }}], axes = [0, 2, 1] }}' for name in "qkv"}
    (tmp_path / "names.toml").write_text("[tensors]\n" + "\n".join(f'"{a}" = {b}' for a, b in rules.items()))
    network = import_network([tmp_path / "m.npz"], Options(kind="hooked-transformer", attention="causal", norm="none"),
                             read_names(tmp_path / "names.toml")).network
    x = arrays["E"].T[[0, 2, 1]].astype(float) + arrays["P"][:3]
    total = x.copy()
    for head in (slice(0, 2), slice(2, 4)):
        scores = (x @ arrays["q"][head].T.astype(float)) @ (x @ arrays["k"][head].T.astype(float)).T / 2**0.5
        weights = np.exp(np.where(np.tri(3), scores, -np.inf))
        total += weights / weights.sum(1, keepdims=True) @ (x @ arrays["v"][head].T.astype(float)) @ arrays["o"][head]
    found = FloatNetwork(network).logits(np.array([[0, 2, 1]]), 0)[0]
    assert np.abs(found - total @ arrays["U"].T).max() < 1e-12


def test_blocks_of_attention_alone_are_read_from_linear_layers(tmp_path: Path) -> None:
    """Matrices [out, in] of torch.nn.Linear, two layers of two heads, as docs/howto/importing.md shows it."""
    torch = torch_or_skip()
    nn = torch.nn
    layers = nn.ModuleList(nn.ModuleDict({name: nn.Linear(8, 8, bias=False) for name in "qkvo"}) for _ in range(2))
    model = nn.ModuleDict({"emb": nn.Embedding(models.VOCABULARY, 8), "pos": nn.Embedding(12, 8), "layers": layers,
                           "head": nn.Linear(8, 3, bias=False)})
    page = (Path(__file__).parents[2] / "docs" / "howto" / "importing.md").read_text(encoding="utf-8")
    shown = page.partition("[out, in] of torch's Linear:\n\n```toml\n")[2].partition("```")[0]
    (tmp_path / "names.toml").write_text(shown)
    torch.save(model.state_dict(), tmp_path / "m.pt")

    def logits(tokens: Any) -> Any:
        whole = model.double()
        x = whole["emb"](tokens) + whole["pos"].weight[: tokens.shape[1]]
        for layer in whole["layers"]:
            q, k, v = (models.in_heads(layer[name](x), 2) for name in "qkv")
            x = x + layer["o"](models.joined(models.attend(torch, q, k, v, True)))
        return whole["head"](x)

    result = import_network([tmp_path / "m.pt"], Options(kind="hooked-transformer", attention="causal", norm="none"),
                            read_names(tmp_path / "names.toml"))
    check_logits(torch, result, logits)


def test_the_layout_of_modular_addition_is_recognised(tmp_path: Path) -> None:
    torch = torch_or_skip()
    shapes = {"embed.W_E": (8, 5), "pos_embed.W_pos": (12, 8), "unembed.W_U": (8, 4),
              "blocks.0.attn.W_K": (2, 4, 8), "blocks.0.attn.W_Q": (2, 4, 8), "blocks.0.attn.W_V": (2, 4, 8),
              "blocks.0.attn.W_O": (8, 8), "blocks.0.mlp.W_in": (6, 8), "blocks.0.mlp.b_in": (6,),
              "blocks.0.mlp.W_out": (8, 6), "blocks.0.mlp.b_out": (8,)}
    state = models.random_tensors(torch, shapes)
    state["blocks.0.attn.mask"] = torch.ones(12, 12).tril()

    def logits(tokens: Any) -> Any:
        w = {name: tensor.double() for name, tensor in state.items()}
        x = w["embed.W_E"].T[tokens] + w["pos_embed.W_pos"][: tokens.shape[1]]
        q, k, v = (torch.einsum("ihd,btd->bith", w[f"blocks.0.attn.W_{name}"], x) for name in "QKV")
        x = x + models.joined(models.attend(torch, q, k, v, True)) @ w["blocks.0.attn.W_O"].T
        inner = torch.relu(x @ w["blocks.0.mlp.W_in"].T + w["blocks.0.mlp.b_in"])
        return (x + inner @ w["blocks.0.mlp.W_out"].T + w["blocks.0.mlp.b_out"]) @ w["unembed.W_U"]

    torch.save(state, tmp_path / "m.pt")
    result = import_network([tmp_path / "m.pt"], Options(
        kind="hooked-transformer", attention="causal", norm="none", activation="relu"))
    check_logits(torch, result, logits)


@pytest.mark.parametrize(("text", "printed"), [
    ("names = 1", 'names.toml: unknown key "names", expected tensors, ignore or settings'),
    ("tensors = 1", "names.toml, tensors: 1, expected a table"),
    ("ignore = [1]", "names.toml, ignore: [1], expected a list of names"),
    ("ignore = ['b{i}']", "names.toml, ignore: no tensor b{i} is left, expected one"),
    ("[tensors]\na = 1", "names.toml, a: 1, expected a name, or a table with from, join or zeros"),
    ("[tensors]\ny = 'x'", "names.toml, y: the files also have a tensor of this name, expected it in ignore"),
    ("[tensors]\na = 'z'", "names.toml, a: no tensor z in the files, expected one"),
    ("[tensors]\n'a{i}' = 'z{i}'", "names.toml, a{i}: no tensor z0, expected it in the files"),
    ("[tensors]\n'a{i}' = 'z'", "names.toml, a{i}: {i} in the name only, expected it also in the name's sources"),
    ("[tensors]\na = { from = 'x', row = [0, 1] }", 'names.toml, a: unknown key "row", expected only from, rows, axes, '
                                                    'shape, join, axis, zeros'),
    ("[tensors]\na = { from = 'x', zeros = [2] }", "names.toml, a: expected exactly one of from, join and zeros"),
    ("[tensors]\na = { from = 'x', rows = [1, 4] }", "names.toml, a: rows 1 to 4 of a tensor of shape [3, 4], expected "
                                                     "[first, end] with first below end, at most its first size"),
    ("[tensors]\na = { from = 'x', axes = [0, 0] }", "names.toml, a: axes [0, 0] of a tensor of shape [3, 4], expected "
                                                     "each of 0, 1 once"),
    ("[tensors]\na = { from = 'x', shape = [5] }", "names.toml, a: shape [5] for a tensor of shape [3, 4], expected as "
                                                   "many elements"),
    ("[tensors]\na = { zeros = [0] }", "names.toml, a, zeros: [0], expected a list of whole numbers from 1 on"),
    ("[tensors]\na = { join = ['x', 'y'] }", "names.toml, a: <f8 [3, 2] beside"),
    ("[tensors]\na = 'n'", "names.toml, a: tensor n has elements <i8, expected binary32"),
    ("[tensors]\na = { join = ['x', { from = 'x', rows = [0, 2] }], axis = 1 }", "names.toml, a: <f4 [2, 4] beside "
     "<f4 [3, 4] along axis 1, expected the same format and, except along that axis, the same shape")])
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, printed: str) -> None:
    np.savez(tmp_path / "m.npz", x=np.zeros((3, 4), np.float32), y=np.zeros((3, 2)), n=np.zeros(3, np.int64))
    (tmp_path / "names.toml").write_text(text)
    with pytest.raises(InputError) as error:
        import_network([tmp_path / "m.npz"], Options(), read_names(tmp_path / "names.toml"))
    assert str(error.value).startswith(printed)
    assert "\n" not in str(error.value)


def test_settings_may_not_contradict_config_json(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", x=np.zeros((3, 4), np.float32))
    (tmp_path / "config.json").write_text('{"n_head": 3}')
    (tmp_path / "names.toml").write_text("[settings]\nn_head = 2")
    with pytest.raises(InputError, match="settings: n_head = 2, but a file says 3"):
        import_network([tmp_path / "m.npz", tmp_path / "config.json"], Options(), read_names(tmp_path / "names.toml"))
