"""`certify build`: the network of a subject, as a model file."""

from typing import Annotated, Any

import typer

from certify.commands.finish import say_reading
from certify.common.files import write_text
from certify.common.look import SUFFIXES_OF_PROGRAMS
from certify.requests import options as option
from constructions.errors import InputError


@option.with_options("output regex dfa alphabet dialect as_formula symbol regime causal gamma predicate as_printed "
                     "temperature precision attention")
def build(
    text: option.FormulaText = None,
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="FILE", parser=option.written_file,
        help="write the model here; - is standard output")] = "-",
    as_formula: option.AsFormula = False,
    longest: option.Longest = None,
    **written: Any,
) -> None:
    """Write the transformer of FORMULA as JSON.

    A program (.rasp) is compiled to hard attention, and --alphabet is the only option that changes that. With
    --as-formula the transformer of the formula of its output is built, the only one that a C-RASP program (.cr) has.
    """
    from certify.requests.building import lengths_served
    from certify.requests.request import read_request
    from certify.requests.subjects import Programs, SubjectKind
    from constructions.network.json_form import transformer_to_json, write_canonical

    if as_formula and not (text or "").endswith(SUFFIXES_OF_PROGRAMS):
        raise InputError("--as-formula: expected it with a program (.rasp or .cr)")
    options = option.options_of(written)
    programs = Programs.FORMULA if as_formula else Programs.COMPILED
    request = read_request(text, options, (SubjectKind.FORMULA, SubjectKind.PROGRAM),
                           lengths_served(options.precision, longest),
                           programs=programs)
    say_reading(request)
    write_text(output, write_canonical(transformer_to_json(request.network)))
