"""The options of `certify train` that are its own."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from certify.requests.options import flag, whole_number, written_folder

Task = Annotated[str | None, typer.Argument(
    metavar="TASK", help="what to train for: a claim file, or a task of the examples by its name (default: options "
    "say it, as for decide)")]
Folder = Annotated[str, typer.Option(
    "--output", "-o", metavar="DIR", parser=written_folder, help="write weights, claim, certificates and rounds here: "
    "a new folder")]
From = Annotated[str | None, typer.Option(
    "--from", metavar="MODEL", help="repair this network in place of training a new one; it is not changed itself")]
SIZES: Mapping[str, Any] = {
    "layers": flag("--layers", "of a new network: how many layers (1)", "K", int | None, parser=whole_number),
    "width": flag("--width", "the width of its residual stream (16)", "D", int | None, parser=whole_number),
    "heads": flag("--heads", "heads in each layer (1)", "H", int | None, parser=whole_number),
    "units": flag("--units", "units in each layer (four times the width)", "U", int | None, parser=whole_number),
    "attention": flag("--attention", "whether tokens see later tokens (as the claim says, or causal)",
                      kind=Literal["causal", "bidirectional"] | None),
    "positions": flag("--positions", "the position embedding (learned)",
                      kind=Literal["learned", "none", "rotary"] | None),
    "rows": flag("--rows", "position numbers (as many as the longest input needs)",
                 "N", int | None, parser=whole_number),
}
"""The sizes of a new network, by the names of the parameters."""
Window = Annotated[int, typer.Option(
    "--window", metavar="W", parser=whole_number, help="of inputs in tracks: layers but the last learn to write what "
    "follows from the machine's step and W columns alone (0: whatever they like)")]
AtLeast = Annotated[str | None, typer.Option(
    "--at-least", metavar="SHARE|NUMBER", help="stop when this share, or number, of inputs is proved right: 99.9% "
    "(default: all)")]
Rounds = Annotated[int, typer.Option(
    "--rounds", metavar="K", parser=whole_number, help="the most rounds of training")]
Steps = Annotated[int, typer.Option(
    "--steps", metavar="K", parser=whole_number, help="the steps of a round")]
Seed = Annotated[int, typer.Option(
    "--seed", metavar="K", parser=whole_number, help="what is random comes from this number: on one machine, the same "
    "files again")]
