"""A Dask cluster gives the same bytes, also when it loses a worker in the middle; what is wrong is one line."""

import json
import sys
from pathlib import Path

import pytest

from certify.common.shards import digest_of, run_tasks
from constructions.errors import InputError, Unsupported, WorkLost
from tests.common.shards.cluster import cluster, needs_dask
from tests.common.shards.tasks import (
    fail_on_odd,
    gap,
    length_of_shared,
    slow_square,
    square,
    square_that_kills_first,
    task,
)
from tests.processes import ROOT

SQUARES = [json.dumps({"square": str(x * x)}) for x in range(12)]

@needs_dask
def test_two_workers_of_which_one_is_killed_in_the_middle_give_the_same_bytes(
        tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    notes, gate = tmp_path / "notes", tmp_path / "gate"
    notes.mkdir()
    keys = [{"x": str(x), "notes": str(notes), "company": 2} for x in range(12)]
    tasks = [task(**own) if place < 4 else task(gate=str(gate), **own) for place, own in enumerate(keys)]
    with cluster(tmp_path) as dask:
        workers = [dask.add_worker(), dask.add_worker()]
        dask.wait_for_all_workers()

        def kill_one(_task: str, _result: str) -> None:
            """Both workers have had work by then, and most of it waits at the gate."""
            workers[0].kill()
            assert workers[0].wait() == -9
            gate.touch()

        assert run_tasks(tasks, slow_square, dask=dask.address, finished=kill_one) == SQUARES
        assert workers[1].poll() is None
        assert len(list(notes.iterdir())) >= 12
        store = tmp_path / "store"
        assert run_tasks([task(x=str(x)) for x in range(12)], square, dask=dask.address, store=store) == SQUARES
        assert len(list(store.iterdir())) == 12
        dask.add_worker()
        shared = "a" * 100_000
        named = [task(digest=digest_of(shared), x=str(x)) for x in range(12)]
        assert run_tasks(named, length_of_shared, dask=dask.address, shared=[shared]) == ["100000"] * 12
        with pytest.raises(Unsupported, match="5 is odd"):
            run_tasks([task(x=str(x)) for x in (2, 5, 3, 1)], fail_on_odd, dask=dask.address)
    assert capfd.readouterr().err == ""


@needs_dask
def test_a_task_that_kills_every_worker_and_a_scheduler_that_goes_away_are_one_line_each(
        tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").mkdir()
    keys = {"notes": str(tmp_path / "notes")}
    with cluster(tmp_path) as dask:
        for _ in range(5):
            dask.add_worker()
        dask.wait_for_all_workers()
        with pytest.raises(WorkLost, match="shard 4: 4 workers died at it; expected enough memory for every worker"):
            run_tasks([task(x=str(x), deaths=99, **keys) for x in range(6)], square_that_kills_first, dask=dask.address)
        gate, store = tmp_path / "gate", tmp_path / "store"
        tasks = [task(x="0", **keys), *(task(x=str(x), gate=str(gate), **keys) for x in range(1, 12))]
        with pytest.raises(WorkLost, match="the connection to its scheduler is lost; finished shards are kept"):
            run_tasks(tasks, slow_square, dask=dask.address, store=store,
                      finished=lambda _task, _result: dask.scheduler.kill())
    assert len(list(store.iterdir())) == 1
    gate.touch()
    assert run_tasks(tasks, slow_square, store=store, jobs=2) == SQUARES
    assert capfd.readouterr().err == ""


@needs_dask
def test_a_worker_with_other_code_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for package in ("certify", "constructions", "proofs", "tests"):
        (other / package).parent.mkdir(exist_ok=True)
        (other / package).symlink_to(ROOT / package)
    (other / "proofs").unlink()
    (other / "proofs").mkdir()
    for path in (ROOT / "proofs").iterdir():
        (other / "proofs" / path.name).symlink_to(path)
    (other / "proofs" / "one_more.py").write_text("")
    with cluster(tmp_path) as dask:
        dask.add_worker(code=other)
        with pytest.raises(InputError, match="a worker has another version of certify or of a library it uses"):
            run_tasks([task(x="1")], gap, dask=dask.address)


@needs_dask
@pytest.mark.parametrize(("address", "why"), [
    ("nowhere", "ValueError: missing port number in address 'nowhere'"),
    ("tcp://127.0.0.1:1", "no scheduler answers;"),
    ("ftp://127.0.0.1:1", "ValueError: unknown address scheme 'ftp'"),
])
def test_an_address_without_a_scheduler_is_one_line(
        address: str, why: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("certify.common.shards.on_dask.SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(InputError) as refused:
        run_tasks([task(x="1")], square, dask=address)
    assert str(refused.value).startswith(f"--dask {address}: {why}")
    assert str(refused.value).endswith("; expected the address of a Dask scheduler, such as tcp://127.0.0.1:8786")
    assert capfd.readouterr().err == ""


def test_without_dask_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"expected Dask, which is an extra: pip install '\.\[dask\]'"):
        run_tasks([task(x="1")], square, dask="tcp://127.0.0.1:8786")


def test_processes_and_a_cluster_exclude_each_other() -> None:
    with pytest.raises(InputError, match="--jobs and --dask: expected only one of them"):
        run_tasks([], square, jobs=2, dask="tcp://127.0.0.1:8786")
