"""Import of networks: from files and answers to a network and a report."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from constructions.errors import InputError
from constructions.importing import buffers, decoders, encoder_layers, families, hooked_transformer, transformer_bridge
from constructions.importing.array_files import read_npz, read_safetensors
from constructions.importing.composing import rewritten
from constructions.importing.config_file import WITHOUT_EFFECT, Settings, read_config
from constructions.importing.contents import MAX_FILE_BYTES, Contents, merge, unwrapped
from constructions.importing.names_file import TensorNames, renamed
from constructions.importing.onnx_file import with_external_data
from constructions.importing.parts import Interface, RecognisedNetwork, TensorReader
from constructions.importing.program import program
from constructions.importing.quantised import (
    DEQUANTISED,
    OF_RANGES,
    ROUNDED_BY_TORCH,
    WEIGHTS_ALONE,
    with_plain_weights,
)
from constructions.importing.questions import Options, Questions
from constructions.importing.torch_file import read_torch
from constructions.text import printable, read_file
from constructions.trained.json_values import found as found_text
from constructions.trained.network import Source, Tensor, TrainedNetwork, View, views
from constructions.trained.validation import check_network


@dataclass(frozen=True)
class Recogniser:
    """One kind of network: how it is recognised and built.

    ``buffers``: patterns of tensors that are not weights, with descriptions; ``facts``: properties that its steps do
    not show; ``is_family``: config.json can name it.
    """

    name: str
    recognises: Callable[[TensorReader], bool]
    build: Callable[[TensorReader, Settings, Questions], RecognisedNetwork]
    buffers: Mapping[str, str]
    facts: tuple[str, ...] = ()
    is_family: bool = False


_ROWS = sorted(families.ROWS, key=lambda row: (row.mark == families.LLAMA_MARK, row.kind != "LLaMA"))
KINDS: Mapping[str, Recogniser] = {one.name: one for one in (
    Recogniser("hooked-transformer", hooked_transformer.recognises,
               lambda *file: hooked_transformer.FileReading(*file).network(), hooked_transformer.BUFFERS),
    Recogniser(transformer_bridge.KIND, transformer_bridge.recognises, transformer_bridge.build, {},
               transformer_bridge.FACTS),
    Recogniser("torch-encoder", encoder_layers.recognises,
               lambda *file: encoder_layers.EncoderReading(*file).network(), encoder_layers.BUFFERS),
    *(Recogniser(row.model_type, partial(decoders.recognises, row), partial(decoders.build, row), families.BUFFERS,
                 families.facts(row), bool(row.classes)) for row in _ROWS))}
"""Values of --kind; among kinds with the same tensor names, the one with the most names comes first."""
_PROGRAMS = (".onnx", ".pt2")
_NETWORK_FILES = ("model.safetensors", "pytorch_model.bin", "model.pt")
"""Files of a network in a folder with config.json; the first one found is read."""


@dataclass(frozen=True)
class ImportReport:
    """The kind of network, assumptions, and tensors that are not weights.

    ``assumed``: facts about networks of the kind; ``not_weights``: tensors with reasons; ``program``: what --kind says.
    """

    kind: str
    assumed: tuple[str, ...]
    not_weights: Mapping[str, str]
    program: tuple[str, ...] = ()
    interface: Interface | None = None


@dataclass(frozen=True)
class Imported:
    """A network and the report of its import."""

    network: TrainedNetwork
    report: ImportReport


def import_network(files: Sequence[str | Path], options: Options | None = None, names: TensorNames | None = None,
                   compared: bool = False) -> Imported:
    """Import the network in these files: one with weights, perhaps config.json; or a folder with both.

    ``names`` renames tensors; ``compared`` says that the result will be compared with the owner's logits, so that
    --kind is not required if only one kind fits.

    Raises:
        InputError: if a file is damaged or of an unsupported kind, if the network is not recognised, or if an answer is
            missing.
    """
    sources, parts = [], []
    paths = files_of(files)
    for path in paths:
        data, name = read_file(path, MAX_FILE_BYTES), printable(path.name)
        sources.append(Source(name, hashlib.sha256(data).hexdigest()))
        if name.endswith(_PROGRAMS):
            if len(paths) > 1 or names:
                raise InputError(f"{name}: a file with operations, expected it to be the only file, without --names")
            data, beside = with_external_data(data, path) if name.endswith(".onnx") else (data, ())
            return _by_graph(data, options or Options(), name, (*sources, *beside))
        parts.append((name, read_contents(data, name)))
    where = next((name for name, part in parts if part.tensors), "import")
    settings_file = next((name for name, part in parts if part.settings), names.where if names else "config.json")
    contents = merge(parts)
    if names and any(one.kind == OF_RANGES for one in contents.tensors.values()):
        raise InputError(f"{where}: Linears of quantize_dynamic under other names are unsupported, expected a graph of "
                         f"ONNX")
    contents = renamed(contents, names) if names else contents
    return recognise(contents, options or Options(), where, settings_file, tuple(sources), compared)


def _by_graph(data: bytes, options: Options, where: str, sources: tuple[Source, ...]) -> Imported:
    """Import the network of an ONNX file from its operations."""
    from constructions.importing.graph.network import read_graph

    questions = Questions(options, where)
    found, tensors = read_graph(data, where, questions)
    questions.finish()
    network = _network(found, sources, where, lambda used: {
        name: tensor for name, tensor in tensors.items() if name in {view.tensor for view in used}})
    return Imported(network, ImportReport(found.kind, tuple(questions.notes), {}, interface=found.interface))


def _network(found: RecognisedNetwork, sources: tuple[Source, ...], where: str,
             tensors_of: Callable[[list[View]], Mapping[str, Tensor]]) -> TrainedNetwork:
    """Return the network found, with the tensors of its views."""
    read = TrainedNetwork(found.attention, found.tokens, found.positions, found.steps, found.unembedding, {}, sources,
                          found.readout)
    network = replace(read, tensors=tensors_of([*views(read)]))
    check_network(network, where)
    return network


def recognise(contents: Contents, options: Options, where: str, settings_file: str,
              sources: tuple[Source, ...], compared: bool = False) -> Imported:
    """Recognise the network of these tensors and settings; ``where`` and ``settings_file`` are names in messages.

    Raises:
        InputError: if it is not recognised, or an answer is missing.
    """
    if (strip := unwrapped(contents.tensors)) is not None:
        contents = replace(contents, tensors={strip(name): one for name, one in contents.tensors.items()})
        options = options.renamed(strip)
    contents = transformer_bridge.in_family_names(hooked_transformer.in_todays_layout(contents), where, settings_file)
    contents = with_plain_weights(contents, where, settings_file)
    weights, questions = TensorReader(contents, where), Questions(options, where)
    if strip is not None:
        questions.assume("names of tensors are read without module and _orig_mod, of what wraps the network")
    settings = Settings(contents.settings, settings_file, WITHOUT_EFFECT)
    recogniser, stated = recogniser_of(weights, settings, options.kind)
    fitting = [name for name, one in KINDS.items() if one.recognises(weights)]
    if not stated and options.kind is None and not (compared and len(fitting) == 1):
        questions.open("kind", f"--kind {' or '.join(fitting)}, if it names your program, which "
                               f"names do not show")
    of_ranges = [name for name, stored in contents.tensors.items() if stored.kind == OF_RANGES]
    if not of_ranges and any(stored.kind.endswith(DEQUANTISED) for stored in contents.tensors.values()):
        questions.assume(WEIGHTS_ALONE)
    try:
        found = recogniser.build(weights, settings, questions)
    except InputError as problem:
        raise questions.complaint() if questions.is_open else problem from None
    shown = () if stated and options.kind is None else program(found, recogniser.name, recogniser.facts, questions)
    questions.finish(shown)
    settings.finish()
    found = buffers.compared(found, weights, recogniser.buffers)
    if of_ranges:
        questions.assume(ROUNDED_BY_TORCH)
    if of_ranges or found.pooled is not None:
        found = rewritten(found, weights, of_ranges)
    network = _network(found, sources, where, weights.finish)
    return Imported(network, ImportReport(found.kind, tuple(questions.notes), weights.aside, shown))


def files_of(files: Sequence[str | Path]) -> list[Path]:
    """Return the files to read: a folder is replaced by the files in it with a network and its settings.

    Raises:
        InputError: if there are none.
    """
    paths = []
    for path in map(Path, files):
        inside = [path / name for name in _NETWORK_FILES if (path / name).is_file()][:1]
        config = [path / "config.json"] if (path / "config.json").is_file() else []
        if path.is_dir() and not inside:
            raise InputError(f"{path}: a folder without {', '.join(_NETWORK_FILES)}, expected files")
        paths += [*inside, *config] if path.is_dir() else [path]
    if not paths:
        raise InputError("no file, expected one with the weights of a network")
    return paths


def read_contents(data: bytes, name: str) -> Contents:
    """Read tensors and settings of one file, whose kind is recognised by its bytes.

    Raises:
        InputError: if it is damaged, or of an unsupported kind.
    """
    if data[:4] == b"PK\3\4":
        return read_npz(data, name) if name.endswith(".npz") else read_torch(data, name)
    if name.endswith(".safetensors") or data[8:9] == b"{":
        return read_safetensors(data, name)
    if data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise InputError(f"{name}: a bare pickle, as torch.save wrote before version 1.6, which is never run; expected "
                         f"the zip format (load and save it with a newer torch)")
    if data.lstrip()[:1] == b"{":
        return read_config(data, name)
    raise InputError(f"{name}: neither safetensors, a file of torch.save, npz, ONNX (.onnx), "
                     f"torch.export (.pt2) nor config.json")


def recogniser_of(weights: TensorReader, settings: Settings, kind: str | None) -> tuple[Recogniser, bool]:
    """Return the kind of network, and whether config.json names it; else it is by --kind, or the first that fits."""
    fitting, family = [name for name, one in KINDS.items() if one.recognises(weights)], settings.get("model_type")
    known_families = [name for name, one in KINDS.items() if one.is_family]
    is_native = settings.settings.get("architecture") == transformer_bridge.NATIVE
    native = transformer_bridge.KIND if is_native and family is None else None
    for name, known, by in ((family, known_families, f"{settings.where}, model_type"), (kind, KINDS, "--kind"),
                            (native, KINDS, f"{settings.where}, architecture")):
        if name is not None and name not in list(known):
            raise InputError(f"{by}: {found_text(name)} is not supported, expected {', '.join(known)}")
        if name is not None and name not in fitting:
            raise InputError(f"{weights.where}: {by} is {name}, but its tensors have names of "
                             f"{', '.join(fitting) or 'no kind'}")
    stated = family or native
    if None not in (stated, kind) and stated != kind:
        raise InputError(f"{weights.where}: --kind {kind}, but {settings.where} says {stated}")
    if not fitting:
        names = [re.sub(r"\s+", " ", name)[:60] for name in weights.stored]
        inside = any(transformer_bridge.INSIDE in name for name in weights.stored)
        hint = "the state_dict() of the TransformerBridge itself, not of the wrapped module; " if inside else ""
        raise InputError(f"{weights.where}: no network is recognised in {len(names)} tensors ({', '.join(names[:5])}); "
                         f"expected {hint}names of {', '.join(KINDS)} (docs/howto/importing.md), "
                         "a file of names (--names), a program of torch.export or a graph of ONNX")
    return KINDS[stated or kind or fitting[0]], stated is not None
