"""An answer is true in Python only if its verdict is the positive one of its class: `assert certify(...)` is a test."""

import importlib
import inspect
import pkgutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import certify as package
from certify import (
    InputError,
    Unreadable,
    Unsupported,
    audit,
    card,
    certify,
    cross_entropy,
    decide,
    equal,
    import_network,
    learn,
    margin,
    sensitivity,
)
from certify.auditing.results import AuditReport
from certify.common.verdicts import POSITIVE, VERDICTS, WithExitStatus, exit_status
from constructions.importing.questions import Options

PUBLISHED = Path(__file__).resolve().parents[2] / "examples" / "published"
EVEN = PUBLISHED.parent / "trained" / "even"
ANSWERS: dict[str, Any] = {"kind": "nanogpt", "attention": "causal", "heads": 1, "activation": "gelu",
                           "epsilon": "1e-5"}
EXTRAS = ("torch", "mcp", "distributed")
TRUE, REFUTED = "prev Q_1", "Q_1 since next Q_0"


def answer_classes() -> list[type]:
    """Every class of ``certify`` that has an exit status; files that need an extra define none where it is missing."""
    modules = []
    for name in (found.name for found in pkgutil.walk_packages(package.__path__, "certify.")):
        if name.endswith("__main__"):
            continue
        try:
            modules.append(importlib.import_module(name))
        except ModuleNotFoundError as missing:
            assert missing.name in EXTRAS, missing
    return list({kind for module in modules for kind in vars(module).values()
                 if inspect.isclass(kind) and kind.__module__.startswith("certify.") and hasattr(kind, "exit_code")})


def test_every_class_with_an_exit_status_says_when_it_is_true() -> None:
    for kind in answer_classes():
        assert kind.__bool__ is WithExitStatus.__bool__ or kind is AuditReport, kind  # type: ignore[attr-defined]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_only_positive_verdicts_are_true(verdict: str) -> None:
    found: Any = type("Found", (WithExitStatus,), {"verdict": verdict})()
    assert bool(found) == (verdict in POSITIVE)
    assert verdict not in POSITIVE or exit_status(verdict) == 0


@pytest.mark.parametrize(("answer", "verdict"), [
    (lambda: certify(TRUE, "01", 4), "certified"),
    (lambda: certify(REFUTED, gamma="13/10", max_n=6), "refuted"),
    (lambda: audit(TRUE, alphabet="01", lengths=4), "certified"),
    (lambda: audit(REFUTED, alphabet="01", gamma="13/10", lengths=6), "refuted"),
    (lambda: margin(PUBLISHED / "first.json", "Q_1", 4, at="first", before="$"), "certified"),
    (lambda: margin(PUBLISHED / "first.json", "Q_1", 12, at="first", before="$", margin="1/10"), "refuted"),
    (lambda: sensitivity(TRUE, max_n=3, alphabet="01"), "measured"),
    (lambda: cross_entropy("ODD(#<[Q_1])", max_n=2, alphabet="01"), "measured"),
])
def test_an_answer_is_as_true_as_its_verdict(answer: Any, verdict: str) -> None:
    found = answer()
    assert (found.verdict, bool(found)) == (verdict, verdict in POSITIVE)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("even") / "model.json"
    imported = import_network(EVEN / "model.safetensors", place, **ANSWERS)
    assert imported.network.vocabulary and place.is_file()
    return place


def test_answers_have_the_pages_of_their_commands(network: Path) -> None:
    outcome = certify(TRUE, "01", 3)
    for answer in (outcome, audit(TRUE, alphabet="01", lengths=3), decide(network, EVEN / "claim.toml", 2),
                   learn(network, EVEN / "claim.toml", 2)):
        assert answer.html().lower().startswith("<!doctype html>")
    with pytest.raises(Unsupported, match="no certificate"):
        certify(REFUTED, gamma="13/10", max_n=6).html()


def test_trained_networks_are_learnt_compared_and_imported(network: Path) -> None:
    claim = EVEN / "claim.toml"
    assert learn(network, claim, 2) and equal(network, network, claim, 2)
    for changes, complaint in (({"attention": "both"}, "attention: found 'both', expected one of causal"),
                               ({"like": "bert"}, "like: found 'bert', expected one of torch, gpt2, llama"),
                               ({"epsilon": 1e-5}, "epsilon: found the float"),
                               ({"expect": 5}, "expect: found 5, expected a path")):
        given: dict[str, Any] = changes
        with pytest.raises(InputError, match=complaint):
            import_network(EVEN / "model.safetensors", **given)
    with pytest.raises(Unreadable):
        learn(network.with_name("missing.json"))


def test_an_import_takes_every_answer_of_the_command() -> None:
    assert {one.name for one in fields(Options)} <= inspect.signature(import_network).parameters.keys()


def test_a_card_is_text(tmp_path: Path) -> None:
    certify(TRUE, "01", 3).save(tmp_path / "prev.cert")
    assert card(tmp_path / "prev.cert").startswith("## ")
