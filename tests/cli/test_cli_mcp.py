"""`certify mcp`: five tools with the answers of --json, driven by the official client; a call can neither overstate,
nor outlive its time, nor be turned into another command."""

import asyncio
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from certify.cli import command_line
from certify.commands.mcp_tools import INSTRUCTIONS, run_in_time, schema_of, tools_within
from certify.common.verdicts import VERDICTS
from constructions.errors import InputError
from tests.cli.reports import without_seconds
from tests.processes import ROOT, wait_until
from tests.with_mcp import mcp_or_skip

TOOLS = tools_within(command_line().commands, 60)
CLAIM = {"formula": "prev Q_1", "alphabet": "01", "max_n": 3}
SLEEPS = "import time; time.sleep(600)"
WRONG = ROOT / "tests" / "corpus" / "accepted" / "trained_wrong_word.cert"


# -- by the official client --------------------------------------------------------------------------------------------


CALLS: Mapping[str, tuple[str, Mapping[str, Any], tuple[str, ...]]] = {
    "formula": ("formula", {**CLAIM, "output": "prev.cert"},
                ("formula", "prev Q_1", "--alphabet", "01", "--max-n", "3")),
    "check": ("check", {"files": ["prev.cert"], "formula": "prev Q_1", "max_n": 2},
              ("check", "prev.cert", "--formula", "prev Q_1", "--max-n", "2")),
    "longer": ("check", {"files": ["prev.cert"], "max_n": 4}, ("check", "prev.cert", "--max-n", "4")),
    "wrong word": ("check", {"files": [str(WRONG)]}, ("check", str(WRONG))),
    "run": ("run", {"subject": "prev.cert", "word": "0110"}, ("run", "prev.cert", "0110")),
    "decide": ("decide", {"model": str(WRONG), "max_n": 2}, ("decide", str(WRONG), "--max-n", "2")),
    "audit": ("audit", {**CLAIM, "gamma": "1/10", "critical": "none"},
              ("audit", "--formula", "prev Q_1", "--alphabet", "01", "--max-n", "3", "--gamma", "1/10", "--critical",
               "none")),
    "mistake": ("formula", {"formula": "Q_1 since"}, ("formula", "Q_1 since")),
    "missing": ("decide", {"model": "none.json"}, ("decide", "none.json")),
}


async def ask_all(folder: Path, library: Any) -> dict[str, Any]:
    """The server's answer to each call, all by one client."""
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(command=sys.executable, args=["-P", "-m", "certify", "mcp", "--timeout", "300"],
                                   cwd=folder, env={"PYTHONPATH": str(ROOT)})
    async with library.Client(server) as client:
        listed = (await client.list_tools()).tools
        answers = {name: await client.call_tool(tool, dict(given)) for name, (tool, given, _) in CALLS.items()}
        return {"tools": listed, "instructions": client.instructions, **answers}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    library, folder = mcp_or_skip(), tmp_path_factory.mktemp("served")
    return folder, asyncio.run(ask_all(folder, library))


def test_the_client_finds_five_tools_whose_descriptions_are_those_of_the_commands(
        asked: tuple[Path, dict[str, Any]]) -> None:
    listed = {tool.name: tool for tool in asked[1]["tools"]}
    assert list(listed) == ["formula", "check", "run", "decide", "audit"]
    for name, tool in listed.items():
        assert tool.input_schema == TOOLS[name].schema | {
            "properties": {**TOOLS[name].schema["properties"], "timeout": tool.input_schema["properties"]["timeout"]}}
        assert command_line().commands[name].get_short_help_str().rstrip(".") in tool.description
    assert asked[1]["instructions"] == INSTRUCTIONS


@pytest.mark.parametrize("name", CALLS)
def test_an_answer_is_the_json_object_of_the_command(
        asked: tuple[Path, dict[str, Any]], name: str, certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, answers = asked
    monkeypatch.chdir(folder)
    shown = certify(*CALLS[name][2], "--json").json
    found = answers[name]
    assert without_seconds(found.structured_content) == without_seconds(shown)
    assert json.loads(found.content[0].text) == found.structured_content
    assert found.is_error == (shown.get("verdict") in ("malformed", "unreadable"))


def test_what_is_wrong_is_not_told_as_right(asked: tuple[Path, dict[str, Any]]) -> None:
    answers = {name: asked[1][name].structured_content for name in CALLS}
    assert answers["longer"]["verdict"] == "rejected"
    assert answers["audit"]["verdict"] == "refuted"
    assert answers["wrong word"]["files"][0]["claim_is_false"] is True
    assert "claim_is_false" not in answers["check"]["files"][0]
    assert answers["run"]["note"].startswith("the word has 4 letters, and the certificate is about words of 1 to 3")


# -- without the library -----------------------------------------------------------------------------------------------


def test_without_the_extra_one_line_says_so(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    result = certify("mcp")
    assert (result.code, result.out, result.err) == (
        3, "", "certify: mcp is not installed, expected the extra: pip install '.[mcp]' in a checkout of certify\n")


def test_the_instructions_name_every_verdict_of_the_tools() -> None:
    named = {word.strip() for line in INSTRUCTIONS.splitlines() for word in line.partition(":")[0].split(",")}
    assert set(VERDICTS) - named == {"unchecked", "agreement", "contradiction"}  # of prove --write, and of crosscheck


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_writes_to_no_place_but_that_of_a_new_certificate(name: str) -> None:
    places = {"output", "html", "markdown", "csv", "store", "wrong"} & TOOLS[name].parameters.keys()
    assert places == ({"output"} if name in ("formula", "decide") else set())
    assert not {"json", "quiet", "dask", "jobs", "resume", "formulas"} & TOOLS[name].parameters.keys()


def test_a_certificate_replaces_no_file(tmp_path: Path) -> None:
    there = tmp_path / "there.cert"
    there.write_text("kept")
    (tmp_path / "link").symlink_to("nowhere")
    for place in (there, tmp_path / "link", "-"):
        with pytest.raises(InputError, match="expected the name of a new file"):
            TOOLS["formula"].command_line({**CLAIM, "output": str(place)})


@pytest.mark.parametrize("name", TOOLS)
def test_every_value_stays_the_value_of_its_own_option(name: str) -> None:
    """Parsed by the command itself, values that look like options are values."""
    tool = TOOLS[name]
    hostile = {"string": "--help", "integer": -5, "boolean": True, "array": ["--json", "-q"]}
    given = {each: schema["enum"][0] if "enum" in schema else hostile[schema["type"]]
             for each, schema in tool.schema["properties"].items() if each not in ("timeout", "at", "output")}
    words = tool.command_line(given)
    assert words[:2] == [name, "--json"]
    command = command_line().commands[name]
    read = command.make_parser(command.make_context(name, [], resilient_parsing=True)).parse_args(words[1:])[0]
    for each, value in given.items():
        parameter = tool.parameters[each]
        found = read[parameter.name]
        assert found == value or found == str(value) or found == [str(value)] or list(found) == value, each
    assert not {"help", "quiet"} & {key for key, value in read.items() if value}


@pytest.mark.parametrize(("name", "given", "complaint"), [
    ("formula", {}, "nothing to prove, expected formula, regex or dfa"),
    ("formula", {"formula": "Q_a", "json": True}, r"json: no parameter, expected formula, "),
    ("formula", {"formula": 3}, "formula: found 3, expected string"),
    ("formula", {"formula": "Q_a", "max_n": "3"}, 'max_n: found "3", expected integer'),
    ("formula", {"formula": "Q_a", "max_n": True}, "max_n: found true, expected integer"),
    ("formula", {"formula": "Q_a", "regime": "no"}, 'regime: found "no", expected temperature or position'),
    ("formula", {"formula": "Q_a", "timeout": 61}, "timeout: found 61, expected a number of seconds from 1 to 60"),
    ("formula", {"formula": "Q_a", "timeout": True}, "timeout: found true, expected a number of seconds"),
    ("formula", {"formula": "Q_a", "timeout": 10**5000}, "timeout: found a very large number, expected a number of "),
    ("formula", {"formula": "Q_a", "max_n": 10**5000}, "max_n: found a very large number, expected integer"),
    ("check", {"files": [3]}, r"files: found \[3\], expected array"),
    ("run", {"subject": "a\0b", "word": "x"}, "subject: found "),
    ("run", {"subject": "Q_a", "word": "\ud800"}, "word: found "),
])
def test_what_a_tool_does_not_have_is_refused(name: str, given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}"):
        TOOLS[name].command_line(given)


def test_each_parameter_has_a_type_and_a_help_text() -> None:
    for tool in TOOLS.values():
        for schema in tool.schema["properties"].values():
            assert schema["description"] and schema["type"] in ("string", "integer", "boolean", "array")
    assert schema_of(list[str] | None) == {"type": "array", "items": {"type": "string"}}


def test_a_call_that_is_cancelled_ends_all_processes_that_it_started(tmp_path: Path) -> None:
    mcp_or_skip()
    started = tmp_path / "started"
    script = (f"import os, subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', {SLEEPS!r}]); "
              f"open('new', 'w').write(str(child.pid)); os.rename('new', {str(started)!r}); {SLEEPS}")

    async def cancel() -> None:
        call = asyncio.create_task(run_in_time([sys.executable, "-c", script], 600))
        while not started.exists():
            await asyncio.sleep(0.02)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call

    with contextlib.chdir(tmp_path):
        asyncio.run(cancel())
    wait_until(lambda: has_ended(int(started.read_text(encoding="utf-8"))))


def test_a_command_whose_time_is_up_has_no_answer() -> None:
    mcp_or_skip()
    assert asyncio.run(run_in_time([sys.executable, "-c", SLEEPS], 0)) is None


def has_ended(process: int) -> bool:
    """Return whether only the process id is left."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_the_server_ends_when_nobody_asks_any_more(tmp_path: Path) -> None:
    mcp_or_skip()
    done = subprocess.run([sys.executable, "-P", "-m", "certify", "mcp"], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
