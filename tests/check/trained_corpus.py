"""The files of trained networks in tests/corpus: `python -m tests.check.trained_corpus` makes them of tiny networks.

Each faulty one is an accepted one with a single change.
"""

import base64
import copy
import hashlib
import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.check.trained_networks import (
    certificate,
    decision,
    dump,
    make_claim,
    make_network,
    mean_network,
    rounding_network,
    with_evidence,
)
from tests.check.trained_reference import Reference

CORPUS = Path(__file__).parents[1] / "corpus"
Document = dict[str, Any]


def signs_of_logits(network: Document, longest: int, **changes: Any) -> Document:
    """Return the claim that logit 0 - logit 1 has the sign that it has, by an automaton whose states are all words."""
    words = [word for n in range(longest + 1) for word in itertools.product((0, 1), repeat=n)]
    number = {word: k for k, word in enumerate(words)}
    steps = [[number.get((*word, letter), 0) for letter in (0, 1)] for word in words]
    claim = make_claim(max_n=longest, automaton={"start": 0, "steps": steps}, **changes)
    reference = Reference(network)
    signs: dict[int, list[int]] = {1: [], -1: []}
    for word in words[1:]:
        logits = reference.logits([2, *word, *claim["after"]])[-1]
        signs[1 if logits[0] > logits[1] else -1].append(number[word])
    cases = [{"when": {"states": states}, "above": [[[0, str(sign)], [1, str(-sign)]]]}
             for sign, states in signs.items()]
    return claim | {"cases": cases}


def means(**changes: Any) -> Document:
    """Return the mean of letters decided: more ones than others, or not."""
    more = {"when": {"formula": "#<[Q_1] > #<[Q_0] + 1"}, "above": [[[0, "1"], [1, "-1"]]]}
    fewer = {"when": {"formula": "#<[Q_1] <= #<[Q_0]"}, "above": [[[0, "-1"], [1, "1"]]]}
    claim = make_claim(max_n=5, cases=[more, fewer], offsets=[1, 2]) | changes
    return decision(mean_network(8), claim, [
        {"offset": 1, "from": 1, "to": 5, "by": "words"}, {"offset": 2, "from": 1, "to": 2, "by": "words"},
        {"offset": 2, "from": 3, "to": 5, "by": "words"}])


def in_cells(**changes: Any) -> Document:
    """Words of two letters, the last of them a 1: the mean, a third or two thirds, is above a quarter; in two cells."""
    claim = make_claim(min_n=2, max_n=2, read="last", margin="1/4",
                       cases=[{"when": {"formula": "Q_1"}, "above": [[[0, "1"]]]}]) | changes
    half = base64.b64encode((1 << 19).to_bytes(4, "little")).decode()
    ranges = b"".join(number.to_bytes(4, "little") for number in (349_525, 699_051))
    unit = {"offset": 0, "from": 2, "to": 2, "by": "classes", "graph": 0, "directions": 0, "bits": 20,
            "ranges": base64.b64encode(ranges).decode(),
            "cells": [{"head": 0, "direction": 0, "at": 1 << 19, "below": {"shares": [half]},
                       "above": {"shares": [None]}}]}
    one = base64.b64encode((1 << 30).to_bytes(4, "little")).decode()
    return with_evidence(decision(mean_network(), claim, [unit]), graphs=[[[[0, 1]], [[0, 1], [0, 1]], [[], []]]],
                         directions=[[[one]]])


def wrong_word(**changes: Any) -> Document:
    """Return the mean is not above a half wherever there are as many ones as others."""
    document = means(cases=[{"when": {"formula": "#<[Q_1] >= #<[Q_0]"}, "above": [[[0, "1"], [1, "-1"]]]}])
    return certificate("words", "wrong word", document["network"], document["claim"], {
        "word": ["1", "0", "1"], "offset": 2, "place": 2, "case": 0, "row": 0} | changes)


BY_SCALE: Document = {"scale": "3/64", "zero": 7, "least": 0, "greatest": 15}
BY_TOKEN: Document = {"range": "token", "greatest": 15}
BY_INPUT: Document = {"range": "input", "greatest": 15}


def roundings(how: Document, longest: int = 2, **changes: Any) -> Document:
    """The signs of a difference of logits of a network that rounds on its way, and just how large it is at least."""
    network = rounding_network(how)
    words = itertools.chain(*(itertools.product((0, 1), repeat=n) for n in range(1, longest + 1)))
    least = min(abs(x[0] - x[1]) for word in words for x in [Reference(network).logits([2, *word])[-1]])
    margin = str(Fraction(int(least * 2**30) - 1, 2**30))
    return decision(network, signs_of_logits(network, longest, **changes) | {"margin": margin})


def accepted_roundings() -> dict[str, Document]:
    """Files about networks with quantised activations that are proved."""
    scale = roundings(BY_SCALE)
    states = scale["claim"]["cases"][0]["when"]["states"]
    turned = changed(scale, "claim", "cases", value=[{"when": {"states": states}, "above": [[[0, "-1"], [1, "1"]]]}])
    word = {0: [], 1: ["0"], 2: ["1"]}.get(states[0], ["0", "0"])
    wrong = certificate("words", "wrong word", scale["network"], turned["claim"], {
        "word": word, "offset": 0, "place": len(word), "case": 0, "row": 0})
    return {"trained_roundings_by_a_scale": scale, "trained_roundings_by_a_token": roundings(BY_TOKEN),
            "trained_roundings_by_all_tokens": roundings(BY_INPUT, read="last"),
            "trained_roundings_wrong_word": wrong, **{f"trained_float_executions_rounded_by_{name}": float_executions(
                network, signs_of_logits(network, 2, read="last"), BINARY32)
                for name, how in (("a_scale", BY_SCALE), ("all_tokens", BY_INPUT))
                for network in [rounding_network(how)]}}


def with_rounding(document: Document, how: Any) -> Document:
    """Return a copy whose last step rounds otherwise."""
    return changed(document, "network", "steps", 2, "activation", value=how)


def rejected_roundings() -> dict[str, Document]:
    """Files about such networks that are not proved."""
    made = accepted_roundings()
    scale, token, everything = (made[f"trained_roundings_by_{name}"] for name in ("a_scale", "a_token", "all_tokens"))
    return {
        "trained_roundings_by_another_scale": with_rounding(scale, BY_SCALE | {"scale": "3/65"}),
        "trained_roundings_with_another_zero": with_rounding(scale, BY_SCALE | {"zero": 8}),
        "trained_roundings_to_fewer_numbers": with_rounding(scale, BY_SCALE | {"greatest": 10}),
        "trained_roundings_of_a_token_to_fewer_numbers": with_rounding(token, BY_TOKEN | {"greatest": 14}),
        "trained_roundings_of_all_tokens_to_fewer_numbers": with_rounding(everything, BY_INPUT | {"greatest": 14}),
        "trained_roundings_by_all_tokens_and_not_by_each": changed(
            with_rounding(token, BY_INPUT), "claim", "read", value="last"),
        "trained_roundings_left_out": with_rounding(token, "identity"),
        "trained_float_executions_rounded_with_the_margin_of_the_reals": float_executions(
            scale["network"], scale["claim"], BINARY32)}


def malformed_roundings() -> dict[str, Document]:
    """Files about such networks that are not in the format."""
    scale = roundings(BY_SCALE)
    return {"trained_roundings_by_a_scale_of_0": with_rounding(scale, BY_SCALE | {"scale": "0"}),
            "trained_roundings_with_a_zero_outside": with_rounding(scale, BY_SCALE | {"zero": 16}),
            "trained_roundings_by_the_range_of_a_word": with_rounding(scale, BY_TOKEN | {"range": "word"})}


BINARY32 = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "binary32") | {
    "normalised": "either", "exp_ulp": "4", "exp_base": "either", "block": 64}
BFLOAT16 = BINARY32 | dict.fromkeys(("storage", "inputs", "scores", "weights"), "bfloat16")
CUT_OFF = BFLOAT16 | {"sum_ulp": "2"}
TWELVE = BINARY32 | dict.fromkeys(("storage", "inputs", "scores", "softmax", "weights"), "float(12,-60,60)")
EIGHTS = BINARY32 | {"weights": "binary16", "also": ["eights", "integers"]}
FURTHER = BINARY32 | {"also": ["gains", "integers", "merged", "one pass", "scales"]}
FLUSHED = BINARY32 | dict.fromkeys(("storage", "inputs", "scores", "weights"), "binary16")


def float_executions(network: Document, claim: Document, *classes: Document, **changes: Any) -> Document:
    """Return the certificate of a claim in every run of these classes, with some of their fields changed."""
    floats = [{"name": f"class {k}", **one, **changes, "max_n": claim["max_n"]} for k, one in enumerate(classes, 1)]
    return certificate("words", "each word", network, claim, {}, floats)


def float_executions_of_means(*classes: Document, **changes: Any) -> Document:
    """Return the mean of letters in float executions: it is 1/10 from a half, or more."""
    mean = means()
    margin = {"margin": changes.pop("margin")} if "margin" in changes else {}
    claim = mean["claim"] | {"max_n": 4, "offsets": [1, 1]} | margin
    return float_executions(mean["network"], claim, *classes or (BINARY32, BFLOAT16, FLUSHED), **changes)


def float_executions_of_signs(kind: str, seed: int, longest: int, *classes: Document, **changes: Any) -> Document:
    """Return the signs of a difference of logits of a random network."""
    network = make_network(kind, seed)
    return float_executions(network, signs_of_logits(network, longest, **changes), *classes)


def accepted_float_executions() -> dict[str, Document]:
    """Files about float executions that are proved."""
    return {"trained_float_executions_of_means": float_executions_of_means(),
            "trained_float_executions_both_ways": float_executions_of_signs("bidirectional", 4, 2, BINARY32,
                                                                            read="last", after=[3]),
            "trained_float_executions_of_relu": float_executions_of_signs("post", 1, 2, BINARY32, BFLOAT16),
            "trained_float_executions_of_inputs_in_8_bits": float_executions_of_signs("post", 1, 2, EIGHTS),
            "trained_float_executions_of_norms_of_12_bits": float_executions_of_signs("post", 1, 2, {
                **TWELVE, "also": ["merged"]}),
            "trained_float_executions_of_sums_cut_off": float_executions_of_means(
                CUT_OFF, FLUSHED | {"sum_ulp": "5/2"}),
            "trained_float_executions_of_other_norms_scores_and_sums": float_executions_of_signs(
                "post", 1, 2, FURTHER, BFLOAT16 | {"also": ["gains", "merged", "scales"]}),
            "trained_float_executions_of_tanh": float_executions_of_signs("rms", 2, 2, BINARY32),
            "trained_float_executions_of_rotary_positions": float_executions_of_signs("rotary", 3, 2, BINARY32),
            "trained_float_executions_of_slopes": float_executions_of_signs("alibi", 3, 2, BINARY32, BFLOAT16),
            "trained_float_executions_of_another_gelu": float_executions_of_signs("gpt2", 3, 2, BINARY32),
            "trained_float_executions_of_capped_scores": float_executions_of_signs("capped", 3, 2, BINARY32),
            "trained_float_executions_of_images": float_executions_of_signs("images", 3, 2, BINARY32)}


def rejected_float_executions() -> dict[str, Document]:
    """Files about float executions that are not proved."""
    mean = float_executions_of_means()
    return {
        "trained_float_executions_of_a_tenth": float_executions_of_means(BINARY32, margin="1/10"),
        "trained_float_executions_of_a_margin_that_two_classes_have": float_executions_of_means(margin="99/1000"),
        "trained_float_executions_of_a_row_turned": changed(mean, "claim", "cases", 0, "above",
                                                      value=[[[0, "-1"], [1, "1"]]]),
        "trained_float_executions_of_a_bit_of_a_weight": with_bit(mean, "t6", 55),
        "trained_float_executions_with_storage_wider_than_sums": float_executions_of_means(
            BINARY32, storage="binary64"),
        "trained_float_executions_with_exponentials_too_far_off": float_executions_of_means(
            BFLOAT16, exp_ulp="4000000"),
        "trained_float_executions_of_sums_of_8_bits": float_executions_of_signs("post", 1, 2, {
            **BFLOAT16, "sums": "bfloat16", "softmax": "bfloat16", "exp_ulp": "1"}),
        "trained_float_executions_of_gelu_in_8_bits": float_executions_of_signs("gpt2", 3, 2, EIGHTS),
        "trained_float_executions_of_whole_numbers_that_are_stored": float_executions_of_means(
            BFLOAT16 | {"also": ["integers"]}),
        "trained_float_executions_of_variances_in_one_pass_of_12_bits": float_executions_of_signs("post", 1, 2, {
            **TWELVE, "also": ["one pass"]}),
        "trained_float_executions_of_variances_merged_in_11_bits": float_executions_of_signs("post", 1, 2, {
            **TWELVE, "softmax": "float(11,-60,60)", **dict.fromkeys(
                ("storage", "inputs", "scores", "weights"), "float(11,-60,60)"), "also": ["merged"]}),
        "trained_float_executions_of_sums_cut_off_by_much": float_executions_of_means(CUT_OFF, sum_ulp="262144")}


def malformed_float_executions() -> dict[str, Document]:
    """Files about float executions that are not in the format."""
    mean = float_executions_of_means()
    return {"trained_float_executions_of_no_class": changed(mean, "floats", value=[]),
            "trained_float_executions_of_sums_cut_off_by_nothing": float_executions_of_means(CUT_OFF, sum_ulp="1"),
            "trained_float_executions_of_names_out_of_order": float_executions_of_means(
                BINARY32 | {"also": ["scales", "gains"]}),
            "trained_float_executions_of_other_lengths": changed(mean, "floats", 0, "max_n", value=3),
            "trained_float_executions_of_a_format_without_a_name": changed(mean, "floats", 0, "sums", value="float32")}


def wrong_run(way: Document | None = None, **changes: Any) -> Document:
    """The mean of letters is 2/5, which bfloat16 stores as 0.400390625: a half less that is below 1/10 - 1/5000."""
    runs = float_executions_of_means(BFLOAT16, margin="499/5000")
    run = {"order": "in pairs", "fused": False, "normalised": "before", "exp_base": "2"} | (way or {})
    return certificate("words", "wrong word", runs["network"], runs["claim"], {
        "word": ["0", "0", "1", "1"], "offset": 1, "place": 4, "case": 1, "row": 0, "run": run, **changes},
        runs["floats"])


def rejected_wrong_runs() -> dict[str, Document]:
    """Files about wrong executions that are not proved."""
    wrong = wrong_run()
    return {
        "trained_no_wrong_run": wrong_run(word=["0", "0", "1"], place=3),
        "trained_no_wrong_run_in_binary32": changed(wrong, "floats", 0, value=wrong["floats"][0] | BINARY32),
        "trained_no_wrong_run_by_its_margin": changed(wrong, "claim", "margin", value="249/2500"),
        "trained_a_wrong_run_of_another_base": changed(wrong, "floats", 0, "exp_base", value="e"),
        "trained_a_wrong_run_normalised_otherwise": changed(wrong, "floats", 0, "normalised", value="after"),
        "trained_a_wrong_run_of_functions_within_half_a_unit": changed(wrong, "floats", 0, "exp_ulp", value="1/2"),
        "trained_a_wrong_run_where_no_case_holds": wrong_run(case=0),
        "trained_a_wrong_run_of_weights_wider_than_softmax": changed(
            wrong, "floats", 0, "weights", value="binary64")}


def malformed_wrong_runs() -> dict[str, Document]:
    """Files about wrong executions that are not in the format."""
    return {"trained_a_wrong_run_in_no_order": wrong_run({"order": "sideways"}),
            "trained_a_wrong_run_of_two_classes": {
                **wrong_run(), "floats": float_executions_of_means(margin="499/5000")["floats"]},
            "trained_a_wrong_run_without_a_base": changed(wrong_run(), "evidence", "run", value={
                "order": "in pairs", "fused": False, "normalised": "before"})}


def accepted() -> dict[str, Document]:
    """Files that are proved."""
    rotary, both, images = make_network("rotary", 3), make_network("bidirectional", 4), make_network("images", 5)
    return {"trained_mean": means(), "trained_wrong_word": wrong_word(), "trained_mean_in_cells": in_cells(),
            "trained_norms_of_images": decision(images, signs_of_logits(images, 3)),
            "trained_rotary_by_place": decision(rotary, signs_of_logits(rotary, 3)),
            "trained_bidirectional_by_length": decision(both, signs_of_logits(both, 3, read="last", after=[3]))}


def changed(document: Document, *path: Any, value: Any) -> Document:
    """Return a copy with another value at a path."""
    made = copy.deepcopy(document)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


def with_bit(document: Document, tensor: str, bit: int, digest: bool = True) -> Document:
    """Return a copy with one bit of a tensor flipped, and its digest renewed, or not."""
    made = copy.deepcopy(document)
    held = made["network"]["tensors"][tensor]
    data = bytearray(base64.b64decode(held["data"]))
    data[bit // 8] ^= 1 << bit % 8
    held["data"] = base64.b64encode(data).decode()
    if digest:
        held["sha256"] = hashlib.sha256(data).hexdigest()
    return made


def rejected() -> dict[str, Document]:
    """Files of the format whose claim is not proved."""
    mean, wrong = means(), wrong_word()
    classes = {"offset": 1, "from": 1, "to": 5, "by": "classes", "graph": 0, "directions": 0, "bits": 20, "ranges": ""}
    ahead = means(cases=[{"when": {"formula": "next Q_1"}, "above": []}])
    both, images = (accepted()[f"trained_{name}"] for name in ("bidirectional_by_length", "norms_of_images"))
    return {
        "trained_another_activation": changed(images, "network", "steps", 2, "activation", value="relu"),
        "trained_a_unit_left_out": changed(mean, "evidence", "units", value=mean["evidence"]["units"][:2]),
        "trained_a_unit_beyond_the_tables": changed(mean, "evidence", "units", 0, "to", value=17),
        "trained_an_offset_moved": changed(mean, "evidence", "units", 0, "offset", value=0),
        "trained_tokens_exchanged": changed(mean, "claim", "tokens", value=[1, 0]),
        "trained_a_bit_of_a_weight": with_bit(mean, "t6", 55),
        "trained_a_row_turned": changed(mean, "claim", "cases", 0, "above", value=[[[0, "-1"], [1, "1"]]]),
        "trained_a_margin_too_large": changed(mean, "claim", "margin", value="1/10"),
        "trained_another_mask": changed(both, "network", "attention", value="causal"),
        "trained_a_place_is_not_a_length": changed(both, "claim", "min_n", value=2),
        "trained_classes_of_words_to_come": changed(
            with_evidence(ahead, graphs=[[[[]]]], directions=[[[base64.b64encode(bytes(4)).decode()]]]),
            "evidence", "units", 0,
            value=classes),
        "trained_a_margin_too_large_in_cells": in_cells(margin="1/3"),
        "trained_no_wrong_word": changed(wrong, "evidence", "place", value=1),
        "trained_a_wrong_word_too_long": changed(wrong, "evidence", "word", value=["1"] * 6),
        "trained_a_wrong_word_where_no_case_holds": changed(wrong, "evidence", "word", value=["0", "0", "1"]),
        "trained_a_wrong_word_at_another_offset": changed(wrong, "evidence", "offset", value=3),
        "trained_a_wrong_word_where_nothing_is_judged": changed(wrong, "evidence", "place", value=0)}


def malformed() -> dict[str, Document]:
    """Files that are not in the format."""
    mean = means()
    step = ("network", "steps", 0)
    return {
        "trained_a_digest_of_other_bytes": with_bit(mean, "t6", 55, digest=False),
        "trained_an_infinite_weight": infinite(mean),
        "trained_a_view_beyond_its_tensor": changed(mean, "network", "tokens", "start", value=1),
        "trained_a_norm_of_nothing": changed(
            accepted()["trained_norms_of_images"], "network", "steps", 1, "norm", "of", value=None),
        "trained_an_unused_tensor": changed(mean, "network", "tensors", "more",
                                            value=mean["network"]["tensors"]["t5"]),
        "trained_a_head_of_another_width": changed(mean, *step, "heads", 0, "out", "shape", value=[2, 1]),
        "trained_a_token_outside_the_vocabulary": changed(mean, "claim", "before", value=[4]),
        "trained_a_logit_that_is_not_there": changed(mean, "claim", "cases", 0, "above", value=[[[2, "1"]]]),
        "trained_a_negative_margin": changed(mean, "claim", "margin", value="-1"),
        "trained_a_state_that_is_not_there": changed(mean, "claim", "cases", 0, "when", value={"states": [0]}),
        "trained_a_graph_that_is_not_there": changed(mean, "evidence", "units", 0, value={
            "offset": 1, "from": 1, "to": 5, "by": "classes", "graph": 0, "directions": 0, "bits": 20, "ranges": ""}),
        "trained_a_cell_left_out": changed(in_cells(), "evidence", "units", 0, "cells", 0, "above", value=None),
        "trained_a_cut_outside_its_range": changed(in_cells(), "evidence", "units", 0, "cells", 0, "at", value=349_524),
        "trained_a_share_of_two_numbers": changed(in_cells(), "evidence", "units", 0, "cells", 0, "above", "shares",
                                                  value=[base64.b64encode(bytes(8)).decode()]),
        "trained_a_folder_in_the_name_of_a_source": changed(mean, "network", "sources", value=[
            {"file": "../model.npz", "sha256": "0" * 64}]),
        "trained_an_activation_of_another_name": changed(make_units(), "network", "steps", 1, "activation",
                                                         value="gelu_new"),
        "trained_base64_with_spaces": changed(mean, "network", "tensors", "t5", "data", value="AAAAAA AAAD8=")}


def infinite(document: Document) -> Document:
    """Return a copy with all bits of the exponent of a weight set."""
    for bit in range(23, 31):
        if not base64.b64decode(document["network"]["tensors"]["t6"]["data"])[bit // 8] >> bit % 8 & 1:
            document = with_bit(document, "t6", bit)
    return document


def make_units() -> Document:
    """Return a decision about a network with units."""
    return decision(make_network("gpt2"), make_claim())


def files() -> dict[Path, Document]:
    """All files and what they hold."""
    folders = {
        "accepted": {**accepted(), **accepted_float_executions(), **accepted_roundings(),
                     "trained_wrong_run": wrong_run()},
        "rejected": rejected() | rejected_float_executions() | rejected_roundings() | rejected_wrong_runs(),
        "malformed": malformed() | malformed_float_executions() | malformed_roundings() | malformed_wrong_runs()}
    return {CORPUS / folder / f"{name}.cert": document for folder, documents in folders.items()
            for name, document in documents.items()}


if __name__ == "__main__":
    for path, document in files().items():
        path.write_bytes(dump(document))
