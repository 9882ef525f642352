"""Small trained-looking networks in plain torch, each with its state dict under the names of its kind.

Every function takes torch and returns a state dict of binary32 tensors and the logits of tokens [B, T] in binary64.
"""

from collections.abc import Callable
from typing import Any

State = dict[str, Any]
Logits = Callable[[Any], Any]
VOCABULARY, ROWS = 5, 12


def random_tensors(torch: Any, shapes: dict[str, tuple[int, ...]], seed: int = 1) -> State:
    generator = torch.Generator().manual_seed(seed)
    return {name: torch.randn(shape, generator=generator) * 0.5 + (1.0 if name.endswith((".weight", ".w"))
            and len(shape) == 1 else 0.0) for name, shape in shapes.items()}


def attend(torch: Any, q: Any, k: Any, v: Any, causal: bool, cap: float = 0.0) -> Any:
    """[B, heads, T, width] each; with a cap scores s are cap · tanh(s / cap)."""
    if cap:
        scores = cap * torch.tanh(q @ k.mT / q.shape[-1] ** 0.5 / cap)
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return (scores.masked_fill(later, -torch.inf) if causal else scores).softmax(-1) @ v
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def in_heads(x: Any, heads: int) -> Any:
    """[B, T, width] as [B, heads, T, width / heads]."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def joined(x: Any) -> Any:
    return x.transpose(1, 2).flatten(2)


def gpt2(torch: Any, prefix: str = "transformer.", linear: bool = False, bias: bool = True) -> tuple[State, Logits]:
    """GPT-2 in two layers of two heads and width 8; ``linear``: as nanoGPT stores it, which has the exact GELU."""
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (VOCABULARY, 8), "wpe.weight": (ROWS, 8), "ln_f.weight": (8,),
                                          "ln_f.bias": (8,)}
    for layer in ("h.0.", "h.1."):
        sizes = {"attn.c_attn": (8, 24), "attn.c_proj": (8, 8), "mlp.c_fc": (8, 16), "mlp.c_proj": (16, 8)}
        for name, size in sizes.items():
            shapes |= {f"{layer}{name}.weight": size[::-1] if linear else size, f"{layer}{name}.bias": size[1:]}
        shapes |= {f"{layer}ln_{k}.{part}": (8,) for k in (1, 2) for part in ("weight", "bias")}
    if not bias:
        shapes = {name: shape for name, shape in shapes.items() if not name.endswith("bias")}
    state = random_tensors(torch, shapes)
    functional = torch.nn.functional

    def logits(tokens: Any) -> Any:
        w = {name: tensor.double() for name, tensor in state.items()}

        def norm(x: Any, name: str) -> Any:
            return functional.layer_norm(x, (8,), w[f"{name}.weight"], w.get(f"{name}.bias"), 1e-5)

        def affine(x: Any, name: str) -> Any:
            weight = w[f"{name}.weight"].T if linear else w[f"{name}.weight"]
            return x @ weight + w.get(f"{name}.bias", 0.0)

        x = w["wte.weight"][tokens] + w["wpe.weight"][: tokens.shape[1]]
        for layer in ("h.0.", "h.1."):
            q, k, v = (in_heads(part, 2) for part in affine(norm(x, layer + "ln_1"), layer + "attn.c_attn").split(8, 2))
            x = x + affine(joined(attend(torch, q, k, v, True)), layer + "attn.c_proj")
            inner = functional.gelu(affine(norm(x, layer + "ln_2"), layer + "mlp.c_fc"),
                                    approximate="none" if linear else "tanh")
            x = x + affine(inner, layer + "mlp.c_proj")
        return norm(x, "ln_f") @ w["wte.weight"].T

    return {prefix + name: tensor for name, tensor in state.items()}, logits


def hooked(torch: Any, rotary: str = "", gated: bool = False, groups: int = 2,
           cap: float = 0.0) -> tuple[State, Logits]:
    """HookedTransformer in two bidirectional layers of two heads, width 8; rotary: "" (a table), halves, neighbours."""
    shapes: dict[str, tuple[int, ...]] = {"embed.W_E": (VOCABULARY, 8), "unembed.W_U": (8, 3), "unembed.b_U": (3,),
                                          "ln_final.w": (8,), "ln_final.b": (8,)}
    shapes |= {} if rotary else {"pos_embed.W_pos": (ROWS, 8)}
    mark = "" if groups == 2 else "_"
    for layer in ("blocks.0.", "blocks.1."):
        shapes |= {f"{layer}attn.{name}": shape for name, shape in {
            "W_Q": (2, 8, 4), "b_Q": (2, 4), f"{mark}W_K": (groups, 8, 4), f"{mark}b_K": (groups, 4),
            f"{mark}W_V": (groups, 8, 4), f"{mark}b_V": (groups, 4), "W_O": (2, 4, 8), "b_O": (8,)}.items()}
        shapes |= {f"{layer}mlp.{name}": shape for name, shape in {
            "W_in": (8, 6), "b_in": (6,), "W_out": (6, 8), "b_out": (8,)}.items()}
        shapes |= {f"{layer}mlp.W_gate": (8, 6)} if gated else {}
        shapes |= {f"{layer}ln{k}.{part}": (8,) for k in (1, 2) for part in "wb"}
    state = random_tensors(torch, shapes)
    tables = rotary_tables_of(torch, 4, rotary)
    for layer in ("blocks.0.", "blocks.1."):
        state |= {f"{layer}attn.mask": torch.ones(ROWS, ROWS).tril().bool(),
                  f"{layer}attn.IGNORE": torch.tensor(-torch.inf)}
        state |= {f"{layer}attn.rotary_{name}": tables[name] for name in ("sin", "cos") if rotary}
        if gated:
            state[f"{layer}mlp.b_in"] = torch.zeros(6)

    def logits(tokens: Any) -> Any:
        w = {name: tensor.double() for name, tensor in state.items()}

        def norm(x: Any, name: str) -> Any:
            return torch.nn.functional.layer_norm(x, (8,), w[f"{name}.w"], w[f"{name}.b"], 1e-5)

        def turned(x: Any) -> Any:
            return turn(torch, x, w["blocks.0.attn.rotary_cos"], w["blocks.0.attn.rotary_sin"], rotary) if rotary else x

        x = w["embed.W_E"][tokens]
        x = x if rotary else x + w["pos_embed.W_pos"][: tokens.shape[1]]
        for layer in ("blocks.0.", "blocks.1."):
            h = norm(x, layer + "ln1")
            parts = {}
            for kind, name in (("Q", "Q"), ("K", "K"), ("V", "V")):
                m = mark if kind != "Q" else ""
                part = (torch.einsum("btd,hdk->bhtk", h, w[f"{layer}attn.{m}W_{name}"])
                        + w[f"{layer}attn.{m}b_{name}"][:, None])
                parts[kind] = part.repeat_interleave(2 // part.shape[1], 1)
            z = attend(torch, turned(parts["Q"]), turned(parts["K"]), parts["V"], False, cap)
            x = x + torch.einsum("bhtk,hkd->btd", z, w[layer + "attn.W_O"]) + w[layer + "attn.b_O"]
            h = norm(x, layer + "ln2")
            inner = torch.nn.functional.silu(h @ w[layer + ("mlp.W_gate" if gated else "mlp.W_in")]
                                             + (0 if gated else w[layer + "mlp.b_in"]))
            inner = inner * (h @ w[layer + "mlp.W_in"]) if gated else inner
            x = x + inner @ w[layer + "mlp.W_out"] + w[layer + "mlp.b_out"]
        return norm(x, "ln_final") @ w["unembed.W_U"] + w["unembed.b_U"]

    return state, logits


def rotary_tables_of(torch: Any, width: int, pairing: str) -> dict[str, Any]:
    """Binary32 tables [ROWS, width] whose columns are doubled as TransformerLens does."""
    frequencies = 1 / 10000 ** (torch.arange(width // 2).double() / (width // 2))
    angles = torch.arange(ROWS).double()[:, None] * frequencies
    angles = angles.repeat_interleave(2, 1) if pairing == "neighbours" else torch.cat([angles, angles], 1)
    return {"sin": angles.sin().float(), "cos": angles.cos().float()}


def turn(torch: Any, x: Any, cos: Any, sin: Any, pairing: str) -> Any:
    """Rotary positions, as the libraries write them."""
    other = torch.empty_like(x)
    if pairing == "neighbours":
        other[..., ::2], other[..., 1::2] = -x[..., 1::2], x[..., ::2]
    else:
        half = x.shape[-1] // 2
        other[..., :half], other[..., half:] = -x[..., half:], x[..., :half]
    return x * cos[: x.shape[-2]] + other * sin[: x.shape[-2]]


def llama(torch: Any) -> tuple[State, Logits]:
    """LLaMA in two layers of four heads with keys and values for two, width 16."""
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (VOCABULARY, 16), "model.norm.weight": (16,),
                                          "lm_head.weight": (VOCABULARY, 16)}
    for layer in ("model.layers.0.", "model.layers.1."):
        shapes |= {f"{layer}{name}.weight": shape for name, shape in {
            "self_attn.q_proj": (16, 16), "self_attn.k_proj": (8, 16), "self_attn.v_proj": (8, 16),
            "self_attn.o_proj": (16, 16), "mlp.gate_proj": (24, 16), "mlp.up_proj": (24, 16), "mlp.down_proj": (16, 24),
            "input_layernorm": (16,), "post_attention_layernorm": (16,)}.items()}
    state = random_tensors(torch, shapes)
    tables = {name: table.double() for name, table in rotary_tables_of(torch, 4, "halves").items()}

    def logits(tokens: Any) -> Any:
        w = {name: tensor.double() for name, tensor in state.items()}

        def norm(x: Any, name: str) -> Any:
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w[f"{name}.weight"]

        x = w["model.embed_tokens.weight"][tokens]
        for layer in ("model.layers.0.", "model.layers.1."):
            h = norm(x, layer + "input_layernorm")
            q, k, v = (in_heads(h @ w[f"{layer}self_attn.{name}_proj.weight"].T, heads)
                       for name, heads in (("q", 4), ("k", 2), ("v", 2)))
            q, k = (turn(torch, part, tables["cos"], tables["sin"], "halves") for part in (q, k))
            z = attend(torch, q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1), True)
            x = x + joined(z) @ w[layer + "self_attn.o_proj.weight"].T
            h = norm(x, layer + "post_attention_layernorm")
            gate, inner = (h @ w[f"{layer}mlp.{name}_proj.weight"].T for name in ("gate", "up"))
            inner = torch.nn.functional.silu(gate) * inner
            x = x + inner @ w[layer + "mlp.down_proj.weight"].T
        return norm(x, "model.norm") @ w["lm_head.weight"].T

    return state, logits


def encoder(torch: Any, norm_first: bool, causal: bool, table: str = "learned",
            scaled: bool = False) -> tuple[State, Logits]:
    """torch's own TransformerEncoder inside a module; table: learned, buffer, or (in no file) sinusoidal, alibi."""
    nn = torch.nn
    torch.manual_seed(3)

    class Classifier(nn.Module):  # type: ignore[misc,name-defined]  # torch's types are skipped
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(VOCABULARY, 8)
            layer = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.1, activation="gelu", batch_first=True,
                                               norm_first=norm_first)
            self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8) if norm_first else None,
                                                 enable_nested_tensor=False)
            self.fc = nn.Linear(8, 3)
            if table == "learned":
                self.pos_emb = nn.Parameter(torch.randn(1, ROWS, 8))
            if table == "buffer":
                self.register_buffer("pe", sinusoidal(torch).float()[:, None])

        def forward(self, tokens: Any) -> Any:
            x = self.embedding(tokens) * (8**0.5 if scaled else 1)
            count = tokens.shape[1]
            match table:
                case "learned":
                    x = x + self.pos_emb[:, :count]
                case "buffer":
                    x = x + self.pe[:count, 0]
                case "sinusoidal":
                    x = x + sinusoidal(torch).float().double()[:count]
            mask = nn.Transformer.generate_square_subsequent_mask(count).double() if causal else None
            if table == "alibi":  # slopes 1/16 and 1/256 of two heads, for every word of the batch
                places = torch.arange(count).double()
                slopes = torch.tensor([1 / 16, 1 / 256]).double()[:, None, None]
                mask = (mask + slopes * (places - places[:, None])).repeat(len(tokens), 1, 1)
            return self.fc(self.encoder(x, mask=mask))

    model = Classifier().eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.5)
    torch.backends.mha.set_fastpath_enabled(False)  # it takes every number of a mask but 0 for "not visible"
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model = model.double()
    if scaled:
        model.embedding.weight.data = (state["embedding.weight"].double() * 8**0.5).float().double() / 8**0.5
    return state, model


def sinusoidal(torch: Any) -> Any:
    """Return the usual table [ROWS, 8]."""
    angles = torch.arange(ROWS).double()[:, None] / 10000 ** (torch.arange(0, 8, 2).double() / 8)
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)
