"""`certify card`: what a certificate proves, for the card of a model."""

from typing import Annotated

import typer

from certify.asking.options import written_file


def card(
    path: Annotated[str, typer.Argument(metavar="CERT", help="a certificate; - is standard input")],
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="FILE", parser=written_file,
        help="write it here (left out: to standard output)")] = "-",
) -> None:
    """Write what is proved, as Markdown for a model card.

    The claim in the checker's words, of which weights, digests, and the command that checks it. The certificate is
    checked first; of one that is rejected nothing is written.
    """
    from certify.exports.card import write_card

    write_card(path, output)
