"""Running the command line inside this process, and model files to spoil."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.examples import load_examples
from certify.cli import main
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json
from constructions.regimes import Regime, Sharpening


@dataclass(frozen=True)
class Result:
    """The results of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output; anything else there is an error."""
        return json.loads(self.out)


Certify = Callable[..., Result]


@pytest.fixture
def certify(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Certify:
    """``certify("formula", "Q_1")`` runs the command in an empty folder; no time passes for progress; one core."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("certify.common.shards.workers.usable_cores", lambda: 1)  # nothing is divided unasked
    monkeypatch.setattr("certify.common.progress.monotonic",
                        lambda: 0.0)  # no machine is so slow that progress is shown
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "argv", ["certify", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        assert isinstance(stop.value.code, int)
        return Result(stop.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def few_examples(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all examples that there are then: one in six."""
    few = load_examples()[::6]
    monkeypatch.setattr("certify.claims.formula.examples.load_examples", lambda: few)
    return [example.name for example in few]


@pytest.fixture
def since_model() -> dict[str, Any]:
    """The model of ``Q_1 since Q_0`` in regime temperature, fresh for each test."""
    return transformer_to_json(compile_formula(parse_formula("Q_1 since Q_0"), "01", Regime()))


@pytest.fixture
def prev_model() -> dict[str, Any]:
    """A model with several heads, uniform ones too, and two kinds of position embeddings."""
    regime = Regime(Sharpening.POSITION, causal=True)
    return transformer_to_json(compile_formula(parse_formula("Q_1 since prev Q_0"), "01", regime))


@pytest.fixture
def certificate(certify: Any) -> str:
    assert certify("formula", "Q_1 since Q_0", "--alphabet", "01", "--max-n", "5", "-o", "c.cert").code == 0
    return "c.cert"
