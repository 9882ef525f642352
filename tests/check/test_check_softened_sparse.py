"""Sparsemax and entmax-1.5 are exactly hard up to a share of the gap; anything else is refused."""

from fractions import Fraction

import pytest

from proofs.check import Malformed, Rejected, check_text
from proofs.checking.shards import ShardResult, check_shard, finish, read_softened_text
from tests.check.handmade import edit
from tests.check.softened_models import MODELS, counting, recent
from tests.check.softened_verdicts import HEAD, rejected
from tests.check.softening import Json, dump, seal_sparse


@pytest.mark.parametrize(("weighting", "factor"), [("sparsemax", Fraction(1)), ("entmax-1.5", Fraction(1, 2))])
@pytest.mark.parametrize(("name", "gap"), [("majority", Fraction(11, 108)), ("recent", Fraction(83, 2916)),
                                           ("constant", Fraction(1, 3)), ("copied", Fraction(1))])
def test_sparse_weightings_are_exact_up_to_the_gap(weighting: str, factor: Fraction, name: str, gap: Fraction) -> None:
    made = seal_sparse(MODELS[name][0](), 3, "1", weighting)
    exactly = edit(made, "claim", "temperature", value=str(gap * factor))
    text = "\n".join(check_text(dump(exactly)).lines)
    assert f"with {weighting} in the heads" in text and "error        none" in text
    rejected(edit(made, "claim", "temperature", value=f"{gap * factor}+1/10^30"),
             f"n = .: {weighting} is exactly hard up to the temperature {gap * factor}, got ")


def test_where_there_is_no_gap_any_temperature_is_exact() -> None:
    check_text(dump(seal_sparse(counting(), 3, "n", "sparsemax")))
    rejected(edit(seal_sparse(counting(), 3, "n", "sparsemax"), "claim", "temperature", value="1-1/n"),
             "the temperature is 0 at n = 1")


def test_a_gap_is_not_stated_too_large_to_be_exact() -> None:
    made = edit(seal_sparse(recent(), 3, "1", "sparsemax"), "gaps", value=[None, "1", "1"])
    rejected(made, "the gap at n = 2 is 275/648, not the stated 1")
    given = read_softened_text(dump(made))
    with pytest.raises(Rejected, match="the gap at n = 2 is 275/648"):
        found: dict[tuple[int, tuple[str, ...]], ShardResult] = {(n, ()): check_shard(given, n, ()) for n in (1, 2, 3)}
        finish(given, found)


def test_exactly_hard_states_no_error() -> None:
    made = seal_sparse(recent(), 2, "1/40", "entmax-1.5")
    check_text(dump(made))
    for stage in range(4):
        stages: list[Json] = [{}] * stage + [{"out": "1/8"}] * (4 - stage)
        rejected(edit(made, "errors", 1, value=stages), "n = 2: entmax-1.5 is exactly hard or is refused, expected no ")


def test_a_weighting_is_named_only_if_it_is_not_softmax() -> None:
    made = seal_sparse(recent(), 2, "1/40", "sparsemax")
    for wrong in ("softmax", "entmax", "average-hardmax", "", None, 2):
        with pytest.raises(Malformed, match=r"claim: weighting: expected 'sparsemax' or 'entmax-1\.5', got "):
            check_text(dump(edit(made, "claim", "weighting", value=wrong)))
    claim = {key: made["claim"][key] for key in ("weighting", "alphabet", "max_n", "temperature")}
    with pytest.raises(Malformed, match="claim: expected the keys alphabet, max_n, temperature, weighting, got"):
        check_text(dump(edit(made, "claim", value=claim)))
    rejected(edit(made, "claim", "weighting", drop=True), "direction 'last': the error may grow by")


@pytest.mark.parametrize("weighting", ["sparsemax", "entmax-1.5"])
def test_leftmost_heads_do_not_tie_under_sparse_weightings_either(weighting: str) -> None:
    made = seal_sparse(MODELS["constant"][0](), 2, "1/10", weighting)
    check_text(dump(made))
    rejected(edit(made, *HEAD, "weighting", value="leftmost-hardmax"), "is not tieless")
