"""Finished shards on disk: found again, and never believed if they are not whole."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certify.common.shards import run_tasks
from certify.common.shards.store import Store
from constructions.errors import InputError
from tests.common.shards.tasks import noted_square, square, task
from tests.processes import start_python, wait_until

SQUARES = [json.dumps({"square": str(x * x)}) for x in range(6)]

RUN = """
import json, sys
from pathlib import Path
from certify.common.shards import run_tasks
from tests.common.shards.tasks import slow_square, task
folder = Path(sys.argv[1])
free, gate = {"notes": str(folder / "notes")}, {"gate": str(folder / "gate")}
try:
    tasks = [task(x=str(x), **free, **(gate if x >= 4 else {})) for x in range(12)]
    print(json.dumps(run_tasks(tasks, slow_square, jobs=int(sys.argv[2]), store=folder / "store")))
except KeyboardInterrupt:
    sys.exit(130)
"""
ANSWER = json.dumps([json.dumps({"square": str(x * x)}) for x in range(12)]) + "\n"


def start(folder: Path, jobs: int) -> subprocess.Popen[str]:
    """Twelve squares; all but the first four wait until the gate is open."""
    (folder / "notes").mkdir(exist_ok=True)
    return start_python("-c", RUN, str(folder), str(jobs), start_new_session=True)


def kept(folder: Path) -> int:
    return len(list((folder / "store").glob("*.json")))


def times_begun(folder: Path, x: int) -> int:
    return len(list((folder / "notes").glob(f"{x}-*")))


def group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_goes_on_where_it_was_and_ends_with_the_same_bytes(tmp_path: Path, how: int) -> None:
    first = start(tmp_path, jobs=2)
    wait_until(lambda: kept(tmp_path) == 4, [first])
    if how == signal.SIGINT:
        os.killpg(first.pid, how)  # as a terminal does: all processes get it
    else:
        first.kill()
    first.wait()
    (tmp_path / "gate").touch()  # what a killed run leaves behind ends with its task
    assert first.communicate() == ("", "") and first.returncode == (130 if how == signal.SIGINT else -9)
    wait_until(lambda: group_is_gone(first.pid))
    assert kept(tmp_path) == 4
    second = start(tmp_path, jobs=3)
    assert second.communicate() == (ANSWER, "") and second.returncode == 0
    assert [times_begun(tmp_path, x) for x in range(4)] == [1, 1, 1, 1]
    assert kept(tmp_path) == 12


def test_two_runs_in_one_folder_help_each_other_and_agree(tmp_path: Path) -> None:
    first = start(tmp_path, jobs=1)
    wait_until(lambda: kept(tmp_path) == 4 and times_begun(tmp_path, 4), [first])
    second = start(tmp_path, jobs=2)
    wait_until(lambda: times_begun(tmp_path, 4) == 2, [first, second])
    (tmp_path / "gate").touch()
    assert first.communicate() == second.communicate() == (ANSWER, "")
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(list((tmp_path / "store").iterdir())) == 12
    assert [times_begun(tmp_path, x) for x in range(4)] == [1, 1, 1, 1]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flip(path: Path) -> None:
    path.write_text(path.read_text().replace("square", "sqare!"))


def make_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def dangle(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut off": cut,
    "altered": flip,
    "empty": lambda path: path.write_bytes(b""),
    "not UTF-8": lambda path: path.write_bytes(b"\xff" + path.read_bytes()),
    "not JSON": lambda path: path.write_text("{"),
    "deep": lambda path: path.write_text("[" * 100_000),
    "a list": lambda path: path.write_text("[]"),
    "no text": lambda path: path.write_text(json.dumps(json.loads(path.read_text()) | {"result": 3})),
    "a surrogate": lambda path: path.write_text(json.dumps({"result": "\ud800"})),
    "another version": lambda path: path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 2}) + "\n"),
    "more besides": lambda path: path.write_text(json.dumps(json.loads(path.read_text()) | {"more": 1}) + "\n"),
    "of another task": lambda path: path.write_text(
        next(other for other in path.parent.glob("*.json") if other != path).read_text()),
    "a pipe": make_pipe,
    "a link to nowhere": dangle,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_detected_done_again_and_replaced(tmp_path: Path, damage: str) -> None:
    notes, folder = tmp_path / "notes", tmp_path / "store"
    notes.mkdir()
    tasks = [task(x=str(x), notes=str(notes)) for x in range(6)]
    assert run_tasks(tasks, noted_square, store=folder) == SQUARES
    path = Store(folder, noted_square).path(tasks[2])
    before = path.read_bytes()
    DAMAGES[damage](path)
    printed: list[Any] = []
    assert run_tasks(tasks, noted_square, store=folder, progress=printed.append) == SQUARES
    assert (printed[-1].damaged, printed[-1].kept, printed[-1].done) == (1, 5, 6)
    assert sorted(name.name.partition("-")[0] for name in notes.iterdir()) == ["0", "1", "2", "2", "3", "4", "5"]
    assert not path.is_symlink() and path.read_bytes() == before


def test_a_missing_file_is_done_again_and_only_that_one(tmp_path: Path) -> None:
    notes, folder = tmp_path / "notes", tmp_path / "store"
    notes.mkdir()
    tasks = [task(x=str(x), notes=str(notes)) for x in range(6)]
    run_tasks(tasks, noted_square, store=folder)
    Store(folder, noted_square).path(tasks[4]).unlink()
    assert run_tasks(tasks, noted_square, store=folder) == SQUARES
    assert sorted(name.name.partition("-")[0] for name in notes.iterdir()) == ["0", "1", "2", "3", "4", "4", "5"]


def test_a_result_is_known_by_its_task_its_function_and_the_version_of_the_code(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path, square)
    store.keep(task(x="3"), "9")
    assert store.find(task(x="3")) == "9"
    assert Store(tmp_path, square).find(task(x="4")) is None
    assert Store(tmp_path, noted_square).find(task(x="3")) is None
    monkeypatch.setattr("certify.common.shards.store.code_version", lambda _: "another")
    assert Store(tmp_path, square).find(task(x="3")) is None


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("mine")
    assert run_tasks([task(x="3")], square, store=tmp_path) == [SQUARES[3]]
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_place_that_cannot_hold_shards_is_one_line_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "notes").mkdir()
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match=r"no folder for shards: (File exists|Not a directory)"):
            run_tasks([task(x="3", notes=str(tmp_path / "notes"))], noted_square, store=place)
    assert not list((tmp_path / "notes").iterdir())


def test_a_folder_in_the_place_of_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = Store(tmp_path, square).path(task(x="3"))
    path.mkdir()
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        run_tasks([task(x="3")], square, store=tmp_path)
