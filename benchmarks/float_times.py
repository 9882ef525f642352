"""Write the running times in docs/background/formats.md: `benchmarks/float_executions.py --times [NETWORK ...]`.

Seconds of processor, of one process, for networks of the zoo at offset 0. A table of all words of some lengths: the
decision, and the check of its certificate, over the real numbers and under a float model; and one of whole claims, as
they are asked: the decision alone, and how far it gets.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.markdown import table
from certify.claims.trained.decide import decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.float_decision import decide_floats
from constructions.trained.claim import WordsClaim, claim_of_lengths
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.enclosures.float_models.model import presets

TIMED = {"tomita_2": 10, "even": 10, "first": 8, "majority": 10, "dyck_1": 7, "tomita_4": 10, "d_2": 12,
         "tomita_7_deep": 6, "d_2_deep": 8}
WHOLE = dict.fromkeys(("tomita_2", "even", "first", "majority", "dyck_1", "tomita_7")) | {
    "tomita_4": 16, "tomita_7_deep": 12}
"""To the length to which they were trained, or, where that would take many minutes in a class, to another."""
CLASSES = ("binary32", "binary16/binary32", "bfloat16/binary32")
CLAIMS, REALS = "whole claims", "reals"
HEAD = """
## What it takes

Processor time of the decision under a float model, divided by that of the decision over the real numbers. In brackets:
the same ratio for the checks of both certificates. Words are run one by one. `python benchmarks/float_executions.py
--times` measures and writes this. Words for which balls are enough cost little more than over the reals; up to n, all
are certified. With one layer most other words need affine forms for attention only, with two layers for all steps.
There the ratio grows with the number of words, as over the reals a word takes less than a millisecond.

"""
HEAD_OF_CLAIMS = """
Whole claims, as one asks for them: `certify decide` of the claim in the network's folder of `examples/trained`, at
offset 0. The lengths go up to that on which the network was trained (`tomita_4` and `tomita_7_deep` to shorter ones, as
a float model would take many minutes). For each network: the time taken, and the length reached. Over the real numbers
it is processor seconds of one process; under a float model it is a multiple of these. Where words are many they are
proved by classes of words; what is not proved is searched for a wrong word, or a wrong execution. Loading is left out,
the proof by the trusted folder is not. Only
`first` was measured again since forms became faster.

"""


def measure(names: list[str], kept: dict[str, Any], again: bool, keep: Callable[[], None]) -> None:
    """Measure all missing cells, and keep each one as soon as it is known."""
    for name in names or TIMED:
        for each in CLASSES if name in TIMED else ():
            cells = kept.setdefault(name, {})
            if each in cells and not again:
                continue
            plan = plans()[name]
            network = plan.network()
            claim = replace(plan.claim(network), lengths=(1, TIMED[name]), offsets=(0, 0))
            (real, checked), (floats, floats_checked) = times_of_float_executions(network, claim, each)
            cells[each] = {"reals": [round(real, 2), round(checked, 2)],
                           "times": [round(floats / real, 1), round(floats_checked / checked, 1)]}
            print(f"{name}, {each}: {cells[each]}", file=sys.stderr, flush=True)
            keep()
    for name in names or WHOLE:
        cells = kept.setdefault(CLAIMS, {}).setdefault(name, {}) if name in WHOLE else {}
        for each in (REALS, *CLASSES) if name in WHOLE else ():
            if each not in cells or again:
                cells[each] = whole(name, each)
                print(f"{name}, {each}: {cells[each]}", file=sys.stderr, flush=True)
                keep()


def times_of_float_executions(network: TrainedNetwork, claim: WordsClaim, name: str) -> list[tuple[float, float]]:
    """Return the processor seconds of the decision and its check, over the reals and under the model."""
    ask(network, claim_of_lengths(network, claim, 1, 2), REALS)  # what is imported and made once
    seconds = []
    for each in (REALS, name):
        start = time.process_time()
        text = ask(network, claim, each).certificate
        assert text is not None
        made = time.process_time()
        check_text(text.encode(), work=1000)
        seconds.append((made - start, time.process_time() - made))
    return seconds


def whole(name: str, each: str) -> dict[str, Any]:
    """Time the decision of a whole claim, over the reals or under a float model, with the length that it reaches."""
    plan = plans()[name]
    network = plan.network()
    claim = plan.claim(network)
    longest = WHOLE[name] or plan.max_n
    claim = replace(claim, lengths=(claim.lengths[0], longest), offsets=(0, 0))
    ask(network, claim_of_lengths(network, claim, 1, 2), each)  # what is imported and made once
    start = time.process_time()
    found = ask(network, claim, each)
    return {"seconds": round(time.process_time() - start, 2), "to": longest, "certified_to": found.certified_to,
            "wrong_at": len(found.wrong.word) if found.wrong else None,
            "open_from": min(found.lengths_that_are("unknown"), default=None)}


def ask(network: TrainedNetwork, claim: WordsClaim, each: str) -> Decision:
    """Return the decision over the reals, or in a class, by one process."""
    return decide(network, claim) if each == REALS else decide_floats(network, claim, presets()[each])


def section(kept: dict[str, Any]) -> str:
    """Return the section, with the table of whole claims."""
    rows, claims = [], kept.get(CLAIMS, {})
    for name, last in TIMED.items():
        if cells := kept.get(name):
            real, checked = next(iter(cells.values()))["reals"]
            found = [cells[each]["times"] if each in cells else None for each in CLASSES]
            rows.append([f"`{name}`", str(last), f"{real:g} s ({checked:g} s)",
                         *(f"{one[0]:g} ({one[1]:g})" if one else "–" for one in found)])
    rows_of_claims = []
    for name in WHOLE:
        if REALS in (cells := claims.get(name, {})):
            real = cells[REALS]
            rows_of_claims.append([
                f"`{name}`", str(real["to"]), f"{real['seconds']:.3g} s: {reached(real)}",
                *(f"{cells[each]['seconds'] / real['seconds']:.2g}: {reached(cells[each])}" if each in cells else "–"
                  for each in CLASSES)])
    text = HEAD + table(["network", "to n", "over the reals"], CLASSES, rows)
    if rows_of_claims:
        text += HEAD_OF_CLAIMS + table(["network", "asked to", "over the reals"], CLASSES, rows_of_claims)
    return text


def reached(cell: dict[str, Any]) -> str:
    """Describe the lengths decided."""
    certified, wrong, unknown = cell["certified_to"], cell["wrong_at"], cell["open_from"]
    parts = [f"n ≤ {certified}"] if certified is not None else []
    if unknown is not None and (wrong is None or unknown < wrong):
        parts.append(f"open from {unknown}")
    if wrong is not None:
        parts.append(f"wrong at {wrong}")
    return ", ".join(parts)
