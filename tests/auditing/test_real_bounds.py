"""Claims whose bounds or networks have ln and sqrt: nothing that only rounding decides is refuted or certified."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify import Network, audit
from certify.auditing.claims import Demands
from certify.auditing.demanded import find_embedding_beyond
from certify.auditing.kinds.kind import ClaimedBound
from certify.auditing.results import Witness
from constructions.language.expressions import parse_expression
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval, point

MODELS = Path(__file__).parents[2] / "examples" / "models"
N = frozenset("n")


@pytest.mark.parametrize(("bounds", "verdict"), [
    (("1+ln(9)-2*ln(3)", None), "unknown"), (("1+ln(9)-2*ln(3)+1/10^28", None), "certified"),
    (("1+ln(9)-2*ln(3)-1/10^28", None), "refuted"), ((None, "1+2*ln(3)-ln(9)"), "unknown"),
    ((None, "1+2*ln(3)-ln(9)-1/10^28"), "certified"), ((None, "1+2*ln(3)-ln(9)+1/10^28"), "refuted"),
    (("sqrt(n)", "1"), "certified"), (("1", "1"), "certified"),
])  # fmt: skip
def test_a_number_is_held_against_the_real_bound(bounds: tuple[str | None, str | None], verdict: str) -> None:
    """The number is 1, and so are the bounds, up to what is added to them."""
    most, least = (None if text is None else parse_expression(text, N) for text in bounds)
    row = ClaimedBound(most, least).row(4, Fraction(1), Fraction(1),
                                        lambda value, bound, side: Witness(side, 4, value, bound, ""))
    assert row.verdict == verdict
    if row.verdict == "refuted":
        assert row.witness is not None and row.witness.allowed == row.bound


@pytest.mark.parametrize(("gap", "verdict"), [
    ("3+ln(9)-2*ln(3)", "unknown"), ("3-1/10^40", "certified"), ("3+1/10^40", "refuted"),
    ("3+ln(9)-2*ln(3)-1/10^40", "certified"), ("sqrt(9)", "certified"),
])  # fmt: skip
def test_gaps_are_held_against_the_real_bound(tmp_path: Path, gap: str, verdict: str) -> None:
    """The gap is 3 from n = 2 on."""
    net = Network("01", temperature="1")
    net.head("bit", query={"1": 3}, key="FIRST", value="Q_1", means="O (FIRST & Q_1)")
    net.output("Q_1")
    path = str(tmp_path / "model.json")
    net.save(path)
    assert audit(model=path, lengths="2..2", gap=gap).verdict == verdict


def embedding(text: str) -> Transformer:
    net = Network("01", temperature="1")
    net.output("Q_1")
    built = net.build()
    return replace(built, position_embedding={**built.position_embedding, "x": parse_expression(text)})


@pytest.mark.parametrize(("text", "bound", "verdict"), [
    ("ln(9)", "2*ln(3)", "unknown"), ("-ln(9)", "2*ln(3)", "unknown"), ("ln(9)", "2*ln(3)+1/10^40", None),
    ("ln(9)", "2*ln(3)-1/10^40", "refuted"), ("-ln(9)", "2*ln(3)-1/10^40", "refuted"), ("sqrt(n^2)", "n", None),
    ("i", "n-1", "refuted"),
])  # fmt: skip
def test_embeddings_are_held_against_the_real_bound(text: str, bound: str, verdict: str | None) -> None:
    found = find_embedding_beyond(embedding(text), Demands(embedding_bound=parse_expression(bound)), Lengths(1, 3))
    assert (None if found is None else found[0]) == verdict


def test_the_temperature_in_the_figures_is_a_true_logarithm() -> None:
    result = audit(model=str(MODELS / "first_by_logarithm.json"), lengths="3..3", critical=[3])
    (critical,) = result.criticals
    (temperature,) = critical.temperatures
    assert temperature.text == "1/(2*ln(3))"
    assert critical.form is not None and critical.form.gamma == "log_9 6"
    assert temperature.critical.lower < temperature.critical.upper
    assert isinstance(temperature.critical, Interval) and temperature.critical != point(temperature.claimed)
