"""The table of weightings says what is true of their definitions, and whatever has code of its own has it for each."""

import ast
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest
from mpmath import mp, mpf

from constructions.network.exact_weights import hard_weights
from constructions.network.transformer import Mask
from constructions.network.weightings import Response, Weighting, WeightingName, Winners
from constructions.statements.other_weightings import OF_THEIR_OWN
from proofs.enclosures.intervals import point
from proofs.enclosures.weightings import WEIGHTS, Scored
from tests.enclosures.test_weightings_are_enclosed import DEFINITIONS, sigma, softmax

ROOT = Path(__file__).resolve().parents[2]
ROWS = 20
COLD = Fraction(1, 2**30)
HARD = {Winners.ALL: Weighting.AVERAGE_HARDMAX, Winners.FIRST: Weighting.LEFTMOST_HARDMAX,
        Winners.LAST: Weighting.RIGHTMOST_HARDMAX}
RESPONSES: dict[Response, Callable[[mpf], mpf]] = {Response.RELU: lambda z: max(z, mpf(0)), Response.SIGMOID: sigma}
Scores = list[Fraction]


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with mp.workprec(300):
        yield


def number(x: Fraction) -> mpf:
    return mpf(x.numerator) / x.denominator


def weigh(weighting: Weighting, scores: Scores, n: int = 8) -> list[mpf]:
    """Return the weights under a future mask, with the query at the last position."""
    if weighting.is_hard:
        return list(map(number, hard_weights(scores, weighting)))
    return DEFINITIONS[weighting](list(map(number, scores)), n, Mask.FUTURE)


def rows(weighting: Weighting, least: int = 1) -> list[Scores]:
    rng = random.Random(str(weighting))
    return [[Fraction(rng.randint(-6, 6), rng.choice([1, 2, 3])) for _ in range(rng.randint(least, 6))]
            for _ in range(ROWS)]


def are_near(one: list[mpf], other: list[mpf]) -> bool:
    return all(abs(x - y) < mpf(10) ** -30 for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize("weighting", Weighting)
def test_its_sum_is_one(weighting: Weighting) -> None:
    assert weighting.sums_to_one == all(are_near([mp.fsum(weigh(weighting, row))], [mpf(1)])
                                        for row in rows(weighting))


@pytest.mark.parametrize("weighting", Weighting)
def test_equal_scores_have_the_same_share(weighting: Weighting) -> None:
    assert weighting.averages_equals == all(are_near(weigh(weighting, [row[0]] * k), [mpf(1) / k] * k)
                                            for row in rows(weighting) for k in (1, 2, 5))


@pytest.mark.parametrize("weighting", Weighting)
def test_places_do_not_matter(weighting: Weighting) -> None:
    found = [are_near(weigh(weighting, row[::-1]), weigh(weighting, row)[::-1]) for row in rows(weighting)]
    assert weighting.ignores_places == all(found)


@pytest.mark.parametrize("weighting", Weighting)
def test_other_scores_do_not_matter(weighting: Weighting) -> None:
    found = [are_near(weigh(weighting, row)[:1], weigh(weighting, [row[0], *other])[:1])
             for row, other in zip(rows(weighting, 2), rows(weighting), strict=True)]
    assert weighting.is_additive == all(found)


@pytest.mark.parametrize("weighting", Weighting)
def test_who_asks_has_nothing(weighting: Weighting) -> None:
    assert weighting.breaks_a_stick == all(weigh(weighting, row)[-1] == 0 for row in rows(weighting))


@pytest.mark.parametrize("weighting", Weighting)
def test_its_limit_as_the_temperature_tends_to_0(weighting: Weighting) -> None:
    tied = [row * 2 for row in rows(weighting)]

    def tends_to(winners: Winners) -> bool:
        return all(are_near(weigh(weighting, [score / COLD for score in row]), weigh(HARD[winners], row))
                   for row in tied)

    assert [winners for winners in Winners if tends_to(winners)] == [
        winners for winners in Winners if winners is weighting.row.winners]


@pytest.mark.parametrize("weighting", [one for one in Weighting if one.is_exponential])
def test_extra_positions_have_the_score_0(weighting: Weighting) -> None:
    for row in rows(weighting):
        extended = softmax([*map(number, row), *[mpf(0)] * weighting.row.extra], 0)
        assert are_near(weigh(weighting, row), extended[:len(row)])


@pytest.mark.parametrize("weighting", [one for one in Weighting if one.is_sparse])
def test_a_score_that_is_lower_by_the_reciprocal_of_alpha_less_1_has_no_weight(weighting: Weighting) -> None:
    gap = 1 / weighting.slope
    for row in rows(weighting):
        assert are_near(weigh(weighting, [row[0], row[0] - gap])[1:], [mpf(0)])
        assert weigh(weighting, [row[0], row[0] - gap * Fraction(9, 10)])[1] > mpf(10) ** -10


@pytest.mark.parametrize("weighting", [one for one in Weighting if one.row.response])
def test_a_weight_is_the_response_to_its_score(weighting: Weighting) -> None:
    assert weighting.row.response
    respond = RESPONSES[weighting.row.response]
    for row in rows(weighting, 2):
        nearest = weigh(weighting, row, n=7)[-2]
        assert are_near([nearest * (7 if weighting.row.over_n else 1)], [respond(number(row[-2]))])


@pytest.mark.parametrize("weighting", list(WEIGHTS))
def test_weights_of_rational_scores_are_rational(weighting: Weighting) -> None:
    found = [WEIGHTS[weighting](Scored(list(map(point, row)), 8, Mask.FUTURE), 64) for row in rows(weighting)]
    assert weighting.is_rational == all(weight.is_point for weights in found for weight in weights)


# -- a new row is missed nowhere ---------------------------------------------------------------------------------------


def test_every_soft_weighting_is_enclosed() -> None:
    assert set(WEIGHTS) == {one for one in Weighting if not (one.is_hard or one.is_exponential)}
    assert set(DEFINITIONS) == {one for one in Weighting if not one.is_hard}


def test_what_the_constructions_of_the_paper_do_not_work_for_has_some_of_its_own() -> None:
    assert set(OF_THEIR_OWN) == {one for one in Weighting if not (one.is_hard or one.has_kernel)}


def test_type_checkers_and_pages_know_the_same_names() -> None:
    assert get_args(WeightingName) == tuple(Weighting)
    rules, papers = ((ROOT / "docs" / name).read_text(encoding="utf-8")
                     for name in ("reference/certificate.md", "background/weightings.md"))
    assert names_in_table(rules, "| weighting | weight of the visible position j | sum |") == set(Weighting)
    assert names_in_table(papers, "| `--weighting` | weight of position j") == {
        one for one in Weighting if not (one.is_hard or one.is_softmax)}
    model = (ROOT / "proofs" / "ocaml" / "model.ml").read_text(encoding="utf-8")
    (others,) = re.findall(r"let weightings =\s+\[([^]]*)\]", model)
    (proved,) = re.findall(r"let proved =\s+\[([^]]*)\]", model)
    assert {*re.findall('"([^"]+)"', others)} == {one for one in Weighting if not one.row.coq}
    assert dict(re.findall(r'"([^"]+)", C\.(\w+)', proved)) == {one: one.row.coq for one in Weighting if one.row.coq}
    (fields,) = re.findall(r'"weighting",((?:\s+"[^"]+",?)+?)\s+"temperature",', rules)
    assert set(re.findall('"([^"]+)"', fields)) == set(Weighting)


def names_in_table(page: str, start: str) -> set[str]:
    """Return the first column of a table, without its title."""
    table = page[page.index(start):].partition("\n\n")[0]
    return set(re.findall("`([^`]+)`", "".join(row.split("|")[1] for row in table.splitlines()[1:])))


TABLES = {"constructions/statements/other_weightings.py", "proofs/enclosures/weightings.py"}
OF_TWO = {"constructions/statements/theorem_26_uniform_tieless.py"}
"""The theorem turns average-hard attention into softmax."""


def test_no_file_lists_weightings_by_hand() -> None:
    """Code asks the table. A file may name the one that it is about; what has code for several is above."""
    sources = [path for folder in ("constructions", "proofs", "certify") for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in sources if len(members_named(path)) > 1}
    assert found == TABLES | OF_TWO


def members_named(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    attributes = [node for node in ast.walk(ast.parse(text if "Weighting" in text else ""))
                  if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    return {node.attr for node in attributes if ast.unparse(node.value) == "Weighting" and node.attr.isupper()}
