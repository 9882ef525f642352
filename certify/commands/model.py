"""`certify model`: the network of somebody else, for every word up to a length."""

from typing import Annotated

import typer

from certify.asking import options as option
from certify.commands.finish import finish, prove_in_time
from certify.commands.formula import read_runs


def model(
    path: Annotated[str, typer.Argument(metavar="FILE", help="a model file or a certificate; - is standard input")],
    max_n: option.MaxN = 64,
    min_n: option.MinN = 1,
    given: option.Given = None,
    output: option.Certificate = None,
    floats: option.Float = None,
    effort: option.Effort = 1,
    style: option.PrintedStyle = "ascii",
    parenthesize: option.Parenthesize = False,
    as_json: option.Json = False,
) -> None:
    """Certify a transformer that somebody wrote.

    Decides whether every named direction holds what its meaning says, at every position of every word up to length N.
    """
    from certify.asking.request import read_request
    from certify.asking.subjects import Kind
    from certify.asking.written import Options
    from constructions.network.lengths import Lengths

    lengths = Lengths(min_n, max_n)
    request = read_request(path, Options(given=given), taken=(Kind.NETWORK,), lengths=lengths)
    runs = read_runs(floats)
    finish(prove_in_time(request, effort, runs), as_json, style, parenthesize, output)
