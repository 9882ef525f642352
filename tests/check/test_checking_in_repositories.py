"""The composite action and the hook of pre-commit: their steps run the checker, and say no more than it says."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from markdown_it import MarkdownIt

from certify.exports.headline import headline
from proofs import check

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
ACTION = ROOT / ".github" / "actions" / "check"
KINDS = ("majority", "from_length_2", "trained_wrong_word", "trained_tracks_wrong_input", "trained_mean_by_classes",
         "softened_recent", "trained_tracks", "weighting_sparsemax_since", "by_hand_prev")


def read_yaml(path: Path) -> Any:
    """Read a file by PyYAML, which distributed needs."""
    yaml: Any = importlib.import_module("yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("summary", ACTION / "summary.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_steps(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Return the steps of the action, as a runner runs them: inputs become variables, each step is a script of bash."""
    action = read_yaml(ACTION / "action.yml")
    assert action["runs"]["using"] == "composite"
    given = {name: inputs.get(name, entry["default"]) for name, entry in action["inputs"].items()}
    (step,) = action["runs"]["steps"]
    assert step["shell"] == "bash" and "${{" not in step["run"]
    values = {**{f"inputs.{name}": value for name, value in given.items()}, "github.action_path": str(ACTION),
              "inputs.python": sys.executable}
    environment = {name: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text)
                   for name, text in step["env"].items()}
    places = {"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output.txt", "RUNNER_TEMP": "."}
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder,
                          env={"PATH": os.environ["PATH"], **environment, **places}, capture_output=True, text=True,
                          check=False)


def copy(folder: Path, **names: str) -> None:
    for name, source in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CORPUS / source, folder / name)


def test_the_action_checks_all_certificates_of_a_repository_and_says_what_is_proved(tmp_path: Path) -> None:
    copy(tmp_path, **{"a.cert": "accepted/majority.cert", "deep/er/b.cert": "accepted/from_length_2.cert",
                      ".hidden/c.cert": "rejected/a_bound_that_is_too_small.cert", "no.json": "accepted/majority.cert"})
    done = run_steps(tmp_path, badge="badge.svg")
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("accepted")] == [
        "accepted: a.cert", "accepted: deep/er/b.cert"]
    summary = MarkdownIt("commonmark").enable("table").render((tmp_path / "summary.md").read_text(encoding="utf-8"))
    cells = re.findall(r"<td>(.*?)</td>", summary)
    assert cells == ["a.cert", "accepted", "right on all words of length &lt;= 4",
                     "deep/er/b.cert", "accepted", "right on all words of length 2 to 4"]
    assert "Certificate: 2 accepted" in summary
    assert (tmp_path / "output.txt").read_text(encoding="utf-8") == "summary=./certificates.md\n"


def test_the_badge_says_what_is_proved(tmp_path: Path) -> None:
    copy(tmp_path, **{"a.cert": "accepted/majority.cert"})
    assert run_steps(tmp_path, badge="badge.svg").returncode == 0
    badge = (tmp_path / "badge.svg").read_text(encoding="utf-8")
    assert "<title>certificate: right on all words of length &lt;= 4</title>" in badge and 'fill="#2c7a45"' in badge


@pytest.mark.parametrize(("bad", "status", "verdict"), [
    ("rejected/a_bound_that_is_too_small.cert", 1, "rejected"), ("malformed/a_float.cert", 2, "malformed")])
def test_one_bad_certificate_fails_the_action_with_its_reason(
        tmp_path: Path, bad: str, status: int, verdict: str) -> None:
    copy(tmp_path, **{"a.cert": "accepted/majority.cert", "b.cert": bad})
    done = run_steps(tmp_path, badge="badge.svg")
    assert done.returncode == status
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert f"| b&#46;cert | {verdict} | " in summary and f"### Certificate: {verdict}&#58; 1 of 2\n" in summary
    assert 'fill="#b3261e"' in (tmp_path / "badge.svg").read_text(encoding="utf-8")


def test_a_repository_without_certificates_and_a_name_of_none_do_not_pass(tmp_path: Path) -> None:
    done = run_steps(tmp_path)
    assert (done.returncode, done.stderr) == (2, "no file matches **/*.cert, expected certificates\n")
    copy(tmp_path, **{"a.cert": "accepted/majority.cert"})
    done = run_steps(tmp_path, files="a.cert\nmissing.cert\n")
    assert done.returncode == 2 and "unreadable: missing.cert: cannot be read" in done.stderr


@pytest.mark.parametrize(("inputs", "complaint"), [
    ({"files": "/**/*.cert"}, "expected names and patterns like **/*.cert"),
    ({"badge": "none/badge.svg"}, "none/badge.svg: cannot be written: No such file or directory"),
])
def test_what_cannot_be_done_is_said_in_a_line(tmp_path: Path, inputs: dict[str, str], complaint: str) -> None:
    copy(tmp_path, **{"a.cert": "accepted/majority.cert"})
    done = run_steps(tmp_path, **inputs)
    assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr


def test_a_badge_replaces_no_certificate_that_is_checked(tmp_path: Path) -> None:
    copy(tmp_path, **{"a.cert": "accepted/majority.cert"})
    done = run_steps(tmp_path, badge="./a.cert")
    assert done.returncode == 2 and done.stderr == (
        "./a.cert: a certificate that is checked, expected another place for the badge\n")
    assert (tmp_path / "a.cert").read_bytes() == (CORPUS / "accepted" / "majority.cert").read_bytes()


def test_no_name_of_a_file_is_run_or_read_as_an_option_or_as_markdown(tmp_path: Path) -> None:
    names = ("--work.cert", "$(touch x).cert", "a|`b`<img src=x>.cert", "two\nlines.cert", "::error::x.cert")
    copy(tmp_path, **dict.fromkeys(names, "accepted/by_hand_prev.cert"))
    done = run_steps(tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "x").exists()
    summary = MarkdownIt("commonmark", {"html": True}).enable("table").render(
        (tmp_path / "summary.md").read_text(encoding="utf-8"))
    assert summary.count("<tr>") == 1 + len(names) and "<img" not in summary and summary.count("<code>") == 1
    assert not [line for line in (*done.stderr.splitlines(), *done.stdout.splitlines()) if line.startswith("::")]


def test_the_badge_says_no_more_than_the_least_of_its_certificates() -> None:
    checked = script()

    def of(*printed: tuple[int, str]) -> Any:
        return checked.badge_of([checked.Checked(f"{place}.cert", *one) for place, one in enumerate(printed)])

    right, shorter, wrong = ((0, text) for text in ("right on all words of length <= 9",
                                                    "right on all words of length <= 4", "wrong on a word"))
    assert of(right, right) == ("right on all words of length <= 9", checked.GREEN)
    assert of(right, shorter) == ("2 accepted", checked.GREEN)
    assert of(right, wrong) == ("2 accepted", checked.GREY)
    assert of(wrong) == ("wrong on a word", checked.GREY)
    assert of((0, "a vacuous claim")) == ("a vacuous claim", checked.GREY)
    assert of(right, (3, "incomplete: x: out of work"), (1, "rejected: y: no"), (2, "malformed: z: no")) == (
        "rejected: 3 of 4", checked.RED)
    assert of(right, (3, "incomplete: x: out of work")) == ("incomplete: 1 of 2", checked.RED)


@pytest.mark.parametrize("name", KINDS)
def test_the_action_and_the_card_say_the_same_of_a_certificate(name: str) -> None:
    lines = list(check.check_text((CORPUS / "accepted" / f"{name}.cert").read_bytes()).lines)
    assert script().headline(lines) == headline(lines)


@pytest.mark.parametrize("first", ["the claim that follows is FALSE:", "the claim that follows is VACUOUS: on no word"])
def test_a_claim_that_is_false_or_asks_nothing_is_not_right(first: str) -> None:
    lines = [first, "claim        on every word of length 1..5 over the alphabet"]
    assert script().headline(lines) == headline(lines)
    assert headline(lines) in ("wrong on an input", "a vacuous claim")


def test_the_hook_runs_the_script_that_is_there_on_the_files_that_it_names(tmp_path: Path) -> None:
    (hook,) = read_yaml(ROOT / ".pre-commit-hooks.yaml")
    assert hook["language"] == "script"
    assert [name for name in ("a/b.cert", "a.py", "cert") if re.search(hook["files"], name)] == ["a/b.cert"]
    copy(tmp_path, **{"a.cert": "accepted/majority.cert", "b.cert": "rejected/a_bound_that_is_too_small.cert"})
    for files, status in ((["a.cert"], 0), (["a.cert", "b.cert"], 1)):
        done = subprocess.run([str(ROOT / hook["entry"]), *files], cwd=tmp_path, capture_output=True, text=True,
                              check=False)
        assert done.returncode == status and done.stdout.startswith("### Certificate: ")
