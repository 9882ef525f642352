"""`certify decide`, and `certify run` of a trained network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from certify.options import CertificateOption, ClaimOption, DaskOption, JobsOption, JsonOption, whole_number
from certify.terminal import check_place, print_json

Answers = Literal["each", "last", "first"]
TRUTH = "TRUTH is a formula, regex:EXPRESSION or dfa:FILE"


def decide(
    model: Annotated[str, typer.Argument(
        metavar="MODEL", help="a file with a trained network (certify import makes it), or a certificate of one")],
    claim: ClaimOption = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=whole_number, help="all words up to this length (left out: the claim says)")]
    = None,
    min_n: Annotated[int | None, typer.Option(
        "--min-n", metavar="N", parser=whole_number, help="all words from this length on")] = None,
    offset: Annotated[str | None, typer.Option(
        "--offset", metavar="all|K|A-B", help="position numbers of the first token (left out: the claim says; 0)")]
    = None,
    letters: Annotated[str | None, typer.Option(
        "--letters", metavar="SYMBOLS", help="without a claim file: the symbols, 01 or a,b,c")] = None,
    tokens: Annotated[str | None, typer.Option(
        "--tokens", metavar="T,T,…", help="their tokens (left out: 0,1,…)")] = None,
    before: Annotated[str | None, typer.Option("--before", metavar="T,…", help="tokens before the word")] = None,
    after: Annotated[str | None, typer.Option("--after", metavar="T,…", help="tokens after the word")] = None,
    answers: Annotated[Answers | None, typer.Option(
        "--answers", help="where logits are judged: at each letter, the last token, the first token")] = None,
    empty: Annotated[bool, typer.Option("--empty", help="and at the last token before the word")] = False,
    margin: Annotated[str | None, typer.Option("--margin", metavar="NUMBER", help="0 if it is left out")] = None,
    given: Annotated[str | None, typer.Option("--given", metavar="TRUTH", help="judged only where this holds")] = None,
    sign: Annotated[list[str] | None, typer.Option(
        "--sign", metavar="'T: TRUTH'", help=f"the logit of T is above 0 where it holds, below where not; {TRUTH}")]
    = None,
    larger: Annotated[list[str] | None, typer.Option(
        "--larger", metavar="'T,U: TRUTH'", help="the logit of T is above that of U where it holds, below where not")]
    = None,
    argmax: Annotated[list[str] | None, typer.Option(
        "--argmax", metavar="'T: TRUTH'", help="one for each token of which the greatest is asked")] = None,
    follow: Annotated[str | None, typer.Option(
        "--follow", metavar="TRUTH", help="logits above 0 are the tokens that may follow in this language")] = None,
    end: Annotated[str | None, typer.Option("--end", metavar="T", help="beside --follow: the end token")] = None,
    predicate: Annotated[list[str] | None, typer.Option(
        "--predicate", metavar="DEFINITION", help="define a predicate, as in 'THIRD(k) := k % 3 == 1'")] = None,
    jobs: JobsOption = None,
    dask: DaskOption = None,
    store: Annotated[str | None, typer.Option(
        "--store", metavar="DIR", help="keep finished parts here, and take those that are there")] = None,
    output: CertificateOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide every word of a trained network.

    Each length is certified, with a certificate that a stranger checks; or refuted, with the shortest wrong word found;
    or left open, and why. The claim is a file (docs/deciding.md), or a few options.
    """
    from certify.deciding.claim_file import Scope
    from certify.deciding.flags import Flags, read_offsets
    from certify.deciding.question import read_question
    from certify.shards import read_workers

    check_place(output, as_json)
    flags = Flags(letters, tokens, before, after, answers, empty, margin, given, sign or (), larger or (), argmax or (),
                  follow, end, predicate or ())
    network, wanted = read_question(model, claim, flags, Scope(max_n, min_n, read_offsets(offset)))
    from certify.deciding.decide import decide as decide_claim
    from certify.progress import ProgressLine

    with ProgressLine() as progress:
        decide_claim(network, wanted, read_workers(jobs, dask), Path(store) if store else None, progress)


def run_trained(subject: str, word: str, claim: str | None, offset: int | None, heads: bool, as_json: bool) -> None:
    """Print one word through a trained network; the file of a claim, or of a certificate, says what letters are."""
    from certify.deciding.show_run import print_word_run, word_run_to_json
    from certify.deciding.word_files import read_word_run
    from certify.showing.terminal_tables import console

    run = read_word_run(subject, word, claim, offset, heads)
    if as_json:
        print_json(word_run_to_json(run))
    else:
        print_word_run(console(), run)


def refuse_options(why: str, given: Mapping[str, object]) -> None:
    """Raise InputError for the first option that was given: it would be ignored."""
    from constructions.errors import InputError

    for name, value in given.items():
        if value is not None and value is not False and value != []:
            raise InputError(f"{name}: {why}")
