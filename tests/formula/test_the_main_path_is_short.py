"""From the arguments of `certify formula` to its verdict there are few functions of ours to follow."""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from certify import __main__ as begin
from certify.claims.formula import pipeline
from certify.requests import request
from proofs.formula.attention import family

ROOT = Path(__file__).resolve().parents[2]
MOST_HOPS = 20
STAGES = ((request, "read_request"), (request, "compile_formula"), (pipeline, "discharge"),
          (family, "find_worst_case"), (pipeline, "seal"), (pipeline, "check_text"))
"""In this order; the fourth is where the proof of one head is deepest, and the verdict is what the last one says."""


def place(code: CodeType) -> str:
    """Return the file and the name of one of our functions; empty for other code."""
    path = Path(code.co_filename)
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ("",)
    return f"{'/'.join(parts)}: {code.co_qualname}" if parts[0] in ("certify", "constructions", "proofs") else ""


def under_way() -> list[str]:
    """Our functions that are under way, the outermost first."""
    frame, found = sys._getframe(1), list[str]()
    while frame := frame.f_back:  # type: ignore[assignment]  # None above the outermost
        found.append(place(frame.f_code))
    return [name for name in reversed(found) if name]


def test_at_most_20_functions_lead_from_the_arguments_to_the_verdict(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A hop is a stage, or a function of ours that is under way when a stage begins; each is counted once."""
    hops: dict[str, None] = {}
    reached = []

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **named: Any) -> Any:
            reached.append(function.__name__)
            hops.update(dict.fromkeys([*under_way(), place(inspect.unwrap(function).__code__)]))
            return function(*arguments, **named)

        return noted

    for module, name in STAGES:
        monkeypatch.setattr(module, name, noting(getattr(module, name)))
    monkeypatch.setattr(sys, "argv", ["certify", "formula", "prev Q_a", "--max-n", "2"])
    with pytest.raises(SystemExit) as end:
        begin.main()
    assert end.value.code == 0 and "CERTIFIED" in capsys.readouterr().out
    assert list(dict.fromkeys(reached)) == [name for _, name in STAGES]
    assert next(iter(hops)) == "certify/__main__.py: main"
    assert len(hops) <= MOST_HOPS, "\n".join(hops)
