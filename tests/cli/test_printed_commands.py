"""Every command that a page, a report, a message or a help text prints is run, as it stands there.

Pages, reports and messages are really made, in a folder as a user has it. Whatever names a command in the source must
have been met in them; so a new command that nobody runs fails here.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from types import FrameType

import pytest
from rich.console import Console

import certify
from certify.claims.every_n.claim import TheoremClaim, claim_theorem
from certify.claims.every_n.theorems import Theorem, find_wrong_output, print_theorem
from certify.claims.formula.explanation import find_reach
from certify.cli import command_line, main
from certify.common.look import A_TRAINED_NETWORK, KINDS, complaint
from certify.exports.coq import coq_folder
from certify.exports.pages.certificate import commands
from certify.requests.inputs import Options
from certify.requests.request import read_request
from certify.requests.run_command import RunCommand
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.every_n import Coq, ProvedLengths
from tests.cli.made import CLAIM, MADE, difference_network
from tests.trained.small_networks import write_network

ROOT = Path(certify.__file__).parent.parent
NAMES = command_line().commands
NAMED = re.compile(r"(?<!Usage: )\b(?:certify ([a-z][a-z-]*)|python -I )")
PROSE = {"in", "is", "needs", "or", "the"}
"""Words that stand behind the program's name where no command is meant."""
BUILDERS = {"certify.requests.run_command": "RunCommand.on", "certify.exports.pages.certificate.commands": "_command",
            "certify.commands.command": "repeated"}
"""What puts a command line together from words: each caller must have been met."""
SINCE = "(Q_a | Q_b) since Q_a"

MENTIONED = {
    "certify audit --formula": "audit --formula 'Q_a since Q_b' --gamma 3 --max-n 2",
    "certify audit --model 'since a.cert'": "audit --model 'since a.cert' --max-n 3",
    "certify audit claims.toml": "audit --formula 'Q_a since Q_b' --gamma 3 --max-n 2",
    "certify build": "build 'prev Q_1' --alphabet 01",
    "certify check 'since a.cert'": "check 'since a.cert'",
    "certify check network.cert": "check 'since a.cert'",
    "certify export --to checker -o check.pyz": "export --to checker -o written/check.pyz",
    "certify decide model.json --claim claim.toml": "decide trained.json --claim claim.toml --max-n 1",
    "certify decide MODEL.json --claim claim.toml": "decide trained.json --claim claim.toml --max-n 1",
    "certify decide trained.json --claim CLAIM.toml": "decide trained.json --claim claim.toml --max-n 1",
    "certify list guides critical": "list guides critical",
    "certify list guides formats": "list guides formats",
    "certify list guides models": "list guides models",
    "certify export --to smt2": "export 'since a.cert' --to smt2 -o scripts",
    "certify floats": "floats 'since a.cert' --format binary32",
    "certify floats --presets": "floats --presets",
    "certify formula --dfa even.hoa": "formula --regex '(ab)*' --max-n 2",
    "certify formula f.ltl": "formula 'Q_a since Q_b' --alphabet ab --max-n 2",
    "certify formula proves it": "formula 'Q_a since Q_b' --alphabet ab --max-n 2",
    "certify formula says why": "formula '(Q_a | Q_b) since Q_a' --gamma 1/10 --max-n 2",
    "certify import": "import examples/trained/first --kind nanogpt --attention causal --heads 1 --activation gelu "
                      "--epsilon 1e-5 -o first.json",
    "certify help --all": "help --all",
    "certify list examples": "list examples",
    "certify list examples --copy DIR": "list examples --copy other",
    "certify list guides": "list guides",
    "certify list guides NAME": "list guides models",
    "certify model --norm": "model first.cert.json --formula Q_1 --before '$' --at first --norm 1 --max-n 3",
    "certify model": "model net.json --max-n 2",
    "certify model 'net b.json'": "model 'net b.json'",
    "certify prove": "prove --help",
    "certify prove --json": "prove --help",
    "certify run": "run net.json 0101",
    "python -I -S check.pyz CERTIFICATE": "python -I -S check.pyz 'since a.cert'",
    "python -I -S proofs/check FILE": f"python -I -S {ROOT / 'proofs' / 'check'} 'since a.cert'",
}
"""What texts mention, and what is run for it; the longest that fits counts. Of `prove`, which needs Coq, only that it
is there: docs/howto/coq.md and tests/exports/test_coq_folder.py run it."""
REFUTED = {"certify formula says why", "certify model 'net b.json'", "certify model --norm"}

LOOKED_AT = {"model": "net b.json", "trained": "trained.json", "certificate": "since a.cert", "claims": "claims.toml",
             "trained certificate": "since a.cert", "claim": "claim.toml", "formula": "f.ltl", "automaton": "even.hoa"}
"""Files of these kinds; all others are foreign."""

CARDS = ("since a.cert", "soft.cert", "wrong.cert")

CLAIMS = """
[defaults]
lengths = "1..4"

[[claim]]
name = "formula"
formula = "Q_1 since next Q_0"
alphabet = "01"
gamma = "13/10"

[[claim]]
name = "long-symbols"
formula = "Q_a since next Q_b"
alphabet = "a,b,go"
gamma = "13/10"

[[claim]]
name = "begins-like-an-option"
formula = "-#<[Q_1] + 3*#>[Q_0] >= 1"
alphabet = "01"
gamma = "1/100"
temperature = "1"

[[claim]]
name = "gap"
formula = "Q_1 since Q_0"
alphabet = "01"
gap = "100"

[[claim]]
name = "margin"
kind = "margin"
model = "examples/published/first.json"
formula = "Q_1"
at = "first"
before = "$"
margin = "1"

[[claim]]
name = "sensitivity"
kind = "sensitivity"
formula = "#<[Q_1] > #<[Q_0]"
alphabet = "01"
at_most = "1/100"

[[claim]]
name = "soften"
kind = "soften"
model = "examples/hard/flip_flop.json"
temperature = "1"

[[claim]]
name = "tie"
kind = "soften"
model = "examples/hard/tied_rightmost.json"

[[claim]]
name = "decide"
kind = "decide"
model = "trained.json"
claim = "claim.toml"

[[claim]]
name = "floats"
kind = "floats"
model = "net b.json"
format = "binary32"

[[claim]]
name = "program"
program = "examples/programs/ab_star.cr"
oracle = "true"

[[claim]]
name = "examined"
examine = "lemma-25"
"""


@dataclass
class PrintedTexts:
    """The printed and written texts, the commands in them to be copied, and the builders of commands."""

    folder: Path
    texts: list[str] = field(default_factory=list)
    copied: dict[str, Path] = field(default_factory=dict)
    built_by: set[tuple[str, str]] = field(default_factory=set)

    def run(self, line: str, within: Path | None = None) -> tuple[int, str]:
        """Return the exit status of a command, and what it says."""
        out, (program, *arguments) = io.StringIO(), shlex.split(line)
        if program == "python":
            done = subprocess.run([sys.executable, *arguments], cwd=within or self.folder, capture_output=True,
                                  text=True, check=False)
            return done.returncode, done.stdout + done.stderr
        assert program == "certify", line
        with (contextlib.chdir(within or self.folder), contextlib.redirect_stdout(out),
              contextlib.redirect_stderr(out), pytest.MonkeyPatch.context() as patch):
            patch.setattr(sys, "argv", ["certify", *arguments])
            patch.setenv("COLUMNS", "1000")
            with pytest.raises(SystemExit) as stop:
                main()
        assert isinstance(stop.value.code, int)
        return stop.value.code, out.getvalue()

    def run_printing(self, *lines: str) -> None:
        """Run commands, and keep what they say."""
        self.texts += [self.run(f"certify {line}")[1] for line in lines]

    def read_page(self, name: str) -> None:
        """Keep a page, and the commands on it, which run in the folder of the file that they name."""
        text = html.unescape((self.folder / name).read_text(encoding="utf-8"))
        found = re.findall(r'<div class="command"><code>(.*?)</code>|<code>(certify run .*?)</code>', text)
        assert found, name
        self.texts.append(text)
        self.copied |= {"".join(one): self.where_its_file_is("".join(one)) for one in found}

    def where_its_file_is(self, command: str) -> Path:
        """Reports for others call files by their names: the folder that has them."""
        names = [word for word in shlex.split(command) if word.endswith((".json", ".cr"))]
        return next((path.parent for name in names for path in sorted(self.folder.rglob(name))), self.folder)


def write_files(folder: Path) -> None:
    """Models and claims: one whose scores are too small, two that are trained, one with free inputs."""
    weak = compile_formula(parse_formula("Q_1 since next Q_0", "01"), "01", Regime(), gamma=Fraction(1))
    (folder / "net b.json").write_text(write_canonical(transformer_to_json(weak)), encoding="utf-8")
    write_network(difference_network(), folder / "trained.json")
    (folder / "claim.toml").write_text(CLAIM, encoding="utf-8")
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    for name in ("bits.json", "bits.toml"):
        (folder / name).write_text(str(MADE[name]()), encoding="utf-8")
    free = certify.Network("01", temperature="1/(13/10*n)")
    free.output(free.round(free.head("h", key={"Q_1": 2, "i/n": 1}, value="Q_1 & prev Q_1",
                                     means="(Q_1 -> prev Q_1) since Q_1")))
    free.save(str(folder / "free.json"))


def make_everything(printed: PrintedTexts) -> None:
    """Help, messages, reports and pages."""
    printed.run_printing("--help", *(f"{name} --help" for name in NAMES), "list examples --copy examples", "list",
                "list guides nosuch", "list claims --copy new", "check claims.toml --crosscheck cvc5",
                "audit nosuch.toml", f"formula '{SINCE}' --alphabet abc --max-n 5 -o 'since a.cert'",
                "audit 'since a.cert'", "build 'prev Q_1' --alphabet 01 -o net.json", "model free.json --max-n 4",
                "model examples/programs/bigram.cr", "explain examples/programs/dyck_1.rasp",
                "explain 'Q_a since Q_b' --floats",
                f"explain '{' & '.join(f'!Q_{letter}' for letter in ascii_lowercase)}'",
                "explain '(Q_a | Q_b) since Q_a' --gamma 1/10")
    (printed.folder / "first.cert.json").write_bytes((printed.folder / "examples/published/first.json").read_bytes())
    printed.texts += [coq_readme(), text := shown_refutation()]
    printed.copied |= dict.fromkeys(re.findall(r"^  replay +(certify .*)$", text, re.MULTILINE), printed.folder)
    printed.texts += [text for path in (printed.folder / "examples").rglob("*.toml") for text in texts_of(
        tomllib.loads(path.read_text(encoding="utf-8")))]
    printed.run_printing("export 'since a.cert' --to html -o since.html", "export --to checker -o check.pyz",
                "model examples/hard/flip_flop.json --max-n 3 -o soft.cert", "export soft.cert --to html -o soft.html",
                "decide trained.json --claim claim.toml --max-n 3 --wrong wrong.cert --html decide.html",
                "decide trained.json --claim claim.toml --max-n 1 --float binary32 -o runs.cert --wrong execution.cert "
                "--html floats.html",
                "decide bits.json --claim bits.toml --count -o count.cert --html count.html",
                "learn trained.json --claim claim.toml --max-n 1 -o learnt.cert --html learnt.html",
                "equal trained.json trained.json --claim claim.toml --max-n 1 -o compared",
                *(f"export '{name}' --to card -o '{name}.md'" for name in CARDS))
    printed.texts.append((printed.folder / "compared" / "README.md").read_text(encoding="utf-8"))
    printed.texts.append(readme_of_training())
    printed.run_printing("export soft.cert --to site -o site")
    printed.texts.append((printed.folder / "site" / "check.html").read_text(encoding="utf-8"))
    for name in ("since.html", "soft.html", "decide.html", "floats.html", "count.html", "learnt.html"):
        printed.read_page(name)
    for name in CARDS:
        card = (printed.folder / f"{name}.md").read_text(encoding="utf-8")
        printed.texts.append(card)
        (block,) = re.findall(r"^```sh\n(.*?)\n```$", card, re.MULTILINE | re.DOTALL)
        printed.copied |= dict.fromkeys(block.splitlines(), printed.folder)
    printed.texts += [complaint(LOOKED_AT.get(kind, "enc.pt"), kind, A_TRAINED_NETWORK) for kind in KINDS]
    run_an_audit(printed)
    run_critical_constants(printed)


def readme_of_training() -> str:
    """Return the README of a folder of `certify train`, which itself needs torch."""
    from certify.learning.training.folder import commands_for, readme
    from certify.learning.training.fresh import Sizes, recipe
    from certify.learning.training.rounds import Round, Training

    training = Training(difference_network(), None, (Round(1, None, 1, 1, "0"),), "time is up", 1.0)
    return readme(training, None, commands_for(recipe(Sizes(), "causal", 2, 2), ["network.cert"]))


def run_an_audit(printed: PrintedTexts) -> None:
    """All kinds of claims, in all forms of a report."""
    status, text = printed.run("certify audit claims.toml --html audit.html --markdown audit.md --json")
    assert status == 1, text
    report = json.loads(text[text.index("{"):])
    found = {claim["name"]: claim["witness"]["command"] for claim in report["claims"] if claim["witness"]}
    assert [claim["name"] for claim in report["claims"] if not found.get(claim["name"])] == ["floats"]
    printed.texts += [text, json.dumps(report)] + [claim["reason"] for claim in report["claims"]]
    printed.copied |= dict.fromkeys(found.values(), printed.folder)
    printed.read_page("audit.html")
    shown = (printed.folder / "audit.md").read_text(encoding="utf-8")
    of_markdown = re.findall(r"^```(?:\w*)\n(certify run .*)\n```$", shown, re.MULTILINE)
    assert len(of_markdown) == len(found)
    printed.copied |= {command: printed.where_its_file_is(command) for command in of_markdown}
    one = "audit --model 'net b.json' --max-n 4"
    replays = re.findall(r"^  replay +(certify .*)$", printed.run(f"certify {one}")[1], re.MULTILINE)
    assert len(replays) == 1
    printed.copied |= dict.fromkeys(replays, printed.folder)


def run_critical_constants(printed: PrintedTexts) -> None:
    """Collect the output about a comparison: joint errors of heads, or the words are too long for it."""
    comparison = "audit --formula '#<[Q_1] > #<[Q_0]' --alphabet 01"
    printed.run_printing(f"{comparison} --max-n 2 --critical 2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("proofs.formula.feed_forward.every_word.MOST_WORK", 200)
        patch.setattr("certify.auditing.critical.SHORT", 4)
        patch.setattr("certify.auditing.critical.SHARES", (Fraction(1),))
        printed.run_printing(f"{comparison} --min-n 6 --max-n 6 --critical 6 --width 1/100")


def coq_readme() -> str:
    """Return the README of a folder for Coq, which its writer does not need."""
    formula = parse_formula("Q_a since Q_b", "ab")
    claim = TheoremClaim("since", compile_formula(formula, "ab", Regime()), formula)
    return str(coq_folder(claim, ProvedLengths(1), checked=True)["README.md"])


def shown_refutation() -> str:
    """Text of `certify prove` about a theorem that a word refutes."""
    claim = claim_theorem(read_request(SINCE, Options("abc", gamma="138/100")), "since")
    theorem = Theorem("refuted", claim, Coq("coqc", "8.16.1"), counterexample=find_wrong_output(claim, ProvedLengths()))
    print_theorem(out := Console(file=io.StringIO(), width=200), theorem)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def texts_of(data: object) -> Iterator[str]:
    """All texts that are values in a TOML file."""
    if isinstance(data, str):
        yield data
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for value in values:
        yield from texts_of(value)


def callers() -> Iterator[tuple[str, str]]:
    """Yield the functions of the program that are being run."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if (name := str(frame.f_globals.get("__name__"))).startswith("certify."):
            yield name, frame.f_code.co_qualname
        frame = frame.f_back


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrintedTexts]:
    found = PrintedTexts(tmp_path_factory.mktemp("user"))
    write_files(found.folder)
    on, command = RunCommand.on, commands._command

    def noted_on(self: RunCommand, word: str) -> str:
        found.built_by |= set(callers())
        return on(self, word)

    def noted_command(file: str) -> list[str]:
        found.built_by |= set(callers())
        return command(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("certify.common.shards.workers.usable_cores", lambda: 1)
        patch.setattr("certify.claims.formula.explanation.find_reach", partial(find_reach, lengths=up_to(4)))
        patch.setattr(RunCommand, "on", noted_on)
        patch.setattr(commands, "_command", noted_command)
        make_everything(found)
    yield found


# -- what is printed works ---------------------------------------------------------------------------------------------


def test_every_command_to_be_copied_works_as_it_is_printed(printed: PrintedTexts) -> None:
    kinds = [shlex.split(line)[:2] for line in printed.copied]
    assert kinds.count(["certify", "run"]) >= 15 and kinds.count(["python", "-I"]) == 6
    assert ["certify", "export"] in kinds
    for line in sorted(printed.copied, key=lambda line: "--to checker" not in line):
        status, text = printed.run(line, printed.copied[line])
        assert status == 0, (line, text)


def test_the_page_of_a_decision_shows_the_wrong_word_with_the_attention_of_every_head(printed: PrintedTexts) -> None:
    (line,) = [line for line in printed.copied if line.startswith("certify run wrong.cert")]
    status, text = printed.run(line)
    assert status == 0 and "head 1.2   the attention weights" in text
    assert text.splitlines()[-1].startswith("wrong: at position 2, ")


def test_every_command_that_a_text_mentions_is_one_that_is_run(printed: PrintedTexts) -> None:
    met = {mention_in(text[found.start():]) for text in printed.texts for found in NAMED.finditer(text)
           if found[1] not in PROSE and not is_example(text[found.start():])}
    assert met == set(MENTIONED)


def test_every_command_that_a_document_mentions_has_the_options_that_it_names() -> None:
    """Its runs are run by tests/test_docs.py."""
    places = "*.md", "docs/**/*.md", "proofs/*/README.md", "examples/**/*.md", "examples/**/*.toml"
    documents = [path for place in places for path in ROOT.glob(place) if path.name != "CHANGELOG.md"]
    lines = [(path.name, line) for path in documents for line in re.findall(
        r"(?:`|^(?:\$ |# +)?)(certify [a-z][a-z-]*[^`\n#|&]*)", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert len(lines) > 200
    for name, line in lines:
        _, command, *_ = line.split()
        options = {option for each in NAMES[command].params for option in each.opts} | {"--help"}
        assert {*re.findall(r"(?<!\S)--[a-z][\w-]*", line)} <= options, (name, line)


def test_every_command_that_is_mentioned_works(printed: PrintedTexts) -> None:
    (printed.folder / "written").mkdir()
    for mention, run in MENTIONED.items():
        line = run if run.startswith("python ") else f"certify {run}"
        status, text = printed.run(line)
        assert status == (mention in REFUTED), (line, text)
        assert shlex.split(line)[:2] == shlex.split(mention)[:2]


def mention_in(text: str) -> str:
    """Return the longest row of the table that the text begins with; else its first words."""
    text = " ".join(text.split())
    rows = [row for row in MENTIONED if re.match(rf"{re.escape(row)}(?![\w-])", text)]
    return max(rows, key=len, default=text[:60])


def is_example(text: str) -> bool:
    """A line at the end of a help text, which another test runs; or one that is copied from a page or a report."""
    from certify.commands.help_examples import HELP_EXAMPLES

    lines = {line for those in HELP_EXAMPLES.values() for line in those}
    copied = "certify run ", "python -I -S check.pyz "
    return text.splitlines()[0].strip() in lines or (
        text.startswith(copied) and "CERTIFICATE" not in text.splitlines()[0])


# -- what the source could print was met -------------------------------------------------------------------------------


def test_every_text_of_the_source_that_names_a_command_was_met(printed: PrintedTexts) -> None:
    """A text is what stands between two values that are put into it."""
    spoken = " ".join(" ".join(printed.texts).split())
    sources = [path for package in ("certify", "constructions", "proofs") for path in (ROOT / package).rglob("*.py")]
    literals = {text for path in sources for literal in printed_literals(path)
                for text in re.split(r"\{\w+\}", literal)}
    named = {text for text in literals if any(found[1] not in PROSE for found in NAMED.finditer(text))}
    assert len(named) > 20
    assert {text for text in named if " ".join(text.split()) not in spoken} == set()
    templates = [path for path in (ROOT / "certify").rglob("templates/*") if path.is_file()]
    assert templates and not [path.name for path in templates
                              if re.search(r"\bcertify [a-z]|\bpython3? ", path.read_text(encoding="utf-8"))]


def test_every_function_that_builds_a_command_was_met(printed: PrintedTexts) -> None:
    places = {place for path in (ROOT / "certify").rglob("*.py") for place in calls_of_builders(path)}
    assert len(places) > 8
    assert places <= printed.built_by


def test_command_lines_are_put_together_in_one_place_each() -> None:
    found = {(module_of(path), place) for path in (ROOT / "certify").rglob("*.py")
             for place, node in nodes_by_function(path) if isinstance(node, ast.List | ast.Tuple)
             and begins_a_command([getattr(each, "value", "-") for each in node.elts[:2]])}
    assert found == {*BUILDERS.items(), ("certify.requests.run_command", "part_command"),
                     ("certify.requests.run_command", "name_file_alone")}


def begins_a_command(words: Sequence[object]) -> bool:
    """Return whether words begin a command; a word that is not a literal may be an option."""
    return words[:1] in (["certify"], ["python"]) and all(
        str(word) in NAMES or str(word).startswith("-") for word in words[1:])


def printed_literals(path: Path) -> Iterator[str]:
    """Yield the texts of a module, except those for its readers; help texts come where they are shown."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    yield from (node.value for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes)


def calls_of_builders(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the functions that call ``.on(word)`` or a function of certify/exports/pages/certificate/commands.py."""
    module, names = module_of(path), {name for name in vars(commands) if name.startswith("check_")}
    for place, node in nodes_by_function(path):
        if isinstance(node, ast.Call) and (
                (isinstance(node.func, ast.Attribute) and node.func.attr == "on")
                or (isinstance(node.func, ast.Name) and node.func.id in names)):
            yield module, place


def nodes_by_function(path: Path) -> Iterator[tuple[str, ast.AST]]:
    """Everything in a module, with the qualified name of the function it is in."""

    def walk(node: ast.AST, names: Sequence[str]) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            inside = names
            if isinstance(child, ast.ClassDef):
                inside = [*names, child.name]
            elif isinstance(child, ast.FunctionDef):
                inside = [*names, child.name, "<locals>"]
            yield ".".join(inside).removesuffix(".<locals>"), child
            yield from walk(child, inside)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), [])


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)
