"""Wrong float executions are looked for by several processes: what is found is what one finds, byte for byte."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from certify.claims.trained import float_tasks
from certify.claims.trained.decision import Decision
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.float_tasks import row_from_text
from certify.claims.trained.tasks import result_to_text
from certify.cli import app
from certify.common.shards import Workers, run_tasks
from constructions.errors import InternalError
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.enclosures.float_models.model import presets

RUN = presets()["bfloat16/binary32"]


def asked(name: str) -> tuple[TrainedNetwork, WordsClaim]:
    """Return a claim with a wrong execution at a length and all longer ones; one with several; an open one."""
    plan = plans()["first" if name == "several wrong" else name]
    network = plan.network()
    claim = replace(plan.claim(network), offsets=(0, 0), lengths=(1, 5))
    if name == "several wrong":  # its contrary
        cases = tuple(replace(case, above=tuple(tuple((token, -x) for token, x in row) for row in case.above))
                      for case in claim.cases)
        claim = replace(claim, cases=cases)
    return network, claim


def dealt(network: TrainedNetwork, claim: WordsClaim, monkeypatch: pytest.MonkeyPatch, **instead: Any) -> Decision:
    """Return the results of several workers, all present from the start."""
    printed = list[int]()

    def counted(tasks: list[str], *others: Any, **given: Any) -> list[str]:
        printed.append(len(tasks))
        return run_tasks(tasks, *others, **{**given, **instead})

    with monkeypatch.context() as context:
        context.setattr(float_tasks, "SECONDS_HERE", 0.0)
        context.setattr(float_tasks, "run_tasks", counted)
        found = decide_floats(network, claim, RUN, workers=Workers(2))
    assert printed == [5]
    return found


@pytest.mark.parametrize(("name", "wrong"), [("tomita_7", [4, 4]), ("several wrong", [1, 2, 3, 4, 5]), ("d_2", [])])
def test_lengths_that_are_dealt_have_the_rows_of_one_process(name: str, wrong: list[int],
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    network, claim = asked(name)
    alone = decide_floats(network, claim, RUN)
    assert [len(row.wrong.word) for row in alone.rows if row.wrong] == wrong
    assert replace(dealt(network, claim, monkeypatch, jobs=1), seconds=0) == replace(alone, seconds=0)
    assert [row_from_text(result_to_text(row)) for row in alone.rows] == list(alone.rows)


def test_two_processes_write_the_certificates_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    network, claim = asked("tomita_7")
    alone, two = decide_floats(network, claim, RUN), dealt(network, claim, monkeypatch)
    assert alone.certificate is not None and alone.wrong_certificate is not None
    assert replace(two, seconds=0) == replace(alone, seconds=0)


def test_what_a_worker_calls_wrong_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    network, claim = asked("tomita_7")
    honest = decide_floats(network, claim, RUN).rows[3]
    assert honest.wrong is not None
    low, high = honest.wrong.value
    for lie in (replace(honest.wrong, value=(low - 1, high - 1)), replace(honest.wrong, word=tuple("0111")[::-1]),
                replace(honest.wrong, case=99), replace(honest.wrong, execution=None)):
        with monkeypatch.context() as context, pytest.raises(InternalError, match="that is not wrong here"):
            context.setattr(float_tasks, "SECONDS_HERE", 0.0)
            context.setattr(float_tasks, "run_tasks", Mock(return_value=[result_to_text(replace(honest, wrong=lie))]))
            decide_floats(network, claim, RUN, workers=Workers(2))


def test_before_it_takes_seconds_nothing_is_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(float_tasks, "SECONDS_HERE", float("inf"))
    monkeypatch.setattr(float_tasks, "run_tasks", None)
    assert decide_floats(*asked("tomita_7"), RUN, workers=Workers(2)).verdict == "refuted"


def test_both_commands_take_jobs(tmp_path: Path) -> None:
    corpus = Path(__file__).parents[1] / "corpus" / "accepted"
    trained, formula = str(corpus / "trained_mean.cert"), str(corpus / "temporal.cert")

    def refused(*line: str) -> str:
        return str(CliRunner().invoke(app, line).exception)

    decided = CliRunner().invoke(app, ["decide", trained, "--max-n", "1", "--float", "binary32", "--jobs", "2"])
    rows = CliRunner().invoke(app, ["floats", trained, "--max-n", "1", "--format", "binary32", "--jobs", "2"])
    assert decided.exit_code == rows.exit_code and "length 1 .. 1" in decided.stdout and "length 1 .. 1" in rows.stdout
    kept = ("--store", str(tmp_path))
    assert "--store: a claim about float executions" in refused("decide", trained, "--float", "tf32", *kept)
    for given in (("--jobs", "0"), ("--jobs", "2", "--dask", "tcp://127.0.0.1:1")):
        assert "--jobs" in refused("floats", trained, "--max-n", "1", "--format", "binary32", *given)
    assert "--jobs: expected a certificate of a trained network" in refused("floats", formula, "--jobs", "2")
