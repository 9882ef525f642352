"""Rows after a last norm, times the deviation that it divides by: docs/background/floats_rules.md, section 7, Rows."""

from math import isqrt
from operator import mul

from ..zonotopes.affine import FRACTION, WEIGHT, AffineForm, Linear, apply, make_linear, promoted, spread, tighten
from ..zonotopes.norms import centred, normalise
from ..zonotopes.packed_integers import unpack
from ..zonotopes.step_maps import NormMaps
from .form_stack import FloatStack


def is_above(stack: FloatStack, row: Linear, stream: AffineForm, margin: int) -> bool:
    """Return whether a row of the logits is proved to be above the margin; the stream is that after all attention."""
    steps = stack.stages[-1].after if stack.stages and not stack.network.of_input else []
    if not steps or not isinstance(norm := steps[-1], NormMaps) or norm.of is not None:
        return False
    x, budget = promoted(stack.between(steps[:-1], stream, fast=True)), stack.budget
    sizes = [max(1, size) for size in stack.operations.tight(normalise(budget, norm.kind, norm.epsilon, x)).sizes]
    box = promoted(AffineForm([0] * len(sizes), 1, sizes, sizes, fresh=True))  # symbol i is N_i over its size
    form = apply(budget, row, stack.logits(stack.operations.after_norm(norm, x, box)))
    constant, *slots = unpack(form.rows[0], form.slots)
    d, rest = len(sizes), constant - margin - form.radii[0] - sum(map(abs, slots[len(sizes):]))
    y, extra = (centred(x), norm.epsilon * d**3) if norm.kind == "layer" else (x, norm.epsilon * d)
    known, more = spread(budget, y), int(extra * (1 << 2 * FRACTION)) + 1
    square = sum(map(mul, known.centres, known.centres))
    t = isqrt((square + more) // d) + 1
    twice = 2 * (more - 1) if rest >= 0 else d * t * t + sum(map(mul, known.reaches, known.reaches)) + more - square
    weights = [((share * d * t << WEIGHT) + rest * m * size) // (size * d * t)
               for share, size, m in zip(slots, sizes, known.centres, strict=False)]
    (centre,), (reach,) = spread(budget, apply(budget, make_linear(
        [weights], [rest * twice // (2 * d * t) >> FRACTION]), tighten(y, known)))
    return centre > reach
