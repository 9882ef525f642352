"""The kinds of files that each command takes, by its parameter: the only table, and a test gives every kind to each."""

from collections.abc import Mapping
from typing import Any

from certify.common.look import A_TRAINED_NETWORK, CERTIFICATES, NETWORKS, SUBJECTS, TRAINED, WEIGHTS, expect
from certify.common.terminal import Json

A_SUBJECT = "a formula, a program, a model file or a certificate"
A_CLAIM = "a claim file (.toml)"
SUBJECT = (SUBJECTS, A_SUBJECT)
FORMULA = (frozenset({"formula", "program"}), "a formula or a program (.rasp or .cr)")
NETWORK = (NETWORKS, "a model file or a certificate")
TRAINED_NETWORK = (TRAINED, A_TRAINED_NETWORK)
CERTIFICATE = (CERTIFICATES, "a certificate")
CLAIM = (frozenset({"claim"}), A_CLAIM)
CLAIMS = (frozenset({"claims", *CERTIFICATES, "model"}), "a claims file (.toml)")
"""Commands whose error messages name two next commands for a certificate or a model file."""
TEXT: tuple[frozenset[str], str] = (frozenset(), "a text")
TAKEN: Mapping[tuple[str, str], tuple[frozenset[str], str]] = {
    ("formula", "text"): FORMULA, ("formula", "formulas"): (frozenset({"formula"}), "formulas, one a line"),
    ("build", "text"): FORMULA, ("explain", "text"): FORMULA, ("prove", "text"): SUBJECT,
    ("check", "files"): CERTIFICATE, ("export", "files"): (CERTIFICATES | {"model"}, "a model file or a certificate"),
    ("export", "audit"): CLAIMS,
    ("audit", "claims"): CLAIMS, ("audit", "model"): NETWORK, ("audit", "formula"): FORMULA,
    ("model", "path"): (NETWORKS | {"program"}, "a model file, a certificate or a program (.rasp)"),
    ("run", "subject"): (SUBJECTS | TRAINED, f"{A_SUBJECT}, or {A_TRAINED_NETWORK}"),
    ("run", "claim"): CLAIM, ("sensitivity", "claim"): CLAIM,
    ("sensitivity", "subject"): (SUBJECTS | TRAINED, f"{A_SUBJECT}, or {A_TRAINED_NETWORK}"),
    ("cross-entropy", "subject"): SUBJECT,
    ("floats", "subject"): (NETWORKS | TRAINED, f"a model file or a certificate, or {A_TRAINED_NETWORK}"),
    ("decide", "model"): TRAINED_NETWORK, ("decide", "claim"): CLAIM,
    ("learn", "model"): TRAINED_NETWORK, ("learn", "claim"): CLAIM,
    ("heads", "model"): TRAINED_NETWORK, ("heads", "claim"): CLAIM,
    ("ablate", "model"): TRAINED_NETWORK, ("ablate", "claim"): CLAIM,
    ("harden", "model"): TRAINED_NETWORK, ("harden", "claim"): CLAIM,
    ("equal", "model"): TRAINED_NETWORK, ("equal", "second"): TRAINED_NETWORK, ("equal", "claim"): CLAIM,
    ("train", "task"): CLAIM, ("train", "model"): TRAINED_NETWORK,
    ("import", "files"): (WEIGHTS | {"folder", "binary"}, "weights of a trained network (.safetensors, .pt, .onnx)"),
    ("import", "names"): (frozenset(), "a file of names (.toml)"),
    ("import", "expect"): (frozenset({"npz", "safetensors"}), "arrays (.npz or .safetensors)"),
}
SCRIPTS = (frozenset({"folder"}), "a folder that certify export --to smt2 wrote")
WITHOUT_MODELS = ("smt2", "latex", "tikz", "figures", "proof", "html", "npz", "card", "site")
"""Exports of certificates."""


def expect_kinds(command: str, given: Mapping[str, Any]) -> None:
    """Raise InputError if a parameter names a file of another kind than its command takes.

    For several certificates ``check`` reports it in the row of each.
    """
    for (name, parameter), (taken, expected) in TAKEN.items():
        if name != command or (value := given.get(parameter)) is None:
            continue
        values = value if isinstance(value, list | tuple) else [value]
        kinds, label = (taken, expected) if given.get("crosscheck") is None else SCRIPTS
        if name == "check" and kinds is taken and (len(values) > 1 or Json.wanted):
            continue
        refused = {"model"} if name == "export" and given.get("to") in WITHOUT_MODELS else set()
        for path in values:
            expect(str(path), kinds - refused, label)
