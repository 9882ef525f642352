"""Rows of inputs under a float model: in ball arithmetic, else as affine forms.

See docs/background/floats_rules.md, section 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ....kernel.budget import Budget
from ....kernel.verdicts import Rejected, quote, require, within
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import expect_sensible
from ..reading.network import LogitRow, Network
from .casting import balls_have_rules, cast_network

if TYPE_CHECKING:
    from ..balls.adaptive_precision import Runner, Stacks
    from ..reading.tracks_claim import TracksClaim
    from ..zonotopes.affine import AffineForm
    from .classes import FloatArithmetic
    from .form_stack import FloatStack
    from .key_value_cache import CachedExecutions

PATIENCE = 8  # surplus of failures of balls at which they are tried for every eighth word only


def prove_in_each(floats: Sequence[FloatClaim], prove: Callable[[FloatClaim], Mapping[str, int]]) -> Mapping[str, int]:
    """Apply ``prove`` to every float model; return the sums of what it counts, and the number of models.

    Raises:
        Rejected: if it is not proved under one.
    """
    proved = Counter[str]()
    for model in floats:
        with within(quote(model.name)):
            expect_sensible(model)
            proved.update(prove(model))
    return {"float model" if len(floats) == 1 else "float models": len(floats), **proved}


class NetworkUnderModel:
    """A network with the weights of a float model.

    Raises:
        Rejected: if a step has no rule.
    """

    def __init__(self, budget: Budget, network: Network, model: FloatClaim) -> None:
        self.budget, self.network, self.model = budget, cast_network(network, model), model

    @cached_property
    def forms(self) -> FloatStack:
        """The network on affine forms."""
        from .form_stack import FloatStack

        return FloatStack(self.budget, self.network, self.model)

    @property
    def arithmetic(self) -> FloatArithmetic:
        """The operations of a proof by abstract words."""
        from .classes import FloatArithmetic

        return FloatArithmetic(self.forms)

    def make_prover(self, claim: TracksClaim, rows: Sequence[LogitRow],
                    possible_tokens: Sequence[Sequence[int]]) -> InputsUnderModel:
        """Return a prover of these rows on inputs in tracks with these tokens at each place."""
        tokens = {token for those in possible_tokens for token in those}
        return InputsUnderModel(RowsUnderModel(self, rows, claim.margin, tokens, len(possible_tokens)), claim.offset,
                                possible_tokens)


class RowsUnderModel:
    """Rows at places of inputs of at most ``length`` of these tokens, in every execution under a float model.

    Attributes:
        words, failed: the words so far, and how many more of them balls failed for than not, from 0 to `PATIENCE`.
    """

    def __init__(self, network: NetworkUnderModel, rows: Sequence[LogitRow], margin: Fraction, tokens: Collection[int],
                 length: int) -> None:
        self.network, self.rows, self.words, self.failed = network, rows, 0, 0
        self.try_balls = balls_have_rules(network.network)
        self._margin, self._tokens, self._length = margin, tokens, length

    @cached_property
    def balls(self) -> Stacks:
        """The network in ball arithmetic."""
        from ..balls.adaptive_precision import Stacks
        from .ball_stack import StackOnBalls

        return Stacks(self.network.network, self.rows, lambda precision, part, rows: StackOnBalls(
            precision, self.network.budget, part, self._tokens, rows, self._margin, self._length, self.network.model))

    def prove_row(self, row: int, logits: AffineForm, stream: AffineForm | None = None) -> None:
        """Check that a row is above the margin for these logits, or for those of the stream before the last norm.

        Raises:
            Rejected: if it is not proved in every execution.
        """
        from ..zonotopes.affine import FRACTION, apply, spread
        from .form_stack import make_row_maps

        budget = self.network.budget
        value = make_row_maps(budget, [self.rows[row]], self.network.network.outputs)
        (centre,), (reach,) = spread(budget, apply(budget, value, logits))
        margin = -(-(self._margin.numerator << FRACTION) // self._margin.denominator)
        if centre - reach <= margin and stream is not None:
            from .scaled_rows import is_above

            if is_above(self.network.forms, value, stream, margin):
                return
        require(centre - reach > margin, "row {} is about {}, with an error of up to {}", row + 1,
                shown(centre, FRACTION), shown(reach, FRACTION))


def shown(x: int, bits: int) -> str:
    """Format a number over 2^bits with some digits, or as a power of two if it is small."""
    thousandths = abs(x) * 1000 >> bits
    if thousandths < 10:
        return f"{'-' if x < 0 else ''}2^{x.bit_length() - bits}"
    return f"{'-' if x < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03}"


class InputsUnderModel:
    """Inputs at an offset, with these tokens at each place; shared prefixes are kept."""

    def __init__(self, rows: RowsUnderModel, offset: int, possible_tokens: Sequence[Sequence[int]]) -> None:
        self._rows, self._offset, self._possible_tokens = rows, offset, possible_tokens
        self._first = 0  # the cache that proved the word before; those before it are tried for every eighth word

    @cached_property
    def _runner(self) -> Runner:
        from ..balls.adaptive_precision import Runner

        return Runner(self._rows.balls, self._offset, self._possible_tokens)

    @cached_property
    def _caches(self) -> list[CachedExecutions]:
        from .key_value_cache import CachedExecutions
        from .shared_symbols import FEW

        forms = self._rows.network.forms
        coarse = copy(forms)
        coarse.kept = FEW
        apart = copy(coarse)
        apart.stages = [stage._replace(shared=False) for stage in forms.stages]
        return [CachedExecutions(one, self._offset) for one in [apart, coarse, forms][0 if forms.stages[1:] else 2:]]

    def prove(self, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> None:
        """Check the needed rows of an input.

        Raises:
            Rejected: if one is not proved to be above the margin in every execution.
        """
        rows = self._rows
        rows.words += 1
        if rows.try_balls and (rows.failed < PATIENCE or rows.words % PATIENCE == 0):
            is_proved = self._prove_by_balls(tokens, needed)
            rows.failed = max(0, rows.failed - 1) if is_proved else min(PATIENCE, rows.failed + 1)
            if is_proved:
                return
        from .ball_finish import are_proved_by_balls

        first = min(self._first, 1) if rows.words % PATIENCE else 0
        for number, cache in [*enumerate(self._caches)][first:]:
            self._first = number
            try:
                for place, stream in cache.attended(tokens, [*needed]):
                    if rows.try_balls and are_proved_by_balls(rows.balls, rows.network.budget, needed[place], stream):
                        continue
                    logits = cache.stack.finish(stream)
                    for row in needed[place]:
                        rows.prove_row(row, logits, stream)
                return
            except Rejected:
                if cache is self._caches[-1]:
                    raise

    def _prove_by_balls(self, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> bool:
        from ..balls.precision import LOWEST, Undecided

        try:
            self._runner.prove_at(LOWEST, tokens, needed)
        except (Rejected, Undecided):
            return False
        return True
