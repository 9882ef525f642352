"""The rows of cases, as linear maps of the stream."""

from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from ..zonotopes.affine import Linear
from ..zonotopes.linear_maps import make_rows


class CaseRows:
    """The rows of each set of cases, memoised."""

    def __init__(self, given: Decision[TrainedClaim, object]) -> None:
        self._given = given
        self._rows: dict[frozenset[int], Linear] = {}

    def of(self, cases: frozenset[int]) -> Linear:
        """Return the rows of these cases, each once."""
        if cases not in self._rows:
            rows = dict.fromkeys(row for case in sorted(cases) for row in self._given.claim.cases[case].above)
            self._rows[cases] = make_rows(self._given.budget, self._given.network.unembedding, list(rows))
        return self._rows[cases]
