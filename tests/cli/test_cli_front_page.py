"""The front page: five commands first, help by name, options that are described once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from certify.cli import command_line
from certify.commands.command import COMMON
from certify.commands.front_page import GROUPS

FIVE = ["formula", "check", "run", "decide", "audit"]
COMMANDS = command_line().commands


def commands_of(section: str) -> list[str]:
    """The names in a section of the front page."""
    return re.findall(r"^  (\S+) ", section, re.MULTILINE)


def test_five_commands_stand_first_and_every_other_one_in_exactly_one_group(certify: Any) -> None:
    page = certify("--help").out
    assert page == certify().out == certify("help").out
    sections = re.split(r"^(\w[\w ]*):\n", page.partition("Begin with:")[2].join(["Begin with:\n", ""]),
                        flags=re.MULTILINE)
    found = {title: commands_of(text) for title, text in zip(sections[1::2], sections[2::2], strict=True)}
    assert found["Begin with"] == FIVE
    assert list(found) == [*GROUPS, "Options of most commands"]
    listed = [name for title in GROUPS for name in found[title]]
    assert sorted(listed) == sorted(COMMANDS) and len(set(listed)) == len(listed)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_what_the_command_says_of_itself(certify: Any, name: str) -> None:
    by_name, itself = certify("help", name), certify(name, "--help")
    assert (by_name.code, by_name.out, by_name.err) == (0, itself.out, "")


def test_help_of_no_command_names_those_that_there_are(certify: Any) -> None:
    result = certify("help", "prof")
    assert result.code == 2 and result.err.startswith("certify: help: no command 'prof', expected one of audit, ")


def test_options_that_most_commands_share_are_described_on_the_front_page_alone(certify: Any) -> None:
    page = certify("--help").out
    for option in ("--json", "--quiet", "--timeout S", "--help"):
        assert len(re.findall(rf"{option}  ", page)) == 1 + (option == "--help")
    for name in set(COMMANDS) - {"examples", "docs", "help", "mcp"}:  # these have no others
        command = COMMANDS[name]
        shown = certify(name, "--help").out
        own = [each for each in command.params if each.name in COMMON]
        described = [option for option in ("--json", "--quiet", "--help") if re.search(rf"{option}  ", shown)]
        assert described == [] and all(max(each.opts, key=len) in shown for each in own), name
    assert "--timeout S  " in certify("crosscheck", "--help").out  # each script's, and its own


def test_every_command_that_shows_progress_takes_a_time_limit_and_can_be_quiet() -> None:
    limited = {name for name, command in COMMANDS.items() for each in command.params if "--timeout" in each.opts}
    quiet = {name for name, command in COMMANDS.items() for each in command.params if "-q" in each.opts}
    assert limited == quiet - {"run", "build", "import"} | {"mcp"}  # the limit of each call
    assert set(COMMANDS) - quiet == {"list", "examples", "docs", "help", "mcp"}


def test_max_n_of_a_claims_file_says_the_lengths(certify: Any) -> None:
    claim = '[[claim]]\nname = "one"\nformula = "prev Q_a"\nalphabet = "ab"\nprecision = "bfloat16"\n{}\n'
    for name, keys in {"most": "max_n = 3", "lengths": 'lengths = "1..3"'}.items():
        Path(f"{name}.toml").write_text(claim.format(keys), encoding="utf-8")
        assert certify("audit", f"{name}.toml", "--json").json["claims"][0]["lengths"] == "1..3"
    Path("both.toml").write_text(claim.format('lengths = 3\nmax_n = 3'), encoding="utf-8")
    assert "max_n: lengths are given, too, expected one of the two" in certify("audit", "both.toml").err


# -- what a certificate is not about -----------------------------------------------------------------------------------


def test_a_run_of_a_word_that_the_certificate_is_not_about_says_so(certify: Any, certificate: str) -> None:
    beyond = "the word has 6 letters, and the certificate is about words of 1 to 5: nothing here is certified"
    assert beyond in certify("run", certificate, "010101").out.splitlines()
    assert certify("run", certificate, "010101", "--json").json["note"] == beyond
    within = certify("run", certificate, "01010")
    assert within.code == 0 and "certified" not in within.out


def test_a_certificate_covers_shorter_words_and_no_longer_ones(certify: Any, certificate: str) -> None:
    found = {n: certify("check", certificate, "--max-n", str(n)) for n in (1, 4, 5, 6)}
    assert {n: result.code for n, result in found.items()} == {1: 0, 4: 0, 5: 0, 6: 1}
    assert "for every n in 1..5, every word" in found[4].out  # what is claimed is said whole
    assert certify("check", certificate, "--max-n", "0").code == 1
    assert certify("check", certificate, "--min-n", "2", "--max-n", "4").code == 1


def test_a_network_whose_weights_depend_on_the_greatest_length_is_still_that_of_its_file(certify: Any) -> None:
    """It counts up to 8: for words up to 4 it is another network than the one built for these, and right on them."""
    for n in ("8", "4"):
        assert certify("formula", "ODD(#<[Q_1])", "--alphabet", "01", "--precision", "bfloat16", "--max-n", n, "-o",
                       f"{n}.cert").code == 0
    eight, four = (json.loads(Path(f"{n}.cert").read_text(encoding="utf-8"))["transformer"] for n in (8, 4))
    assert eight != four
    assert certify("check", "8.cert", "--max-n", "4", "--formula", "ODD(#<[Q_1])").code == 0
    assert certify("check", "4.cert", "--max-n", "8").code == 1


@pytest.mark.parametrize("arguments", [("check", "none.cert"), ("run", "none.cert", "01"), ("model", "none.json"),
                                       ("decide", "none.json"), ("margin", "none.json"),
                                       ("audit", "--model", "none.json")])
def test_a_file_that_is_not_there_is_not_malformed(certify: Any, arguments: tuple[str, ...]) -> None:
    result = certify(*arguments, "--json")
    assert (result.code, result.json["verdict"]) == (2, "unreadable")
    assert "malformed" not in certify(*arguments).out
