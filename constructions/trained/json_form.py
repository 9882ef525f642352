"""The JSON form of a trained network (docs/trained.md, section 2): written canonically, read strictly."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from constructions.errors import InputError
from constructions.network.json_form import MAX_BYTES, read_json
from constructions.text import printable
from constructions.trained import json_values as values
from constructions.trained import network as trained
from constructions.trained.validation import check_network, check_total_bytes

FORMAT = "certify-trained"
VERSION = 1
_DIGEST = re.compile("[0-9a-f]{64}", re.ASCII)
_KEYS = ("format", "version", "sources", "compared", "attention", "readout", "tokens", "positions", "steps",
         "unembedding", "tensors")
_ORIGINAL = re.compile(r"(onnxruntime|torch|logits in) [^\s/\\]{1,80}", re.ASCII)


# -- writing -----------------------------------------------------------------------------------------------------------


def network_to_json(network: trained.TrainedNetwork) -> dict[str, Any]:
    """The JSON object of a network, made once and not to be changed; keys in the order of the page."""
    kept = vars(network)  # as a cached property is kept
    if "as_json" not in kept:
        kept["as_json"] = _to_json(network)
    made: dict[str, Any] = kept["as_json"]
    return made


def _to_json(network: trained.TrainedNetwork) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "sources": [{"file": source.file, "sha256": source.sha256} for source in network.sources],
        "compared": network.compared and _comparison_to_json(network.compared),
        "attention": network.attention,
        "readout": network.readout,
        "tokens": _view_to_json(network.tokens),
        "positions": network.positions and _view_to_json(network.positions),
        "steps": [_step_to_json(step) for step in network.steps],
        "unembedding": _affine_to_json(network.unembedding),
        "tensors": {name: _tensor_to_json(tensor) for name, tensor in network.tensors.items()},
    }


def _comparison_to_json(compared: trained.Comparison) -> dict[str, Any]:
    return {"original": compared.original, "inputs": compared.inputs, "lengths": [*compared.lengths],
            "difference": str(compared.difference)}


def network_text(network: trained.TrainedNetwork) -> str:
    """The text of the file of a network."""
    return json.dumps(network_to_json(network)) + "\n"


def _tensor_to_json(tensor: trained.Tensor) -> dict[str, Any]:
    return {"format": tensor.format, "shape": list(tensor.shape), "sha256": tensor.sha256,
            "data": base64.b64encode(tensor.data).decode("ascii")}


def _view_to_json(view: trained.View) -> dict[str, Any]:
    return {"tensor": view.tensor, "start": view.start, "shape": list(view.shape), "strides": list(view.strides)}


def _affine_to_json(affine: trained.Affine) -> dict[str, Any]:
    return {"weight": _view_to_json(affine.weight), "bias": affine.bias and _view_to_json(affine.bias)}


def _norm_to_json(norm: trained.Norm | None) -> dict[str, Any] | None:
    if norm is None:
        return None
    return {"kind": norm.kind, "epsilon": str(norm.epsilon),
            "gain": norm.gain and _view_to_json(norm.gain), "bias": norm.bias and _view_to_json(norm.bias),
            **({"of": _affine_to_json(norm.of)} if norm.of else {})}


def _step_to_json(step: trained.Step) -> dict[str, Any]:
    match step:
        case trained.NormStep():
            return {"step": "norm", "norm": _norm_to_json(step.norm)}
        case trained.AttentionStep():
            return {"step": "attention", "norm": _norm_to_json(step.norm),
                    "heads": [_head_to_json(head) for head in step.heads],
                    "bias": step.bias and _view_to_json(step.bias),
                    "scale": {"times": str(step.scale.times)} if step.scale.root is None else {"root": step.scale.root},
                    "rotary": step.rotary and _rotary_to_json(step.rotary),
                    **({} if step.cap is None else {"cap": str(step.cap)})}
        case trained.UnitsStep():
            return {"step": "units", "norm": _norm_to_json(step.norm), "in": _affine_to_json(step.inward),
                    "gate": step.gate and _affine_to_json(step.gate),
                    "activation": _rounding_to_json(step.activation) if isinstance(step.activation, trained.Rounding)
                    else step.activation,
                    "out": _affine_to_json(step.outward)}


def _rounding_to_json(rounding: trained.Rounding) -> dict[str, Any]:
    if rounding.scale is None:
        return {"range": rounding.range, "greatest": rounding.greatest}
    return {"scale": str(rounding.scale), "zero": rounding.zero, "least": rounding.least,
            "greatest": rounding.greatest}


def _head_to_json(head: trained.Head) -> dict[str, Any]:
    return {"query": _affine_to_json(head.query), "key": _affine_to_json(head.key),
            "value": _affine_to_json(head.value), "out": _view_to_json(head.out),
            "slope": None if head.slope is None else str(head.slope)}


def _rotary_to_json(rotary: trained.Rotary) -> dict[str, Any]:
    return {"cosines": _view_to_json(rotary.cosines), "sines": _view_to_json(rotary.sines), "pairing": rotary.pairing}


# -- reading -----------------------------------------------------------------------------------------------------------


def read_network(path: str | Path) -> trained.TrainedNetwork:
    """The network in a file.

    Raises:
        InputError: if the file cannot be read, is too long, or holds no network.
    """
    where = printable(str(path))
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        return network_from_json(read_json(data.decode("utf-8"), where), where)
    except OSError as error:
        raise InputError(f"{where}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start + 1} is not UTF-8 text") from None


def network_from_json(data: Any, where: str) -> trained.TrainedNetwork:
    """The network that parsed JSON holds.

    Raises:
        InputError: naming ``where``, the place in it, what was found and what was expected.
    """
    if isinstance(data, dict) and "format" in data:
        values.one_of(data["format"], f"{where}, format", [FORMAT])
    (_, version, sources, compared, attention, readout, tokens, positions, steps, unembedding,
     tensors) = values.fields(data, where, _KEYS)
    values.one_of(version, f"{where}, version", [VERSION])
    network = trained.TrainedNetwork(
        values.one_of(attention, f"{where}, attention", get_args(trained.Attends)),
        _matrix(tokens, f"{where}, tokens"),
        values.optional(positions, f"{where}, positions", _matrix),
        values.items(steps, f"{where}, steps", _step),
        _affine(unembedding, f"{where}, unembedding"),
        _tensors(tensors, f"{where}, tensors"),
        values.items(sources, f"{where}, sources", _source),
        values.one_of(readout, f"{where}, readout", get_args(trained.Readout)),
        values.optional(compared, f"{where}, compared", _comparison))
    check_network(network, where)
    return network


def _source(data: Any, where: str) -> trained.Source:
    file, digest = values.fields(data, where, ("file", "sha256"))
    name = values.text(file, f"{where}.file")
    if "/" in name or "\\" in name:
        raise InputError(f"{where}.file: {values.found(name)}, expected a name without folders")
    return trained.Source(name, _digest(digest, f"{where}.sha256"))


def _comparison(data: Any, where: str) -> trained.Comparison:
    original, inputs, lengths, difference = values.fields(data, where, ("original", "inputs", "lengths", "difference"))
    name = values.text(original, f"{where}.original")
    if not _ORIGINAL.fullmatch(name):
        raise InputError(f"{where}.original: {values.found(name)}, expected onnxruntime or torch with its version, or "
                         f"\"logits in\" and the name of a file")
    found = values.rational(difference, f"{where}.difference")
    if found < 0:
        raise InputError(f"{where}.difference: {found}, expected 0 or more")
    match values.items(lengths, f"{where}.lengths", values.positive):
        case (least, greatest) if least <= greatest:
            return trained.Comparison(name, values.positive(inputs, f"{where}.inputs"), (least, greatest), found)
    raise InputError(f"{where}.lengths: {values.found(lengths)}, expected those of the shortest and the longest input")


def _digest(data: Any, where: str) -> str:
    if not isinstance(data, str) or not _DIGEST.fullmatch(data):
        raise InputError(f"{where}: {values.found(data)}, expected 64 digits 0-9, a-f")
    return data


def _tensors(data: Any, where: str) -> Mapping[str, trained.Tensor]:
    if not isinstance(data, dict):
        raise InputError(f"{where}: {values.found(data)}, expected an object")
    encoded = sum(len(tensor["data"]) for tensor in data.values()
                  if isinstance(tensor, dict) and isinstance(tensor.get("data"), str))
    check_total_bytes(encoded * 3 // 4 - 2 * len(data), where)
    return {values.text(name, where): _tensor(tensor, f"{where}, {name}") for name, tensor in data.items()}


def _tensor(data: Any, where: str) -> trained.Tensor:
    form, shape, digest, encoded = values.fields(data, where, ("format", "shape", "sha256", "data"))
    values.one_of(form, f"{where}, format", tuple(trained.ELEMENT_BYTES))
    sizes = values.items(shape, f"{where}, shape", values.positive)
    expected = math.prod(sizes) * trained.ELEMENT_BYTES[form]
    try:
        decoded = base64.b64decode(encoded if isinstance(encoded, str) else "?", validate=True)
    except ValueError:  # binascii.Error is one, and so is text that is not ASCII
        raise InputError(f"{where}, data: {values.found(encoded)}, expected base64") from None
    if len(decoded) != expected:
        raise InputError(f"{where}: {len(decoded)} bytes, expected {expected} for its shape {values.found(shape)}")
    if hashlib.sha256(decoded).hexdigest() != _digest(digest, f"{where}, sha256"):
        raise InputError(f"{where}: its bytes do not have the digest {digest[:12]}...")
    return trained.Tensor(form, sizes, decoded)


def _view(data: Any, where: str, dimensions: int) -> trained.View:
    tensor, start, shape, strides = values.fields(data, where, ("tensor", "start", "shape", "strides"))
    view = trained.View(values.text(tensor, f"{where}.tensor"), values.size(start, f"{where}.start"),
                        values.items(shape, f"{where}.shape", values.positive),
                        values.items(strides, f"{where}.strides", values.size))
    if not len(view.shape) == len(view.strides) == dimensions:
        raise InputError(f"{where}: {len(view.shape)} sizes and {len(view.strides)} strides, expected {dimensions}")
    return view


def _matrix(data: Any, where: str) -> trained.View:
    return _view(data, where, 2)


def _vector(data: Any, where: str) -> trained.View:
    return _view(data, where, 1)


def _affine(data: Any, where: str) -> trained.Affine:
    weight, bias = values.fields(data, where, ("weight", "bias"))
    return trained.Affine(_matrix(weight, f"{where}.weight"), values.optional(bias, f"{where}.bias", _vector))


def _norm(data: Any, where: str) -> trained.Norm:
    is_of_image = isinstance(data, dict) and "of" in data
    kind, epsilon, gain, bias, *of = values.fields(
        data, where, ("kind", "epsilon", "gain", "bias", *(("of",) if is_of_image else ())))
    return trained.Norm(
        values.one_of(kind, f"{where}.kind", ("layer", "rms")), values.rational(epsilon, f"{where}.epsilon"),
        values.optional(gain, f"{where}.gain", _vector), values.optional(bias, f"{where}.bias", _vector),
        _affine(of[0], f"{where}.of") if of else None)


def _step(data: Any, where: str) -> trained.Step:
    kind = data.get("step") if isinstance(data, dict) else None
    match values.one_of(kind, f"{where}.step", ("norm", "attention", "units")):
        case "norm":
            return trained.NormStep(_norm(values.fields(data, where, ("step", "norm"))[1], f"{where}.norm"))
        case "attention":
            return _attention(data, where)
        case _:
            return _units(data, where)


def _attention(data: Any, where: str) -> trained.AttentionStep:
    is_capped = isinstance(data, dict) and "cap" in data
    _, norm, heads, bias, scale, rotary, *cap = values.fields(
        data, where, ("step", "norm", "heads", "bias", "scale", "rotary", *(("cap",) if is_capped else ())))
    return trained.AttentionStep(
        values.optional(norm, f"{where}.norm", _norm), values.items(heads, f"{where}.heads", _head),
        values.optional(bias, f"{where}.bias", _vector), _scale(scale, f"{where}.scale"),
        values.optional(rotary, f"{where}.rotary", _rotary), *(values.rational(one, f"{where}.cap") for one in cap))


def _scale(data: Any, where: str) -> trained.Scale:
    if isinstance(data, dict) and "root" in data:
        return trained.Scale(root=values.positive(values.fields(data, where, ("root",))[0], f"{where}.root"))
    times: Fraction = values.rational(values.fields(data, where, ("times",))[0], f"{where}.times")
    return trained.Scale(times=times)


def _head(data: Any, where: str) -> trained.Head:
    query, key, value, out, slope = values.fields(data, where, ("query", "key", "value", "out", "slope"))
    return trained.Head(
        _affine(query, f"{where}.query"), _affine(key, f"{where}.key"), _affine(value, f"{where}.value"),
        _matrix(out, f"{where}.out"), values.optional(slope, f"{where}.slope", values.rational))


def _rotary(data: Any, where: str) -> trained.Rotary:
    cosines, sines, pairing = values.fields(data, where, ("cosines", "sines", "pairing"))
    return trained.Rotary(_matrix(cosines, f"{where}.cosines"), _matrix(sines, f"{where}.sines"),
                          values.one_of(pairing, f"{where}.pairing", ("halves", "neighbours")))


def _activation(data: Any, where: str) -> trained.Activation | trained.Rounding:
    if not isinstance(data, dict):
        return values.one_of(data, where, get_args(trained.Activation))
    if "range" in data:
        of, greatest = values.fields(data, where, ("range", "greatest"))
        return trained.Rounding(0, values.positive(greatest, f"{where}.greatest"),
                                range=values.one_of(of, f"{where}.range", ("input", "token")))
    scale, *whole = values.fields(data, where, ("scale", "zero", "least", "greatest"))
    zero, least, greatest = (values.whole(one, f"{where}.{name}")
                             for one, name in zip(whole, ("zero", "least", "greatest"), strict=True))
    return trained.Rounding(least, greatest, values.rational(scale, f"{where}.scale"), zero)


def _units(data: Any, where: str) -> trained.UnitsStep:
    _, norm, inward, gate, activation, outward = values.fields(
        data, where, ("step", "norm", "in", "gate", "activation", "out"))
    return trained.UnitsStep(
        values.optional(norm, f"{where}.norm", _norm), _affine(inward, f"{where}.in"),
        values.optional(gate, f"{where}.gate", _affine),
        _activation(activation, f"{where}.activation"),
        _affine(outward, f"{where}.out"))
