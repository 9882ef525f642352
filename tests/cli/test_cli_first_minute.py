"""What a new user types first: versions, help, examples, guides, lists, and plausible mistakes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import certify as package
from certify.cli import command_line
from certify.commands.help_examples import HELP_EXAMPLES
from certify.formula.examples import load_examples
from certify.frame.shipped import examples_folder, pages

NEEDS_MORE = ("prove", "crosscheck", "mcp", "train")
"""Commands whose examples need Coq, an extra or minutes; tests of their own run them."""
LONG = ("certify audit examples/claims/sha.toml --html sha.html", "certify checker --every-n -o every-n",
        "certify site since.cert -o site")
REFUTED = ("audit",)


def test_version_is_that_of_the_package(certify: Any) -> None:
    result = certify("--version")
    assert (result.code, result.out, result.err) == (0, f"certify {package.__version__}\n", "")


def test_every_command_ends_its_help_with_its_examples(certify: Any) -> None:
    commands = command_line().commands
    assert {"certify", *commands} == HELP_EXAMPLES.keys()
    for name in commands:
        shown = certify(name, "--help").out.split("Examples:\n")[1]
        assert [line.strip() for line in shown.strip().splitlines()] == list(HELP_EXAMPLES[name])


def test_the_examples_of_help_work_in_their_order_in_an_empty_folder(certify: Any) -> None:
    lines = dict.fromkeys(line for name, those in HELP_EXAMPLES.items() for line in those
                          if name not in NEEDS_MORE and line not in LONG)
    for line in sorted(lines, key=lambda line: "certify examples" not in line):
        _, *arguments = shlex.split(line)
        result = certify(*arguments)
        assert result.code == (arguments[0] in REFUTED), (line, result.err)


@pytest.mark.parametrize("line", [line for name in NEEDS_MORE for line in HELP_EXAMPLES[name]] + list(LONG))
def test_the_other_examples_of_help_parse(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    command_line().commands[name].make_context(name, arguments)


def test_completion_is_there_and_makes_no_noise_in_the_options(
        certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "bash"))  # whatever the tests are run from
    options = certify("--help").out.split("Options:")[1].split("Begin with:")[0]
    assert re.findall(r"^  (?:-h, )?(--\w+)", options, re.MULTILINE) == ["--version", "--help"]
    script = certify("--show-completion")
    assert script.code == 0 and "_CERTIFY_COMPLETE=complete_bash" in script.out


# -- examples and guides -----------------------------------------------------------------------------------------------


def test_examples_are_copied_whole_and_nothing_is_overwritten(certify: Any) -> None:
    assert certify("examples", "mine").code == 0
    source = examples_folder()
    wanted = {path.relative_to(source).as_posix(): path.read_bytes() for path in source.rglob("*")
              if path.is_file() and "__pycache__" not in path.parts}
    copied = {path.relative_to("mine").as_posix(): path.read_bytes() for path in Path("mine").rglob("*")
              if path.is_file()}
    assert copied == wanted and "claims/sha.toml" in copied and "formulas.txt" in copied
    Path("mine/formulas.txt").write_text("Q_b\n", encoding="utf-8")
    again = certify("examples", "mine")
    assert (again.code, again.err) == (2, "certify: mine: cannot be written: the folder is not empty\n")
    assert Path("mine/formulas.txt").read_text(encoding="utf-8") == "Q_b\n"
    assert sorted(path.name for path in Path().iterdir()) == ["mine"]


def test_docs_lists_every_guide_and_prints_one(certify: Any) -> None:
    listed = certify("docs")
    names = [line.split()[0] for line in listed.out.split("\n\n")[0].splitlines()]
    assert listed.code == 0 and names == list(pages()) and {"README", "DIVERGENCES", "certificate", "map"} <= {*names}
    for name in ("certificate", "certificate.md", "docs/certificate.md"):
        printed = certify("docs", name)
        assert printed.code == 0 and printed.out == pages()["certificate"].read_text(encoding="utf-8")
    assert certify("docs", "nosuch").err == (
        f"certify: certify docs: found 'nosuch', expected one of {', '.join(pages())}\n")


# -- lists -------------------------------------------------------------------------------------------------------------


def test_the_list_is_one_screen_and_names_every_example_and_where_it_is(certify: Any) -> None:
    result = certify("list")
    assert result.code == 0 and len(result.out.splitlines()) <= 30
    assert result.out.startswith(f"examples in {examples_folder()}")
    words = {*re.split(r"[\s,]+", result.out)}
    assert {example.name for example in load_examples()} <= words
    assert {"ODD", "programs/", "dyck_2.rasp", "bigram.cr", "sha.toml", "tomita_2", "formulas.txt"} <= words


def test_a_section_of_the_list_is_shown_alone(certify: Any) -> None:
    alone, everything = certify("list", "predicates").out, certify("list", "--all").out
    assert alone.startswith("predicates\n") and "LAST " in alone and "Theorem" not in alone
    assert alone in everything and len(everything) > len(alone)
    assert certify("list", "statements", "--json").json.keys() == {"statements"}


# -- mistakes ----------------------------------------------------------------------------------------------------------


def test_a_choice_that_does_not_exist_is_told_on_one_line(certify: Any) -> None:
    for arguments in (("export", "c.cert", "-o", "p"), ("export", "c.cert", "--to", "word", "-o", "p"),
                      ("formula", "Q_a", "--regime", "warm"), ("list", "everything")):
        result = certify(*arguments)
        assert result.code == 2 and result.err.count("\n") == 1 and "\\n" not in result.err and "\\t" not in result.err
        assert "Value error" not in result.err and result.err.endswith(" --help explains the usage\n")


def test_a_certificate_given_to_audit_is_told_where_it_belongs(certify: Any, certificate: str) -> None:
    result = certify("audit", certificate)
    assert (result.code, result.err) == (2, (
        "certify: c.cert: found a certificate or a model file, expected a claims file (.toml); certify check c.cert "
        "checks a certificate, certify audit --model c.cert audits the network in it\n"))


def test_a_formula_given_to_audit_is_told_its_option(certify: Any) -> None:
    assert certify("audit", "Q_a since Q_b").err.endswith("certify audit --formula FORMULA audits a formula\n")


def test_a_certificate_with_other_line_ends_says_so(certify: Any, certificate: str) -> None:
    Path("crlf.cert").write_bytes(Path(certificate).read_bytes().replace(b"\n", b"\r\n"))
    result = certify("check", "crlf.cert")
    assert result.code == 2 and "crlf.cert: line ends are CR LF, expected LF alone" in result.out + result.err
