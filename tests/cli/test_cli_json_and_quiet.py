"""With --json bad input is one JSON object, too; with --quiet nothing is said of progress."""

import itertools
from typing import Any

import pytest

from certify.cli import command_line
from certify.commands.command import option_name
from certify.common.progress import ProgressLine

WITH_JSON = [name for name, command in command_line().commands.items()
             if any(option_name(one) == "--json" for one in command.params)]
BAD = {"an unknown option": ("--bogus",), "a number of letters": ("--max-n", "many"),
       "a file that is missing": ("nowhere.json", "--claim", "nowhere.toml")}


@pytest.mark.parametrize("name", WITH_JSON)
@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD)
def test_bad_input_is_one_json_object_with_the_line_that_people_read(
        certify: Any, name: str, arguments: tuple[str, ...]) -> None:
    result = certify(name, *arguments, "--json")
    assert result.code == 2
    if name == "check" and "files" in result.json:
        assert result.json["verdict"] == "unreadable"
        return
    is_missing = "No such file" in result.json["error"]
    assert {*result.json} == {"verdict", "error"}
    assert result.json["verdict"] == ("unreadable" if is_missing else "malformed")
    assert result.err.splitlines()[0] == f"certify: {result.json['error']}"


def test_a_missing_argument_and_a_missing_command_are_json_as_well(certify: Any) -> None:
    for arguments in (("model",), ("bogus",), ()):
        result = certify(*arguments, "--json")
        assert (result.code, result.json["verdict"]) == (2, "malformed")


def test_json_that_is_no_option_is_not_obeyed(certify: Any) -> None:
    assert certify("formula", "--", "--json").out == ""


LONG = {
    "formula": ("formula", "prev Q_1", "--alphabet", "01", "--max-n", "3"),
    "formula -F": ("formula", "-F", "list.txt", "--max-n", "2", "--jobs", "1"),
    "check": ("check", "c.cert", "--jobs", "1"),
    "audit": ("audit", "--formula", "prev Q_1", "--alphabet", "01", "--max-n", "3"),
    "margin": ("model", "m.json", "--threshold", "1/2", "--max-n", "2"),
    "sensitivity": ("sensitivity", "m.json", "--max-n", "3"),
    "floats": ("floats", "c.cert", "--format", "binary32"),
    "export": ("export", "c.cert", "--to", "proof", "-o", "c.tex"),
}


@pytest.mark.parametrize("arguments", LONG.values(), ids=LONG)
def test_with_quiet_nothing_is_said_of_progress_and_the_rest_is_the_same(
        certify: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, arguments: tuple[str, ...]) -> None:
    (tmp_path / "list.txt").write_text("Q_a\nprev Q_a\n")
    assert certify("formula", "prev Q_1", "--alphabet", "01", "--max-n", "3", "-o", "c.cert").code == 0
    assert certify("build", "prev Q_1", "--alphabet", "01", "-o", "m.json").code == 0
    clock = itertools.count(0, 20)
    monkeypatch.setattr("certify.common.progress.monotonic", lambda: next(clock))  # every message is due
    assert " s: " in certify(*arguments).err
    for option in ("-q", "--quiet"):
        result = certify(*arguments, option)
        assert result.code == 0 and " s: " not in result.err, result.err


@pytest.mark.parametrize("name", ["build", "run", "import", "list", "help"])
def test_a_command_without_a_time_limit_shows_no_progress(
        certify: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def show(*_: object, **__: object) -> None:
        raise AssertionError(f"certify {name} shows progress and takes no --timeout")

    monkeypatch.setattr(ProgressLine, "__init__", show)
    from certify.common.shipped import examples_folder

    folder = str(examples_folder() / "trained" / "tomita_2")
    arguments = {"build": ("prev Q_1",), "run": ("prev Q_1", "01", "--alphabet", "01"), "list": (),
                 "help": (), "import": (folder, "--kind", "nanogpt", "--attention", "causal", "--heads", "1",
                                        "--activation", "gelu", "--epsilon", "1e-5")}
    assert certify(name, *arguments[name]).code == 0
