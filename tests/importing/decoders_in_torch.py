"""Tiny decoders in plain torch, in the layouts of Hugging Face: what each does is written out for each."""

from collections.abc import Mapping
from typing import Any

from tests.importing.models_in_torch import VOCABULARY, Logits, State, attend, in_heads, joined, random_tensors

ROWS, WIDTH, UNITS = 12, 8, 12


def tables(torch: Any, width: int, base: float, frequencies: Any = None) -> tuple[Any, Any]:
    """Cosines and sines [ROWS, width / 2] in binary32."""
    frequency = base ** -(torch.arange(width // 2).double() / (width // 2)) if frequencies is None else frequencies
    angles = torch.arange(ROWS).double()[:, None] * frequency
    return angles.cos().float().double(), angles.sin().float().double()


def turned(torch: Any, x: Any, cos: Any, sin: Any, neighbours: bool = False) -> Any:
    """Return the first coordinates of [..., T, width] turned, in halves or as neighbours."""
    pairs = cos.shape[1]
    cos, sin = cos[: x.shape[-2]], sin[: x.shape[-2]]
    if neighbours:
        a, b = x[..., 0 : 2 * pairs : 2], x[..., 1 : 2 * pairs : 2]
        front = torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)
    else:
        a, b = x[..., :pairs], x[..., pairs : 2 * pairs]
        front = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    return torch.cat([front, x[..., 2 * pairs :]], -1)


class Words:
    """The tensors in binary64, and the maps that they are."""

    def __init__(self, torch: Any, state: State) -> None:
        self.torch, self.state = torch, {name: tensor.double() for name, tensor in state.items()}

    def linear(self, x: Any, name: str) -> Any:
        return self.torch.nn.functional.linear(x, self.state[f"{name}.weight"], self.state.get(f"{name}.bias"))

    def layer(self, x: Any, name: str) -> Any:
        return self.torch.nn.functional.layer_norm(x, x.shape[-1:], self.state[f"{name}.weight"],
                                                   self.state[f"{name}.bias"], 1e-5)

    def rms(self, x: Any, name: str, more: int = 0) -> Any:
        return self.torch.nn.functional.rms_norm(x, x.shape[-1:], None, 1e-6) * (self.state[f"{name}.weight"] + more)


def shapes_of(layers: str, parts: Mapping[str, tuple[int, ...]], rest: Mapping[str, tuple[int, ...]], bias: bool = True,
              count: int = 2) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of this many layers, with biases."""
    found: dict[str, tuple[int, ...]] = {}
    for index in range(count):
        for name, shape in parts.items():
            found[f"{layers}{index}.{name}.weight"] = shape
            if bias:
                found[f"{layers}{index}.{name}.bias"] = shape[:1]
    return {**found, **rest}


NORM = (WIDTH,)
SQUARE = (WIDTH, WIDTH)
UP, DOWN = (UNITS, WIDTH), (WIDTH, UNITS)


def neox(torch: Any, parallel: bool) -> tuple[State, Logits, dict[str, Any]]:
    names = {"input_layernorm": NORM, "post_attention_layernorm": NORM, "attention.query_key_value": (24, WIDTH),
             "attention.dense": SQUARE, "mlp.dense_h_to_4h": UP, "mlp.dense_4h_to_h": DOWN}
    state = random_tensors(torch, shapes_of("gpt_neox.layers.", names, {
        "gpt_neox.embed_in.weight": (VOCABULARY, WIDTH), "embed_out.weight": (VOCABULARY, WIDTH),
        "gpt_neox.final_layer_norm.weight": NORM, "gpt_neox.final_layer_norm.bias": NORM}))
    state["gpt_neox.layers.0.attention.bias"] = torch.ones(1, 1, ROWS, ROWS).tril().bool()
    cos, sin = tables(torch, 2, 10000.0)

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        x = w.state["gpt_neox.embed_in.weight"][tokens]
        for name in ("gpt_neox.layers.0.", "gpt_neox.layers.1."):
            packed = w.linear(w.layer(x, name + "input_layernorm"), name + "attention.query_key_value")
            q, k, v = packed.view(*packed.shape[:2], 2, 12).transpose(1, 2).split(4, 3)
            z = attend(torch, turned(torch, q, cos, sin), turned(torch, k, cos, sin), v, True)
            added = w.linear(joined(z), name + "attention.dense")
            inner = w.layer(x if parallel else x + added, name + "post_attention_layernorm")
            inner = torch.nn.functional.gelu(w.linear(inner, name + "mlp.dense_h_to_4h"))
            x = x + added + w.linear(inner, name + "mlp.dense_4h_to_h")
        return w.linear(w.layer(x, "gpt_neox.final_layer_norm"), "embed_out")

    return state, logits, {"model_type": "gpt_neox", "num_attention_heads": 2, "num_hidden_layers": 2,
                           "hidden_act": "gelu",
                           "layer_norm_eps": 1e-5, "rotary_pct": 0.5, "rotary_emb_base": 10000,
                           "use_parallel_residual": parallel, "max_position_embeddings": ROWS}


def neo(torch: Any) -> tuple[State, Logits, dict[str, Any]]:
    names = {"ln_1": NORM, "ln_2": NORM, "attn.attention.out_proj": SQUARE, "mlp.c_fc": UP, "mlp.c_proj": DOWN}
    bare = {f"attn.attention.{part}_proj": SQUARE for part in "qkv"}
    state = random_tensors(torch, shapes_of("transformer.h.", names, {
        "transformer.wte.weight": (VOCABULARY, WIDTH), "transformer.wpe.weight": (ROWS, WIDTH),
        "transformer.ln_f.weight": NORM, "transformer.ln_f.bias": NORM}) | shapes_of("transformer.h.", bare, {}, False))
    state["lm_head.weight"] = state["transformer.wte.weight"]

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        x = w.state["transformer.wte.weight"][tokens] + w.state["transformer.wpe.weight"][: tokens.shape[1]]
        for name in ("transformer.h.0.", "transformer.h.1."):
            h = w.layer(x, name + "ln_1")
            q, k, v = (in_heads(w.linear(h, f"{name}attn.attention.{part}_proj"), 2) for part in "qkv")
            x = x + w.linear(joined(attend(torch, q * 2, k, v, True)), name + "attn.attention.out_proj")
            inner = torch.nn.functional.gelu(w.linear(w.layer(x, name + "ln_2"), name + "mlp.c_fc"), approximate="tanh")
            x = x + w.linear(inner, name + "mlp.c_proj")
        return w.layer(x, "transformer.ln_f") @ w.state["transformer.wte.weight"].T

    return state, logits, {"model_type": "gpt_neo", "num_heads": 2, "num_layers": 2, "activation_function": "gelu_new",
                           "layer_norm_epsilon": 1e-5, "attention_types": [[["global", "local"], 1]], "window_size": 9}


def gptj(torch: Any) -> tuple[State, Logits, dict[str, Any]]:
    names = {"ln_1": NORM, "mlp.fc_in": UP, "mlp.fc_out": DOWN}
    bare = {f"attn.{part}_proj": SQUARE for part in ("q", "k", "v", "out")}
    state = random_tensors(torch, shapes_of("transformer.h.", names, {
        "transformer.wte.weight": (VOCABULARY, WIDTH), "transformer.ln_f.weight": NORM, "transformer.ln_f.bias": NORM,
        "lm_head.weight": (VOCABULARY, WIDTH), "lm_head.bias": (VOCABULARY,)})
        | shapes_of("transformer.h.", bare, {}, False))
    cos, sin = tables(torch, 4, 10000.0)

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        x = w.state["transformer.wte.weight"][tokens]
        for name in ("transformer.h.0.", "transformer.h.1."):
            h = w.layer(x, name + "ln_1")
            q, k, v = (in_heads(w.linear(h, f"{name}attn.{part}_proj"), 2) for part in "qkv")
            z = attend(torch, turned(torch, q, cos, sin, True), turned(torch, k, cos, sin, True), v, True)
            inner = torch.nn.functional.gelu(w.linear(h, name + "mlp.fc_in"), approximate="tanh")
            x = x + w.linear(joined(z), name + "attn.out_proj") + w.linear(inner, name + "mlp.fc_out")
        return w.linear(w.layer(x, "transformer.ln_f"), "lm_head")

    return state, logits, {"model_type": "gptj", "n_head": 2, "n_layer": 2, "activation_function": "gelu_new",
                           "rotary_dim": 4,
                           "layer_norm_epsilon": 1e-5, "max_position_embeddings": ROWS}


def opt(torch: Any) -> tuple[State, Logits, dict[str, Any]]:
    names = {"self_attn_layer_norm": NORM, "final_layer_norm": NORM, "fc1": UP, "fc2": DOWN,
             **{f"self_attn.{part}_proj": SQUARE for part in ("q", "k", "v", "out")}}
    front = "model.decoder."
    state = random_tensors(torch, shapes_of(f"{front}layers.", names, {
        f"{front}embed_tokens.weight": (VOCABULARY, WIDTH), f"{front}embed_positions.weight": (ROWS + 2, WIDTH),
        f"{front}final_layer_norm.weight": NORM, f"{front}final_layer_norm.bias": NORM}))

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        places = w.state[f"{front}embed_positions.weight"]
        x = w.state[f"{front}embed_tokens.weight"][tokens] + places[2 : 2 + tokens.shape[1]]
        for name in (f"{front}layers.0.", f"{front}layers.1."):
            h = w.layer(x, name + "self_attn_layer_norm")
            q, k, v = (in_heads(w.linear(h, f"{name}self_attn.{part}_proj"), 2) for part in "qkv")
            x = x + w.linear(joined(attend(torch, q, k, v, True)), name + "self_attn.out_proj")
            inner = torch.relu(w.linear(w.layer(x, name + "final_layer_norm"), name + "fc1"))
            x = x + w.linear(inner, name + "fc2")
        return w.layer(x, f"{front}final_layer_norm") @ w.state[f"{front}embed_tokens.weight"].T

    return state, logits, {"model_type": "opt", "num_attention_heads": 2, "num_hidden_layers": 2,
                           "activation_function": "relu",
                           "do_layer_norm_before": True, "word_embed_proj_dim": WIDTH, "ffn_dim": UNITS}


def bloom(torch: Any) -> tuple[State, Logits, dict[str, Any]]:
    names = {"input_layernorm": NORM, "post_attention_layernorm": NORM, "self_attention.query_key_value": (24, WIDTH),
             "self_attention.dense": SQUARE, "mlp.dense_h_to_4h": UP, "mlp.dense_4h_to_h": DOWN}
    norms: dict[str, tuple[int, ...]] = {
        f"{name}.{part}": NORM for name in ("word_embeddings_layernorm", "ln_f") for part in ("weight", "bias")}
    state = random_tensors(torch, shapes_of("h.", names, {"word_embeddings.weight": (VOCABULARY, WIDTH), **norms}))

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        count = tokens.shape[1]
        x = w.layer(w.state["word_embeddings.weight"][tokens], "word_embeddings_layernorm")
        added = torch.tensor([1 / 16, 1 / 256]).double()[:, None, None] * torch.arange(count).double()
        added = added + torch.full((count, count), -torch.inf).double().triu(1)
        for name in ("h.0.", "h.1."):
            packed = w.linear(w.layer(x, name + "input_layernorm"), name + "self_attention.query_key_value")
            q, k, v = packed.view(*packed.shape[:2], 2, 3, 4).permute(3, 0, 2, 1, 4)
            z = torch.softmax(q @ k.transpose(-2, -1) / 2 + added, -1) @ v
            x = x + w.linear(joined(z), name + "self_attention.dense")
            inner = w.linear(w.layer(x, name + "post_attention_layernorm"), name + "mlp.dense_h_to_4h")
            inner = torch.nn.functional.gelu(inner, approximate="tanh")
            x = x + w.linear(inner, name + "mlp.dense_4h_to_h")
        return w.layer(x, "ln_f") @ w.state["word_embeddings.weight"].T

    return state, logits, {"model_type": "bloom", "n_head": 2, "layer_norm_epsilon": 1e-5, "n_layer": 2}


def phi(torch: Any) -> tuple[State, Logits, dict[str, Any]]:
    names = {"input_layernorm": NORM, "self_attn.dense": SQUARE, "mlp.fc1": UP, "mlp.fc2": DOWN,
             **{f"self_attn.{part}_proj": SQUARE for part in "qkv"}}
    state = random_tensors(torch, shapes_of("model.layers.", names, {
        "model.embed_tokens.weight": (VOCABULARY, WIDTH), "model.final_layernorm.weight": NORM,
        "model.final_layernorm.bias": NORM, "lm_head.weight": (VOCABULARY, WIDTH), "lm_head.bias": (VOCABULARY,)}))
    cos, sin = tables(torch, 2, 500.0)

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        x = w.state["model.embed_tokens.weight"][tokens]
        for name in ("model.layers.0.", "model.layers.1."):
            h = w.layer(x, name + "input_layernorm")
            q, k, v = (in_heads(w.linear(h, f"{name}self_attn.{part}_proj"), 2) for part in "qkv")
            z = attend(torch, turned(torch, q, cos, sin), turned(torch, k, cos, sin), v, True)
            inner = torch.nn.functional.gelu(w.linear(h, name + "mlp.fc1"), approximate="tanh")
            x = x + w.linear(joined(z), name + "self_attn.dense") + w.linear(inner, name + "mlp.fc2")
        return w.linear(w.layer(x, "model.final_layernorm"), "lm_head")

    return state, logits, {"model_type": "phi", "num_attention_heads": 2, "num_hidden_layers": 2,
                           "hidden_act": "gelu_new", "rope_theta": 500.0,
                           "layer_norm_eps": 1e-5, "partial_rotary_factor": 0.5, "max_position_embeddings": ROWS}


def llama_like(torch: Any, kind: str, frequencies: Any = None) -> tuple[State, Logits, dict[str, Any]]:
    """Four heads of width 6, keys and values for two: qwen3, gemma, gemma2, or plain."""
    norms = ["input_layernorm", "post_attention_layernorm"]
    norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"] if kind == "gemma2" else []
    parts: dict[str, tuple[int, ...]] = {
        "self_attn.q_proj": (24, WIDTH), "self_attn.k_proj": (12, WIDTH), "self_attn.v_proj": (12, WIDTH),
             "self_attn.o_proj": (WIDTH, 24), "mlp.gate_proj": UP, "mlp.up_proj": UP, "mlp.down_proj": DOWN,
             **dict.fromkeys(norms, NORM)}
    parts |= {"self_attn.q_norm": (6,), "self_attn.k_norm": (6,)} if kind == "qwen3" else {}
    state = random_tensors(torch, shapes_of("model.layers.", parts, {
        "model.embed_tokens.weight": (VOCABULARY, WIDTH), "model.norm.weight": NORM}, False))
    cos, sin = tables(torch, 6, 30.0, frequencies)
    more = 1 if kind.startswith("gemma") else 0

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        table = w.state["model.embed_tokens.weight"]
        x = (table * 8**0.5).float().double()[tokens] if more else table[tokens]
        for name in ("model.layers.0.", "model.layers.1."):
            h = w.rms(x, name + "input_layernorm", more)
            q, k, v = (in_heads(w.linear(h, f"{name}self_attn.{part}_proj"), heads)
                       for part, heads in (("q", 4), ("k", 2), ("v", 2)))
            if kind == "qwen3":
                q, k = w.rms(q, name + "self_attn.q_norm"), w.rms(k, name + "self_attn.k_norm")
            q, k = turned(torch, q, cos, sin), turned(torch, k, cos, sin)
            if kind == "gemma2":
                q = q * (6 / 24) ** 0.5  # query_pre_attn_scalar 24
            cap = 0.5 if kind == "gemma2" else 0.0
            z = attend(torch, q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1), True, cap)
            added = w.linear(joined(z), name + "self_attn.o_proj")
            if kind == "gemma2":
                x = x + w.rms(added, name + "post_attention_layernorm", 1)
                h = w.rms(x, name + "pre_feedforward_layernorm", 1)
            else:
                x = x + added
                h = w.rms(x, name + "post_attention_layernorm", more)
            gate, up = (w.linear(h, f"{name}mlp.{part}_proj") for part in ("gate", "up"))
            inner = torch.nn.functional.gelu(gate, approximate="tanh") if more else torch.nn.functional.silu(gate)
            units = w.linear(inner * up, name + "mlp.down_proj")
            x = x + (w.rms(units, name + "post_feedforward_layernorm", 1) if kind == "gemma2" else units)
        return w.rms(x, "model.norm", more) @ table.T

    config: dict[str, Any] = {
        "model_type": kind, "num_attention_heads": 4, "num_hidden_layers": 2, "num_key_value_heads": 2,
              "rms_norm_eps": 1e-6,
              "head_dim": 6, "rope_theta": 30.0, "max_position_embeddings": ROWS, "tie_word_embeddings": True,
              "hidden_activation" if more else "hidden_act": "gelu_pytorch_tanh" if more else "silu"}
    config |= {"query_pre_attn_scalar": 24, "attn_logit_softcapping": 0.5,
               "final_logit_softcapping": None} if kind == "gemma2" else {}
    return state, logits, config


def bert(torch: Any, head: str) -> tuple[State, Logits, dict[str, Any]]:
    """Return an encoder with a head: masked (words), first (a class of the word) or tokens (a class of each)."""
    parts: dict[str, tuple[int, ...]] = {
        **{f"attention.self.{part}": SQUARE for part in ("query", "key", "value")}, "attention.output.dense": SQUARE,
        "attention.output.LayerNorm": NORM, "intermediate.dense": UP, "output.dense": DOWN, "output.LayerNorm": NORM}
    rest: dict[str, tuple[int, ...]] = {
        "bert.embeddings.word_embeddings.weight": (VOCABULARY, WIDTH),
        "bert.embeddings.position_embeddings.weight": (ROWS, WIDTH),
        "bert.embeddings.token_type_embeddings.weight": (2, WIDTH),
        "bert.embeddings.LayerNorm.weight": NORM, "bert.embeddings.LayerNorm.bias": NORM}
    if head == "masked":
        rest |= {"cls.predictions.transform.dense.weight": SQUARE, "cls.predictions.transform.dense.bias": NORM,
                 "cls.predictions.transform.LayerNorm.weight": NORM, "cls.predictions.transform.LayerNorm.bias": NORM,
                 "cls.predictions.bias": (VOCABULARY,)}
    else:
        rest |= {"classifier.weight": (3, WIDTH), "classifier.bias": (3,)}
    if head == "first":
        rest |= {"bert.pooler.dense.weight": SQUARE, "bert.pooler.dense.bias": NORM}
    state = random_tensors(torch, shapes_of("bert.encoder.layer.", parts, rest))

    def logits(tokens: Any) -> Any:
        w = Words(torch, state)
        front = "bert.embeddings."
        x = w.state[f"{front}word_embeddings.weight"][tokens] + w.state[f"{front}token_type_embeddings.weight"][0]
        x = w.layer(x + w.state[f"{front}position_embeddings.weight"][: tokens.shape[1]], f"{front}LayerNorm")
        for name in ("bert.encoder.layer.0.", "bert.encoder.layer.1."):
            q, k, v = (in_heads(w.linear(x, f"{name}attention.self.{part}"), 2) for part in ("query", "key", "value"))
            added = w.linear(joined(attend(torch, q, k, v, False)), f"{name}attention.output.dense")
            x = w.layer(x + added, f"{name}attention.output.LayerNorm")
            inner = torch.nn.functional.gelu(w.linear(x, f"{name}intermediate.dense"))
            x = w.layer(x + w.linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm")
        if head == "masked":
            x = torch.nn.functional.gelu(w.linear(x, "cls.predictions.transform.dense"))
            x = w.layer(x, "cls.predictions.transform.LayerNorm")
            return x @ w.state[f"{front}word_embeddings.weight"].T + w.state["cls.predictions.bias"]
        x = torch.tanh(w.linear(x, "bert.pooler.dense")) if head == "first" else x
        return w.linear(x, "classifier")

    return state, logits, {"model_type": "bert", "num_attention_heads": 2, "num_hidden_layers": 2,
                           "hidden_act": "gelu", "type_vocab_size": 2,
                           "layer_norm_eps": 1e-5, "position_embedding_type": "absolute"}
