"""`certify import`: conversion of a trained network to one file with exact numbers."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.common.files import write_text
from certify.common.output_guard import note_input
from certify.common.progress import is_silent
from certify.common.terminal import Json, print_json, tell
from certify.requests import options as option
from certify.requests.options import flag
from constructions.errors import InputError
from constructions.text import printable

if TYPE_CHECKING:
    from constructions.importing.importer import Imported
    from constructions.importing.questions import Place

OPTIONS: Mapping[str, Any] = {
    "names": flag("--names", "where the tensors have other names, orders or pieces: a file that says which "
                  "(docs/howto/importing.md)", "NAMES.toml"),
    "kind": flag("--kind", "the kind of network, where no config.json names it: without it the program that the names "
                 "of tensors suggest is shown (docs/howto/importing.md has the kinds)", "KIND"),
    "attention": flag("--attention", "whether tokens see later tokens", kind=Literal["causal", "bidirectional"] | None),
    "activation": flag("--activation", "the activation function; gelu is the exact one, by erf",
                       kind=Literal["relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh"] | None),
    "norm": flag("--norm", "the kind of norms, where their weights do not show it",
                 kind=Literal["layer", "rms", "none"] | None),
    "epsilon": flag("--epsilon", "the epsilon of the norms, taken exactly as it is written: 1e-5", "DECIMAL"),
    "heads": flag("--heads", "the number of heads in each layer", "H", int | None, parser=option.whole_number),
    "norm_first": flag("--norm-first/--norm-last", "whether norms come before attention and units, or after both",
                       kind=bool | None),
    "positions": flag("--positions", "the kind of positions, where the file has no table of them",
                      kind=Literal["learned", "sinusoidal", "alibi", "none"] | None),
    "rows": flag("--rows", "for how many positions to compute a table (512)",
                 "N", int | None, parser=option.whole_number),
    "embedding_scale": flag("--embedding-scale", "what token vectors are multiplied by before positions are added",
                            kind=Literal["sqrt(d)"] | None),
    "token_table": flag("--token-table", "the tensor with the token vectors", "NAME"),
    "position_table": flag("--position-table", "the tensor with the vectors of positions", "NAME"),
    "output_layer": flag("--output-layer", "the tensor that makes the logits", "NAME"),
    "rotary_base": flag("--rotary-base", "the base of the angles of rotary positions: 10000", "DECIMAL"),
    "readout": flag("--readout", "the tokens that have logits: each, first or last (alone), or mean (of all)",
                    "TOKENS"),
    "place": flag("--place", "the place of a norm outside the layers: of token vectors and positions together, after "
                  "the layers, of the mean over all tokens", "NORM=embedding|final|pooled", list[str] | None),
    "like": flag("--like", "answer what files do not say as nn.TransformerEncoderLayer, GPT-2 or LLaMA have it by "
                 "default; other options come first", kind=Literal["torch", "gpt2", "llama"] | None),
    "given": flag("--given", "what stands everywhere in another input of a graph than its tokens: attention_mask=1, "
                  "position_ids=places (0, 1, 2, …)", "NAME=NUMBER", list[str] | None),
    "expect": flag("--expect", "compare with the logits that your own program computes: arrays (.npz, .safetensors) "
                   "under the tokens of their inputs, as 2,0,1 (docs/howto/importing.md)", "FILE"),
}
"""Settings that files may not state, by the names of the parameters, also in Python."""


@option.with_options(f"output {' '.join(OPTIONS)}", OPTIONS)
def import_files(
    files: Annotated[list[str], typer.Argument(
        metavar="FILE...", help="weights (.safetensors, .pt, .pth, .bin, .npz, .onnx, .pt2) and config.json if there "
        "is one; or a folder with both")],
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="MODEL", parser=option.written_file,
        help="write the network here; - is standard output")] = None,
    show: Annotated[bool, typer.Option("--show", help="print the architecture as a table and a picture")] = False,
    **answered: Any,
) -> None:
    """Read a trained transformer from its own files.

    Every weight becomes exactly the number in the file. Settings that files do not state (the kind of network, the
    direction of attention, ...) must be given, and are never guessed; unknown tensors are reported. Logits are
    compared with those of ONNX Runtime, torch, or your own program (--expect). docs/howto/importing.md: files and
    networks.

    Example: certify import model.pt --kind nanogpt --attention causal --epsilon 1e-5 -o model.json --show
    """
    from certify.claims.trained.comparing import with_comparison
    from constructions.importing.config_file import positive_decimal
    from constructions.importing.importer import files_of, import_network
    from constructions.importing.names_file import read_names
    from constructions.importing.questions import Options, Unanswered

    names, expect = answered.pop("names"), answered.pop("expect")
    for read in [*files_of(files), *map(Path, filter(None, (names, expect)))]:
        note_input(read)
    read_as: Mapping[str, Callable[[Any], Any]] = {
        "epsilon": lambda text: positive_decimal(text, "--epsilon"), "given": _given, "place": _places,
        "rotary_base": lambda text: positive_decimal(text, "--rotary-base")}
    answers = Options(**{name: read_as[name](value) if name in read_as and value is not None else value
                         for name, value in answered.items()})
    try:
        imported = import_network(files, answers, read_names(names) if names else None, expect is not None)
    except Unanswered as question:
        _print_lines(question.program)
        raise
    _show(with_comparison(imported, files_of(files), dict(answers.given or ()), expect), output, show)


def _show(imported: Imported, output: str | None, show: bool) -> None:
    """Print the report, and write the network if requested."""
    from certify.claims.trained.networks import imported_to_json, print_network
    from certify.common.terminal_tables import console

    if Json.wanted:
        print_json(imported_to_json(imported))
    elif show or output is None:
        print_network(console(sys.stderr if output == "-" else None), imported)
    if output is not None:
        _write(output, imported, quiet=Json.wanted or show)


def _given(texts: list[str]) -> tuple[tuple[str, int | None], ...]:
    """Parse inputs by name, each with its number.

    Raises:
        InputError: if one is not written so.
    """
    found: dict[str, int | None] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if not name or name in found or not re.fullmatch(r"-?[0-9]{1,9}|places", number):
            raise InputError(f"--given {printable(text)[:80]}: expected NAME=NUMBER or NAME=places, each name once")
        found[name] = None if number == "places" else int(number)
    return tuple(found.items())


def _places(texts: list[str]) -> tuple[tuple[str, Place], ...]:
    """Parse norms by name, each with its place.

    Raises:
        InputError: if one is not written so.
    """
    from constructions.importing.questions import PLACES

    found: dict[str, Place] = {}
    for text in texts:
        name, _, word = text.rpartition("=")
        place = next((place for place in PLACES if place == word), None)
        if not name or name in found or place is None:
            raise InputError(f"--place {printable(text)[:80]}: expected NAME={' or '.join(PLACES)}, each name once")
        found[name] = place
    return tuple(found.items())


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(printable(line), file=sys.stderr)


def _write(output: str, imported: Imported, quiet: bool) -> None:
    """Write the network and describe it in a line."""
    from certify.claims.trained.networks import describe_comparison, parameters
    from constructions.trained.json_form import network_text

    write_text(output, network_text(imported.network))
    report = imported.report
    if not (quiet or is_silent()):
        _print_lines(report.program or (f"  {note}" for note in report.assumed))
        _print_lines([f"  compared {describe_comparison(imported.network.compared)}"])
        _print_lines(f"  not a weight: {name}: {reason}" for name, reason in report.not_weights.items())
    if output != "-":
        tell(f"{imported.report.kind}, {parameters(imported.network)} numbers, in {output}")
