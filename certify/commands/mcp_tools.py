"""The tools of `certify mcp`: their parameters are the options of the commands, their answers what --json prints.

A call starts the command in a process group of its own, which is ended on timeout or when the call is cancelled. Tools
are built from the commands' own descriptions only, so a tool claims no more than its command.
"""

import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from certify import __version__
from certify.commands.command import LIMIT, WRITTEN, kinds_of
from constructions.errors import InputError

TIMEOUT = "timeout"
OUTPUT = "output"
TOOLS = ("formula", "check", "run", "decide", "audit")
WRITES_A_CERTIFICATE = ("formula", "decide")
READING = ("check", "run")
"""Commands that write nothing; audits of files keep what is finished."""
NO_INPUT = ("malformed", "unreadable")
NOT_FOR_TOOLS = {"as_json", "quiet", "help", LIMIT, "formulas", "dask", "jobs", "resume", "verified",
                 "crosscheck", "script_timeout"}
"""Beside output paths: options for terminals, for many formulas at once, or for other machines."""
CALLED = {("formula", "text"): "formula"}
SUBJECT = ("formula", "regex", "dfa")
"""The subjects of `formula`, one of which is required; without any it would prove all shipped examples."""
MOST = 1 << 63
"""A bound of all numbers in options."""
GRACE = 10
"""Seconds that a command has for its partial answer after the timeout."""
INSTRUCTIONS = """\
These tools decide claims about concrete transformers. A verdict means what follows, and nothing more may be said:
certified: proved for every word of the stated alphabet and lengths (min_n to max_n), in exact arithmetic; nothing is
  known of longer words, of other weights, or of runs in floating point that are not named. A max_n of null: words of
  any length from min_n on.
vacuous: the claim judges nothing on any word of these lengths, so that it says nothing of the network.
refuted: the counterexample breaks the claim, and was replayed.
refuted on a reading: as refuted, for a claim that has another reading, which its row names.
accepted: the independent checker proved the claim of the certificate file, which need not be the claim that you have in
  mind: pass formula, alphabet and max_n to compare. With claim_is_false the file proves that its claim is wrong.
rejected: the file does not prove its claim; the claim may still be true.
proved, unproved: of audits; Coq accepts the theorem about words of every length, or it does not, which refutes nothing.
measured, not decidable: of audits; numbers between proved bounds, or nothing that could be decided.
unknown, incomplete, unsupported: nothing is known, for the reason that is given.
malformed, unreadable: the input could not be read.
Files are named relative to the folder where the server was started."""


@dataclass(frozen=True)
class Tool:
    """One command, as a tool."""

    command: Any
    most_seconds: int

    @property
    def name(self) -> str:
        """The name of the command."""
        return str(self.command.name)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the command that the tool has, by their names in the tool."""
        kinds = kinds_of(self.command)
        return {self.called(each): each for each in self.command.params if self.is_offered(each, kinds)}

    def is_offered(self, parameter: Any, kinds: Mapping[str, object]) -> bool:
        """Return whether the tool has this parameter; of output paths, only the certificate's."""
        if kinds.get(parameter.name) in WRITTEN:
            return parameter.name == OUTPUT and self.name in WRITES_A_CERTIFICATE
        return parameter.name not in NOT_FOR_TOOLS

    def called(self, parameter: Any) -> str:
        """Return the name of a parameter in the tool, which is that of the command line."""
        if parameter.param_type_name == "argument":
            return str(CALLED.get((self.name, parameter.name), parameter.name))
        return str(max(parameter.opts, key=len)).removeprefix("--").replace("-", "_")

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameters."""
        hints = get_type_hints(inspect.unwrap(self.command.callback))
        properties = {name: {**schema_of(hints[each.name]), "description": each.help}
                      for name, each in self.parameters.items()}
        properties[TIMEOUT] = {"type": "integer", "minimum": 1, "maximum": self.most_seconds, "description":
                               f"time limit in seconds, then the verdict is unknown (default: {self.most_seconds})"}
        return {"type": "object", "properties": properties, "additionalProperties": False,
                "required": [name for name, each in self.parameters.items() if each.required]}

    def described(self) -> Any:
        """Describe the tool in the protocol's form."""
        import mcp.types as protocol

        text = f"{inspect.cleandoc(self.command.help)}\n\nThe answer is the JSON object of certify {self.name} --json."
        hints = protocol.ToolAnnotations(read_only_hint=self.name in READING, destructive_hint=False,
                                         idempotent_hint=True, open_world_hint=False)
        return protocol.Tool(name=self.name, description=text, input_schema=self.schema, annotations=hints)

    def seconds(self, given: Mapping[str, Any]) -> int:
        """Return the time limit of a call, in seconds.

        Raises:
            InputError: if it is not a whole number from 1 to the server's limit.
        """
        found = given.get(TIMEOUT, self.most_seconds)
        if type(found) is not int or not 1 <= found <= self.most_seconds:
            raise InputError(f"{TIMEOUT}: found {briefly(found)}, expected a number of seconds from 1 to "
                             f"{self.most_seconds}")
        return found

    def command_line(self, given: Mapping[str, Any]) -> list[str]:
        """Return the words of the command: each value behind its option's name, arguments behind all options.

        Raises:
            InputError: if something is given that the tool does not have, or of another type.
        """
        values = {name: value for name, value in given.items() if name != TIMEOUT and value is not None}
        for name, value in values.items():
            if name not in self.parameters:
                raise InputError(f"{name}: no parameter, expected {', '.join(self.parameters)} or {TIMEOUT}")
            check_type(name, value, self.schema["properties"][name])
        if self.name == "formula" and not values.keys() & {*SUBJECT}:
            raise InputError(f"nothing to prove, expected {', '.join(SUBJECT[:-1])} or {SUBJECT[-1]}")
        if OUTPUT in values and (values[OUTPUT] == "-" or os.path.lexists(values[OUTPUT])):
            raise InputError(f"{OUTPUT}: {values[OUTPUT]} is there, expected the name of a new file")
        limit = [f"--timeout={self.seconds(given)}"] if any(each.name == LIMIT for each in self.command.params) else []
        words, behind = [self.name, "--json", *limit], ["--"]
        for name, each in self.parameters.items():  # arguments in their order
            found = words_of(each, values[name]) if name in values else []
            (behind if each.param_type_name == "argument" else words).extend(found)
        return [*words, *behind]


def schema_of(hint: Any) -> dict[str, Any]:
    """Return the JSON Schema of a parameter's type.

    >>> schema_of(int | None), schema_of(list[str]), schema_of(Literal["a", "b"] | None)
    ({'type': 'integer'}, {'type': 'array', 'items': {'type': 'string'}}, {'type': 'string', 'enum': ['a', 'b']})
    """
    if get_origin(hint) in (Union, type(int | None)):
        return schema_of(next(part for part in get_args(hint) if part is not type(None)))
    if get_origin(hint) is list:
        return {"type": "array", "items": {"type": "string"}}
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    return {"type": {int: "integer", bool: "boolean"}.get(hint, "string")}


def check_type(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    """Raise InputError if a value is not of the type that the schema states."""
    kinds: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}
    is_right = type(value) is kinds[schema["type"]]
    if is_right and schema["type"] == "array":
        is_right = all(type(each) is str for each in value)
    if is_right and schema["type"] == "integer":
        is_right = abs(value) < MOST
    if is_right and "enum" in schema:
        is_right = value in schema["enum"]
    if not is_right or any(map(is_no_word, value if isinstance(value, list) else [str(value)])):
        expected = " or ".join(schema.get("enum", [schema["type"]]))
        raise InputError(f"{name}: found {briefly(value)}, expected {expected}")


def briefly(value: Any) -> str:
    """Return a value as JSON, cut.

    >>> briefly("3"), briefly(10**5000)
    ('"3"', 'a very large number')
    """
    try:
        return json.dumps(value)[:40]
    except ValueError:  # more digits than Python prints
        return "a very large number"


def is_no_word(text: str) -> bool:
    """Return whether the text cannot be an argument of a program: not Unicode, or with a null character."""
    return "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)


def words_of(parameter: Any, value: Any) -> list[str]:
    """Return a value as words of a command line, which no option can be hidden in."""
    if parameter.param_type_name == "argument":
        return [str(each) for each in value] if isinstance(value, list) else [str(value)]
    option = max(parameter.opts, key=len)
    if isinstance(value, bool):
        return [option] * value
    return [f"{option}={each}" for each in (value if isinstance(value, list) else [value])]


# -- a call ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ToolAnswer:
    """The JSON object of the command, and its messages on standard error."""

    found: dict[str, Any]
    notes: str = ""


async def answer(tool: Tool, given: Mapping[str, Any]) -> ToolAnswer:
    """Run the command; whatever goes wrong is an answer that proves nothing."""
    try:
        words, seconds = tool.command_line(given), tool.seconds(given)
    except InputError as error:
        return ToolAnswer({"verdict": "malformed", "error": str(error)})
    try:
        said = await run_in_time([sys.executable, "-P", "-m", "certify", *words], seconds + GRACE)
    except OSError as error:  # too long for a command line, or no more processes
        return ToolAnswer({"verdict": "unknown", "error": f"no verdict: {error.strerror}"})
    if said is None:
        return ToolAnswer({"verdict": "unknown", "error": f"no verdict: no answer in {seconds} s"})
    printed, complaints = said
    try:
        found = json.loads(printed)
    except ValueError:
        found = None
    notes = "\n".join(line for line in complaints.splitlines() if line.startswith("certify: note: "))
    if not isinstance(found, dict):
        last = (complaints.strip().splitlines() or ["nothing was printed"])[-1]
        return ToolAnswer({"verdict": "unknown", "error": f"no verdict: {last[:200]}"})
    return ToolAnswer(found, notes)


async def run_in_time(words: Sequence[str], seconds: float) -> tuple[str, str] | None:
    """Run a program with a timeout; return its standard output and standard error, or None if the time is up."""
    import anyio

    said = {1: b"", 2: b""}

    async def listen(number: int, stream: Any) -> None:
        async for part in stream:
            said[number] += part

    process = await anyio.open_process(words, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        with anyio.move_on_after(seconds):
            async with anyio.create_task_group() as group:
                group.start_soon(listen, 1, process.stdout)
                group.start_soon(listen, 2, process.stderr)
            await process.wait()
            return said[1].decode("utf-8", "replace"), said[2].decode("utf-8", "replace")
        return None
    finally:
        end_group(process.pid)
        with anyio.CancelScope(shield=True):
            await process.aclose()


def end_group(leader: int) -> None:
    """End the processes of a group, those that a command started, too."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # all of them have ended
        return


# -- the server --------------------------------------------------------------------------------------------------------


def tools_within(commands: Mapping[str, Any], most_seconds: int) -> dict[str, Tool]:
    """Return the tools, by name; of all commands those to begin with."""
    return {name: Tool(commands[name], most_seconds) for name in TOOLS}


def make_server(tools: Mapping[str, Tool]) -> Any:
    """Return the server, not yet connected to anything."""
    import mcp.types as protocol
    from mcp.server import Server

    async def list_tools(_: Any, __: Any) -> Any:
        return protocol.ListToolsResult(tools=[tool.described() for tool in tools.values()])

    async def call_tool(_: Any, asked: Any) -> Any:
        if asked.name not in tools:
            found = ToolAnswer({"verdict": "malformed", "error": f"no tool {asked.name}, expected {', '.join(tools)}"})
        else:
            found = await answer(tools[asked.name], asked.arguments or {})
        texts = [json.dumps(found.found, indent=1), *([found.notes] if found.notes else [])]
        return protocol.CallToolResult(
            content=[protocol.TextContent(type="text", text=text) for text in texts], structured_content=found.found,
            is_error=found.found.get("verdict") in NO_INPUT)

    return Server("certify", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools,
                  on_call_tool=call_tool)


def serve_tools(commands: Mapping[str, Any], most_seconds: int) -> None:
    """Serve over standard input and output, until the other end closes."""
    import anyio
    from mcp.server.stdio import stdio_server

    server = make_server(tools_within(commands, most_seconds))

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)
