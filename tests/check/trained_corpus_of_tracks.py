"""Files about inputs in tracks, of the corpus: `python -m tests.check.trained_corpus_of_tracks` writes them."""

import base64
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.network import TrainedNetwork
from examples.adders.by_hand import carries
from proofs.enclosures.float_models.model import presets
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.deciding import FormSearch
from proofs.trained.tracks.exact_search import ExactSearch
from tests.check.trained_corpus import BFLOAT16, BINARY32, CORPUS, Document, changed
from tests.check.trained_networks import dump
from tests.trained.tracks.adders import adder, adds, silent
from tests.trained.tracks.neighbours import copier, copies


def proved() -> Document:
    """Return the certificate of an adder of two digits to the base 2."""
    network = adder(2, 2)
    text = decide_tracks(network, adds(network, 2, 2)).certificate
    assert text is not None
    return json.loads(text)


def in_two_layers() -> Document:
    """Return the same, and then a layer that writes nothing: its inputs are run one by one."""
    network = adder(2, 2)
    deep = replace(network, steps=(*network.steps, *silent(network.steps[0])))
    text = decide_tracks(deep, adds(network, 2, 2)).certificate
    assert text is not None
    return json.loads(text)


def by_nodes() -> Document:
    """Return the certificate of an adder of two layers, of two digits to the base 2, by classes and nodes."""
    entry = carries("carries", 2, 2)
    claim = tracks_claim_of_table(read_toml(entry.claim, "claim"), "claim", entry.network)
    unit = FormSearch(FloatNetwork(entry.network), claim, 0, 1, 16).run().unit
    assert unit is not None
    return json.loads(tracks_text(entry.network, claim, [unit]))


def by_windows() -> Document:
    """Return the certificate of a copier of two letters, in which a step attends to two columns."""
    network, claim = copier(2, 3), copies(2, 3)
    unit = FormSearch(FloatNetwork(network), claim, 0, 1, 16, 2).run().unit
    assert unit is not None
    return json.loads(tracks_text(network, claim, [unit]))


def in_exact_numbers() -> Document:
    """Return the certificate of the adder of two digits to the base 2, in exact numbers."""
    network = adder(2, 2)
    claim = adds(network, 2, 2)
    unit = ExactSearch(network, claim, 0, 1).run().unit
    assert unit is not None
    return json.loads(tracks_text(network, claim, [unit]))


def wrong() -> Document:
    """Return the certificate of a blurred adder."""
    network = adder(2, 2, blur=0.8)
    text = decide_tracks(network, adds(network, 2, 2)).wrong_certificate
    assert text is not None
    return json.loads(text)


def in_runs(network: TrainedNetwork, name: str, margin: Fraction) -> TracksDecision:
    """Return the certificate of an adder of two digits to the base 2 under a float model."""
    return decide_tracks(network, replace(adds(network, 2, 2), margin=margin), run=presets()[name])


def of_runs() -> Document:
    """Return the certificate for every run of bfloat16 with sums in binary32."""
    return json.loads(str(in_runs(adder(2, 2), "bfloat16/binary32", Fraction(1, 2)).certificate))


def of_runs_by_classes() -> Document:
    """Return the certificate for every run of binary32, by classes."""
    return json.loads(str(in_runs(adder(2, 2), "binary32", Fraction(1, 2)).certificate))


def of_a_wrong_run() -> Document:
    """One of bfloat16 is wrong, of a claim that binary32 keeps."""
    return json.loads(str(in_runs(adder(2, 2, blur=0.3), "bfloat16", Fraction(25, 256)).wrong_certificate))


def with_narrow_range(document: Document, by: int, step: str = "") -> Document:
    """Return a copy with the widest range narrower; of the step before the last one, if it says so."""
    where = ("evidence", "units", 0, *((step, 0) if step else ()))
    part = document["evidence"]["units"][0][step][0] if step else document["evidence"]["units"][0]
    numbers = np.frombuffer(base64.b64decode(part["ranges"]), "<i4").copy()
    numbers[1 + 2 * int((numbers[1::2].astype(int) - numbers[::2]).argmax())] -= by
    return changed(document, *where, "ranges", value=base64.b64encode(numbers.tobytes()).decode())


def with_unit(document: Document, **parts: Any) -> Document:
    """Return a copy whose first form is proved otherwise, in some parts."""
    return changed(document, "evidence", "units", 0, value=document["evidence"]["units"][0] | parts)


def with_answers(document: Document, token: int) -> Document:
    """Return the machine of a claim, writing this token alone."""
    machine = document["claim"]["machine"]
    return machine | {"tables": [[[step and [step[0], *(token for _ in step[1:])] for step in row] for row in table]
                                 for table in machine["tables"]],
                      "end": [end and [token for _ in end] for end in machine["end"]]}


def files() -> dict[Path, Document]:
    """All files and what they hold."""
    adds_two, other, each_input, nodes = proved(), wrong(), in_two_layers(), by_nodes()
    labels, windows = nodes["evidence"]["units"][0]["labels"], by_windows()
    layout = adds_two["claim"]["forms"][0]["layout"]
    runs, wrong_run, by_classes = of_runs(), of_a_wrong_run(), of_runs_by_classes()
    exactly = in_exact_numbers()
    return {CORPUS / f"{name}.cert": document for name, document in {
        "accepted/trained_tracks": adds_two,
        "accepted/trained_tracks_wrong_input": other,
        "rejected/trained_tracks_a_range_too_narrow": with_narrow_range(adds_two, 4096),
        "rejected/trained_tracks_a_margin_too_large": changed(adds_two, "claim", "margin", value="2"),
        "rejected/trained_tracks_no_wrong_input": other | {"network": adds_two["network"]},
        "accepted/trained_tracks_input_by_input": each_input,
        "rejected/trained_tracks_input_by_input_a_margin_too_large": changed(each_input, "claim", "margin", value="2"),
        "accepted/trained_tracks_by_nodes": nodes,
        "rejected/trained_tracks_by_nodes_a_range_too_narrow": with_narrow_range(nodes, 1 << 14, "before"),
        "rejected/trained_tracks_by_nodes_a_margin_too_large": changed(nodes, "claim", "margin", value="2"),
        "malformed/trained_tracks_by_nodes_a_label_left_out": with_unit(nodes, labels=labels[:-1]),
        "accepted/trained_tracks_by_windows": windows,
        "rejected/trained_tracks_by_windows_a_range_too_narrow": with_narrow_range(windows, 24, "before"),
        "rejected/trained_tracks_by_windows_a_margin_too_large": changed(windows, "claim", "margin", value="2"),
        "malformed/trained_tracks_by_windows_of_one_column_more": with_unit(windows, window=3),
        "malformed/trained_tracks_by_windows_of_one_column": with_unit(windows, window=1),
        "accepted/trained_tracks_in_exact_numbers": exactly,
        "rejected/trained_tracks_in_exact_numbers_a_margin_too_large": changed(exactly, "claim", "margin", value="2"),
        "rejected/trained_tracks_in_exact_numbers_too_coarse": with_unit(exactly, precision=64),
        "malformed/trained_tracks_in_exact_numbers_too_fine": with_unit(exactly, precision=129),
        "malformed/trained_tracks_in_exact_numbers_a_box_left_out": with_unit(
            exactly, ranges=exactly["evidence"]["units"][0]["ranges"][128:]),
        "rejected/trained_track_runs_in_exact_numbers": by_classes | {"evidence": exactly["evidence"]},
        "malformed/trained_tracks_an_input_too_few": with_unit(each_input, inputs=15),
        "malformed/trained_tracks_a_range_left_out": with_unit(
            adds_two, ranges=adds_two["evidence"]["units"][0]["ranges"][:-16]),
        "malformed/trained_tracks_one_token_above_no_other": changed(
            changed(adds_two, "claim", "among", value=[0]), "claim", "machine", value=with_answers(adds_two, 0)),
        "malformed/trained_tracks_a_token_after_the_answers": changed(
            adds_two, "claim", "forms", 0, "layout", value=[*layout, ["token", 0]]),
        "accepted/trained_track_runs": runs,
        "accepted/trained_wrong_input_run": wrong_run,
        "accepted/trained_track_runs_by_classes": by_classes,
        "rejected/trained_track_runs_by_classes_with_ranges_over_the_reals": by_classes | {
            "evidence": adds_two["evidence"]},
        "rejected/trained_track_runs_by_classes_in_bfloat16": changed(
            by_classes, "floats", 0, value=by_classes["floats"][0] | BFLOAT16 | {"name": "class 1"}),
        "rejected/trained_track_runs_by_classes_a_margin_too_large": changed(by_classes, "claim", "margin", value="1"),
        "rejected/trained_track_runs_a_margin_too_large": changed(runs, "claim", "margin", value="1"),
        "rejected/trained_track_runs_of_sums_of_8_bits": changed(
            runs, "floats", 0, value=runs["floats"][0] | {"name": "class 1", "sums": "bfloat16"}),
        "rejected/trained_track_runs_of_another_answer": changed(
            runs, "claim", "machine", "end", value=runs["claim"]["machine"]["end"][::-1]),
        "rejected/trained_no_wrong_input_run_in_binary32": changed(
            wrong_run, "floats", 0, value=wrong_run["floats"][0] | BINARY32 | {"name": "class 1"}),
        "rejected/trained_no_wrong_input_run_by_its_margin": changed(wrong_run, "claim", "margin", value="0"),
        "rejected/trained_a_wrong_input_run_of_another_base": changed(
            wrong_run, "evidence", "run", "exp_base", value="2"),
        "malformed/trained_track_runs_an_input_too_few": with_unit(runs, inputs=15),
        "malformed/trained_track_runs_of_other_columns": changed(runs, "floats", 0, "max_n", value=1),
        "malformed/trained_a_wrong_input_run_before_the_answers": changed(wrong_run, "evidence", "place", value=5),
        "malformed/trained_tracks_a_state_that_is_not_there": changed(adds_two, "claim", "machine", "start", value=2),
    }.items()}


if __name__ == "__main__":
    for path, document in files().items():
        path.write_bytes(dump(document))
