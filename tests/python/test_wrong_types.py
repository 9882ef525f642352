"""Whatever is called from Python with a wrong type for any parameter raises an InputError of one line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import certify as package
from certify import Network, audit
from certify.auditing.api import ClaimKeys
from certify.requests.arguments import NAMES
from constructions.errors import InputError

WRONG = (object(), 3.5, b"x", [object()], 5j)
"""Values that no parameter of the interface takes."""
NETWORK = package.build("prev Q_a", alphabet="ab")
OUTCOME = package.certify("prev Q_a", alphabet="ab", max_n=2)


def network() -> Network:
    """Return a network with a hard head."""
    net = Network("ab")
    net.head("x", key={"FIRST": 1}, value="Q_a", means="O (FIRST & Q_a)", temperature="1/6")
    return net


CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "certify": (package.certify, {"subject": "prev Q_a", "max_n": 2}),
    "build": (package.build, {"subject": "prev Q_a"}),
    "run": (package.run, {"subject": "prev Q_a", "word": "a"}),
    "explain": (package.explain, {"subject": "prev Q_a"}),
    "prove": (package.prove, {"subject": "prev Q_a"}),
    "check": (package.check, {"path": "missing.cert"}),
    "audit": (package.audit, {"formula": "prev Q_a"}),
    "audit_file": (package.audit_file, {"path": "missing.toml"}),
    "card": (package.card, {"certificate": "missing.cert"}),
    "import_network": (package.import_network, {"files": "missing.pt"}),
    "learn": (package.learn, {"network": "missing.json"}),
    "heads": (package.heads, {"network": "missing.json"}),
    "ablate": (package.ablate, {"network": "missing.json"}),
    "harden": (package.harden, {"network": "missing.json"}),
    "equal": (package.equal, {"network": "missing.json", "second": "missing.json"}),
    "train": (package.train, {"task": "missing.toml"}),
    "soften": (package.soften, {"transformer": NETWORK, "max_n": 2}),
    "margin": (package.margin, {"network": NETWORK, "max_n": 2}),
    "sensitivity": (package.sensitivity, {"subject": "prev Q_a", "max_n": 2}),
    "decide": (package.decide, {"network": "missing.json", "count": True}),
    "cross_entropy": (package.cross_entropy, {"subject": "ODD(#<[Q_1])", "alphabet": "01", "max_n": 2}),
    "export": (package.export, {"certificate": OUTCOME, "to": "latex", "output": "x.tex"}),
    "certify_transformer": (package.certify_transformer, {"transformer": NETWORK, "max_n": 2}),
    "compile_formula": (package.compile_formula, {"formula": package.parse_formula("prev Q_a"), "alphabet": "ab",
                                                  "regime": package.Regime()}),
    "parse_formula": (package.parse_formula, {"text": "prev Q_a"}),
    "Network": (Network, {"alphabet": "ab"}),
    "Network.direction": (lambda **given: network().direction(**given), {"text": "Q_a"}),
    "Network.head": (lambda **given: network().head(**given), {"name": "h", "value": "Q_a"}),
    "Network.round": (lambda **given: network().round(**given), {"near": "x"}),
    "Network.units": (lambda **given: network().units(**given), {"means": "Q_a & EVEN", "units": []}),
    "Network.output": (lambda **given: network().output(**given), {"text": "Q_a"}),
    "Network.certify": (lambda **given: network().certify(**given), {}),
    "Network.soften": (lambda **given: network().soften(**given), {"max_n": 2}),
    "Network.save": (lambda **given: network().save(**given), {"path": "x.json"}),
    "Outcome.run": (OUTCOME.run, {"word": "a"}),
    "Outcome.to_numpy": (OUTCOME.to_numpy, {}),
    "Outcome.save": (OUTCOME.save, {"path": "x.cert"}),
}
UNCHECKED = {"progress", "workers", "memory"}
"""Parameters that are not data."""


def parameters(name: str) -> list[str]:
    """Return the parameters of a function or method, and the options that it passes on."""
    owner, _, method = name.rpartition(".")
    function: Any = getattr({"Network": Network, "Outcome": type(OUTCOME)}[owner], method) if owner else CALLS[name][0]
    found = inspect.signature(function).parameters
    own = [each for each, parameter in found.items()
           if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) and each != "self"]
    passes_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in found.values())
    options = {"margin": ("alphabet", "before", "after", "threshold", "norm", "gamma", "temperature"),
               "audit": ("max_n", "lengths", "gamma", "alphabet", "causal")}.get(name, NAMES)
    return [*own, *(options if passes_on else ())]


CASES = [(name, parameter) for name in CALLS for parameter in parameters(name) if parameter not in UNCHECKED]


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_a_wrong_type_for_any_parameter_is_an_input_error(name: str, parameter: str) -> None:
    function, right = CALLS[name]
    for wrong in WRONG:
        with pytest.raises(InputError) as caught:
            function(**{**right, parameter: wrong})
        assert "\n" not in str(caught.value)


def test_every_public_function_and_method_is_called() -> None:
    functions = {name for name in package.__all__ if inspect.isroutine(getattr(package, name))}
    assert functions <= set(CALLS)
    methods = {f"Network.{name}" for name, _ in inspect.getmembers(Network, inspect.isroutine)
               if not name.startswith("_")}
    assert methods - set(CALLS) == {"Network.build"}  # which has no parameter


def test_the_greatest_length_of_an_audit_may_be_called_max_n() -> None:
    query: list[ClaimKeys] = [{"alphabet": "ab", "max_n": 3}, {"alphabet": "ab", "lengths": 3}]
    found = [audit("prev Q_a", **asked) for asked in query]
    assert [[(row.n, row.verdict) for row in one.rows] for one in found] == [
        [(1, "certified"), (2, "certified"), (3, "certified")]] * 2
    with pytest.raises(InputError, match="max_n: lengths are given, too, expected one of the two"):
        audit("prev Q_a", max_n=3, lengths=3)


def test_explanations_and_checks_are_readable(tmp_path: Path) -> None:
    OUTCOME.save(tmp_path / "x.cert")
    checked, explained = package.check(tmp_path / "x.cert"), package.explain("prev Q_a", alphabet="ab")
    assert repr(checked).startswith("<accepted: formula prev Q_a; alphabet 'a', 'b'; claim for every n in 1..2, ")
    assert repr(explained).startswith("<explanation: prev Q_a over {a, b}; ")
    assert checked._repr_html_().startswith("<p><b") and "prev Q_a" in explained._repr_html_()
