"""`certify heads`: what the heads of a trained network attend to, on every word."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from certify.commands import decide_options as given_as
from certify.common.terminal import show_found, write_certificate, write_found
from certify.requests import options as option
from certify.requests.options import written_file, written_place

Head = Annotated[str | None, typer.Option("--head", metavar="L.H", help="one head: the layer and the head, from 1")]
On = Annotated[list[str] | None, typer.Option(
    "--on", metavar="PATTERN", help="the positions: start, letters, itself, previous, first, 'all F', 'rightmost F', "
    "'leftmost F', where F is a formula of the past at the key")]
AtLeast = Annotated[str | None, typer.Option(
    "--at-least", metavar="MASS", help="with --head and --on: decide whether the mass is always more than this")]
AtMost = Annotated[str | None, typer.Option(
    "--at-most", metavar="MASS", help="with --head and --on: decide whether the mass is always less than this")]
Prove = Annotated[bool, typer.Option("--prove", help="prove the least mass of the first pattern of each head")]
Folder = Annotated[str | None, typer.Option(
    "--output", "-o", metavar="PATH", parser=written_place, help="write the certificate here; with --prove, a new "
    "folder of certificates")]
Wrong = Annotated[str | None, typer.Option(
    "--wrong", metavar="FILE", parser=written_file, help="write the certificate of the shortest wrong word here")]


@option.with_options(f"offset {' '.join(given_as.OF_WORDS)} predicate", {
    **given_as.OF_WORDS, "predicate": option.Predicate})
def heads(
    model: given_as.Model,
    claim: option.Claim = None,
    max_n: given_as.Longest = None,
    min_n: given_as.Shortest = None,
    offset: given_as.Offsets = None,
    head: Head = None,
    on: On = None,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    prove: Prove = False,
    jobs: option.Jobs = None,
    dask: option.Dask = None,
    effort: given_as.Effort = 1,
    output: Folder = None,
    wrong: Wrong = None,
    **claimed: Any,
) -> None:
    """Find what the heads of a trained network attend to, and prove it.

    The words are those of a claim; what it answers is not used. Without a bound: for each head, the positions that
    always get the largest share of its attention, measured over all words; --prove proves the first of each head. With
    a bound, its claim is decided. docs/howto/heads.md.
    """
    from certify.claims.trained.claim_file import Scope
    from certify.claims.trained.decide import Settings
    from certify.claims.trained.flags import flags_of, read_offsets
    from certify.claims.trained.heads import decide_mass, find_patterns
    from certify.claims.trained.heads_show import heads_to_json, print_heads
    from certify.claims.trained.question import read_question
    from certify.claims.trained.showing import decision_to_json, print_decision
    from certify.common.files import check_new_folder, write_folder
    from certify.common.shards import read_workers
    from certify.requests.quantities import read_share
    from constructions.errors import InputError
    from constructions.trained.head_patterns import HeadClaim, parse_pattern

    network, words = read_question(model, claim, flags_of(claimed), Scope(max_n, min_n, read_offsets(offset)))
    settings = Settings(read_workers(jobs, dask), effort=effort)
    patterns = [parse_pattern(text, words.alphabet, {one.name: one for one in words.predicates}) for text in on or ()]
    chosen = None if head is None else read_head(head)
    bounds = [None if text is None else read_share(text, name)
              for name, text in (("--at-least", at_least), ("--at-most", at_most))]
    if bounds != [None, None]:
        if chosen is None or len(patterns) != 1 or prove:
            raise InputError("--at-least, --at-most: expected --head and one --on beside it, and not --prove")
        decision = decide_mass(network, words, HeadClaim(*chosen, patterns[0], *bounds), settings)
        show_found(decision, decision_to_json, print_decision, output)
        write_found(decision, output)
        write_certificate(wrong, decision.wrong_certificate, decision.verdict, "certificate of a wrong word")
        raise typer.Exit(decision.exit_code)
    if wrong is not None or (output is not None and not prove):
        raise InputError("nothing is proved without --prove or a bound, so there is no certificate to write")
    if output is not None:
        check_new_folder(output)
    table = find_patterns(network, words, patterns, chosen, prove, settings)
    show_found(table, heads_to_json, print_heads, output)
    if output is not None:
        write_folder(str(Path(output)), table.certificates)
    raise typer.Exit(table.exit_code)


def read_head(text: str) -> tuple[int, int]:
    """Return the layer and the head of L.H.

    Raises:
        InputError: if they are not two numbers.
    """
    from constructions.errors import InputError

    layer, point, head = text.partition(".")
    if not (point and layer.isascii() and layer.isdigit() and head.isascii() and head.isdigit()):
        raise InputError(f"--head: found {text}, expected a layer and a head such as 1.2")
    return int(layer), int(head)
