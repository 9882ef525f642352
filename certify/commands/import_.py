"""`certify import`: files of a trained network become one file with exact numbers."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from certify.asking import options as option
from certify.frame.terminal import print_json

if TYPE_CHECKING:
    from constructions.importing.importer import Imported

NetworkOption = Annotated[str | None, typer.Option(
    "-o", "--output", metavar="MODEL", parser=option.written_file, help="write the network here; - is standard output")]
NamesOption = Annotated[str | None, typer.Option(
    "--names", metavar="NAMES.toml", help="where the tensors have other names, orders or pieces: a file that says "
    "which (docs/importing.md)")]
GraphOption = Annotated[bool, typer.Option(
    "--graph", help="read an ONNX file by its operations, also where the names in it are known")]
ScaleOption = Annotated[Literal["sqrt(d)"] | None, typer.Option(
    "--embedding-scale", help="what token vectors are multiplied by before positions are added")]
TokenTableOption = Annotated[str | None, typer.Option(
    "--token-table", metavar="NAME", help="the tensor with the token vectors")]
PositionTableOption = Annotated[str | None, typer.Option(
    "--position-table", metavar="NAME", help="the tensor with the vectors of positions")]
OutputLayerOption = Annotated[str | None, typer.Option(
    "--output-layer", metavar="NAME", help="the tensor that makes the logits")]
RotaryBaseOption = Annotated[str | None, typer.Option(
    "--rotary-base", metavar="DECIMAL", help="the base of the angles of rotary positions: 10000")]
EpsilonOption = Annotated[str | None, typer.Option(
    "--epsilon", metavar="DECIMAL", help="the epsilon of the norms, taken exactly as it is written: 1e-5")]
GivenOption = Annotated[list[str] | None, typer.Option(
    "--given", metavar="NAME=NUMBER", help="what stands everywhere in another input of a graph than its tokens: "
    "attention_mask=1, position_ids=places (0, 1, 2, …)")]
RowsOption = Annotated[int | None, typer.Option(
    "--rows", metavar="N", parser=option.whole_number, help="for how many positions to compute a table (512)")]


def import_files(
    files: Annotated[list[str], typer.Argument(
        metavar="FILE...", help="weights (.safetensors, .pt, .pth, .bin, .npz, .onnx, .pt2) and config.json if there "
        "is one; or a folder with both")],
    output: NetworkOption = None,
    names: NamesOption = None,
    graph: GraphOption = False,
    attention: Annotated[Literal["causal", "bidirectional"] | None, typer.Option(
        "--attention", help="whether tokens see later tokens")] = None,
    activation: Annotated[Literal["relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh"] | None, typer.Option(
        "--activation", help="the activation function; gelu is the exact one, by erf")] = None,
    norm: Annotated[Literal["layer", "rms", "none"] | None, typer.Option(
        "--norm", help="the kind of norms that have no weights")] = None,
    epsilon: EpsilonOption = None,
    heads: Annotated[int | None, typer.Option(
        "--heads", metavar="H", parser=option.whole_number, help="the number of heads in each layer")] = None,
    norm_first: Annotated[bool | None, typer.Option(
        "--norm-first/--norm-last", help="whether norms come before attention and units, or after both")] = None,
    positions: Annotated[Literal["learned", "sinusoidal", "alibi", "none"] | None, typer.Option(
        "--positions", help="the kind of positions, where the file has no table of them")] = None,
    rows: RowsOption = None,
    embedding_scale: ScaleOption = None,
    token_table: TokenTableOption = None,
    position_table: PositionTableOption = None,
    output_layer: OutputLayerOption = None,
    rotary_base: RotaryBaseOption = None,
    given: GivenOption = None,
    show: Annotated[bool, typer.Option("--show", help="print the architecture as a table and a picture")] = False,
    quiet: option.Quiet = False,
    as_json: option.Json = False,
) -> None:
    """Read a trained transformer from its own files.

    Every weight becomes exactly the number that is in the file. Nothing in the files is run. What they do not say (the
    direction of attention, the activation, ...) is asked for, never guessed; a tensor that is not understood is named.
    docs/importing.md has the kinds of files and networks.

    Example: certify import model.pt --attention causal --epsilon 1e-5 -o model.json --show
    """
    from certify.frame.places import note_input
    from certify.frame.terminal_tables import console
    from certify.trained.networks import imported_to_json, print_network
    from constructions.importing.config_file import positive_decimal
    from constructions.importing.importer import files_of, import_network
    from constructions.importing.names_file import read_names
    from constructions.importing.questions import Options

    for read in [*files_of(files), *([Path(names)] if names else [])]:
        note_input(read)
    exact = None if epsilon is None else positive_decimal(epsilon, "--epsilon")
    base = None if rotary_base is None else positive_decimal(rotary_base, "--rotary-base")
    imported = import_network(files, Options(
        attention, activation, norm, exact, heads, norm_first, positions, rows, embedding_scale, token_table,
        position_table, output_layer, base, _given(given)), read_names(names) if names else None, graph)
    if as_json:
        print_json(imported_to_json(imported))
    elif show or output is None:
        print_network(console(sys.stderr if output == "-" else None), imported)
    if output is not None:
        _write(output, imported, quiet=as_json or show)


def _given(texts: list[str] | None) -> tuple[tuple[str, int | None], ...] | None:
    """Inputs by name, each with its number.

    Raises:
        InputError: if one is not written so.
    """
    from constructions.errors import InputError
    from constructions.text import printable

    if texts is None:
        return None
    found: dict[str, int | None] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if not name or name in found or not re.fullmatch(r"-?[0-9]{1,9}|places", number):
            raise InputError(f"--given {printable(text)[:80]}: expected NAME=NUMBER or NAME=places, each name once")
        found[name] = None if number == "places" else int(number)
    return tuple(found.items())


def _write(output: str, imported: Imported, quiet: bool) -> None:
    """Write the network and say in a line what it is."""
    from certify.frame.files import write_text
    from certify.trained.networks import parameters
    from constructions.text import printable
    from constructions.trained.json_form import network_text

    write_text(output, network_text(imported.network))
    if not quiet:
        for note in imported.report.assumed:
            print(f"  {printable(note)}", file=sys.stderr)
        for name, reason in imported.report.not_weights.items():
            print(f"  not a weight: {printable(name)}: {printable(reason)}", file=sys.stderr)
    if output != "-":
        print(f"{imported.report.kind}, {parameters(imported.network)} numbers, in {output}", file=sys.stderr)
