"""The results of shards do not depend on who computes them, on deaths of workers, or on what was there before."""

import contextlib
import json
import multiprocessing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.common.shards import ShardsState, digest_of, run_tasks
from certify.common.shards.answers import answer
from constructions.compiler import compile_formula
from constructions.errors import InputError, InternalError, Unsupported, WorkLost
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json
from constructions.regimes import Regime
from tests.common.shards.tasks import (
    fail_on_odd,
    gap,
    length_of_shared,
    noted_square,
    square,
    square_that_exits,
    square_that_kills_first,
    task,
)
from tests.processes import start_python

SQUARES = [json.dumps({"square": str(x * x)}) for x in range(6)]


def test_results_come_in_the_order_of_tasks_however_many_processes() -> None:
    tasks = [task(x=str(x)) for x in range(6)]
    assert run_tasks(tasks, square) == SQUARES
    assert run_tasks(tasks, square, jobs=2) == SQUARES
    assert run_tasks([*tasks, *reversed(tasks)], square, jobs=7) == [*SQUARES, *reversed(SQUARES)]
    assert run_tasks([], square, jobs=2) == []


def test_gaps_of_a_real_network_are_the_same_in_any_number_of_processes() -> None:
    transformer = transformer_to_json(compile_formula(parse_formula("Q_1 since Q_0"), "01", Regime()))
    tasks = [task(transformer=transformer, layer=1, head=1, n=n) for n in range(1, 9)]
    alone = run_tasks(tasks, gap)
    assert alone == run_tasks(tasks, gap, jobs=2) == [gap(text) for text in tasks]
    assert json.loads(alone[0]) == {"gap": None, "i": 1, "tied": False, "word": ["0"]}
    assert [json.loads(text)["gap"] for text in alone[1:]] == [str(Fraction(3, n)) for n in range(2, 9)]


def test_equal_tasks_are_done_once(tmp_path: Path) -> None:
    tasks = [task(x="3", notes=str(tmp_path))] * 4
    assert run_tasks(tasks, noted_square, jobs=2) == [SQUARES[3]] * 4
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_list_ends_with_the_first_result_that_is_last_and_later_tasks_may_fail(jobs: int) -> None:
    def done(*numbers: int) -> list[str]:
        return run_tasks([task(x=str(x)) for x in numbers], fail_on_odd, jobs=jobs, is_last=lambda text: "36" in text)

    assert done(0, 2, 6, 5, 6, 3) == [SQUARES[0], SQUARES[2], json.dumps({"square": "36"})]
    assert done(2, 4) == [SQUARES[2], SQUARES[4]]
    with pytest.raises(Unsupported, match="5 is odd"):
        done(2, 5, 6)


def test_of_the_tasks_before_a_last_result_none_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Listed()
    monkeypatch.setattr("certify.common.shards.running._hire", lambda *_: pool)
    # 6 answers before 2 does, and 5 fails, but comes later; then 0 and 4, which are smaller, are still to be done
    tasks = {"2": 9, "0": 1, "4": 2, "6": 8, "5": 7}
    found = run_tasks([task(x=x) for x in tasks], fail_on_odd, jobs=2, sizes=list(tasks.values()),
                      is_last=lambda text: "36" in text)
    assert pool.begun == ["2", "6", "4", "0"] and [json.loads(one)["square"] for one in found] == ["4", "0", "16", "36"]


def test_results_are_announced_as_they_come_and_sizes_make_the_rate() -> None:
    tasks, seen, printed = [task(x=str(x)) for x in range(3)], list[Any](), list[tuple[str, str]]()
    run_tasks(tasks, square, sizes=[10, 20, 30], progress=seen.append,
              finished=lambda text, result: printed.append((text, result)))
    assert seen == [ShardsState(done, 3, 0, 0, size, 60, 0) for done, size in ((0, 0), (1, 10), (2, 30), (3, 60))]
    assert printed == list(zip(tasks, SQUARES, strict=False))


class Listed:
    """Workers that note the order in which they are given tasks, and answer the latest first."""

    capacity = 2

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.tasks: list[tuple[int, str]] = []

    def begin(self, number: int, task: str) -> None:
        self.begun.append(json.loads(task)["x"])
        self.tasks.append((number, task))

    def collect(self) -> list[tuple[int, str]]:
        number, text = self.tasks.pop()
        return [(number, answer(fail_on_odd, text))]

    def close(self) -> None:
        pass


def test_several_workers_begin_with_the_largest_tasks_and_report_the_first_failure_all_the_same(
        monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(sizes: dict[str, int]) -> list[str]:
        pool = Listed()
        monkeypatch.setattr("certify.common.shards.running._hire", lambda *_: pool)
        with contextlib.suppress(InputError, Unsupported):
            run_tasks([task(x=x) for x in sizes], fail_on_odd, jobs=2, sizes=list(sizes.values()))
        return pool.begun

    assert begun({"0": 1, "2": 7, "4": 3, "6": 7}) == ["2", "6", "4", "0"]
    # 5 fails while 0 is under way; 2 and 3 come before it, and 3 fails too; 6 comes after it
    assert begun({"0": 9, "2": 1, "3": 2, "5": 8, "6": 5}) == ["0", "5", "3", "2"]


def test_a_worker_takes_the_neighbour_of_its_last_task_if_they_are_related(monkeypatch: pytest.MonkeyPatch) -> None:
    crew, tasks = Listed(), [task(x=str(x)) for x in (0, 2, 4, 6, 8, 10)]
    monkeypatch.setattr("certify.common.shards.running._hire", lambda *_: crew)
    assert run_tasks(tasks, fail_on_odd, jobs=2, related=True) == [fail_on_odd(text) for text in tasks]
    assert crew.begun == ["0", "6", "8", "10", "4", "2"]


def test_processes_do_not_run_the_program_again_that_starts_them(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from certify.common.shards import run_tasks\n"
                      "from tests.common.shards.tasks import square, task\n"
                      "print(run_tasks([task(x='1'), task(x='2')], square, jobs=2))\n")
    with start_python(str(script)) as process:
        assert process.communicate() == (f"{SQUARES[1:3]}\n", "")


@pytest.mark.parametrize("deaths", [1, 2])
def test_the_task_of_a_killed_worker_is_done_again(tmp_path: Path, deaths: int) -> None:
    tasks = [task(x=str(x), notes=str(tmp_path), deaths=deaths) for x in range(6)]
    assert run_tasks(tasks, square_that_kills_first, jobs=2) == SQUARES
    assert len(list(tmp_path.glob("3-*"))) == deaths + 1
    assert len(list(tmp_path.glob("2-*"))) == 1


def test_a_task_that_kills_every_worker_is_given_up_with_one_line(tmp_path: Path) -> None:
    tasks = [task(x=str(x), notes=str(tmp_path), deaths=99) for x in range(6)]
    with pytest.raises(WorkLost) as lost:
        run_tasks(tasks, square_that_kills_first, jobs=2)
    assert str(lost.value) == ("shard 4: 3 worker processes died at it, the last one by signal 9; expected enough "
                               "memory for every process")
    assert len(list(tmp_path.glob("3-*"))) == 3
    assert not multiprocessing.active_children()


def test_a_worker_that_leaves_in_silence_has_died_too() -> None:
    with pytest.raises(WorkLost, match="the last one with status 7"):
        run_tasks([task(x=x) for x in "12"], square_that_exits, jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_failing_task_in_their_order_is_the_one_that_is_reported(jobs: int) -> None:
    def failure(*xs: int) -> tuple[type[BaseException], str]:
        with pytest.raises((InputError, Unsupported, InternalError)) as raised:
            run_tasks([task(x=str(x)) for x in xs], fail_on_odd, jobs=jobs)
        return raised.type, str(raised.value)

    assert failure(2, 3, 5) == (InputError, "3 is odd\nreally")  # 3 is slower than 5
    assert failure(2, 5, 3) == (Unsupported, "5 is odd\nreally")
    kind, message = failure(1)
    assert kind is InternalError
    assert message.startswith("tasks.py, line ") and message.endswith(": ValueError: 1 is odd")


@pytest.mark.parametrize("jobs", [0, -1, 1025])
def test_the_number_of_processes_is_checked(jobs: int) -> None:
    with pytest.raises(InputError, match=f"--jobs: {jobs}, expected a number of processes from 1 to 1024"):
        run_tasks([], square, jobs=jobs)


def test_processes_are_gone_afterwards(tmp_path: Path) -> None:
    run_tasks([task(x=str(x), notes=str(tmp_path)) for x in range(4)], noted_square, jobs=2)
    assert not multiprocessing.active_children()


def test_processes_do_not_run_what_lies_in_the_folder_that_they_are_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "enum.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run_tasks([task(x=str(x)) for x in range(6)], square, jobs=2) == SQUARES


def test_a_text_that_tasks_share_is_named_by_its_digest() -> None:
    texts = ["a" * 100_000, "b" * 7]
    tasks = [task(digest=digest_of(text), x=str(x)) for text in texts for x in range(3)]
    for jobs in (1, 2):
        assert run_tasks(tasks, length_of_shared, jobs=jobs, shared=texts) == ["100000"] * 3 + ["7"] * 3
    with pytest.raises(InternalError, match="KeyError"):
        run_tasks(tasks, length_of_shared)
