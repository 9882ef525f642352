"""The command line: what becomes of arguments, and of everything that can go wrong.

Exit status 0 certified, proved or accepted, 1 refuted or rejected, 2 bad usage or input, 3 unknown, unproved or
unsupported. A reader that goes away (``certify list | head -1``) ends the command quietly with 141, as a shell reports
a process that ended by SIGPIPE: no usage error, and no verdict either. Imports inside the commands keep ``certify
--help`` quick.
"""

import sys
from copy import copy
from functools import cache
from typing import Annotated, Any, NoReturn

import typer
import typer.main

from certify.commands.ablate import ablate
from certify.commands.audit import audit
from certify.commands.build import build
from certify.commands.check import check
from certify.commands.command import Command
from certify.commands.decide import decide
from certify.commands.explain import explain
from certify.commands.export import export
from certify.commands.floats import floats
from certify.commands.formula import formula
from certify.commands.front_page import FrontPage
from certify.commands.harden import harden
from certify.commands.heads import heads
from certify.commands.help_ import list_all, show_help
from certify.commands.help_examples import epilog_of
from certify.commands.import_ import import_files
from certify.commands.learn import equal, learn
from certify.commands.mcp_ import serve
from certify.commands.model import model
from certify.commands.prove import prove
from certify.commands.run import run
from certify.commands.sensitivity import cross_entropy, sensitivity
from certify.commands.train import train
from certify.common.terminal import complain, discard_output, expect_json, prepare_output, say
from certify.common.verdicts import BAD_INPUT, INTERRUPTED, READER_GONE
from constructions.errors import WithoutAnswer

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""The base class of every complaint of the option parser."""


app = typer.Typer(
    name="certify",
    cls=FrontPage,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
NAMES = {list_all: "list", import_files: "import", cross_entropy: "cross-entropy", show_help: "help",
         serve: "mcp"}
"""Of commands whose names are none of a function, or taken by Python."""
LOOK_AT_OTHERS = ("help", "mcp")
for command in (formula, check, audit, build, model, run, explain, prove, sensitivity, cross_entropy, floats,
                import_files, decide, heads, ablate, harden, learn, equal, train, export, list_all, show_help, serve):
    name = NAMES.get(command, command.__name__)
    app.command(name=name, epilog=epilog_of(name), cls=Command)(command)


def print_version(wanted: bool) -> None:
    """Print the version and exit, if ``--version`` was given."""
    if wanted:
        from certify import __version__

        print(f"certify {__version__}")
        raise typer.Exit


@app.callback(epilog=epilog_of("certify"))
def certify(
    version: Annotated[bool, typer.Option(
        "--version", callback=print_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Proofs about concrete transformers: the weights compute the formula on every word up to length n, exactly."""


@cache
def command_line(name: str | None = None) -> Any:
    """Build the parser of all commands, or of one command only, which loads faster.

    The options that install completion work, but are listed in the epilogue only.
    """
    chosen = copy(app)
    if name is not None:
        chosen.registered_commands = [each for each in app.registered_commands if each.name == name]
    found = typer.main.get_command(chosen)
    for parameter in found.params:
        if str(parameter.name).endswith("_completion"):
            parameter.hidden = True  # type: ignore[attr-defined]  # an option, though its type says parameter
    return found


def alone(word: str) -> str | None:
    """Return the command of this name, unless it looks at others."""
    return word if word not in LOOK_AT_OTHERS and word in {each.name for each in app.registered_commands} else None


def main() -> NoReturn:
    """Run the command line; every complaint is one line on standard error."""
    prepare_output()
    expect_json(sys.argv[1:])
    try:
        words = sys.argv[1:] or ["--help"]
        code = command_line(alone(words[0]))(words, prog_name="certify", standalone_mode=False)
        sys.stdout.flush()
    except WithoutAnswer as reason:
        code = complain(reason, reason.verdict)
    except USAGE_ERROR as error:
        code = complain(describe_misuse(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        discard_output()
        code = READER_GONE
    except SystemExit as end:  # rich and typer make one of a broken pipe, and typer of completion
        discard_output()
        code = 0 if end.code in (0, None) else READER_GONE
    except OSError as error:
        discard_output()
        say(f"standard output: {error.strerror}")
        code = BAD_INPUT
    except RecursionError:
        code = complain("input nested too deeply")
    if code == INTERRUPTED:
        complain("interrupted", "unknown")
    try:
        sys.stdout.flush()
    except OSError:  # the reader is gone, which has been reported
        discard_output()
    sys.exit(code if isinstance(code, int) else 0)


def describe_misuse(error: Any) -> str:
    """Return the complaint of the option parser, and where the usage is explained."""
    context = getattr(error, "ctx", None)
    message = " ".join(str(error.format_message()).replace("Value error, ", "").split()).removesuffix(".")
    return f"{message}; {context.command_path if context else 'certify'} --help explains the usage"


if __name__ == "__main__":
    main()
