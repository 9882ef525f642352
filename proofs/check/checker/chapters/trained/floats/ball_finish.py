"""Rows from a stream after the only attention step, on forms, by balls: docs/background/floats_rules.md, Balls."""

from collections.abc import Sequence

from ....kernel.budget import Budget
from ....kernel.verdicts import Rejected
from ..balls.adaptive_precision import Stacks
from ..balls.precision import LOWEST, Undecided, ceil_norm
from ..balls.stack import pass_on
from ..zonotopes.affine import FRACTION, AffineForm, spread


def are_proved_by_balls(stacks: Stacks, budget: Budget, needed: Sequence[int], stream: AffineForm) -> bool:
    """Return whether balls prove these rows. Each centre is rounded down, by less than 1."""
    try:
        stack, known = stacks.at(LOWEST), spread(budget, stream)
        if len(stack.blocks) != 1:
            return False
        (attention, steps), places = stack.blocks[0], FRACTION - stack.precision.fraction
        centres = [x >> places for x in known.centres]
        stack.budget.spend(1 + stack.cost)
        if ceil_norm(centres) > attention.bound:
            return False
        error = (ceil_norm(known.reaches) >> places) + 1 + len(centres)
        found = stack.rows.values(stack.rows.logits(pass_on(steps, (centres, error))), needed)
    except (Rejected, Undecided):
        return False
    return all(value - more > stack.rows.least[row] for row, (value, more) in zip(needed, found, strict=True))
