"""Files and answers in, a network and a report out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from constructions.errors import InputError
from constructions.importing import decoders, encoder_layers, families, hooked_transformer
from constructions.importing.config_file import Settings, read_config
from constructions.importing.config_keys import WITHOUT_EFFECT
from constructions.importing.contents import MAX_FILE_BYTES, Contents, merge
from constructions.importing.names_file import Names, renamed
from constructions.importing.npz_file import read_npz
from constructions.importing.onnx_file import read_onnx
from constructions.importing.parts import Found
from constructions.importing.quantised import DEQUANTISED, OF_RANGES, ROUNDED_BY_TORCH, WEIGHTS_ALONE
from constructions.importing.quantised_checkpoints import with_plain_weights
from constructions.importing.questions import Options, Questions
from constructions.importing.ranges import with_ranges
from constructions.importing.safetensors_file import looks_like_safetensors, read_safetensors
from constructions.importing.torch_file import is_old_torch_file, read_torch
from constructions.importing.weights import Weights
from constructions.text import printable
from constructions.trained.network import Source, TrainedNetwork, views
from constructions.trained.validation import check_network


@dataclass(frozen=True)
class Recogniser:
    """One kind of network: whether it is one, how to build it, and tensors that are no weights (names: what it is)."""

    recognises: Callable[[Weights], bool]
    build: Callable[[Weights, Settings, Questions], Found]
    buffers: Mapping[str, str]


RECOGNISERS = (
    Recogniser(hooked_transformer.recognises, hooked_transformer.build, hooked_transformer.BUFFERS),
    Recogniser(encoder_layers.recognises, encoder_layers.build, encoder_layers.BUFFERS),
)
_NETWORK_FILES = ("model.safetensors", "pytorch_model.bin", "model.pt")
"""What a folder may have beside config.json, the first that there is."""


@dataclass(frozen=True)
class Report:
    """What kind of network it is, what is so in all of its kind, and tensors that are no weights, with the reason."""

    kind: str
    assumed: tuple[str, ...]
    not_weights: Mapping[str, str]


@dataclass(frozen=True)
class Imported:
    """A network and how it was understood."""

    network: TrainedNetwork
    report: Report


def import_network(files: Sequence[str | Path], options: Options | None = None, names: Names | None = None,
                   graph: bool = False) -> Imported:
    """The network in these files: one with weights, perhaps config.json; a folder stands for both in it.

    ``names``: under which other names its tensors are there; ``graph``: an ONNX file is read by its operations, not
    by the names in it (and so it is, too, where they are not recognised).

    Raises:
        InputError: if a file is damaged or not of a kind that is read, if the network is not understood, or if an
            answer is missing.
    """
    sources, parts = [], []
    paths = files_of(files)
    is_graph = len(paths) == 1 and paths[0].name.endswith((".onnx", ".pt2")) and names is None
    for path in paths:
        data, name = _read_bytes(path), printable(path.name)
        sources.append(Source(name, hashlib.sha256(data).hexdigest()))
        if is_graph and (graph or name.endswith(".pt2") or not _is_known(data, name)):
            return _by_graph(data, options or Options(), name, tuple(sources))
        parts.append((name, read_contents(data, name)))
    if graph:
        raise InputError("--graph: expected one ONNX file (.onnx) or program of torch.export (.pt2) alone")
    where = next((name for name, part in parts if part.tensors), "import")
    settings_file = next((name for name, part in parts if part.settings), names.where if names else "config.json")
    contents = merge(parts)
    if names and any(one.kind == OF_RANGES for one in contents.tensors.values()):
        raise InputError(f"{where}: Linears of quantize_dynamic under other names are not handled, expected a graph of "
                         f"ONNX")
    contents = renamed(contents, names) if names else contents
    return recognise(contents, options or Options(), where, settings_file, tuple(sources))


def _is_known(data: bytes, name: str) -> bool:
    """Whether the names in an ONNX file are those of a known kind of network."""
    try:
        contents = hooked_transformer.in_todays_layout(read_contents(data, name))
        return _recogniser(Weights(contents, name), Settings(contents.settings, name)) is not None
    except InputError:
        return False


def _by_graph(data: bytes, options: Options, where: str, sources: tuple[Source, ...]) -> Imported:
    """The network that the operations of an ONNX file are."""
    from constructions.importing.graph.network import read_graph

    questions = Questions(options, where)
    found, tensors = read_graph(data, where, questions)
    questions.finish()
    read = TrainedNetwork(found.attention, found.tokens, found.positions, found.steps, found.unembedding, {}, sources,
                          found.readout)
    used = {view.tensor for view in views(read)}
    network = replace(read, tensors={name: tensor for name, tensor in tensors.items() if name in used})
    check_network(network, where)
    return Imported(network, Report(found.kind, tuple(questions.notes), {}))


def recognise(contents: Contents, options: Options, where: str, settings_file: str,
              sources: tuple[Source, ...]) -> Imported:
    """The network that these tensors and settings are; ``where`` and ``settings_file`` are named in complaints.

    Raises:
        InputError: if it is not understood, or an answer is missing.
    """
    contents = with_plain_weights(hooked_transformer.in_todays_layout(contents), where, settings_file)
    weights, questions = Weights(contents, where), Questions(options, where)
    settings = Settings(contents.settings, settings_file, WITHOUT_EFFECT)
    recogniser = _recogniser(weights, settings) or _unknown(weights)
    of_ranges = [name for name, stored in contents.tensors.items() if stored.kind == OF_RANGES]
    if not of_ranges and any(stored.kind.endswith(DEQUANTISED) for stored in contents.tensors.values()):
        questions.assume(WEIGHTS_ALONE)
    found = recogniser.build(weights, settings, questions)
    questions.finish()
    settings.finish()
    weights.set_aside(recogniser.buffers)
    if of_ranges:
        questions.assume(ROUNDED_BY_TORCH)
        found = with_ranges(found, weights, of_ranges)
    read = TrainedNetwork(found.attention, found.tokens, found.positions, found.steps, found.unembedding, {}, sources,
                          found.readout)
    network = replace(read, tensors=weights.finish(views(read)))
    check_network(network, where)
    return Imported(network, Report(found.kind, tuple(questions.notes), weights.aside))


def files_of(files: Sequence[str | Path]) -> list[Path]:
    """The files that are read: in place of a folder those inside that hold a network and its settings.

    Raises:
        InputError: if there is none.
    """
    paths = []
    for path in map(Path, files):
        inside = [path / name for name in _NETWORK_FILES if (path / name).is_file()][:1]
        config = [path / "config.json"] if (path / "config.json").is_file() else []
        if path.is_dir() and not inside:
            raise InputError(f"{path}: a folder without {', '.join(_NETWORK_FILES)}, expected files")
        paths += [*inside, *config] if path.is_dir() else [path]
    if not paths:
        raise InputError("found no file, expected one with the weights of a network")
    return paths


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"{path}: longer than {MAX_FILE_BYTES} bytes")
    return data


def read_contents(data: bytes, name: str) -> Contents:
    """Tensors and settings of one file, whose kind its bytes tell (of ONNX: its name).

    Raises:
        InputError: if it is damaged, or of no kind that is read.
    """
    if name.endswith(".onnx"):
        return read_onnx(data, name)
    if data[:4] == b"PK\3\4":
        return read_npz(data, name) if name.endswith(".npz") else read_torch(data, name)
    if name.endswith(".safetensors") or looks_like_safetensors(data):
        return read_safetensors(data, name)
    if is_old_torch_file(data):
        raise InputError(f"{name}: a bare pickle, as torch.save wrote before version 1.6, which is not run; expected "
                         f"the zip format (load and save it with a newer torch)")
    if data.lstrip()[:1] == b"{":
        return read_config(data, name)
    raise InputError(f"{name}: neither safetensors, a file of torch.save, npz, ONNX (.onnx) nor config.json")


def _recogniser(weights: Weights, settings: Settings) -> Recogniser | None:
    if row := decoders.row_of(weights, settings):
        return Recogniser(lambda _: True, partial(decoders.build, row), families.BUFFERS)
    return next((recogniser for recogniser in RECOGNISERS if recogniser.recognises(weights)), None)


def _unknown(weights: Weights) -> NoReturn:
    names = [re.sub(r"\s+", " ", name)[:60] for name in weights.stored]
    raise InputError(f"{weights.where}: no network is recognised in {len(names)} tensors ({', '.join(names[:5])}); "
                     f"expected names of GPT-2, nanoGPT, HookedTransformer, LLaMA, nn.TransformerEncoder, … "
                     f"(docs/importing.md), a file of names (--names), or a graph of ONNX")
