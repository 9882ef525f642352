"""Files without operations: the program that names suggest is shown and confirmed, and buffers are compared with it."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import KINDS, Imported, import_network
from constructions.importing.questions import Options, Unanswered
from proofs.trained.forward import FloatNetwork
from tests.importing import models_in_torch as models
from tests.importing.test_logits_are_those_of_torch import ENCODER, LLAMA
from tests.with_torch import torch_or_skip

NANO = Options(kind="nanogpt", attention="causal", activation="gelu", epsilon=Fraction(1, 100000), heads=2,
               output_layer="wte.weight")
HOOKED = Options(kind="hooked-transformer", attention="causal", activation="silu", epsilon=Fraction(1, 100000))
LLAMA_BY_NAMES = Options(kind="llama", heads=4, epsilon=Fraction(1, 10**6), activation="silu",
                         rotary_base=Fraction(10000), rows=12)


def read(folder: Path, state: Any, options: Options, config: Any = None, compared: bool = False) -> Imported:
    torch_or_skip().save(state, folder / "m.pt")
    files = [folder / "m.pt"]
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        files.append(folder / "config.json")
    return import_network(files, options, compared=compared)


def refusal(folder: Path, state: Any, options: Options, config: Any = None) -> str:
    with pytest.raises(InputError) as refused:
        read(folder, state, options, config)
    assert "\n" not in str(refused.value)
    return str(refused.value)


# -- kinds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrapped", [True, False])
def test_without_a_family_the_program_is_shown_and_confirmed(tmp_path: Path, wrapped: bool) -> None:
    """The sizes that a checkpoint of nanoGPT tells do not name its family."""
    state, _ = models.gpt2(torch_or_skip(), "", linear=True)
    saved = {"model": state, "model_args": {"n_head": 2, "n_layer": 2, "bias": True}} if wrapped else state
    with pytest.raises(Unanswered, match="the file leaves questions open, expected --kind nanogpt, if") as asked:
        read(tmp_path, saved, replace(NANO, kind=None))
    assert asked.value.program == (
        "--kind nanogpt: nanoGPT, only these parts, once each, in this order, each after the one before:",
        "  stream: row t of wte.weight [5 x 8] for each token t, padding too; not scaled",
        "  positions: rows 0 to 11 of wpe.weight are added, row 0 at the first token; the sum is not scaled, nor "
        "normalised before the parts below",
        "  2 times, one after the other, each with weights of its own:",
        "    attention of the layer norm, epsilon 1/100000, gain and bias as stored, of the stream; heads: 2 of width "
        "4; causal, no window; scores times 1/sqrt(4), no cap; biases; added to the stream",
        "    feed-forward block of the layer norm, epsilon 1/100000, gain and bias as stored, of the stream; 16 units; "
        "gelu, no gate; biases; added to the stream",
        "  norm: the stream becomes its layer norm, epsilon 1/100000, gain and bias as stored",
        "  logits: of each token",
        "  unembedding: wte.weight [8 x 5], no biases; no scale, no cap",
        "  scores are divided by the square root of the heads' width", "  the unembedding is wte.weight")
    assert read(tmp_path, saved, NANO).report.program == asked.value.program


def test_all_missing_answers_are_asked_for_at_once(tmp_path: Path) -> None:
    state, _ = models.encoder(torch_or_skip(), True, True, "sinusoidal")
    line = refusal(tmp_path, state, Options())
    for option in ("kind torch-encoder", "attention", "readout", "positions", "norm-first", "heads", "epsilon",
                   "activation"):
        assert f"--{option}" in line


def test_a_kind_must_fit_the_tensors_and_the_family(tmp_path: Path) -> None:
    state, _ = models.gpt2(torch_or_skip(), "", linear=True)
    assert refusal(tmp_path, state, replace(NANO, kind="llama")) == (
        "m.pt: --kind is llama, but its tensors have names of nanogpt")
    assert refusal(tmp_path, state, replace(NANO, kind="gpt3")) == (
        f'--kind: "gpt3" is not supported, expected {", ".join(KINDS)}')
    assert refusal(tmp_path, state, NANO, {"model_type": "gpt_bigcode"}).startswith(
        'config.json, model_type: "gpt_bigcode" is not supported, expected ')
    assert "names of nanogpt" in refusal(tmp_path, state, NANO, {"model_type": "gpt2"})
    assert refusal(tmp_path, state, NANO, {"n_head": 2, "alibi": True}) == (
        'config.json, alibi: an unknown setting, expected none')
    llama, _ = models.llama(torch_or_skip())
    assert refusal(tmp_path, llama, Options(kind="gemma"), LLAMA) == 'm.pt: --kind gemma, but config.json says llama'
    assert not read(tmp_path, llama, Options(), LLAMA).report.program
    assert read(tmp_path, llama, Options(kind="llama"), LLAMA).report.program
    untyped = {key: value for key, value in LLAMA.items() if key != "model_type"}
    assert "expected --kind llama or" in refusal(tmp_path, llama, Options(), untyped)


def test_logits_of_the_owner_answer_for_the_kind_where_one_alone_fits(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _ = models.gpt2(torch, "", linear=True)
    assert read(tmp_path, state, replace(NANO, kind=None), compared=True).network == read(tmp_path, state, NANO).network
    with pytest.raises(Unanswered, match="--kind llama or gemma or gemma2 or qwen2 or mistral, "):
        read(tmp_path, models.llama(torch)[0], replace(LLAMA_BY_NAMES, kind=None), compared=True)


# -- readouts and norms of torch's encoder -----------------------------------------------------------------------------


def classifier(torch: Any, norms: str, read: str, places: tuple[str, ...]) -> Any:
    """Layers in a list, norms at these places, logits of the tokens that ``read`` says."""
    nn = torch.nn
    torch.manual_seed(2)

    def norm() -> Any:
        return nn.RMSNorm(8, 1e-5) if norms == "rms" else nn.LayerNorm(8, 1e-5, bias=norms == "layer")

    class Classifier(nn.Module):  # type: ignore[misc,name-defined]  # torch's types are skipped
        def __init__(self) -> None:
            super().__init__()
            self.tok, self.pos = nn.Embedding(models.VOCABULARY, 8), nn.Embedding(models.ROWS, 8)
            self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 12, 0.0, batch_first=True, bias=False)
                                        for _ in range(2))
            for block in self.blocks:
                block.norm1, block.norm2 = norm(), norm()
            self.norms, self.fc = nn.ModuleDict({place: norm() for place in places}), nn.Linear(8, 3)

        def at(self, place: str, x: Any) -> Any:
            return self.norms[place](x) if place in places else x

        def forward(self, tokens: Any) -> Any:
            x = self.at("embedding", self.tok(tokens) + self.pos(torch.arange(tokens.shape[1])))
            for block in self.blocks:
                x = block(x)
            x = self.at("final", x)
            x = {"each": x, "first": x[:, 0], "last": x[:, -1], "mean": x.mean(1)}[read]
            return self.fc(self.at("pooled", x))

    model = Classifier().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    torch.backends.mha.set_fastpath_enabled(False)
    return model


@pytest.mark.parametrize(("norms", "read_at", "places"), [
    ("layer", "first", ("embedding",)), ("rms", "last", ("embedding", "final")), ("gains", "mean", ("final",)),
    ("rms", "mean", ("pooled",)), ("gains", "each", ("embedding",)), ("layer", "mean", ("final", "pooled"))])
def test_readouts_and_norms_are_asked_for(tmp_path: Path, norms: str, read_at: str, places: tuple[str, ...]) -> None:
    torch = torch_or_skip()
    model = classifier(torch, norms, read_at, places)
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    bare = replace(ENCODER, attention="bidirectional", activation="relu", norm_first=False, readout=None)
    line = refusal(tmp_path, state, bare)
    assert "--readout each, first, last (the tokens that have logits) or mean (over all tokens)" in line
    assert all(f"--place norms.{place}=PLACE" in line for place in places)
    assert ("--norm layer or rms" in line) == (norms != "layer")
    options = replace(bare, readout=read_at, norm=None if norms == "layer" else "rms" if norms == "rms" else "layer",
                      place=tuple((f"norms.{place}", place) for place in places))  # type: ignore[misc]
    network = read(tmp_path, state, options).network
    assert network.readout == ("last" if read_at == "mean" else read_at)
    tokens = np.random.default_rng(5).integers(0, models.VOCABULARY, (20, 7))
    with torch.no_grad():
        expected = model.double()(torch.from_numpy(tokens)).numpy()
    logits = FloatNetwork(network).logits(tokens, 0)
    found = {"each": logits, "first": logits[:, 0], "last": logits[:, -1]}[network.readout]
    assert np.abs(found - expected).max() < 1e-11


@pytest.mark.parametrize(("changes", "printed"), [
    ({"readout": "max"}, "--readout max: expected each, first, last, mean; for others export the program"),
    ({"place": (("norms.final", "pooled"),)}, "m.pt: --place norms.final=pooled, expected it with --readout mean"),
    ({"place": (("norms.final", "final"), ("other", "embedding"))},
     "m.pt: --place other=embedding, expected one norm there, of norms.final"),
    ({"place": (("norms.final", "final"),), "norm": "none"}, "m.pt: --norm none, but there is a tensor"),
    ({"place": (("norms.final", "final"),), "norm": None}, "expected --norm layer or rms")])
def test_places_and_readouts_that_do_not_fit_are_refused(tmp_path: Path, changes: dict[str, Any], printed: str) -> None:
    state = classifier(torch_or_skip(), "rms", "each", ("final",)).state_dict()
    options = replace(ENCODER, attention="bidirectional", activation="relu", norm_first=False, norm="rms")
    assert printed in refusal(tmp_path, state, replace(options, **changes))


# -- buffers -----------------------------------------------------------------------------------------------------------


def masks(torch: Any) -> dict[str, Any]:
    square = torch.ones(models.ROWS, models.ROWS)
    return {"causal": torch.triu(torch.full_like(square, -torch.inf), 1), "hidden": square.triu(1).bool(),
            "seen": square.tril(), "none": torch.zeros_like(square), "row": square[:1],
            "window": square.tril().bool() & square.triu(-2).bool(),
            "weak": torch.triu(torch.full_like(square, -3), 1), "strict": square.tril(-1)}


@pytest.mark.parametrize(("mask", "attention", "printed"), [
    ("causal", "causal", ""), ("hidden", "causal", ""), ("seen", "causal", ""), ("none", "bidirectional", ""),
    ("causal", "bidirectional", "it hides later tokens, but attention is bidirectional"),
    ("none", "causal", "it hides no tokens, but attention is causal"),
    ("window", "causal", "a mask of other tokens than the later ones (a window?), expected exactly those"),
    ("weak", "causal", "a mask of 0 and -3, expected 0 and 1, or 0 and -9999 or less"),
    ("strict", "causal", "a mask of other tokens than the later ones"),
    ("row", "causal", "expected a square mask")])
def test_masks_are_compared(tmp_path: Path, mask: str, attention: Any, printed: str) -> None:
    torch = torch_or_skip()
    state = {**models.encoder(torch, True, True)[0], "src_mask": masks(torch)[mask]}
    options = replace(ENCODER, attention=attention)
    if printed:
        assert printed in refusal(tmp_path, state, options)
    else:
        assert read(tmp_path, state, options).report.not_weights == {"src_mask": "a mask, which --attention describes"}


def test_a_mask_of_fewer_positions_cuts_the_table(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _ = models.gpt2(torch, "", linear=True)
    for layer in (0, 1):
        state[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 7, 7).tril()
    assert read(tmp_path, state, replace(NANO, attention=None)).network.rows == 7


def test_numbers_of_positions_and_angles_are_compared(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, llama = models.encoder(torch, True, True)[0], models.llama(torch)[0]
    for first, printed in ((0, ""), (1, "m.pt: tensor position_ids (int64 [1, 12]): expected 0, 1, 2, …")):
        given = {**state, "position_ids": torch.arange(first, 12 + first)[None]}
        assert printed == refusal(tmp_path, given, ENCODER) if printed else read(tmp_path, given, ENCODER)
    name = "model.rotary_emb.inv_freq"
    assert name in read(tmp_path, {**llama, name: torch.tensor([1.0, 0.01])}, LLAMA_BY_NAMES).report.not_weights
    assert refusal(tmp_path, {**llama, name: torch.tensor([1.0, 0.001])}, LLAMA_BY_NAMES) == (
        f"m.pt: tensor {name} (float32 [2]): other angles than those of the network")


# -- TransformerLens ---------------------------------------------------------------------------------------------------

CFG: dict[str, Any] = {
    "n_layers": 2, "d_model": 8, "n_ctx": 12, "d_head": 4, "n_heads": 2, "d_mlp": 6, "d_vocab": 5, "d_vocab_out": 3,
    "act_fn": "silu", "eps": 1e-5, "attention_dir": "bidirectional", "normalization_type": "LN", "attn_only": False,
    "positional_embedding_type": "standard", "use_attn_scale": True, "attn_scale": 2.0, "parallel_attn_mlp": False,
    "use_local_attn": False, "attn_scores_soft_cap": -1.0, "seed": None, "init_mode": "gpt2", "window_size": 3}


def test_a_configuration_of_transformer_lens_answers(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _ = models.hooked(torch)
    told = read(tmp_path, state, Options(kind="hooked-transformer"), CFG).network
    asked = read(tmp_path, state, replace(HOOKED, attention="bidirectional")).network
    assert replace(told, sources=()) == replace(asked, sources=())
    scaled = read(tmp_path, state, Options(kind="hooked-transformer"), CFG | {"attn_scale": 3.0}).network
    assert scaled.attention_steps[0].scale.times == Fraction(1, 3)


@pytest.mark.parametrize(("changes", "printed"), [
    ({"parallel_attn_mlp": True}, "config.json, parallel_attn_mlp: true is not supported, expected false"),
    ({"use_local_attn": True}, "config.json, use_local_attn: true is not supported"),
    ({"output_logits_soft_cap": 30.0}, "config.json, output_logits_soft_cap"),
    ({"positional_embedding_type": "shortformer"}, 'config.json, positional_embedding_type: "shortformer" is not'),
    ({"normalization_type": "RMS"}, "m.pt: config.json says norm rms, but blocks.0.ln1.w says layer"),
    ({"n_heads": 4}, "config.json, n_heads: 4, but tensors say: 2"),
    ({"dtype": "torch.bfloat16"}, 'config.json, dtype: "torch.bfloat16", but embed.W_E has elements binary32, which '),
    ({"gated_mlp": True}, "config.json, gated_mlp: true, but the tensors imply false"),
    ({"new_habit": 1}, "config.json, new_habit: an unknown setting, expected none")])
def test_settings_of_transformer_lens_that_are_not_read_are_refused(
        tmp_path: Path, changes: dict[str, Any], printed: str) -> None:
    state, _ = models.hooked(torch_or_skip())
    assert printed in refusal(tmp_path, state, Options(kind="hooked-transformer"), CFG | changes)


def test_attention_alone_has_no_activation(tmp_path: Path) -> None:
    state = {name: tensor for name, tensor in models.hooked(torch_or_skip())[0].items()
             if ".mlp." not in name and ".ln2." not in name}
    alone = CFG | {"attn_only": True, "act_fn": None, "d_mlp": None, "dtype": "torch.float32"}
    assert len(read(tmp_path, state, Options(kind="hooked-transformer"), alone).network.steps) == 3


THREE: dict[str, Any] = {
    "uses_rms_norm": False, "layer_norm_folding": False, "clip_qkv": None, "use_logn_attn": False, "yarn_factor": 1.0,
    "train_seq_length": None, "use_dynamic_ntk_rope": False, "rotary_scaling_factor": 1.0, "quantization_method": None,
    "use_yarn_rope": False, "use_attention_sinks": False, "norm_topk_prob": False, "rotary_adjacent_pairs": False,
    "rotary_dim": None, "dtype": "torch.float32"}
"""Settings of TransformerLens 3 beside ``CFG``; its masks are made anew, and are empty in files."""


def test_files_of_the_third_version_of_transformer_lens_are_read(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _ = models.hooked(torch)
    kind = Options(kind="hooked-transformer")
    expected = read(tmp_path, state, kind, CFG).network
    state |= {f"blocks.{layer}.attn.mask": torch.zeros(0, 0, dtype=torch.bool) for layer in (0, 1)}
    assert replace(read(tmp_path, state, kind, CFG | THREE).network, sources=()) == replace(expected, sources=())
    for key, value in (("clip_qkv", 0.5), ("use_logn_attn", True), ("use_dynamic_ntk_rope", True)):
        assert f"config.json, {key}: " in refusal(tmp_path, state, kind, CFG | THREE | {key: value})


@pytest.mark.parametrize("stored", ["halves", "neighbours"])
@pytest.mark.parametrize("told", [True, False, None])
def test_pairs_of_rotary_coordinates_are_those_of_the_configuration(
        tmp_path: Path, stored: str, told: bool | None) -> None:
    """The program turns pairs as its configuration says, whatever columns the tables of the file have."""
    torch = torch_or_skip()
    state = {name: tensor for name, tensor in models.hooked(torch)[0].items() if name != "pos_embed.W_pos"}
    angles = torch.arange(12)[:, None] / torch.tensor([1.0, 100.0])
    angles = torch.cat([angles, angles], 1) if stored == "halves" else angles.repeat_interleave(2, 1)
    for layer in (0, 1):
        state |= {f"blocks.{layer}.attn.rotary_sin": angles.sin(), f"blocks.{layer}.attn.rotary_cos": angles.cos()}
    rotary = CFG | {"positional_embedding_type": "rotary", "rotary_dim": 4} | (
        {} if told is None else {"rotary_adjacent_pairs": told})
    kind = Options(kind="hooked-transformer")
    for change, printed in (({"rotary_dim": 2}, "rotary_dim: 2 (or omitted"),
                            ({"n_ctx": 1}, "n_ctx: 1, but blocks.0.")):
        assert printed in refusal(tmp_path, state, kind, rotary | change)
    if bool(told) == (stored == "neighbours"):
        network = read(tmp_path, state, kind, rotary).network
        assert network.attention_steps[0].rotary and network.attention_steps[0].rotary.pairing == stored
    else:
        assert "rotary_adjacent_pairs: " in refusal(tmp_path, state, kind, rotary)


def test_a_window_in_the_file_is_refused(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _ = models.hooked(torch)
    state["blocks.1.attn.mask"] = masks(torch)["window"]
    assert refusal(tmp_path, state, HOOKED).startswith("m.pt: tensor blocks.1.attn.mask (bool [12, 12]): a mask ")
    state["blocks.1.attn.mask"], state["blocks.0.attn.IGNORE"] = masks(torch)["seen"], torch.tensor(-50.0)
    assert "blocks.0.attn.IGNORE (float32 []): expected one number, -9999 or less" in refusal(tmp_path, state, HOOKED)


def test_alibi_of_transformer_lens_has_its_own_slopes_and_leaves_its_table_unread(tmp_path: Path) -> None:
    """Slopes of three heads are 1/16, 1/256, 1/4 in the authors' code, and 2^(-8k/3) in TransformerLens."""
    torch = torch_or_skip()
    shapes = {"embed.W_E": (5, 6), "pos_embed.W_pos": (9, 6), "unembed.W_U": (6, 3), "blocks.0.attn.W_O": (3, 2, 6),
              **{f"blocks.0.attn.W_{kind}": (3, 6, 2) for kind in "QKV"}}
    state = models.random_tensors(torch, shapes)
    options = Options(kind="hooked-transformer", attention="causal", positions="alibi", norm="none")
    result = read(tmp_path, state, options)
    slopes = [head.slope for head in result.network.attention_steps[0].heads]
    assert [slope.limit_denominator(10**4) for slope in slopes if slope] == [
        Fraction(2 ** (-8 * k / 3)).limit_denominator(10**4) for k in (1, 2, 3)]
    assert (result.network.positions, list(result.report.not_weights)) == (None, ["pos_embed.W_pos"])
    assert "expected causal" in refusal(tmp_path, state, replace(options, attention="bidirectional"))


def test_a_class_of_the_owner_is_the_program_that_kind_confirms(tmp_path: Path) -> None:
    llama, _ = models.llama(torch_or_skip())
    own = {**LLAMA, "architectures": ["MyLlamaForCausalLM"]}
    assert 'architectures: "MyLlamaForCausalLM" is unknown, expected LlamaForS' in refusal(
        tmp_path, llama, Options(), own)
    report = read(tmp_path, llama, Options(kind="llama"), own).report
    assert report.program and "  class MyLlamaForCausalLM is the program of --kind" in report.program
