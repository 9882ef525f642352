"""How long words may be in float runs of a network that is not sealed: what the bounds of the producer say."""

from collections.abc import Callable, Mapping

from certify.floats.classes import read_classes
from constructions.network.lengths import Lengths, up_to
from constructions.network.transformer import Transformer

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
