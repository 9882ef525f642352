"""Proof of the rows of cases in one cell after another; docs/background/lengths.md, sections 2 and 4."""

from collections.abc import Callable

from ....kernel.verdicts import within
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from ..zonotopes.affine import Linear
from ..zonotopes.linear_maps import make_rows
from ..zonotopes.rows import prove_rows
from .counts import CountedCell, Region
from .margins import Margins, VisibleAmounts
from .truths import CaseTruths


class CellsProof:
    """Proof of rows; ``cells`` counts cells so far, ``cells_with_rows`` those where a case with rows may hold."""

    def __init__(self, given: Decision[TrainedClaim, object], slopes: bool = False) -> None:
        self._network, self._claim, self._budget = given.network, given.claim, given.budget
        self._margins = Margins(given.network, given.claim, given.budget, slopes)
        self._truths, self._rows = CaseTruths(given.claim), dict[frozenset[int], Linear]()
        self.cells = self.cells_with_rows = 0

    def prove_cell(self, region: Region, cell: CountedCell | None, visible: Callable[[], VisibleAmounts]) -> None:
        """Prove the rows of all cases that may hold in a cell of a region; without a cell, for any counts of letters.

        Raises:
            Rejected: if one is not proved.
        """
        self.cells += 1
        if cases := self._truths.cases(region, cell):
            self.cells_with_rows += 1
            with within(f"cell {self.cells}"):
                stream = self._margins.stream(visible())
                prove_rows(self._budget, self._rows_of(cases), self._claim.margin, stream, None)

    def _rows_of(self, cases: frozenset[int]) -> Linear:
        """Return the rows of these cases, each once, as a linear map of the stream."""
        if cases not in self._rows:
            rows = dict.fromkeys(row for case in sorted(cases) for row in self._claim.cases[case].above)
            self._rows[cases] = make_rows(self._budget, self._network.unembedding, list(rows))
        return self._rows[cases]
