"""Whatever shape or type one tensor or one setting has instead, the complaint is one line, or the network is right."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from constructions.errors import InputError
from constructions.importing.config_file import Key, Settings
from constructions.importing.contents import Contents, Stored
from constructions.importing.importer import recognise
from constructions.importing.questions import Options
from tests.importing import decoders_in_torch as decoders
from tests.importing import models_in_torch as models
from tests.importing.test_logits_are_those_of_torch import GPT2, LLAMA
from tests.importing.test_transformer_bridge import bridged, native
from tests.with_torch import torch_or_skip

EPSILON = Fraction(1, 100000)
CAUSAL = Options(attention="causal", activation="gelu", epsilon=EPSILON)
KINDS: dict[str, Any] = {
    "gpt2": (models.gpt2, (), GPT2, Options()),
    "nanogpt": (models.gpt2, ("", True), {}, replace(CAUSAL, kind="nanogpt", heads=2, output_layer="wte.weight")),
    "hooked": (models.hooked, ("halves", True, 1), {}, replace(CAUSAL, kind="hooked-transformer")),
    "native": (lambda torch: (native(models.hooked(torch)[0]), None), (), {}, replace(
        CAUSAL, kind="boot-native", heads=2)),
    "bridge of GPT-2": (lambda torch: (bridged(torch, models.gpt2(torch)[0], "gpt2"), None), (), GPT2, Options()),
    "bridge of NeoX": (lambda torch: (bridged(torch, decoders.neox(torch, True)[0], "neox"), None), (),
                       {"model_type": "gpt_neox", "num_attention_heads": 2, "num_hidden_layers": 2, "rotary_pct": 0.5},
                       Options(rows=12)),
    "llama": (models.llama, (), LLAMA, Options()),
    "encoder": (models.encoder, (True, True), {}, replace(CAUSAL, kind="torch-encoder", heads=2, norm_first=True,
                                                        readout="each")),
}


def content(tensor: Any) -> bytes:
    data: bytes = tensor.numpy().tobytes()
    return data


def contents(kind: str) -> tuple[Contents, Options]:
    build, arguments, settings, options = KINDS[kind]
    state, _ = build(torch_or_skip(), *arguments)
    stored = {name: Stored("float32", "binary32", tuple(tensor.shape), partial(content, tensor))
              if tensor.is_floating_point() else Stored("bool", None, tuple(tensor.shape), partial(content, tensor))
              for name, tensor in state.items()}
    exact = {name: Fraction(str(value)) if isinstance(value, float) else value for name, value in settings.items()}
    return Contents(stored, exact), options


def attempt(given: Contents, options: Options) -> None:
    try:
        recognise(given, options, "m", "config.json", ())
    except InputError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 600


@pytest.mark.parametrize("kind", KINDS)
def test_any_tensor_may_have_another_shape_or_type_or_be_missing(kind: str) -> None:
    whole, options = contents(kind)
    assert recognise(whole, options, "m", "config.json", ()).network.tensors
    for name, stored in whole.tensors.items():
        others = {key: value for key, value in whole.tensors.items() if key != name}
        attempt(Contents(others, whole.settings), options)
        for shape in ((), (0,), (1,), (3,), (0, 0), (2, 3), (3, 2), (1, 2, 3), (4, 4, 4, 4)):
            wrong = replace(stored, shape=shape, read=partial(bytes, 4 * len(shape)))
            attempt(Contents({**whole.tensors, name: wrong}, whole.settings), options)
        attempt(Contents({**whole.tensors, name: replace(stored, format=None)}, whole.settings), options)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("value", [None, 0, -1, 7, 2**40, "x", [], {}, {"rope_type": 3}, True, Fraction(-1, 2)])
def test_any_setting_may_have_another_value(kind: str, value: Any) -> None:
    whole, options = contents(kind)
    names = [*whole.settings, "tie_word_embeddings", "scale_attn_weights", "scale_attn_by_inverse_layer_idx",
             "head_dim", "rope_scaling", "rope_parameters", "add_cross_attention", "rope_theta", "use_sliding_window"]
    for name in names:
        attempt(Contents(whole.tensors, {**whole.settings, name: value}), options)


def test_a_setting_without_a_meaning_is_refused_by_name() -> None:
    whole, options = contents("gpt2")
    more = {**whole.settings, "attn_pdrop": Fraction(1, 10), "vocab_size": 5, "n_layer": 2}
    assert recognise(Contents(whole.tensors, more), options, "m", "config.json", ()).network.rows == 12
    for change, printed in (({"alibi": True}, "config.json, alibi: an unknown setting, expected none"),
                         ({"a": 1, "b": 2}, "config.json, a: an unknown setting .and 1 more"),
                         ({"n_layer": 3}, "m: 2 layers, expected 3, as stated in another file"),
                         ({"vocab_size": 6}, "config.json, vocab_size: 6, but transformer.wte.weight has rows: 5")):
        with pytest.raises(InputError, match=printed):
            recognise(Contents(whole.tensors, {**more, **change}), options, "m", "config.json", ())


def test_settings_are_typed_and_know_names_and_defaults() -> None:
    eighth = Fraction(1, 8)
    settings = Settings({"heads": 3, "epsilon": eighth, "tied": False, "none": None, "two": 2, "zwei": 2}, "c")
    settings.keys = {"two": Key(("two", "zwei")), "left": Key(("left_out",), 7), "echo": Key(("left",), 2, ("zwei",))}
    assert (settings.count("heads"), settings.number("epsilon"), settings.flag("tied")) == (3, eighth, False)
    assert (settings.count("none"), settings.number("other"), settings.flag("other")) == (None, None, None)
    assert (settings.get("two"), settings.get("left")) == (2, None)
    settings.has_defaults = True
    assert (settings.get("left"), settings.get("echo")) == (7, 2)
    assert settings.meanings == dict.fromkeys(settings.settings, "used")
    settings.only("left", 6, 7)
    for wrong in (lambda: settings.count("epsilon"), lambda: settings.number("tied"), lambda: settings.flag("heads"),
                  lambda: settings.flag("none"), lambda: settings.only("left", 6), lambda: settings.only("none", 0),
                  lambda: settings.only("heads", True), lambda: settings.inside("heads"),
                  lambda: settings.agree("heads", 4, "of")):
        with pytest.raises(InputError):
            wrong()


def test_all_that_is_nested_in_settings_must_have_a_meaning() -> None:
    settings = Settings({"a": {"b": {"c": 1, "no": 2}}, "no": 3}, "f", {"no": "because"})
    deep = settings.inside("a").inside("b")
    with pytest.raises(InputError, match=r"^f, a, b, c: an unknown setting, expected none$"):
        settings.finish()
    assert deep.get("c") == 1
    settings.finish()
    assert settings.meanings == {"a": "used", "no": "without effect: because"}
    assert deep.meanings == {"c": "used", "no": "without effect: because"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_file_tells_is_asked_for_in_one_line(kind: str) -> None:
    whole, _ = contents(kind)
    if not whole.settings:
        with pytest.raises(InputError, match="the file leaves questions open, expected --"):
            recognise(whole, Options(), "m", "config.json", ())


@pytest.mark.parametrize("kind", KINDS)
def test_answers_that_contradict_the_file_or_are_of_no_use_are_refused(kind: str) -> None:
    whole, options = contents(kind)
    for change in ({"positions": "none"}, {"heads": 3}, {"norm": "none"}):
        if kind in ("hooked", "llama") and "positions" in change:
            continue
        with pytest.raises(InputError, match=r"says|no effect|expected a divisor|placeholder"):
            recognise(whole, replace(options, **change), "m", "config.json", ())
