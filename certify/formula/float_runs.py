"""Float runs of a formula's network: the claim that one class of them is right, and how far usual classes reach.

How long words may be in float runs of a network that is not sealed is what the bounds of the producer say.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from certify.floats.classes import read_classes
from certify.floats.show import describe_refutation
from certify.floats.survey import USUAL_WORK, Progress, Proved, find_row
from certify.formula.outcomes import Certified, Outcome, RefutedRun, Unknown
from constructions.errors import InputError
from constructions.language.printer import format_briefly
from constructions.network.lengths import Lengths, up_to
from constructions.network.transformer import Transformer
from proofs.enclosures.float_runs.run_class import RunClass

TRIED = up_to(64)
Reach = Mapping[str, int | None]
"""Of each class of float runs the greatest of the lengths ``TRIED`` up to which its runs are right; None for none."""


def find_reach(network: Transformer, lengths: Lengths = TRIED,
               progress: Callable[[str], None] = lambda _: None) -> Reach | None:
    """How far the usual classes reach, by the bounds alone; None if the network is not right over the real numbers.

    It is what ``certify floats`` would try, which also asks the checker.
    """
    from certify.floats.survey import name_irrational
    from certify.formula.pipeline import sketch
    from proofs.floats.verdict import certified_bounds, find_largest_length
    from proofs.formula.discharge import Memory

    lines = sketch(network, lengths, None, Memory())
    if not all(line.proved for line in lines):
        return None
    bounds, reach = certified_bounds(lines), {}
    for run_class in read_classes([]):
        progress(f"bounding runs of {run_class.name}")
        reach[run_class.name] = (None if name_irrational(network, lengths, run_class) else
                                 find_largest_length(network, bounds, lengths, run_class))
    return reach


def show_reach(reach: Reach | None) -> str:
    """The lengths on one line.

    >>> show_reach({"binary32": 64, "bfloat16": None})
    'binary32 64, bfloat16 none'
    >>> show_reach(None)
    'not certified over the real numbers'
    """
    if reach is None:
        return "not certified over the real numbers"
    return ", ".join(f"{name} {'none' if last is None else last}" for name, last in reach.items())


# -- the claim that all runs are right ---------------------------------------------------------------------------------


def claim_runs(outcome: Outcome, run_class: RunClass, progress: Progress = lambda _: None, effort: int = 1) -> Outcome:
    """What becomes of an outcome over the real numbers if all float runs of the class are claimed to be right, too.

    Certified if both are, and then the certificate claims both; refuted if a run is wrong on a word of the claimed
    lengths.
    """
    if outcome.given is not None:
        raise InputError(f"given: nothing is claimed of float runs where {format_briefly(outcome.given)} holds")
    if not isinstance(outcome, Certified):
        return outcome
    proved = Proved.read(outcome.certificate)
    row = find_row(proved, run_class, progress, effort * USUAL_WORK)
    if row.verdict == "certified":
        return replace(outcome, certificate=proved.with_floats([row]), runs=row)
    common: dict[str, Any] = {field.name: getattr(outcome, field.name) for field in fields(Outcome)} | {"runs": row}
    if row.refutation:
        return RefutedRun(**common, reason=describe_refutation(row.refutation))
    return Unknown(**common, reason=f"certified over the real numbers, but not in all float runs of {run_class.name}: "
                                    f"{row.reason}")
