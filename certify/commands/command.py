"""What all commands have in common: an option is given once, places are looked after, and progress can be silenced."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_type_hints

import typer.core

from certify.asking.options import written_file, written_folder, written_place
from certify.frame.places import STANDARD_STREAM, Places, keep_places
from certify.frame.progress import silence

WRITTEN = (written_file, written_folder, written_place)


class Command(typer.core.TyperCommand):
    """A command that refuses an option that is given twice, where all but the last would be ignored.

    Before its work begins, it refuses places where nothing may be written.
    """

    def get_short_help_str(self, limit: int = 0) -> str:
        """Its first sentence, whole on a terminal of any width."""
        return str(super().get_short_help_str(len(self.help or "")))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; the parser's own account of their order has each option as often as it is there."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        once = [option for option in order if isinstance(option, typer.core.TyperOption)
                and not (option.is_flag or option.multiple or ctx.resilient_parsing)]
        for option in once:
            if once.count(option) > 1:
                ctx.fail(f"{max(option.opts, key=len)} is given twice, expected once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Do what the command does."""
        with keep_places() as places, silence(bool(ctx.params.get("quiet"))):
            note_outputs(self, ctx.params, places)
            return super().invoke(ctx)


def note_outputs(command: Command, given: dict[str, Any], places: Places) -> None:
    """Note where the options write.

    Raises:
        InputError: if something there would be lost, or nothing can be written.
    """
    from certify.frame.files import check_new_folder, check_writable
    from constructions.errors import InputError

    kinds = kinds_of(command)
    for parameter in command.params:
        kind, name = kinds.get(str(parameter.name)), given.get(str(parameter.name))
        if kind not in WRITTEN or name is None:
            continue
        option = option_name(parameter)
        if not name:
            raise InputError(f"{option}: the name is empty, expected a file or a folder")
        if name == STANDARD_STREAM and given.get("as_json") and kind is not written_folder:
            raise InputError(f"{option} -: standard output takes the JSON object, expected a file")
        if kind is written_file:
            check_writable(name)
        elif kind is written_folder:
            check_new_folder(name)
        places.note_output(option, name)


def kinds_of(command: typer.core.TyperCommand) -> dict[str, object]:
    """The functions that read the values of options and arguments, by the names of the parameters."""
    function = inspect.unwrap(command.callback or note_outputs)
    return {name: next((info.parser for info in get_args(hint) if hasattr(info, "parser")), None)
            for name, hint in get_type_hints(function, include_extras=True).items()}


def option_name(parameter: Any) -> str:
    """As it is given on the command line: -o, --html, or of an argument what stands for it."""
    if isinstance(parameter, typer.core.TyperOption):
        return str(min(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name)
