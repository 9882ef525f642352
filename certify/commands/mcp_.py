"""`certify mcp`: the first five commands as tools for assistants, over standard input and output."""

import importlib.util
from typing import Annotated

import typer

from certify.common.terminal import complain
from certify.requests.options import seconds
from constructions.errors import install


def serve(
    context: typer.Context,
    timeout: Annotated[int, typer.Option(
        "--timeout", metavar="S", parser=seconds, help="the most seconds that one call may take")] = 120,
) -> None:
    """Serve formula, check, run, decide and audit as tools (MCP).

    Over standard input and output, for an assistant that starts this command. Each call is a command with --json in a
    process of its own: the same answer, with a time limit. Needs the extra mcp.
    """
    if importlib.util.find_spec("mcp") is None:
        raise typer.Exit(complain(f"mcp is not installed, expected the extra: {install('mcp')}", "unknown"))
    from certify.commands.mcp_tools import serve_tools

    assert context.parent is not None, "it is a command among others"
    serve_tools(context.parent.command.commands, timeout)  # type: ignore[attr-defined]  # that of a group
