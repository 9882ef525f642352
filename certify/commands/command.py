"""The class of all commands: options given at most once, guarded outputs, shared options."""

import inspect
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from os.path import isfile
from pathlib import PurePath
from typing import Any, get_args, get_type_hints

import typer.core
import typer.main

from certify.commands.files_taken import expect_kinds
from certify.common.files import check_new_folder, check_writable
from certify.common.output_guard import STANDARD_STREAM, OutputGuard, guard_outputs
from certify.common.progress import silence
from certify.common.terminal import Json
from certify.requests.options import AsJson, Quiet, Timeout, written_file, written_folder, written_place
from constructions.deadline import time_limit
from constructions.errors import InputError

WRITTEN = (written_file, written_folder, written_place)
LIMIT = "time_limit"
AS_JSON, QUIET = "as_json", "quiet"
COMMON = (AS_JSON, QUIET, LIMIT, "help")
"""The options that nearly all commands have: described once, by ``certify --help``."""
LACKED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("run", "import"), (LIMIT,)), "build": (LIMIT, AS_JSON), "list": (LIMIT, QUIET),
    "export": (AS_JSON,), **dict.fromkeys(("help", "mcp"), COMMON)}
"""Options that some commands lack: these show no progress, print no object, or have their own time limit."""


class Command(typer.core.TyperCommand):
    """A command that rejects options given twice, of which all but the last would be ignored.

    Before its work begins, it rejects outputs that cannot be written. Commands that show progress can be silenced and
    given a time limit.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Add the options shared by nearly all commands behind the command's own."""
        super().__init__(*arguments, **named)
        self.params += [each for each in shared_options() if each.name not in LACKED.get(str(self.name), ())]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of this command in their sections; only name those shared by nearly all commands."""
        every = self.get_params(ctx)
        named = [each for each in every if each.name in COMMON]
        if {each.param_type_name for each in every if each not in named} <= {"argument"}:
            named = []  # there is nothing else
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            sections: dict[str, list[Any]] = {title: []}
            for each in every:
                if each.param_type_name == kind and each not in named and (row := each.get_help_record(ctx)):
                    sections.setdefault(getattr(each, "rich_help_panel", None) or title, []).append(row)
            for heading, rows in sections.items():
                if rows:
                    with formatter.section(heading):
                        formatter.write_dl(rows)
        if named:
            formatter.write_paragraph()
            formatter.write_text(f"Also, as certify --help says: {', '.join(longest_name(each) for each in named)}.")

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first sentence of the help, whole on a terminal of any width."""
        return str(super().get_short_help_str(len(self.help or "")))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; reject options given twice."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        once = [option for option in order if isinstance(option, typer.core.TyperOption)
                and not (option.is_flag or option.multiple or ctx.resilient_parsing)]
        for option in once:
            if once.count(option) > 1:
                ctx.fail(f"{longest_name(option)} is given twice, expected once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command within its time limit.

        Raises:
            TimeIsUp: if the time is up, and the command does not report it itself.
        """
        Json.wanted = ctx.params.pop(AS_JSON, False)
        quiet, limit = ctx.params.pop(QUIET, False), ctx.params.pop(LIMIT, None)
        with guard_outputs() as places, silence(quiet), time_limit(limit):
            note_outputs(self, ctx.params, places)
            expect_kinds(str(self.name), ctx.params)
            return super().invoke(ctx)


@cache
def shared_options() -> list[Any]:
    """Return the options ``--timeout``, ``--quiet`` and ``--json``, as typer makes them of parameters."""
    def takes_long(time_limit: Timeout = None, quiet: Quiet = False, as_json: AsJson = False) -> None:
        """Stand for any command that can take long."""

    app = typer.Typer(add_completion=False)
    app.command()(takes_long)
    return [each for each in typer.main.get_command(app).params if each.name in COMMON]


def note_outputs(command: Command, given: dict[str, Any], places: OutputGuard) -> None:
    """Note the output paths of the options.

    Raises:
        InputError: if data would be lost, or a path cannot be written.
    """
    kinds = kinds_of(command)
    for parameter in command.params:
        kind, name = kinds.get(str(parameter.name)), given.get(str(parameter.name))
        if kind not in WRITTEN or name is None:
            continue
        option = option_name(parameter)
        if not name:
            raise InputError(f"{option}: the name is empty, expected a file or a folder")
        if name == STANDARD_STREAM and Json.wanted and kind is not written_folder:
            raise InputError(f"{option} -: standard output takes the JSON object, expected a file")
        if kind is written_file:
            check_writable(name)
        elif kind is written_folder:
            check_new_folder(name)
        places.note_output(option, name)


def kinds_of(command: typer.core.TyperCommand) -> dict[str, object]:
    """Return the functions that read the values of options and arguments, by the names of the parameters."""
    function = inspect.unwrap(command.callback or note_outputs)
    return {name: next((info.parser for info in get_args(hint) if hasattr(info, "parser")), None)
            for name, hint in get_type_hints(function, include_extras=True).items()}


def repeated(context: Any) -> str:
    """Return the command line without its outputs and formats, with base names of files."""
    kinds, words = kinds_of(context.command), ["certify", str(context.command.name)]
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE" or name in COMMON or kinds.get(name) in WRITTEN:
            continue
        values = context.params[name]
        for value in values if isinstance(values, list | tuple) else [values]:
            text = PurePath(str(value)).name if isfile(str(value)) else str(value)
            is_option = isinstance(parameter, typer.core.TyperOption)
            words += [longest_name(parameter)] * is_option if value is True else (
                [longest_name(parameter), text] if is_option and not text.startswith("-") else
                [f"{longest_name(parameter)}={text}" if is_option else text])
    return shlex.join(words)


def longest_name(parameter: Any) -> str:
    """Return the longest form of an option, as in ``--quiet`` of ``-q, --quiet``."""
    return str(max(parameter.opts, key=len))


def option_name(parameter: Any) -> str:
    """Return the shortest form of an option (-o, --html), or the metavar of an argument."""
    if isinstance(parameter, typer.core.TyperOption):
        return str(min(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name)


def refuse_options(why: str, given: Mapping[str, object]) -> None:
    """Raise InputError for the first given option, as it would be ignored."""
    for name, value in given.items():
        if value is not None and value is not False and value != []:
            raise InputError(f"{name}: {why}")
