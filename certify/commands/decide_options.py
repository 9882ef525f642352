"""The options of `certify decide` that state the claim; certify/claims/trained/flags.py parses them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.requests.inputs import MOST
from certify.requests.options import (
    Dask,
    Jobs,
    Predicate,
    between,
    effort,
    flag,
    whole_number,
    written_file,
    written_place,
)

if TYPE_CHECKING:
    from certify.claims.trained.claim_file import Scope
    from certify.claims.trained.decide import Settings

Model = Annotated[str, typer.Argument(
    metavar="MODEL", help="a file with a trained network (certify import makes it), or a certificate of one")]
Longest = Annotated[int | None, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="all words up to this length (default: as the claim says)")]
Shortest = Annotated[int | None, typer.Option(
    "--min-n", metavar="N", parser=whole_number, help="leave out words shorter than this")]
Offsets = Annotated[str | None, typer.Option(
    "--offset", metavar="all|K|A-B", help="position numbers of the first token (default: as the claim says, or 0)")]
Every = Annotated[bool, typer.Option(
    "--every", help="every length from --min-n on, for a network with one layer and no positions")]
Store = Annotated[str | None, typer.Option(
    "--store", metavar="DIR", parser=written_place, help="keep finished searches in this folder, and reuse those that "
    "are there")]
Effort = Annotated[int, typer.Option(
    "--effort", metavar="K", parser=effort, help="try K times as hard where a length is not decided")]
Float = Annotated[str | None, typer.Option(
    "--float", metavar="NAME|FILE", help="decide the claim under this float model: "
    "bfloat16/binary32, ... (certify floats --presets lists them)")]
Count = Annotated[bool, typer.Option(
    "--count", help="count the right words of each length, or inputs in tracks, at least and at most "
    "(docs/background/counting.md)")]
Wrong = Annotated[str | None, typer.Option(
    "--wrong", metavar="FILE", parser=written_file, help="write the certificate of the shortest wrong word found here, "
    "or of the wrong execution")]
Page = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=written_file, help="write the page of the decision here")]

# -- what is claimed, without a claim file -----------------------------------------------------------------------------

OF_WORDS: Mapping[str, Any] = {
    "alphabet": flag("--alphabet", "without a claim file: the symbols of words, 01 or a,b,c", "SYMBOLS"),
    "tokens": flag("--tokens", "the tokens of the symbols (default: 0,1,...)", "T,..."),
    "before": flag("--before", "tokens before the word", "T,..."),
    "after": flag("--after", "tokens after the word", "T,..."),
    "read": flag("--read", "where logits are read: at the first token, the last token, each letter (default: where the "
                 "network outputs them, or as --at says)", kind=Literal["first", "last", "each"] | None),
    "at": flag("--at", "at which position of the word formulas are judged (default: every position where logits are "
               "read at each letter, else the last)", kind=Literal["first", "last", "every"] | None),
    "empty": flag("--empty", "judge the last token before the word, too", kind=bool),
    "margin": flag("--margin", "by how much claims about logits must hold (default: 0)", "NUMBER"),
    "given": flag("--given", "judge only where this holds; TRUTH is a formula, regex:EXPRESSION or dfa:FILE", "TRUTH"),
    "sign": flag("--sign", "claim that the logit of token T is above 0 where TRUTH holds, and below 0 elsewhere",
                 "'T: TRUTH'", list[str] | None),
    "larger": flag("--larger", "claim that the logit of T is above that of U where TRUTH holds, and below it elsewhere",
                   "'T,U: TRUTH'", list[str] | None),
    "argmax": flag("--argmax", "claim that the logit of T is the greatest where TRUTH holds; once for each such token",
                   "'T: TRUTH'", list[str] | None),
    "follow": flag("--follow", "claim that the logits above 0 are those of the tokens that may follow in this language",
                   "TRUTH"),
    "end": flag("--end", "with --follow: the token that ends a word", "T"),
}
CLAIM: Mapping[str, Any] = {
    **OF_WORDS,
    "machine": flag("--machine", "about inputs in tracks, without a claim file: what writes the right answers, such as "
                    "add or multiply-by:3; docs/howto/aligned.md has the machines", "NAME|dfa:FILE"),
    "columns": flag("--columns", "with --machine: how many columns inputs have", "N|A-B"),
    "layout": flag("--layout", "with --machine: the tokens and tracks of the input, in order, as in a,10,b,11,answer; "
                   "a:last is a track from its last column to its first", "T|TRACK,..."),
    "predicate": Predicate,
}
"""The fields of ``Flags``, each with its option."""

# -- how it is decided -------------------------------------------------------------------------------------------------

OF_QUESTIONS: Mapping[str, Any] = {
    "max_n": Longest, "min_n": Shortest, "offset": Offsets, "jobs": Jobs, "dask": Dask, "store": Store,
    "effort": Effort}
"""The options of all commands about trained networks, by the names of the parameters."""


def scope_and_settings(written: dict[str, Any], every: bool = False) -> tuple[Scope, Settings]:
    """Remove OF_QUESTIONS from the options; return the requested lengths and offsets, and how they are decided."""
    from certify.claims.trained.claim_file import Scope
    from certify.claims.trained.decide import Settings
    from certify.claims.trained.flags import read_offsets
    from certify.common.shards import read_workers

    given = {name: written.pop(name, None) for name in OF_QUESTIONS}
    scope = Scope(given["max_n"], given["min_n"], read_offsets(given["offset"]), every)
    workers, store = read_workers(given["jobs"], given["dask"]), given["store"]
    return scope, Settings(workers, Path(store) if store else None, effort=given["effort"])


# -- what is asked about the number of right inputs --------------------------------------------------------------------

SHARE = "SHARE|NUMBER"
COUNTING: Mapping[str, Any] = {
    "within": flag("--within", "with --count: bounds no farther apart than this share of all inputs, such as 0.01% "
                   "(default: as close as they get)", "SHARE"),
    "at_least": flag("--at-least", "with --count: claim that this share, or number, of inputs is right: 99%, 0.99, "
                     "9899", SHARE),
    "at_most": flag("--at-most", "with --count: claim that no more inputs are right", SHARE),
    "exactly": flag("--exactly", "with --count: claim that exactly this share, or number, of inputs is right", SHARE),
    "errors": flag("--errors", "with --count: show the K most frequent answers with first errors, and kinds of them "
                   "(default: 5)", "K", int | None, parser=between(0, MOST)),
    "weights": flag("--weights", "with --count: how inputs are drawn, by weights of letters and lengths "
                    "(docs/howto/counts.md)", "FILE"),
}
"""The options of a count, by the names of the parameters."""
