"""`certify.margin`: the same question as the command's, from Python."""

from fractions import Fraction
from pathlib import Path

import pytest

from certify import InputError, margin

PUBLISHED = Path(__file__).resolve().parents[2] / "examples" / "published"


def test_a_network_in_a_file_and_exact_numbers() -> None:
    found = margin(PUBLISHED / "first.json", "Q_1", 12, at="first", before="$", margin=Fraction(1, 10))
    assert (found.verdict, found.certified_to) == ("refuted", 10)
    assert found.shortest_refuted is not None and found.shortest_refuted.n == 11


@pytest.mark.parametrize(("change", "complaint"), [
    ({"margin": 0.1}, "margin: found the float 0.1, which is not an exact number"),
    ({"behind": "$"}, "behind: no such argument, expected one of alphabet, before"),
    ({"at": "middle"}, "at: found 'middle', expected first, last or every"),
    ({"norm": -1}, "norm: found -1, expected 0 or more"),
    ({"network": "Q_1"}, "Q_1: found a formula, expected a model file or a certificate"),
])
def test_what_is_wrong_is_one_line(change: dict[str, object], complaint: str) -> None:
    given = {"network": PUBLISHED / "parity.json", "formula": "Q_1", "max_n": 2, "after": "$"} | change
    with pytest.raises(InputError) as error:
        margin(**given)  # type: ignore[arg-type]  # what is wrong may be a type
    assert str(error.value).startswith(complaint) and "\n" not in str(error.value)
