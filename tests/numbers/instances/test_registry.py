"""All examinations together: which are refuted and where first, and that their replays show them."""

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from certify.claims.formula.runs import Trace, WordTrace, run_transformer
from certify.requests.request import read_request
from constructions.language.alphabets import parse_word
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances import registry
from proofs.numbers.instances.examination import Instance
from proofs.numbers.instances.registry import EXAMINATIONS
from tests.numbers.instances.helpers import examined, verdicts

MODELS = Path(__file__).resolve().parents[3] / "examples" / "claims" / "models"
FIRST_REFUTED = {
    "hahn-footnote-4-chain": 4, "hahn-footnote-4-length": 3, "hahn-lemma-5-masked-last": 2,
    "hahn-lemma-5-as-printed": 2, "hahn-lemma-5-masked-second": 3, "hahn-lemma-5-step-heads": 2,
    "hahn-lemma-5-step-norms": 2, "section-4-factor-of-n": 2,
    "hahn-lemma-5-step-same-position": 25, "hahn-lemma-5-step-weights": 2, "hahn-theorem-6-brackets-step": 3,
    "hahn-theorem-6-parity": 2, "hahn-theorem-6-parity-step": 2, "lemma-07-proof-step": 2, "lemma-25": 2,
    "lemma-25-step-sign": 2, "lemma-27-integers": 2, "lemma-27-proof-step": 2, "lemma-29": 1,
    "lemma-32-step-norms": 2, "lemma-32-step-three-terms": 1, "section-2-geometric": 2, "section-6-log": 2,
    "section-6-one-over-n": 2, "machine-written": 21, "machine-unwritten": 20, "machine-binary64": 22,
    "theorem-26-large-gap": 2, "ties-polynomial-temperature": 9, "ties-two-temperatures": 2, "uniform-plus-one": 1,
}
WITHOUT_NETWORK = {"hahn-footnote-4-chain", "hahn-footnote-4-length", "section-4-factor-of-n", "machine-written",
                   "machine-unwritten", "machine-binary64"}
"""About a distribution or a constant alone, or about words of a million tokens: no network shows them."""
LAST = 6


@pytest.mark.parametrize("name", EXAMINATIONS)
def test_each_examination_is_refuted_first_where_it_is_known_to_be_and_holds_before(name: str) -> None:
    first = FIRST_REFUTED.get(name, LAST + 1)
    assert all(verdicts(name, n) == {True} for n in range(1, first))
    assert first > LAST or False in verdicts(name, first)


@pytest.mark.parametrize("name", EXAMINATIONS)
def test_verdicts_and_numbers_agree(name: str) -> None:
    """No instance is said to hold whose value is certainly above its bound, nor the other way round."""
    for n in (1, 2, 5):
        found = examined(name, n)
        assert found
        for instance in found:
            assert instance.n == n and instance.what
            assert instance.value.lower <= instance.value.upper and instance.bound.lower <= instance.bound.upper
            above, below = instance.value.lower > instance.bound.upper, instance.value.upper < instance.bound.lower
            breaks = {"at most": above, "at least": below, "": above or below}[instance.side]
            assert not (instance.holds and breaks) and (instance.holds is not False or above or below)


def test_names_are_unique_and_texts_are_there() -> None:
    files = [path.stem for path in Path(registry.__file__).parent.glob("*.py") if path.stem != "registry"]
    modules = [import_module(f"{registry.__package__}.{file}") for file in files]
    assert sum(len(getattr(module, "EXAMINATIONS", ())) for module in modules) == len(EXAMINATIONS)
    for name, examination in EXAMINATIONS.items():
        assert name == examination.name and examination.statement and examination.claim and examination.covers


def trace(run: WordTrace, direction: str) -> Trace:
    return next(found for found in run.traces if found.direction == direction)


def missing(run: WordTrace, direction: str, place: int) -> Interval:
    """Return hard attention minus soft attention at a position."""
    found = trace(run, direction)
    return point(Fraction(found.hard[place - 1])) + found.soft[place - 1].scaled(Fraction(-1))


SHOWN: dict[str, Callable[[WordTrace], Interval]] = {
    "hahn-lemma-5-as-printed": lambda run: trace(run, "change").soft[1],
    "hahn-lemma-5-masked-last": lambda run: point(Fraction(trace(run, "layer 2").hard[1])),
    "hahn-lemma-5-masked-second": lambda run: point(Fraction(trace(run, "layer 1").hard[1])),
    "hahn-lemma-5-step-heads": lambda run: trace(run, "y after one layer").soft[0],
    "hahn-lemma-5-step-norms": lambda run: point(Fraction(trace(run, "y after one layer").hard[1])),
    "hahn-lemma-5-step-same-position": lambda run: trace(run, "b_i").soft[0],
    "hahn-lemma-5-step-weights": lambda run: trace(run, "change").soft[1],
    "lemma-07-proof-step": lambda run: missing(run, "found", 2),
    "lemma-25": lambda run: missing(run, "v", 2),
    "lemma-25-step-sign": lambda run: trace(run, "weight of b").soft[0].scaled(Fraction(2)),
    "lemma-29": lambda run: trace(run, "out").soft[0],
    "section-6-log": lambda run: missing(run, "last bit", 2),
    "section-6-one-over-n": lambda run: missing(run, "last bit", 2),
    "theorem-26-large-gap": lambda run: missing(run, "y", 1),
    "ties-polynomial-temperature": lambda run: missing(run, "out", 1),
    "ties-two-temperatures": lambda run: missing(run, "b", 2),
}


def run_of(instance: Instance) -> WordTrace:
    assert instance.replay is not None
    network = model(instance.replay.model)
    return run_transformer(network, parse_word(instance.replay.word, network.alphabet))


def model(name: str) -> Transformer:
    return read_request(str(MODELS / name)).network


def with_replay(name: str) -> Instance:
    return next(instance for instance in examined(name, FIRST_REFUTED[name]) if instance.replay)


@pytest.mark.parametrize("name", SHOWN)
def test_the_replay_of_a_refutation_shows_its_value(name: str) -> None:
    """Compare up to the error of a finite temperature, or of a logarithm rounded at 10^-30."""
    instance = with_replay(name)
    assert instance.holds is False
    shown = SHOWN[name](run_of(instance))
    assert abs(shown.lower - instance.value.lower) < Fraction(1, 10**6)
    assert shown.lower > instance.bound.upper


def test_the_replay_of_the_integers_shows_the_nearest_ones() -> None:
    run = run_of(with_replay("lemma-27-integers"))
    assert trace(run, "rounded").hard == ("0", "1", "2", "3", "3", "3", "3", "3")
    assert len(model("lemma_27_integers.json").layers[0].feedforward.units) == 1


def test_the_replay_of_ties_to_even_shows_neighbours_whose_first_numbers_are_neighbours() -> None:
    run = run_of(with_replay("lemma-27-proof-step"))
    assert trace(run, "rounded").hard == ("0", "0", "2", "4", "4", "4", "6", "6")


def test_the_replays_of_lemma_32_show_what_is_multiplied() -> None:
    u, moved, error = (int(entry) for entry in trace(run_of(with_replay("lemma-32-step-three-terms")), "W entry").hard)
    assert moved == u + error and error * moved + moved * error + error * error == 5
    run = run_of(with_replay("lemma-32-step-norms"))
    rows = [trace(run, f"W entry {k}").hard for k in (1, 2)]
    assert sum(int(row[0]) for row in rows) * sum(int(row[1]) for row in rows) == 8


def test_the_replays_of_theorem_6_show_log_odds_that_attention_has_no_part_in() -> None:
    log_odds = trace(run_of(with_replay("hahn-theorem-6-parity-step")), "log-odds of the end").hard
    assert log_odds == ("-8/5", "-7/10")
    assert trace(run_of(with_replay("hahn-theorem-6-parity")), "log-odds of the end").hard == ("-8/5", "-8/5")
    assert trace(run_of(with_replay("hahn-theorem-6-brackets-step")), "log-odds of )").hard == ("4", "4", "4")


def test_the_replay_of_section_2_shows_half_of_the_symbol_before() -> None:
    held = trace(run_of(with_replay("section-2-geometric")), "attended").soft
    assert held == (point(Fraction(0)), point(Fraction(1, 2)))


def test_the_replay_of_uniform_attention_has_no_first_marker() -> None:
    run = run_of(with_replay("uniform-plus-one"))
    assert (trace(run, "mean").soft, trace(run, "first").soft) == ((point(Fraction(1, 2)),), (point(Fraction(0)),))


def test_every_replay_is_shown_and_every_model_is_replayed() -> None:
    replays = {instance.replay for name in EXAMINATIONS for n in {1, 2, FIRST_REFUTED.get(name, 2)}
               for instance in examined(name, n)} - {None}
    assert len(replays) == len(SHOWN) + 9 == len(FIRST_REFUTED.keys() - WITHOUT_NETWORK)
    assert {replay.model for replay in replays if replay} == {path.name for path in MODELS.glob("*.json")}
