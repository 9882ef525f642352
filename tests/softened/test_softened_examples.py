"""The shipped examples with hard attention: certified at short lengths here, at their own with ``-m exhaustive``."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from certify.claims.softened import demo
from certify.claims.softened.demo import Example, load_examples
from certify.claims.softened.pipeline import soften_model
from certify.claims.softened.shards import Workers

EXAMPLES = {example.name: example for example in load_examples()}
GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "soften.md").read_text(encoding="utf-8")
GAPS = {"small_gap": Fraction(-2), "uniform": None, "tied": Fraction(0)}
"""The exponents of the gap where it is not -1."""


def check(example: Example, max_n: int) -> None:
    found = soften_model(example.build(), max_n, example.temperature)
    assert found.verdict == "certified" and found.certificate
    exponent = GAPS.get(example.name, Fraction(-1))
    for row in found.lengths:
        expected = None if row.n == 1 or exponent is None else Fraction(row.n) ** exponent
        assert (row.survey.gap.value if row.survey.gap else None) == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_certified_and_its_gap_is_1_over_n(name: str) -> None:
    check(EXAMPLES[name], 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_certified_up_to_its_own_length(name: str) -> None:
    check(EXAMPLES[name], EXAMPLES[name].max_n)


def test_the_table_of_the_guide_is_that_of_the_examples() -> None:
    rows = re.findall(r"^\| .+? \| `(hard|programs)/(\S+)` \| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| 1/n \|$",
                      GUIDE, re.MULTILINE)
    listed = [name for name in EXAMPLES if name not in ("tied", "small_gap", "mixed_masks", "uniform")]
    assert [name for _, _, name, *_ in rows] == listed
    for folder, file, name, *sizes in rows:
        example, network = EXAMPLES[name], EXAMPLES[name].build()
        assert (example.path.parent.name, example.path.name) == (folder, file)
        assert list(map(int, sizes)) == [len(network.layers), len(list(network.heads())), len(network.directions),
                                         example.max_n]


def test_a_row_each_with_certificates_and_the_status_of_the_worst_verdict(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "220")
    monkeypatch.setattr("certify.common.progress.monotonic", lambda: 0.0)  # no machine is so slow that it is shown
    good = [Example(name, EXAMPLES[name].path, 3, "about", EXAMPLES[name].temperature)
            for name in ("flip_flop_n_log_n", "mixed_masks")]
    assert demo.soften_examples(good, Workers(), str(tmp_path / "certs"), is_critical=True) == 0
    shown = capsys.readouterr()
    assert shown.err == f"certificates in {tmp_path / 'certs'}\n" and "2 of 2 certified, in " in shown.out
    assert re.search(r"^flip_flop_n_log_n +1, 1, 5 +3 +39 +1/3 +0\.0183150 +1/\(n\*ln\(n\+2\)\) +0\.250118 +13\.65 "
                     r"+certified +\d+\.\d\d +about", shown.out, re.MULTILINE)
    assert sorted(path.name for path in (tmp_path / "certs").iterdir()) == [
        "flip_flop_n_log_n.cert", "mixed_masks.cert"]
    tied = Example("tied", EXAMPLES["flip_flop_layer"].path.parent / "tied_rightmost.json", 3, "a tie")
    assert demo.soften_examples([*good, tied], Workers(), None, is_critical=False) == 1
    assert "refuted   tied: on the word 00 (n = 2) at position 2, layer 1, head 1" in capsys.readouterr().out


@pytest.mark.parametrize("width", [80, 112, 132, 170])
def test_no_number_is_cut_off(width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    few = [Example(name, EXAMPLES[name].path, 4, "a-sentence " * 12, EXAMPLES[name].temperature)
           for name in ("flip_flop_n_log_n", "mixed_masks")]
    demo.soften_examples(few, Workers(), None, is_critical=True)
    table = capsys.readouterr().out.split("\n\n")[1]
    assert max(map(len, table.splitlines())) <= width
    assert re.search(r"^mixed_masks .* 1/4 .* 0\.00558035 .* certified", table, re.MULTILINE)
    assert width < 112 or "0.0901758 .. 0.120316  16.15" in table
    assert width < 170 or table.count("a-sentence") == 24
