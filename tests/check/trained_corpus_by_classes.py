"""Decisions by classes in tests/corpus: `python -m tests.check.trained_corpus_by_classes` makes them.

The network is the mean of letters, whose averages are exact; each faulty file is the accepted one with a single change.
"""

import base64
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.check.trained_corpus import BFLOAT16, BINARY32, CORPUS, Document, changed, float_executions_of_means, means
from tests.check.trained_networks import Weights, dump, with_evidence

BITS = 24
LONGEST = 5
ROOM = 4  # over 2^24: how far exponentials may be off; all that is averaged is exact


def level(length: int) -> list[tuple[int, int]]:
    """Return the classes of words of a length: the last letter, and how many ones there are."""
    return [(letter, ones) for letter in (0, 1) for ones in range(letter, length + letter)] if length else [(0, 0)]


def graph() -> list[list[list[int]]]:
    """Their successors."""
    return [[[level(n + 1).index((letter, ones + letter)) for letter in (0, 1)] for _, ones in level(n)]
            if n < LONGEST else [[] for _ in level(n)] for n in range(LONGEST + 1)]


def averages(first: int, last: int) -> Iterator[tuple[int, int]]:
    """The least and the greatest mean, over 2^24, of the classes that a row is claimed of: not of those that tie."""
    for n in range(first, last + 1):
        for _, ones in level(n):
            if 2 * ones != n + 1:
                yield (ones << BITS) // (n + 1), -(-(ones << BITS) // (n + 1))


def unit(offset: int, first: int, last: int, room: int = 1) -> Document:
    """Return a unit of the cover, with ranges wider than the true ones by ``room``, over 2^24."""
    data = b"".join(struct.pack("<2i", low - room, high + room) for low, high in averages(first, last))
    return {"offset": offset, "from": first, "to": last, "by": "classes", "graph": 0, "directions": 0, "bits": BITS,
            "ranges": base64.b64encode(data).decode()}


def means_by_classes() -> Document:
    """Return the mean of letters decided by classes, and at one offset by words, too."""
    cover = [unit(1, 1, 5), {"offset": 2, "from": 1, "to": 2, "by": "words"}, unit(2, 3, 5)]
    directions = [[[base64.b64encode(struct.pack("<i", 1 << 30)).decode()]]]
    return with_evidence(means(), graphs=[graph()], directions=directions, units=cover)


def whole_words_by_classes() -> Document:
    """Return the certificate of the mean of all letters in a bidirectional network, for words of length 5."""
    made = means_by_classes()
    claim = made["claim"] | {"read": "first", "min_n": LONGEST, "offsets": [1, 1]}
    bidirectional = changed(made, "network", "attention", value="bidirectional")
    return with_evidence(bidirectional | {"claim": claim}, units=[unit(1, LONGEST, LONGEST)])


def float_executions_by_classes() -> Document:
    """Return the same in float executions, at one offset, to length 4; ranges as wide as is needed."""
    runs, made = float_executions_of_means(BINARY32, BFLOAT16), means_by_classes()
    return runs | {"by": "cover", "evidence": made["evidence"] | {"units": [unit(1, 1, 4, room=ROOM)]}}


def rounded_means_by_classes(**changes: Any) -> Document:
    """Half of the mean, and half of it rounded to a multiple of 1/16 of 0 to 15/16, decided by classes."""
    made = means_by_classes()
    w = Weights(0)
    w.tensors = dict(made["network"]["tensors"])
    weight = w.view([[0.0, 0.0], [0.5, 0.0]])
    step = {"step": "units", "norm": None, "in": {"weight": w.view([[0.0], [1.0]]), "bias": None}, "gate": None,
            "activation": {"scale": "1/16", "zero": 0, "least": 0, "greatest": 15} | changes,
            "out": {"weight": w.view([[0.0, 1.0]]), "bias": None}}
    network = made["network"] | {"steps": [*made["network"]["steps"], step],
                                 "unembedding": made["network"]["unembedding"] | {"weight": weight}}
    del w.tensors[made["network"]["unembedding"]["weight"]["tensor"]]
    return made | {"network": network | {"tensors": w.tensors}}


def with_number(document: Document, number: int, change: int) -> Document:
    """Return a copy with one number of the first ranges changed."""
    data = base64.b64decode(document["evidence"]["units"][0]["ranges"])
    numbers = [*struct.unpack(f"<{len(data) // 4}i", data)]
    numbers[number] += change
    changed_data = base64.b64encode(struct.pack(f"<{len(numbers)}i", *numbers)).decode()
    return changed(document, "evidence", "units", 0, "ranges", value=changed_data)


def files() -> dict[Path, Document]:
    """All files and what they hold."""
    made, runs, whole = means_by_classes(), float_executions_by_classes(), whole_words_by_classes()
    shorter = base64.b64encode(base64.b64decode(made["evidence"]["units"][0]["ranges"])[:-8]).decode()
    turned = base64.b64encode(struct.pack("<i", 1 << 29)).decode()
    return {CORPUS / f"{name}.cert": document for name, document in {
        "accepted/trained_mean_by_classes": made,
        "accepted/trained_mean_by_classes_with_a_wide_range": with_number(made, 22, -(1 << BITS)),
        "rejected/trained_classes_with_a_lower_bound_too_high": with_number(made, 22, 3),
        "rejected/trained_classes_with_an_upper_bound_too_low": with_number(made, 23, -3),
        "rejected/trained_classes_with_two_letters_into_a_node": changed(
            made, "evidence", "graphs", 0, 2, 0, 1, value=0),
        "rejected/trained_classes_with_a_node_of_no_word": changed(
            made, "evidence", "graphs", 0, 1, value=[*made["graphs"][0][1], [0, 2]]),
        "rejected/trained_classes_with_another_edge": changed(made, "evidence", "graphs", 0, 3, 3, 0, value=0),
        "rejected/trained_classes_along_half_a_direction": changed(
            made, "evidence", "directions", 0, 0, 0, value=turned),
        "rejected/trained_classes_with_a_row_turned": changed(
            made, "claim", "cases", 0, "above", value=[[[0, "-1"], [1, "1"]]]),
        "accepted/trained_whole_words_by_classes": whole,
        "rejected/trained_whole_words_with_an_upper_bound_too_low": with_number(whole, 3, -3),
        "rejected/trained_whole_words_with_another_edge": changed(whole, "evidence", "graphs", 0, 3, 3, 0, value=0),
        "rejected/trained_whole_words_with_a_row_turned": changed(
            whole, "claim", "cases", 0, "above", value=[[[0, "-1"], [1, "1"]]]),
        "malformed/trained_whole_words_of_a_causal_network": changed(whole, "network", "attention", value="causal"),
        "accepted/trained_float_executions_by_classes": runs,
        "rejected/trained_float_executions_by_classes_with_a_range_one_unit_too_narrow": with_number(runs, 31, -1),
        "rejected/trained_float_executions_by_classes_with_ranges_over_the_reals": changed(
            runs, "evidence", "units", value=[unit(1, 1, 4)]),
        "rejected/trained_float_executions_by_classes_with_a_place_left_out": changed(
            runs, "evidence", "units", 0, "from", value=2),
        "rejected/trained_float_executions_by_classes_with_a_row_turned": changed(
            runs, "claim", "cases", 0, "above", value=[[[0, "-1"], [1, "1"]]]),
        "accepted/trained_rounded_means_by_classes": rounded_means_by_classes(),
        "rejected/trained_rounded_means_cut_off": rounded_means_by_classes(greatest=4),
        "rejected/trained_rounded_means_of_another_zero": rounded_means_by_classes(zero=11),
        "malformed/trained_float_executions_with_directions_and_no_cover": {
            key: value for key, value in runs.items() if key != "cover"},
        "malformed/trained_classes_without_a_range": changed(made, "evidence", "units", 0, "ranges", value=shorter),
        "malformed/trained_classes_without_a_letter": changed(made, "evidence", "graphs", 0, 2, 0, value=[0]),
        "malformed/trained_classes_with_a_node_that_is_not_there": changed(
            made, "evidence", "graphs", 0, 2, 0, 0, value=9),
        "malformed/trained_classes_with_a_range_turned": with_number(made, 22, 4),
    }.items()}


if __name__ == "__main__":
    for path, document in files().items():
        path.write_bytes(dump(document))
