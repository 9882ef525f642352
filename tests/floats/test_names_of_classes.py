"""The checker knows the classes that have names, and gives no such name to other runs."""

from fractions import Fraction
from pathlib import Path

import pytest

from proofs.check import Malformed
from proofs.check.checker.chapters.float_models.presets import PRESETS
from proofs.check.checker.chapters.float_models.reading import read_float_claim
from proofs.enclosures.float_models.model import presets


@pytest.mark.parametrize("name", presets())
def test_the_checker_reads_a_class_by_its_name(name: str) -> None:
    written = {**presets()[name].to_json(), "max_n": 3}
    assert read_float_claim(dict(written), range(1, 4)).name == name
    for field, value in (("exp_ulp", "5"), ("block", 7), ("storage", "binary64"), ("sum_ulp", "3")):
        changed = {key: one for key, one in written.items() if key not in ("sum_ulp", "also", "max_n")} | {
            "sum_ulp": written.get("sum_ulp", "3")} | {key: one for key, one in written.items() if key == "also"} | {
            "max_n": 3} | {field: value}
        with pytest.raises(Malformed, match="it is the name of another float model"):
            read_float_claim(changed, range(1, 4))


def test_the_page_has_a_row_for_each_preset() -> None:
    """With its name, the error of its exponentials, its blocks, and what is allowed besides."""
    text = (Path(__file__).parents[2] / "docs" / "reference" / "floats.md").read_text(encoding="utf-8")
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("| `") and line.count("|") == 8]
    rows = [line.split(" | ") for line in lines]
    found = {name.strip("` "): row for row in rows for name in row[0].split(",")}
    assert set(found) == set(presets())
    for name, preset in presets().items():
        *_, exponentials, block, also = found[name]
        assert exponentials.startswith(str(preset.exp_ulp)) and block == (str(preset.block) if preset.block else "–")
        assert also == (", ".join(f"`{one}`" for one in preset.also) or "–")


def test_the_checker_knows_the_same_names() -> None:
    assert list(PRESETS) == list(presets())
    assert all(preset.exp_ulp >= Fraction(1, 2) for preset in presets().values())
