"""The table of evidence for or against claims about a network, one row for each kind, imported on demand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ...kernel.budget import Budget
from ...kernel.kind import FileKind
from ...kernel.reading.document import Json
from ...kernel.reading.shapes import headed, one_of
from ...kernel.verdicts import expect, quote, within
from .reading.decision import FORMAT_OF_DECISION, Decision
from .reading.network import Network, read_network

if TYPE_CHECKING:
    from ..float_models.reading import FloatClaim

TIMES_STEPS = 30  # factor of the default steps of a proof, which runs words
TIMES_HELD = 3  # factor of the default memory, for the exact weights of a network


class EvidenceKind(NamedTuple):
    """Functions that parse evidence, check it exactly and under float models, describe it: FILE.FUNCTION, or empty."""

    read: str
    exact: str
    runs: str
    describe: str
    is_refutation: bool = False


WORDS, ANY_LENGTH, TRACKS = "words", "words of any length", "tracks"
INPUTS = {WORDS: "words_claim.read_claim", ANY_LENGTH: "words_claim.read_claim_of_any_length",
          TRACKS: "tracks_claim.read_claim"}
"""The inputs that a claim is about, with the parser of the claim."""
EXACT, RUNS = "exact", "float executions"
ANSWERS, COUNT = "answers", "count"

KINDS: Mapping[tuple[str, str, str], EvidenceKind] = {
    (WORDS, ANSWERS, "cover"): EvidenceKind(
        "cover.read_cover", "words.deciding.prove_decision", "floats.proof.prove_float_executions",
        "words.vacuous.describe_covered"),
    (WORDS, ANSWERS, "each word"): EvidenceKind(
        "words_claim.read_each_word", "", "floats.proof.prove_float_executions", "words.vacuous.describe_covered"),
    (WORDS, ANSWERS, "wrong word"): EvidenceKind(
        "counterexamples.read_wrong_word", "words.wrong_word.prove_wrong_word",
        "floats.wrong_execution.prove_wrong_run",
        "words.describing.describe_wrong_word", is_refutation=True),
    (WORDS, COUNT, "parts"): EvidenceKind(
        "word_parts.read_parts", "words.counting.prove_counts", "words.counting.prove_counts",
        "counted.describe_words"),
    (ANY_LENGTH, ANSWERS, "counts"): EvidenceKind(
        "lengths.read_counts", "lengths.proof.prove_lengths", "", "describing.describe_coverage"),
    (ANY_LENGTH, ANSWERS, "last letters"): EvidenceKind(
        "lengths.read_last_letters", "lengths.suffixes.prove_suffixes", "", "describing.describe_coverage"),
    (ANY_LENGTH, ANSWERS, "wrong word"): EvidenceKind(
        "counterexamples.read_long_word", "lengths.proof.prove_long_word", "", "lengths.describing.describe_long_word",
        is_refutation=True),
    (TRACKS, ANSWERS, "forms"): EvidenceKind(
        "tracks.read_units", "tracks.proof.prove_tracks", "floats.tracks.prove_track_runs",
        "describing.describe_coverage"),
    (TRACKS, ANSWERS, "wrong input"): EvidenceKind(
        "counterexamples.read_wrong_input", "tracks.wrong_input.prove_wrong_input",
        "floats.wrong_execution.prove_wrong_input_run", "tracks.describing.describe_wrong_input", is_refutation=True),
    (TRACKS, COUNT, "parts"): EvidenceKind(
        "count_parts.read_parts", "tracks.counting.prove_counts", "tracks.counting.prove_counts",
        "counted.describe_inputs")}
"""Rows by the inputs of a claim, its property, and the kind of evidence."""


def load(name: str) -> Any:
    """Import FILE.FUNCTION of this chapter."""
    file, _, function = name.rpartition(".")
    return getattr(import_module(f".{file}", __package__), function)


def find_kind(document: Mapping[str, Json]) -> FileKind:
    """Return the kind of file for a decision with these inputs, execution and evidence.

    Raises:
        Malformed: if there is none.
    """
    inputs, stated, by, execution = map(document.get, ("inputs", "property", "by", "execution"))
    row = KINDS.get((str(inputs), str(stated), str(by)))
    expect(row is not None, "inputs, property, by: expected one of {}, got {}",
           "; ".join(", ".join(map(quote, key)) for key in KINDS), ", ".join(map(quote, (inputs, stated, by))))
    assert row is not None
    prove = {EXACT: row.exact, RUNS: row.runs}.get(str(execution))
    expect(prove, "execution: there is no rule for {} by {}", quote(execution), quote(by))
    return FileKind(
        partial(read_decision, row), load(str(prove)), partial(describe_decision, row, inputs == TRACKS),
        "float executions" if execution == RUNS else "inputs in tracks" if inputs == TRACKS else "a trained network",
        is_refutation=row.is_refutation, times=(1 if row.is_refutation else TIMES_STEPS, TIMES_HELD))


def read_decision(row: EvidenceKind, document: Json, budget: Budget) -> Decision[Any, Any]:
    """Parse the network, the claim, the float models, the evidence."""
    in_runs = isinstance(document, dict) and document["execution"] == RUNS
    is_count = isinstance(document, dict) and document["property"] == COUNT
    fields = headed(document, FORMAT_OF_DECISION, "inputs", "execution", "property", "by", "network", "claim",
                    *["floats"] * in_runs, *["counts"] * is_count, "evidence")
    network = fields.read("network", partial(read_edited_network, budget=budget))
    inputs = str(fields.read("inputs", one_of(*INPUTS)))
    expect(not network.has_hard_heads or (inputs == WORDS and not in_runs and not is_count),
           "network: hard attention has rules for answers to words over the reals alone")
    claim = fields.read("claim", partial(load(f"reading.{INPUTS[inputs]}"), network=network, budget=budget))
    floats: tuple[FloatClaim, ...] = ()
    if in_runs:
        from ..float_models.reading import read_floats

        floats = fields.read("floats", partial(read_floats, lengths=range(claim.max_n, claim.max_n + 1)))
        expect(len(floats) == 1 or not row.is_refutation, "floats: expected one float model, got {}", len(floats))
    counts = fields.read("counts", partial(load("reading.count_claim.read_counts"), claim=claim)) if is_count else None
    evidence = fields.read("evidence", partial(load(f"reading.{row.read}"), about=Decision(
        network, claim, floats, None, budget)))
    return Decision(network, claim, floats, evidence, budget, counts)


def read_edited_network(value: Json, budget: Budget) -> Network:
    """Parse the network, and apply its edits, if there are some."""
    network: Network = read_network(value, budget)
    if isinstance(value, dict) and "edits" in value:
        with within("edits"):
            network = load("reading.edits.read_edits")(value["edits"], network, budget)
    return network


def describe_decision(row: EvidenceKind, in_tracks: bool, given: Decision[Any, Any], coverage: Any) -> list[str]:
    """Return the whole claim, and what proves or refutes it."""
    lines: list[str] = load(f"{'tracks' if in_tracks else 'words'}.describing.describe_claim")(given)
    if given.floats:
        lines += load("floats.describing.describe_classes")(given.floats, in_tracks)
    found: list[str] = load(row.describe)(given, coverage, lines)
    return found
