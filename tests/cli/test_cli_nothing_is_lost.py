"""No command loses a file of the user's: every option of every command that writes, from a table that must be whole."""

import ast
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from certify import InputError, export
from certify.cli import app, command_line
from certify.commands.command import WRITTEN, kinds_of, option_name
from certify.common.files import write_text
from certify.common.output_guard import OutputGuard
from certify.common.shipped import examples_folder
from certify.requests.options import written_folder
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json
from constructions.regimes import Regime
from tests.cli.made import MINE
from tests.cli.reports import interrupt
from tests.processes import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
IMPORT = ("import", "model.safetensors", "--kind", "nanogpt", "--attention", "causal", "--heads", "1",
          "--activation", "gelu", "--epsilon", "1e-5")


@dataclass(frozen=True)
class Row:
    """A command line without its outputs, the files that it reads, and those of its options that write.

    A session that is not ``quick`` is not run to its end here.
    """

    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    options: tuple[str, ...]
    quick: bool = True

    @property
    def name(self) -> str:
        return self.arguments[0]


def row(line: str, inputs: str, options: str, quick: bool = True) -> Row:
    return Row(tuple(line.split()), tuple(inputs.split()), tuple(options.split()), quick)


TABLE = (
    row("formula p.cr --max-n 2", "p.cr", "-o"),
    row("formula f.ltl --alphabet ab --max-n 2", "f.ltl", "-o"),
    row("formula --dfa even.att --max-n 2", "even.att", "-o"),
    row("formula Q_a --max-n 2 --float own.toml", "own.toml", "-o"),
    row("formula -F list.txt --max-n 2 --jobs 1", "list.txt", "-o --store"),
    row("build p.cr --as-formula", "p.cr", "-o"),
    row("model m.json --max-n 2", "m.json", "-o"),
    row("audit claims.toml --jobs 1", "claims.toml inner.json inner.cr own.toml", "--html --markdown --csv --latex"),
    row("audit --model m.json --max-n 2", "m.json", "-o --html --markdown --csv --latex"),
    row("prove m.json", "m.json", "-o", quick=False),
    row("model hard.json --max-n 2 --jobs 1", "hard.json", "-o --softmax --store"),
    row("sensitivity m.json --max-n 2", "m.json", "--plot", quick=False),
    row("cross-entropy m.json --max-n 2", "m.json", "--plot"),
    row("floats c.cert --format own.toml", "c.cert own.toml", "-o"),
    row("floats mean.cert --format own.toml --max-n 1", "mean.cert own.toml", "--html"),
    row(" ".join(IMPORT), "model.safetensors", "-o"),
    row(" ".join(["import", "folder", *IMPORT[2:]]), "folder/model.safetensors", "-o"),
    row("decide t.json --claim claim.toml --max-n 2 --jobs 1", "t.json claim.toml", "-o --wrong --html --store"),
    row("decide t.json --claim claim.toml --max-n 1 --float own.toml", "t.json claim.toml own.toml",
        "-o --wrong --html"),
    row("decide t.json --alphabet 01 --at last --larger 0,1:dfa:bits.att --max-n 1 --jobs 1", "t.json bits.att",
        "-o --wrong --html --store"),
    row("learn t.json --claim claim.toml --max-n 2 --jobs 1", "t.json claim.toml", "-o --svg --html --store"),
    row("heads t.json --claim claim.toml --max-n 2 --head 1.1 --on itself --at-least 0 --jobs 1", "t.json claim.toml",
        "-o --wrong --html", quick=False),
    row("ablate t.json --claim claim.toml --max-n 2 --jobs 1", "t.json claim.toml", "-o --model --html", quick=False),
    row("harden t.json --claim claim.toml --max-n 2 --jobs 1 --pattern 1.1=first", "t.json claim.toml",
        "-o --wrong --model --program --program-certificate --html", quick=False),
    row("harden t.json --claim claim.toml --max-n 2 --jobs 1 --pattern 1.1=greatest", "t.json claim.toml", "--scores",
        quick=False),
    row("equal t.json t.json --claim claim.toml --max-n 2 --jobs 1", "t.json claim.toml", "-o --store"),
    row("train claim.toml --from t.json --max-n 2 --rounds 1 --steps 1", "claim.toml t.json", "-o", quick=False),
    row("model m.json --threshold 1/2 --max-n 2", "m.json", "-o"),
    *(row(f"export c.cert --to {form}", "c.cert", "-o", quick=form in ("latex", "html", "npz", "safetensors"))
      for form in ("coq", "smt2", "latex", "figures", "proof", "html", "npz", "onnx", "torch", "safetensors")),
    row("export --to checker", "", "-o"),
    row("explain f.ltl --alphabet ab", "f.ltl", "--html"),
    row("export c.cert --to card", "c.cert", "-o"),
    row("export c.cert --to site", "c.cert", "-o"),
    row("list examples", "", "--copy"),
)
CLAIMS = """[[claim]]
name = "model"
model = "inner.json"
lengths = 2
[[claim]]
name = "program"
formula = "inner.cr"
lengths = 2
float = "own.toml"
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that the table reads."""
    from certify import certify as prove_formula
    from constructions.importing.importer import import_network
    from constructions.importing.questions import Options
    from tests.trained.small_networks import write_network

    folder, shipped = tmp_path_factory.mktemp("inputs"), examples_folder()
    model = json.dumps(transformer_to_json(compile_formula(parse_formula("Q_1 since Q_0"), "01", Regime())))
    for name, text in {"m.json": model, "inner.json": model, "own.toml": MINE, "claims.toml": CLAIMS,
                       "list.txt": "Q_a\n",
                       "f.ltl": "Q_a\n", "even.att": "e\to\ta\ne\te\tb\no\te\ta\no\to\tb\ne\n",
                       "bits.att": "e\te\t0\ne\te\t1\ne\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    prove_formula("Q_1 since Q_0", alphabet="01", max_n=2).save(folder / "c.cert")
    shutil.copy(ROOT / "tests" / "corpus" / "accepted" / "trained_mean.cert", folder / "mean.cert")
    for name in ("p.cr", "inner.cr"):
        shutil.copy(shipped / "programs" / "majority.cr", folder / name)
    shutil.copy(shipped / "hard" / "flip_flop.json", folder / "hard.json")
    trained = shipped / "trained" / "tomita_2"
    shutil.copy(trained / "claim.toml", folder)
    (folder / "folder").mkdir()
    for place in (folder, folder / "folder"):
        shutil.copy(trained / "model.safetensors", place)
    from fractions import Fraction

    options = Options("causal", "gelu", None, Fraction(1, 100000), 1, kind="nanogpt")
    write_network(import_network([trained], options).network, folder / "t.json")
    return folder


@pytest.fixture
def here(certify: Any, inputs: Path, tmp_path: Path) -> Path:
    """A fresh copy of them in the current folder."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file, and the folders."""
    return {path.relative_to(folder).as_posix(): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in sorted(folder.rglob("*"))}


def with_outputs(one: Row, places: dict[str, str]) -> list[str]:
    """The whole command line."""
    return [*one.arguments, *(part for pair in places.items() for part in pair)]


def assert_refused(certify: Any, folder: Path, arguments: list[str], *parts: str) -> None:
    before = contents(folder)
    result = certify(*arguments)
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1), (arguments, result)
    assert any(part in result.err for part in parts), (arguments, result.err)
    assert contents(folder) == before, arguments


def writing(name: str) -> dict[str, object]:
    """Return the options of a command that write, as the command itself says, with the kind of place."""
    command: Any = command_line().commands[name]
    kinds = kinds_of(command)
    return {option_name(one): kinds[one.name] for one in command.params if kinds.get(one.name) in WRITTEN}


# -- the table is whole ------------------------------------------------------------------------------------------------


def test_the_table_has_every_option_of_every_command_that_writes() -> None:
    of_the_app = {(name, option) for name in command_line().commands for option in writing(name)}
    assert of_the_app == {(one.name, option) for one in TABLE for option in one.options}
    assert len(of_the_app) == 44


def test_every_option_whose_name_or_place_is_one_to_write_to_says_so() -> None:
    """Those that name files and do not write are known by name: a new one must be looked at."""
    reads = {"--dfa", "-F", "--float", "--format", "--claim", "--model", "--formula", "--pyodide", "--machine",
             "--audit", "--from", "--verified", "--query", "--wheels", "--expect", "--weights"}
    places = ("FILE", "DIR", "PLACE", "MODEL")
    for name, command in command_line().commands.items():
        for one in command.params:
            if option_name(one) in reads or not any(word in str(one.metavar) for word in places):
                continue
            is_input = one.param_type_name == "argument"
            assert is_input or option_name(one) in writing(name), (name, option_name(one))


def test_what_a_command_writes_without_saying_so_is_not_written(
        certify: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def careless(place: Annotated[str, typer.Argument(metavar="WORD")]) -> None:
        write_text(place, "lost")

    monkeypatch.setattr(app, "registered_commands", list(app.registered_commands))
    from certify.commands.command import Command

    app.command(name="careless", cls=Command)(careless)
    result = certify("careless", "x")
    assert result.code == 3 and "x: about to be written, but no option that writes names it" in result.err
    assert not (tmp_path / "x").exists()


OTHER_CALLS = ("self.open", "formatter.write_text")  # the second is of help texts


def calls_that_write(path: Path) -> Iterator[str]:
    names = {"write_text", "write_bytes", "unlink", "mkstemp", "chmod", "rmtree", "copyfile", "copytree", "touch",
             "rename", "symlink_to"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in OTHER_CALLS:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            modes = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            opens = getattr(node.func, "id", name) == "open" and any(set(mode) & set("wax+") for mode in modes)
            if (name in names and isinstance(node.func, ast.Attribute)) or opens:
                yield f"{path.relative_to(ROOT).as_posix()}: {ast.unparse(node)[:60]}"


def test_one_place_writes_files() -> None:
    found = {one.partition(":")[0] for path in (ROOT / "certify").rglob("*.py") for one in calls_that_write(path)}
    assert found == {"certify/common/files.py"}


# -- no output is an input ---------------------------------------------------------------------------------------------

AS_INPUT = [(one, option, name) for one in TABLE for option in one.options for name in one.inputs]


@pytest.mark.parametrize(("one", "option", "name"), AS_INPUT,
                         ids=lambda part: " ".join(part.arguments[:2]) if isinstance(part, Row) else part)
def test_an_output_that_is_an_input_is_refused_by_any_of_its_names(
        certify: Any, here: Path, one: Row, option: str, name: str) -> None:
    (here / "symbolic").symlink_to(name)
    os.link(here / name, here / "hard-link")
    for place in (name, f"folder/../{name}", "symbolic", "hard-link"):
        refused = ("would replace", "it is no folder", "cannot be a folder", "no folder for shards")
        assert_refused(certify, here, with_outputs(one, {option: place}), *refused)


def in_a_process(*arguments: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "certify.cli", *arguments], env=ENVIRONMENT, text=True, check=False,
                          stderr=subprocess.PIPE, **streams)


def test_standard_input_is_an_input_like_any_other(here: Path) -> None:
    before = contents(here)
    with (here / "m.json").open("rb") as file:
        ended = in_a_process("model", "-", "--max-n", "2", "-o", "m.json", stdin=file)
    assert ended.returncode == 2
    assert ended.stderr == ("certify: -o m.json: would replace standard input, which is read, expected another "
                            "place\n")
    assert contents(here) == before


def test_an_output_that_is_where_standard_output_goes_is_refused(here: Path) -> None:
    with (here / "out").open("wb") as file:
        ended = in_a_process("formula", "Q_1", "--max-n", "2", "-o", "out", stdout=file)
    assert ended.returncode == 2
    assert ended.stderr == "certify: -o out: what is printed goes there already, expected another place\n"


@pytest.mark.parametrize("one", [one for one in TABLE if one.quick], ids=lambda one: " ".join(one.arguments[:3]))
def test_every_file_that_a_command_opens_is_one_that_it_would_not_replace(
        certify: Any, here: Path, monkeypatch: pytest.MonkeyPatch, one: Row) -> None:
    """Compare the files that the interpreter opens with those that the command lists as read."""
    made: list[OutputGuard] = []
    given = contents(here).keys()
    create = OutputGuard.__init__

    def create_noted(self: OutputGuard) -> None:
        create(self)
        made.append(self)

    monkeypatch.setattr(OutputGuard, "__init__", create_noted)
    opened.clear()
    result = certify(*with_outputs(one, {option: f"new-{number}" for number, option in enumerate(one.options)}))
    assert result.code in (0, 1, 3), result.err
    read = {os.path.relpath(os.path.realpath(here / path), os.path.realpath(here)) for path in opened}
    noted = {os.path.relpath(os.path.realpath(name), os.path.realpath(here))
             for places in made for name in places.inputs.values()}
    assert read & given == noted & given == set(one.inputs)


opened: set[str] = set()
"""What was opened for reading, by name; a hook cannot be taken away again."""


def _see(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str) and not (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR):
        opened.add(arguments[0])


sys.addaudithook(_see)


# -- no place is taken twice, none that is protected -------------------------------------------------------------------

PAIRS = [(one, *pair) for one in TABLE for pair in itertools.combinations(one.options, 2)]


@pytest.mark.parametrize(("one", "first", "second"), PAIRS,
                         ids=lambda part: " ".join(part.arguments[:2]) if isinstance(part, Row) else part)
def test_two_outputs_in_one_place_are_refused(certify: Any, here: Path, one: Row, first: str, second: str) -> None:
    assert_refused(certify, here, with_outputs(one, {first: "x", second: "./x"}), "writes there, too")
    (here / "there").write_text("kept")
    (here / "again").symlink_to("there")
    assert_refused(certify, here, with_outputs(one, {first: "there", second: "again"}), "writes there, too")


@pytest.mark.parametrize(("one", "option"), [(one, option) for one in TABLE for option in one.options],
                         ids=lambda part: " ".join(part.arguments[:2]) if isinstance(part, Row) else part)
def test_what_is_protected_is_left_alone(certify: Any, here: Path, one: Row, option: str) -> None:
    (here / "protected").mkdir()
    (here / "protected").chmod(0o555)
    if option == "--store" or "-F" in one.arguments or writing(one.name)[option] is written_folder:
        place = "protected"
    else:
        (here / "file").write_text("kept")
        (here / "file").chmod(0o444)
        place = "file"
        if one.arguments[-1] not in ("coq", "smt2", "figures", "torch"):
            assert_refused(certify, here, with_outputs(one, {option: "protected/new"}), "permission denied")
    assert_refused(certify, here, with_outputs(one, {option: place}), "permission denied", "it is no folder")


def test_a_file_that_is_replaced_keeps_its_mode_and_a_new_one_has_that_of_umask(certify: Any, here: Path) -> None:
    (here / "old").write_text("old")
    (here / "old").chmod(0o640)
    before = os.umask(0o077)
    try:
        for place in ("old", "new"):
            assert certify("build", "Q_1", "-o", place).code == 0
    finally:
        os.umask(before)
    assert [(here / name).stat().st_mode & 0o777 for name in ("old", "new")] == [0o640, 0o600]


def test_an_empty_folder_is_filled_where_it_is_and_keeps_its_mode(certify: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    found = (tmp_path / "mine").stat()
    assert certify("list", "examples", "--copy", "mine").code == 0
    after = (tmp_path / "mine").stat()
    assert (found.st_ino, found.st_mode) == (after.st_ino, after.st_mode) and (tmp_path / "mine/formulas.txt").is_file()


# -- audits ------------------------------------------------------------------------------------------------------------


def test_an_interrupted_report_never_takes_the_place_of_another(
        certify: Any, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "good.html").write_text("good")

    monkeypatch.setattr("certify.auditing.session.run_tasks", interrupt)
    result = certify("audit", "claims.toml", "--html", "good.html", "--csv", "new.csv")
    assert result.code == 130 and (here / "good.html").read_text() == "good" and (here / "new.csv").is_file()
    assert "certify: the audit is not complete, so good.html stays as it is" in result.err.splitlines()


@pytest.mark.parametrize("text", ["", "mine", "[]", '{"verdict": "certified"}'])
def test_a_file_of_the_name_under_which_claims_are_kept_is_not_lost(certify: Any, here: Path, text: str) -> None:
    (here / "claims.audit.json").write_text(text)
    assert_refused(certify, here, ["audit", "claims.toml"], "claims.audit.json: not a file of an audit")


def test_claims_are_not_kept_where_a_report_goes_or_a_model_is(certify: Any, here: Path) -> None:
    assert_refused(certify, here, ["audit", "claims.toml", "--html", "claims.audit.json"], "writes there, too")
    (here / "inner.json").rename(here / "claims.audit.json")
    (here / "claims.toml").write_text(CLAIMS.replace("inner.json", "claims.audit.json"))
    assert_refused(certify, here, ["audit", "claims.toml"], "would replace")


# -- Python ------------------------------------------------------------------------------------------------------------


def test_python_exports_to_no_input_either(here: Path) -> None:
    before = contents(here)
    for place in ("c.cert", "folder/../c.cert"):
        with pytest.raises(InputError, match="would replace"):
            export("c.cert", "html", place)
    assert contents(here) == before
