"""The options of `certify learn` and `certify equal` that differ from those of `certify decide`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from certify.commands.decide_options import OF_WORDS
from certify.requests.options import Predicate, flag, whole_number, written_file, written_place

Offsets = Annotated[str | None, typer.Option(
    "--offset", metavar="all|K|A-B", help="position numbers of the first token (default: the claim's first)")]
CLAIM: Mapping[str, Any] = {
    **{name: kind for name, kind in OF_WORDS.items() if name != "margin"},
    "sign": flag("--sign", "an answer is whether the logit of token T is above 0; TRUTH is what it was trained for, if "
                 "that is to be compared", "'T[: TRUTH]'", list[str] | None),
    "larger": flag("--larger", "an answer is whether the logit of T is above that of U",
                   "'T,U[: TRUTH]'", list[str] | None),
    "argmax": flag("--argmax", "an answer is which of these tokens has the greatest logit",
                   "'T,U,...' or 'T: TRUTH'", list[str] | None),
    "predicate": Predicate,
}
Words = Annotated[Literal["all", "asked", "allowed"] | None, typer.Option(
    "--words", help="which words: all; those of which the claim asks something; those that the network itself allows, "
    "as the logit of each letter's token is above 0 (default: what suits the claim)")]
States = Annotated[int, typer.Option(
    "--states", metavar="K", parser=whole_number, help="the most states of an automaton")]
Drawing = Annotated[str | None, typer.Option(
    "--svg", metavar="FILE", parser=written_file, help="write the drawing of the automaton here")]
Page = Annotated[str | None, typer.Option(
    "--html", metavar="FILE", parser=written_file, help="write the page of what was learnt here")]
Second = Annotated[str, typer.Argument(metavar="MODEL2", help="a file with another trained network, or a certificate")]
Query = Annotated[str | None, typer.Option(
    "--query", metavar="FILE", help="in place of a claim: a query of VNN-LIB 2.0 about two networks, which are MODEL "
    "and MODEL2")]
Folder = Annotated[str | None, typer.Option(
    "--output", "-o", metavar="DIR", parser=written_place, help="write the certificates here: a new folder")]
