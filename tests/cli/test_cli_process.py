"""The command as a process of its own: start-up, pipes that close, interrupts, and the checker without our packages."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import proofs.check
from tests.processes import ENVIRONMENT, start_python

COMMAND = [sys.executable, "-m", "certify.cli"]
CHECKER = [sys.executable, "-I", "-S", str(Path(proofs.check.__file__).resolve().parent)]


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT} | options
    return subprocess.run([*COMMAND, *arguments], text=True, check=False, **given)


def run_checker(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CHECKER, *arguments], text=True, check=False, capture_output=True, **options)


def test_help_loads_no_prover_and_no_parser() -> None:
    script = ("import sys\nfrom certify.cli import main\nsys.argv = ['certify', '--help']\ntry:\n    main()\n"
              "finally:\n    print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)")
    result = subprocess.run([sys.executable, "-c", script], text=True, env=ENVIRONMENT, capture_output=True,
                            check=False)
    loaded = set(result.stderr.split())
    assert result.returncode == 0 and "typer" in loaded
    assert not loaded & {"z3", "sympy", "flint", "mpmath", "lark", "rich", "proofs", "hypothesis"}


def test_a_certificate_is_accepted_by_the_checker_alone_and_only_for_its_claim(tmp_path: Path) -> None:
    path = tmp_path / "c.cert"
    made = run("formula", "Q_1 since prev Q_0", "--alphabet", "01", "--max-n", "8", "-o", str(path), "--json")
    assert made.returncode == 0 and json.loads(made.stdout)["verdict"] == "certified"
    assert all(re.match(r"certify: \d+ s: ", line) for line in made.stderr.splitlines()), "progress, if it took long"
    claim = ["--formula", "Q_1 since prev Q_0", "--alphabet", "01", "--max-n", "8"]
    accepted = run_checker(*claim, str(path), cwd=tmp_path)
    assert accepted.returncode == 0 and accepted.stdout.splitlines()[-1] == f"accepted: {path}"
    other = run_checker("--max-n", "9", str(path))
    assert other.returncode == 1 and "rejected" in other.stdout


def test_a_certificate_can_be_piped_into_the_checker() -> None:
    made = run("formula", "-", "--alphabet", "01", "--max-n", "4", "-o", "-", input="prev Q_1")
    assert made.returncode == 0
    assert run_checker("-", input=made.stdout).returncode == 0
    assert run("check", "-", input=made.stdout).returncode == 0


@pytest.mark.parametrize("arguments", [("list",), ("formula", "Q_1 & prev Q_0", "--max-n", "2", "--json")])
def test_a_reader_that_goes_away_early_causes_no_traceback(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        result = run(*arguments, stdout=closed)
    assert result.stderr == "" and result.returncode == 141


def test_head_of_a_listing_gets_its_line() -> None:
    with subprocess.Popen([*COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=ENVIRONMENT) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline().startswith("examples in ")
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        result = run("list", stdout=full)
    assert (result.returncode, result.stderr) == (2, "certify: standard output: No space left on device\n")


def test_closed_standard_output_is_no_error() -> None:
    command = " ".join([*COMMAND, "list", ">&-"])
    result = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_an_interrupt_ends_the_demo_with_one_line_and_whole_certificates_only(tmp_path: Path) -> None:
    with start_python("-m", "certify.cli", "formula", "--max-n", "128", "-o", str(tmp_path)) as process:
        assert process.stderr
        assert process.stderr.readline().startswith("certify: ")  # the first line of progress: work is under way
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "certify: interrupted" and "Traceback" not in err
    assert all(path.suffix == ".cert" and path.read_text().endswith("}\n") for path in tmp_path.iterdir())


def test_a_text_that_the_terminal_cannot_encode_is_escaped() -> None:
    result = run("run", "prev Q['ä']", "ää", "--style", "unicode", env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0 and "Traceback" not in result.stderr


def test_bad_input_is_one_line_and_status_2() -> None:
    result = run("formula", "Q_1", "--max-n", "0")
    assert (result.returncode, result.stdout, result.stderr) == (
        2, "", "certify: max-n: 0, expected a number from 1 to 1024\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed there")
def test_a_current_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && {sys.executable} -m certify list"
    result = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == ("certify: the current folder: No such file or directory, expected one; start in a folder "
                             "that exists\n")
