"""However the words are divided, the certificate is the same; and what is false does not become certified."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.claims.softened import shards
from certify.claims.softened.pipeline import soften_model
from certify.claims.softened.shards import Workers, check_certificate, check_task, do_survey
from certify.common.shards import digest_of
from certify.common.shards.answers import held
from constructions.errors import InternalError
from constructions.network.lengths import up_to
from examples.hard import flip_flop, mixed_masks, tied, tied_rightmost
from proofs.check import Malformed, Rejected
from tests.common.shards.cluster import cluster, needs_dask
from tests.processes import ROOT, start_python, wait_until

MODELS = (flip_flop, mixed_masks, tied)


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards by the first two letters."""
    monkeypatch.setattr(shards, "plan_prefixes", lambda size, n, steps: min(n, 2) if n > 2 else 0)


def certificate_of(model: Any, workers: Workers = Workers()) -> str:
    found = soften_model(model.build(), 4, workers=workers)
    assert found.verdict == "certified" and found.certificate
    return found.certificate


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.usefixtures("divided")
def test_shards_and_a_store_give_the_same_certificate(model: Any, tmp_path: Path) -> None:
    whole = certificate_of(model)
    workers = Workers(store=tmp_path)
    assert certificate_of(model, workers) == whole
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    size = len(model.build().alphabet)
    assert len(kept) == 2 + 2 * size**2
    victim = min(kept)
    (tmp_path / victim).write_bytes(kept[victim][:-40])
    assert certificate_of(model, workers) == whole
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept


@pytest.mark.usefixtures("divided")
def test_two_processes_give_the_same_certificate() -> None:
    assert certificate_of(mixed_masks, Workers(jobs=2)) == certificate_of(mixed_masks)


@needs_dask
@pytest.mark.exhaustive
def test_two_dask_workers_of_which_one_is_killed_in_the_middle_give_the_same_certificate(tmp_path: Path) -> None:
    """It is killed when the store has some shards of the survey, and the rest is held up."""
    store, killed = tmp_path / "store", tmp_path / "killed"
    command = ["-m", "tests.softened.command_held_up", "9", str(killed), "model",
               str(ROOT / "examples" / "programs" / "dyck_1.rasp"), "--max-n", "6", "--critical", "none",
               "--store", str(store)]
    with cluster(tmp_path) as dask:
        workers = [dask.add_worker(), dask.add_worker()]
        dask.wait_for_all_workers()
        run = start_python(*command, "--dask", dask.address, "-o", str(tmp_path / "killed.cert"))
        wait_until(lambda: len(list(store.glob("*.json"))) == 9, [run, *workers])
        workers[0].kill()
        assert workers[0].wait() == -9 and run.poll() is None
        killed.touch()
        run.communicate()
        assert run.returncode == 0 and workers[1].poll() is None
    alone = start_python(*command[:-2], "-o", str(tmp_path / "alone.cert"))
    alone.communicate()
    assert alone.returncode == 0
    assert (tmp_path / "killed.cert").read_bytes() == (tmp_path / "alone.cert").read_bytes()


@pytest.mark.usefixtures("divided")
def test_the_first_tie_is_found_however_the_words_are_divided(tmp_path: Path) -> None:
    model = tied_rightmost.build()
    alone, other = soften_model(model, 4), soften_model(model, 4, workers=Workers(store=tmp_path))
    assert alone.tie == other.tie and other.verdict == "refuted" and len(other.surveys) == 2


# -- the checker in shards ---------------------------------------------------------------------------------------------


def changed(certificate: str, change: Any) -> str:
    data = json.loads(certificate)
    change(data)
    return json.dumps(data, indent=1, ensure_ascii=True) + "\n"


def smaller_gap(data: Any) -> None:
    data["gaps"][3] = "1/5"


def greater_gap(data: Any) -> None:
    data["gaps"][2] = "1/2"


def no_gap(data: Any) -> None:
    data["gaps"][1] = None


def smaller_bound(data: Any) -> None:
    stages = data["errors"][3]
    stages[0] = {name: str(Fraction(x) / 2) for name, x in stages[0].items()}


@pytest.mark.parametrize("workers, change, complaint", [
    (Workers(), smaller_gap, "the gap at n = 4 is 1/4"), (Workers(), greater_gap, "the gap at n = 3"),
    (Workers(), no_gap, "the gap at n = 2"), (Workers(), smaller_bound, "n = 4, word"),
    (Workers(jobs=2), smaller_gap, "the gap at n = 4 is 1/4"), (Workers(jobs=2), smaller_bound, "n = 4, word"),
])
@pytest.mark.usefixtures("divided")
def test_what_is_false_is_rejected_by_any_workers(workers: Workers, change: Any, complaint: str) -> None:
    certificate = changed(certificate_of(flip_flop), change)
    with pytest.raises(Rejected) as error:
        check_certificate(certificate, flip_flop.build(), up_to(4), workers)
    assert complaint in str(error.value).replace("'", "")


def test_what_is_malformed_stays_malformed() -> None:
    certificate = certificate_of(flip_flop).replace('"max_n": 4', '"max_n": 5')
    with pytest.raises(Malformed, match="gaps: expected 5 entries"):
        check_certificate(certificate, flip_flop.build(), up_to(4), Workers())
    with held([""]):
        task = json.dumps({"about": digest_of(""), "n": 1, "prefix": []})
        assert json.loads(check_task(task))["verdict"] == "malformed"


# -- a survey that lies ------------------------------------------------------------------------------------------------


def lie(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    def do(task: str) -> str:
        survey = json.loads(do_survey(task))
        if survey["n"] == 3:
            change(survey)
        return json.dumps(survey)

    monkeypatch.setattr(shards, "do_survey", do)


def test_a_false_gap_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    lie(monkeypatch, lambda survey: survey["gap"].update(value="1/2"))
    found = soften_model(flip_flop.build(), 4)
    assert (found.verdict, found.certificate) == ("unknown", None)
    assert found.reason.startswith("the independent checker does not accept the certificate: the gap at n = 3")


def test_false_rivals_are_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """They lose by more than they do, so that the bounds come out too small."""
    def change(survey: Any) -> None:
        for rival in survey["heads"][0]["rivals"]:
            rival[0] = str(Fraction(rival[0]) * 2)

    lie(monkeypatch, change)
    found = soften_model(flip_flop.build(), 4)
    assert (found.verdict, found.certificate) == ("unknown", None) and "n = 3, word" in found.reason


def test_a_tie_that_is_none_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    lie(monkeypatch, lambda survey: survey.update(tie={**survey["gap"], "value": "0"}, gap=None))
    with pytest.raises(InternalError, match="a survey found a tie"):
        soften_model(flip_flop.build(), 4)
