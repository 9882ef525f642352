"""First commands of a new user: the front page, help, its examples, guides, lists, and names that libraries use."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import certify as package
from certify import certify as certify_in_python
from certify.claims.floats.models import read_model
from certify.claims.formula.examples import load_examples
from certify.cli import command_line
from certify.commands.command import COMMON
from certify.commands.front_page import GROUPS, MOST_USED
from certify.commands.help_examples import HELP_EXAMPLES
from certify.common.shipped import examples_folder, pages
from constructions.network.float_formats import ALIASES, FORMATS, parse_format

COMMANDS = command_line().commands


def commands_of(section: str) -> list[str]:
    """Return the names in a section of the front page."""
    return re.findall(r"^  (\S+) ", section, re.MULTILINE)


def test_ten_commands_stand_on_the_first_page_and_every_one_in_exactly_one_group_of_the_second(certify: Any) -> None:
    page, everything = certify("--help").out, certify("help", "--all").out
    assert page == certify().out == certify("help").out == certify("-h").out
    assert page.index("In a minute:") < page.index("Options:") < page.index("Commands:")
    for text, titles in ((page, ["Commands"]), (everything, list(GROUPS))):
        rows = text.partition("--help  Show")[2].partition("\n\n")[2]
        sections = re.split(r"^(\w[\w ]*):\n", rows.replace("certify help --all lists", ""), flags=re.MULTILINE)
        found = {title: commands_of(rows) for title, rows in zip(sections[1::2], sections[2::2], strict=True)}
        assert list(found) == [*titles, "Options of most commands"]
        listed = [name for title in titles for name in found[title]]
        assert len(set(listed)) == len(listed) and (sorted(listed) == sorted(COMMANDS) or listed == list(MOST_USED))
    assert len(MOST_USED) == 10 and f"lists all {len(COMMANDS)} commands" in page
    assert all(command.get_short_help_str().endswith(".") for command in COMMANDS.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_what_it_says_of_itself_and_ends_with_its_examples(certify: Any, name: str) -> None:
    by_name, itself = certify("help", name), certify(name, "--help")
    assert (by_name.code, by_name.out, by_name.err, itself.code) == (0, itself.out, "", 0)
    assert "Options:" in itself.out and f"Usage: certify {name} " in itself.out
    examples = itself.out.split("Examples:\n")[1].strip().splitlines()
    assert [line.strip() for line in examples] == list(HELP_EXAMPLES[name])
    assert {"certify", *COMMANDS} == HELP_EXAMPLES.keys()


def test_options_that_most_commands_share_are_described_on_the_front_page_alone(certify: Any) -> None:
    page = certify("--help").out
    for option in ("--json", "--quiet", "--timeout S", "--help"):
        assert len(re.findall(rf"{option}  ", page)) == 1 + (option == "--help")
    for name in set(COMMANDS) - {"help", "mcp"}:  # these have no others
        command = COMMANDS[name]
        shown = certify(name, "--help").out
        own = [each for each in command.params if each.name in COMMON]
        described = [option for option in ("--json", "--quiet", "--help") if re.search(rf"{option}  ", shown)]
        assert described == [] and all(max(each.opts, key=len) in shown for each in own), name


def test_every_command_that_shows_progress_takes_a_time_limit_and_can_be_quiet() -> None:
    limited = {name for name, command in COMMANDS.items() for each in command.params if "--timeout" in each.opts}
    quiet = {name for name, command in COMMANDS.items() for each in command.params if "-q" in each.opts}
    assert limited == quiet - {"run", "build", "import"} | {"mcp"}  # the limit of each call
    assert set(COMMANDS) - quiet == {"list", "help", "mcp"}


# -- lengths -----------------------------------------------------------------------------------------------------------


def test_a_network_whose_weights_depend_on_the_greatest_length_is_still_that_of_its_file(certify: Any) -> None:
    """It counts up to 8: for words up to 4 it is another network than the one built for these, and right on them."""
    for n in ("8", "4"):
        assert certify("formula", "ODD(#<[Q_1])", "--alphabet", "01", "--precision", "bfloat16", "--max-n", n, "-o",
                       f"{n}.cert").code == 0
    eight, four = (json.loads(Path(f"{n}.cert").read_text(encoding="utf-8"))["transformer"] for n in (8, 4))
    assert eight != four
    assert certify("check", "8.cert", "--max-n", "4", "--formula", "ODD(#<[Q_1])").code == 0
    assert certify("check", "4.cert", "--max-n", "8").code == 1


NEEDS_MORE = ("prove", "mcp", "train")
"""Commands whose examples need Coq, an extra or minutes; tests of their own run them."""
LONG = ("certify check scripts --crosscheck cvc5", "certify export since.cert --to site -o site",
        "certify audit examples/claims/sha.toml --html sha.html", "certify export --to certify-every-n -o every-n",
        "certify export since.cert --to site -o site")
REFUTED = ("audit",)


def test_version_is_that_of_the_package(certify: Any) -> None:
    result = certify("--version")
    assert (result.code, result.out, result.err) == (0, f"certify {package.__version__}\n", "")


def test_the_examples_of_help_work_in_their_order_in_an_empty_folder(certify: Any) -> None:
    lines = dict.fromkeys(line for name, those in HELP_EXAMPLES.items() for line in those
                          if name not in NEEDS_MORE and line not in LONG)
    for line in sorted(lines, key=lambda line: "--copy" not in line):
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
    options = certify("--help").out.split("Options:")[1].split("Commands:")[0]
    assert re.findall(r"^  (?:-h, )?(--\w+)", options, re.MULTILINE) == ["--version", "--help"]
    script = certify("--show-completion")
    assert script.code == 0 and "_CERTIFY_COMPLETE=complete_bash" in script.out


# -- examples and guides -----------------------------------------------------------------------------------------------


def test_examples_are_copied_whole_and_nothing_is_overwritten(certify: Any) -> None:
    assert certify("list", "examples", "--copy", "mine").code == 0
    source = examples_folder()
    wanted = {path.relative_to(source).as_posix(): path.read_bytes() for path in source.rglob("*")
              if path.is_file() and "__pycache__" not in path.parts}
    copied = {path.relative_to("mine").as_posix(): path.read_bytes() for path in Path("mine").rglob("*")
              if path.is_file()}
    assert copied == wanted and "claims/sha.toml" in copied and "formulas.txt" in copied
    Path("mine/formulas.txt").write_text("Q_b\n", encoding="utf-8")
    again = certify("list", "examples", "--copy", "mine")
    assert (again.code, again.err) == (2, "certify: mine: cannot be written: the folder is not empty\n")
    assert Path("mine/formulas.txt").read_text(encoding="utf-8") == "Q_b\n"
    assert sorted(path.name for path in Path().iterdir()) == ["mine"]


def test_docs_lists_every_guide_and_prints_one(certify: Any) -> None:
    names = [row["name"] for row in certify("list", "guides", "--json").json["guides"]]
    assert names == list(pages()) and {"README", "DIVERGENCES", "certificate", "map"} <= {*names}
    for name in ("certificate", "certificate.md", "docs/reference/certificate.md"):
        printed = certify("list", "guides", name)
        assert printed.code == 0 and printed.out == pages()["certificate"].read_text(encoding="utf-8")
    assert certify("list", "guides", "nosuch").err == (
        f"certify: certify list guides: found 'nosuch', expected one of {', '.join(pages())}\n")


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


# -- names that libraries use, and --quiet -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALIASES)
def test_formats_have_the_names_of_libraries_too(certify: Any, name: str) -> None:
    assert parse_format(name) == FORMATS[ALIASES[name]]
    if ALIASES[name] != "binary64":
        assert read_model(name) == read_model(ALIASES[name])
        built = [certify("build", "prev Q_1", "--alphabet", "01", "--precision", each, "--max-n", "8").out
                 for each in (name, ALIASES[name])]
        assert built[0] and built[0] == built[1]
    certify("formula", "prev Q_1", "--alphabet", "01", "--max-n", "2", "-o", "c.cert")
    exported = certify("export", "c.cert", "--to", "safetensors", "--precision", name, "-o", "x.safetensors")
    assert exported.code == (2 if ALIASES[name] == "binary64" else 0)


EVEN = Path(__file__).parents[2] / "examples" / "trained" / "even"
LINES = (
    "formula Q_1 --alphabet 01 --max-n 2 -o a.cert", "formula 'Q_1 since next Q_0' --gamma 13/10 --max-n 6 -o b.cert",
    "audit --formula Q_1 --alphabet 01 --max-n 2 -o d.cert", "model m.json --max-n 2 -o e.cert",
    "import {even} --kind nanogpt --attention causal --heads 1 --activation gelu --epsilon 1e-5 -o even.json",
    "equal even.json even.json --claim {even}/claim.toml --max-n 2 -o compared",
    "learn even.json --claim {even}/claim.toml --max-n 2 -o f.cert --svg f.svg",
    "decide even.json --claim {even}/claim.toml --max-n 2 -o g.cert --wrong h.cert", "export a.cert --to site -o site",
    "audit claims.toml --resume", "build Q_1 --alphabet 01 -o n.json",
    "export a.cert --to html -o a.html", "export a.cert --to card -o a.md",
)
"""Commands that say on standard error where something is, or why there is nothing."""


def test_quiet_is_quiet(certify: Any) -> None:
    certify("build", "prev Q_1", "--alphabet", "01", "-o", "m.json")
    Path("claims.toml").write_text('[[claim]]\nname = "a"\nformula = "Q_1"\nalphabet = "01"\nlengths = 2\n')
    for words in LINES:
        result = certify(*shlex.split(words.format(even=EVEN)), "-q")
        assert result.code in (0, 1) and result.err == "", (words, result)


def test_symbols_that_end_in_nul_are_exported(certify: Any) -> None:
    certify_in_python("prev Q['a']", ["a", "a\0"], 2).save("nul.cert")
    assert certify("export", "nul.cert", "--to", "npz", "-o", "nul.npz").code == 0
    assert json.loads(str(np.load("nul.npz")["names"]))["alphabet"] == ["a", "a\0"]
