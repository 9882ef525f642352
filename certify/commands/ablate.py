"""`certify ablate`: which parts of a trained network are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.commands import decide_options as given_as
from certify.common.terminal import Json, show_found, tell
from certify.requests import options as option
from certify.requests.options import written_file, written_place

if TYPE_CHECKING:
    from constructions.trained.network import TrainedNetwork
    from proofs.trained.circuits import Part

Heads = Annotated[list[str] | None, typer.Option(
    "--heads", metavar="L.H,...", help="decide without these heads: layer and head, from 1, or L.A-B")]
Neurons = Annotated[list[str] | None, typer.Option(
    "--neurons", metavar="L.N,...", help="decide without these neurons: feed-forward block and neuron, or L.A-B")]
To = Annotated[Literal["zero", "mean"], typer.Option(
    "--to", help="what the parts that go are set to: 0, or their means over words (rounded to binary32)")]
Folder = Annotated[str | None, typer.Option(
    "--output", "-o", metavar="DIR", parser=written_place, help="write the certificates here: a new folder")]
Smaller = Annotated[str | None, typer.Option(
    "--model", metavar="FILE", parser=written_file, help="write the smaller network here")]


@option.with_options(f"offset {' '.join(given_as.OF_WORDS)} predicate", {
    **given_as.OF_WORDS, "predicate": option.Predicate})
def ablate(
    model: given_as.Model,
    claim: option.Claim = None,
    max_n: given_as.Longest = None,
    min_n: given_as.Shortest = None,
    offset: given_as.Offsets = None,
    heads: Heads = None,
    neurons: Neurons = None,
    to: To = "zero",
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    effort: given_as.Effort = 1,
    output: Folder = None,
    smaller: Smaller = None,
    **claimed: Any,
) -> None:
    """Find which heads and neurons a trained network needs.

    Without --heads and --neurons: a small circuit that gives all answers of the claim, certified on every word; and for
    each part that it keeps a word on which the circuit is wrong without it, so that it is minimal. Its certificates
    contain the original network and what was removed. docs/howto/heads.md.
    """
    from certify.claims.trained.ablation import decide_circuit, find_circuit
    from certify.claims.trained.ablation_show import ablation_to_json, print_ablation
    from certify.claims.trained.claim_file import Scope
    from certify.claims.trained.decide import Settings
    from certify.claims.trained.flags import flags_of, read_offsets
    from certify.claims.trained.question import read_question
    from certify.common.files import check_new_folder, write_folder, write_text
    from certify.common.shards import read_workers
    from constructions.trained.json_form import network_text

    network, words = read_question(model, claim, flags_of(claimed), Scope(max_n, min_n, read_offsets(offset)))
    if output is not None:
        check_new_folder(output)
    settings = Settings(read_workers(jobs, dask), effort=effort)
    if heads or neurons:
        dropped = [*read_parts(network, heads or (), True), *read_parts(network, neurons or (), False)]
        found = decide_circuit(network, words, dropped, to, settings)
    else:
        found = find_circuit(network, words, to, settings)
    show_found(found, ablation_to_json, print_ablation)
    if smaller is not None:
        write_text(smaller, network_text(found.edited))
    if output is not None:
        if found.certificates:
            write_folder(output, found.certificates)
        elif not Json.wanted:
            tell(f"certify: {found.verdict}, so no certificates were written")
    raise typer.Exit(found.exit_code)


def read_parts(network: TrainedNetwork, given: list[str] | tuple[str, ...], is_head: bool) -> list[Part]:
    """Return the parts of lists such as 1.2,2.1-4.

    Raises:
        InputError: if one is malformed, or the network does not have it.
    """
    import re

    from certify.claims.trained.ablation import name_of
    from constructions.errors import InputError
    from proofs.trained.circuits import parts_of

    kind = "head" if is_head else "neuron"
    known = {name_of(network, part): part for part in parts_of(network) if part.is_head is is_head}
    found = dict[Part, None]()
    for text in (one.strip() for texts in given for one in texts.split(",")):
        match = re.fullmatch(r"([0-9]{1,6})\.([0-9]{1,6})(?:-([0-9]{1,6}))?", text, re.ASCII)
        if match is None:
            raise InputError(f"--{kind}s: found {text}, expected a layer and a {kind}, such as 1.2 or 1.2-5")
        layer, first, last = match[1], int(match[2]), int(match[3] or match[2])
        for number in range(first, last + 1):
            name = f"{kind} {int(layer)}.{number}"
            if name not in known:
                raise InputError(f"--{kind}s: the network has no {name}")
            found[known[name]] = None
    return list(found)
