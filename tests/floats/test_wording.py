"""Sentences about a wrong execution: shorter words are right only where they are certified."""

import pytest

from certify.claims.floats.show import describe_row
from certify.claims.floats.survey import FloatRow
from constructions.network.lengths import Lengths, up_to
from proofs.enclosures.float_models.model import presets
from proofs.floats.execution.execution import Execution
from proofs.floats.execution.replay import Refutation


@pytest.mark.parametrize(("certified", "beginning"), [
    (up_to(8), "a wrong execution at n = 52; none was found at n = 9 .. 51, which proves nothing: wrong on "),
    (None, "a wrong execution at n = 52; none was found at n = 1 .. 51, which proves nothing: wrong on "),
    (up_to(51), "a wrong execution at n = 52, and shorter words are certified: wrong on "),
])  # fmt: skip
def test_a_wrong_run_is_not_called_the_first_where_shorter_words_are_open(
        certified: Lengths | None, beginning: str) -> None:
    wrong = Refutation(("a",) * 52, 52, "output", True, None, Execution())
    row = FloatRow(presets()["bfloat16"], up_to(64), certified, "", wrong)
    (printed,) = describe_row(row)
    assert printed.startswith(beginning)
