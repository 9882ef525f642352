"""The JSON form of a trained network (docs/reference/trained.md, section 2): written canonically, read strictly."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

from constructions.errors import InputError
from constructions.network.json_form import MAX_BYTES, read_json
from constructions.text import printable, read_file, utf8_of
from constructions.trained import json_values as values
from constructions.trained import network as trained
from constructions.trained.edit_kinds import edit_from_json, edit_to_json
from constructions.trained.edits import edit_network, unedited
from constructions.trained.validation import check_network, check_total_bytes

FORMAT = "certify-trained"
VERSION = 1
_DIGEST = re.compile("[0-9a-f]{64}", re.ASCII)
_ORIGINAL = re.compile(r"(onnxruntime|torch|logits in) [^\s/\\]{1,80}", re.ASCII)


def network_to_json(network: trained.TrainedNetwork) -> dict[str, Any]:
    """Return the JSON object of a network, cached and not to be modified; keys in the order of the page."""
    kept = vars(network)  # as a cached property is stored
    if "as_json" not in kept:
        written, edits = unedited(network)
        if written.has_hard_heads:
            raise InputError("hard attention is written as an edit; expected a network that was not changed after it")
        kept["as_json"] = {"format": FORMAT, "version": VERSION,
                           **{key: form.write(getattr(written, key)) for key, form in _NETWORK.items()},
                           **({"edits": [edit_to_json(edit) for edit in edits]} if edits else {})}
    made: dict[str, Any] = kept["as_json"]
    return made


def network_text(network: trained.TrainedNetwork) -> str:
    """Return the text of the file of a network."""
    return json.dumps(network_to_json(network)) + "\n"


def read_network(path: str | Path) -> trained.TrainedNetwork:
    """Read the network of a file.

    Raises:
        InputError: if the file cannot be read, is too long, or is not a network.
    """
    where = printable(str(path))
    return network_from_json(read_json(utf8_of(read_file(path, MAX_BYTES, where), where), where), where)


def network_from_json(data: Any, where: str) -> trained.TrainedNetwork:
    """Return the network of parsed JSON.

    Raises:
        InputError: naming ``where``, the place in it, what was found and what was expected.
    """
    if isinstance(data, dict) and "format" in data:
        values.one_of(data["format"], f"{where}, format", [FORMAT])
    edited = isinstance(data, dict) and "edits" in data
    _, version, *parts = values.fields(data, where, ("format", "version", *_NETWORK, *["edits"] * edited))
    values.one_of(version, f"{where}, version", [VERSION])
    network = trained.TrainedNetwork(**{key: form.read(part, f"{where}, {key}")
                                        for (key, form), part in zip(_NETWORK.items(), parts, strict=False)})
    check_network(network, where)
    if not edited:
        return network
    return edit_network(network, values.items(parts[-1], f"{where}, edits", edit_from_json), f"{where}, edits")


# -- codecs of parts -----------------------------------------------------------------------------------------------


def _source(data: Any, where: str) -> trained.Source:
    source = _PLAIN_SOURCE.read(data, where)
    if "/" in source.file or "\\" in source.file:
        raise InputError(f"{where}.file: {values.found(source.file)}, expected a name without folders")
    return source


def _comparison(data: Any, where: str) -> trained.ImportComparison:
    compared = _PLAIN_COMPARISON.read(data, where)
    if not _ORIGINAL.fullmatch(compared.original):
        raise InputError(f"{where}.original: {values.found(compared.original)}, expected onnxruntime or torch with its "
                         f"version, or \"logits in\" and the name of a file")
    if compared.difference < 0:
        raise InputError(f"{where}.difference: {compared.difference}, expected 0 or more")
    if len(compared.lengths) != 2 or compared.lengths[0] > compared.lengths[1]:
        raise InputError(f"{where}.lengths: {values.found(data['lengths'])}, expected lengths of shortest and "
                         "longest input")
    return compared


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
    except ValueError:  # covers binascii.Error and text that is not ASCII
        raise InputError(f"{where}, data: {values.found(encoded)}, expected base64") from None
    if len(decoded) != expected:
        raise InputError(f"{where}: {len(decoded)} bytes, expected {expected} for its shape {values.found(shape)}")
    if hashlib.sha256(decoded).hexdigest() != _digest(digest, f"{where}, sha256"):
        raise InputError(f"{where}: its bytes have another digest, expected {digest[:12]}...")
    return trained.Tensor(form, sizes, decoded)


def _tensors_to_json(tensors: Mapping[str, trained.Tensor]) -> dict[str, Any]:
    return {name: {"format": tensor.format, "shape": list(tensor.shape), "sha256": tensor.sha256,
                   "data": base64.b64encode(tensor.data).decode("ascii")} for name, tensor in tensors.items()}


def _view(dimensions: int) -> values.JsonCodec[trained.View]:
    def read(data: Any, where: str) -> trained.View:
        view = _ANY_VIEW.read(data, where)
        if not len(view.shape) == len(view.strides) == dimensions:
            raise InputError(f"{where}: {len(view.shape)} sizes and {len(view.strides)} strides, expected {dimensions}")
        return view
    return values.JsonCodec(read, _ANY_VIEW.write)


def _scale(data: Any, where: str) -> trained.Scale:
    return (_ROOT if isinstance(data, dict) and "root" in data else _TIMES).read(data, where)


def _activation(data: Any, where: str) -> trained.Activation | trained.Rounding:
    if not isinstance(data, dict):
        return values.one_of(data, where, get_args(trained.Activation))
    return (_BY_RANGE if "range" in data else _BY_SCALE).read(data, where)


def _activation_to_json(activation: trained.Activation | trained.Rounding) -> Any:
    if not isinstance(activation, trained.Rounding):
        return activation
    return (_BY_RANGE if activation.scale is None else _BY_SCALE).write(activation)


def _step(data: Any, where: str) -> trained.Step:
    kind = data.get("step") if isinstance(data, dict) else None
    step: trained.Step = _STEPS[values.one_of(kind, f"{where}.step", tuple(_STEPS))][1].read(data, where)
    return step


def _step_to_json(step: trained.Step) -> Any:
    return next(form.write(step) for kind, form in _STEPS.values() if isinstance(step, kind))


_ANY_VIEW = values.record(trained.View, tensor=values.TEXT, start=values.SIZE, shape=values.POSITIVE.list(),
                          strides=values.SIZE.list())
_MATRIX, _VECTOR = _view(2), _view(1).or_null()
_AFFINE = values.record(trained.Affine, weight=_MATRIX, bias=_VECTOR)
_NORM = values.record(trained.Norm, kind=values.choice(("layer", "rms")), epsilon=values.RATIONAL, gain=_VECTOR,
                      bias=_VECTOR, of=_AFFINE, rare={"of"})
_HEAD = values.record(trained.TrainedHead, query=_AFFINE, key=_AFFINE, value=_AFFINE, out=_MATRIX,
                      slope=values.RATIONAL.or_null())
_ROTARY = values.record(trained.Rotary, cosines=_MATRIX, sines=_MATRIX,
                        pairing=values.choice(("halves", "neighbours")))
_TIMES, _ROOT = values.record(trained.Scale, times=values.RATIONAL), values.record(trained.Scale, root=values.POSITIVE)
_BY_RANGE = values.record(partial(trained.Rounding, 0), range=values.choice(("input", "token")),
                          greatest=values.POSITIVE)
_BY_SCALE = values.record(trained.Rounding, scale=values.RATIONAL, zero=values.WHOLE, least=values.WHOLE,
                          greatest=values.WHOLE)
_STEPS: Mapping[str, tuple[type[trained.Step], values.JsonCodec[Any]]] = {
    "norm": (trained.NormStep, values.record(trained.NormStep, tag={"step": "norm"}, norm=_NORM)),
    "attention": (trained.AttentionStep, values.record(
        trained.AttentionStep, tag={"step": "attention"}, norm=_NORM.or_null(), heads=_HEAD.list(), bias=_VECTOR,
        scale=values.JsonCodec(_scale, lambda scale: (_TIMES if scale.root is None else _ROOT).write(scale)),
        rotary=_ROTARY.or_null(), cap=values.RATIONAL, rare={"cap"})),
    "units": (trained.UnitsStep, values.record(
        trained.UnitsStep, tag={"step": "units"}, keys={"inward": "in", "outward": "out"}, norm=_NORM.or_null(),
        inward=_AFFINE, gate=_AFFINE.or_null(), activation=values.JsonCodec(_activation, _activation_to_json),
        outward=_AFFINE))}
_PLAIN_SOURCE = values.record(trained.Source, file=values.TEXT, sha256=values.JsonCodec(_digest))
_PLAIN_COMPARISON = values.record(trained.ImportComparison, original=values.TEXT, inputs=values.POSITIVE,
                                  lengths=values.POSITIVE.list(), difference=values.RATIONAL)
_NETWORK: Mapping[str, values.JsonCodec[Any]] = {
    "sources": values.JsonCodec(_source, _PLAIN_SOURCE.write).list(),
    "compared": values.JsonCodec(_comparison, _PLAIN_COMPARISON.write).or_null(),
    "attention": values.choice(get_args(trained.Attends)), "readout": values.choice(get_args(trained.Readout)),
    "tokens": _MATRIX, "positions": _MATRIX.or_null(), "steps": values.JsonCodec(_step, _step_to_json).list(),
    "unembedding": _AFFINE, "tensors": values.JsonCodec(_tensors, _tensors_to_json)}
