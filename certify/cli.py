"""The command line: what becomes of arguments, and of everything that can go wrong.

Exit status 0 certified, proved or accepted, 1 refuted or rejected, 2 bad usage or input, 3 unknown, unproved or
unsupported. Imports inside the commands keep ``certify --help`` quick.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import typer

from certify.commands.auditing import audit
from certify.commands.building import build
from certify.commands.checking import check
from certify.commands.checking_out import checker
from certify.commands.crosschecking import crosscheck
from certify.commands.deciding import decide
from certify.commands.every_length import prove
from certify.commands.exporting import export
from certify.commands.floats import floats
from certify.commands.importing import import_files
from certify.commands.proving import formula, model
from certify.commands.showing import explain, list_all, run
from certify.commands.softening import soften
from certify.terminal import complain, discard_output, prepare_output
from certify.verdicts import BAD_INPUT, INTERRUPTED, exit_status

NO_VERDICT = exit_status("unknown")
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""The base class of every complaint of the option parser."""

app = typer.Typer(
    name="certify",
    help="Proofs about concrete transformers: the weights compute the formula on every word up to length n, exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
NAMES = {list_all: "list", import_files: "import"}
"""Of commands whose names Python has taken."""
for command in (formula, check, checker, audit, build, model, run, explain, prove, soften, floats, import_files, decide,
                export, crosscheck, list_all):
    app.command(name=NAMES.get(command))(command)


def main() -> NoReturn:
    """Run the command line; every complaint is one line on standard error."""
    from constructions.errors import InputError, InternalError, Unsupported, WorkLost

    prepare_output()
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="certify", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        code = complain(error)
    except Unsupported as construct:
        code = complain(f"unsupported: {construct}", NO_VERDICT)
    except WorkLost as loss:
        code = complain(f"no verdict: {loss}", NO_VERDICT)
    except InternalError as contradiction:
        code = complain(f"internal error, no verdict: {contradiction}", NO_VERDICT)
    except USAGE_ERROR as error:
        code = complain(describe_misuse(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):  # typer and rich turn the first into the second
        discard_output()
        code = BAD_INPUT
    except OSError as error:
        discard_output()
        code = complain(f"standard output: {error.strerror}")
    except RecursionError:
        code = complain("input nested too deeply")
    if code == INTERRUPTED:
        complain("interrupted")
    sys.exit(code if isinstance(code, int) else 0)


def describe_misuse(error: Any) -> str:
    """The complaint of the option parser, and where the usage is explained."""
    context = getattr(error, "ctx", None)
    message = str(error.format_message()).removesuffix(".")
    return f"{message}; {context.command_path if context else 'certify'} --help explains the usage"


if __name__ == "__main__":
    main()
