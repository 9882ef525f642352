"""Average-hard heads may tie: what the rules give is accepted, exactly, and nothing less."""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from proofs.check import Rejected, check_text
from proofs.check.checker.chapters.softened.visible_keys import ValuesDropped
from proofs.checking.shards import check_shard, read_softened_text
from tests.check.handmade import edit
from tests.check.softened_models import MODELS, sealed
from tests.check.softened_verdicts import covered, rejected
from tests.check.softening import Json, dump, find_ties, head, last_sum, layer, seal, soft_errors, transformer, unit


@pytest.mark.parametrize("choose", [min, max])
def test_any_winner_may_be_the_one_that_weights_are_relative_to(choose: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.check.softening.CHOOSE_STAR", choose)
    made = seal(MODELS["echo"][0](), 3, "1/20")
    check_text(dump(made))
    least = Fraction(sealed("echo", 3)["errors"][2][2]["out"])
    assert (Fraction(made["errors"][2][2]["out"]) > least) == (choose is max)


def test_all_winners_are_weighed_alike_however_many() -> None:
    """The mean of n positions with the values 1/3, 2/3, ... is (n + 1)/6; the query causes the gap."""
    same = head({"mean": {"place": "1/3"}}, {"one": "1"}, {"one": "1"}, mask="none", weighting="average-hardmax")
    last = head({"out": {"place": "1/1000"}}, {"mean": "1"}, {"place": "1"})
    model = transformer("one place mean out", {"0": {"one": "1"}}, {"place": "i"}, [layer([same]), layer([last])])
    made = seal(model, 5, "1/20")
    assert made["gaps"] == [None, "1/2", "2/3", "5/6", "1"]
    assert covered(made) == {"words": 5, "score profiles": 20, "of these with ties": 4, "vectors": 30}


def test_a_tie_is_no_gap() -> None:
    made = sealed("constant", 3)
    for wrong in ("0", None, "1/2"):
        rejected(edit(made, "gaps", 1, value=wrong), "the gap at n = 2 is 1, not the stated")
    everything = edit(made, "transformer", "layers", value=made["transformer"]["layers"][:1])
    everything["errors"] = [[{}, {}]] * 3
    rejected(everything, "the gap at n = 2 is none, not the stated 1")
    everything["gaps"] = [None] * 3
    assert covered(everything) == {"words": 14, "score profiles": 16, "of these with ties": 10, "vectors": 6}
    rejected(edit(everything, "gaps", 1, value="0"), "the gap at n = 2 is none, not the stated 0")


def test_a_tie_needs_room_only_where_scores_err() -> None:
    made = sealed("constant", 3)
    assert all(not stages[1] for stages in made["errors"]), "the first head ties everywhere, and misses nothing"
    erring = sealed("echo", 3)["errors"]
    assert [Fraction(stages[-1].get("out", 0)) > 0 for stages in erring] == [False, True, True]


def test_what_is_printed_says_whether_heads_tie() -> None:
    for name, heads in (("rounded", "tieless with"), ("majority", "average-hard or tieless with")):
        lines = check_text(dump(sealed(name, 3))).lines
        assert any(line.strip().startswith(heads) for line in lines)
        assert any("of these with ties" in line for line in lines) == (name == "majority")


# -- random models -----------------------------------------------------------------------------------------------------

DIRECTIONS = ["one", "zero", "is", "x", "y", "z"]


def random_form(generator: random.Random, names: list[str]) -> Json:
    chosen = generator.sample(names, 2)
    return {d: generator.choice(["1", "-1", "1/2", "2", "-1/3"]) for d in DIRECTIONS if d in chosen}


def random_head(generator: random.Random, read: list[str], write: str, masks: list[str]) -> Json:
    """Queries and keys without the position, so that there are ties."""
    query, key, value = (random_form(generator, names) for names in (["one", *read], ["zero", *read], ["is", *read]))
    return head({write: value}, query, key, generator.choice(masks), "average-hardmax")


def random_models(masks: list[str], heads: list[int]) -> Iterator[Json]:
    tokens = {"0": {"one": "1", "zero": "1"}, "1": {"one": "1", "is": "1"}}
    for seed in range(1000):
        generator = random.Random(seed)
        first = layer([random_head(generator, ["zero", "is"], "x", masks)],
                      [unit(random_form(generator, ["is", "x"]), "-1/4", {"y": "1/3"})])
        second = layer([random_head(generator, ["x", "y"], "z", masks) for _ in range(generator.choice(heads))])
        yield transformer(" ".join(DIRECTIONS), tokens, {}, [first, second])


def tied(masks: list[str], heads: list[int], number: int, most: Fraction) -> list[tuple[Json, Json]]:
    """Return random models with ties and errors of at most ``most`` in the second layer, with their certificates."""
    found = []
    for model in random_models(masks, heads):
        made = seal(model, 3, "1/20")
        errs = any(stages[1] and stages[3].get("z") for stages in made["errors"])
        if errs and find_ties(model, 3) and last_sum(made) <= most:
            found.append((model, made))
            if len(found) == number:
                break
    return found


def test_random_ties_have_the_least_bounds_of_the_rules_and_these_are_true() -> None:
    for model, made in tied(["none", "future", "past"], [1, 2], 4, Fraction(1, 4)):
        assert covered(made)["of these with ties"]
        for number, direction in ((0, "x"), (2, "z")):
            for n, stages in enumerate(made["errors"], 1):
                if direction in stages[number]:
                    less = str(Fraction(stages[number][direction]) * (1 - Fraction(1, 10**30)))
                    changed = edit(edit(made, "errors", n - 1, number, direction, value=less),
                                   "errors", n - 1, number + 1, direction, value=less)
                    rejected(changed, f"n = {n}, word .* direction '{direction}': the error may grow by")
        for n, stages in enumerate(made["errors"], 1):
            for stated, actual in zip(stages, soft_errors(model, n, Fraction(1, 20)), strict=True):
                assert all(x <= float(Fraction(stated.get(d, 0))) * (1 + 1e-12) + 1e-140 for d, x in actual.items())


def found_in(made: Json) -> list[tuple[int, Fraction | None]] | None:
    """Return the number of words of each length that were run, and their gap; None if the certificate is rejected."""
    given = read_softened_text(dump(made))
    try:
        shards = [check_shard(given, n, ()) for n in given.claim.lengths]
    except Rejected:
        return None
    return [(shard.words, shard.gap) for shard in shards]


def test_words_at_once_are_the_same_check_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the least bounds, which need every value; with wider ones, where values are forgotten; and without room."""
    models = [sealed("echo", 3)["transformer"], *(model for model, _ in tied(["future"], [1], 2, Fraction(1, 1000)))]
    certificates = [seal(model, 3, "1/20", lambda stage, d, x, factor=factor: x * factor)  # type: ignore[misc]
                    for model in models for factor in (Fraction(1), Fraction(9), Fraction(9, 10))]
    at_once = [found_in(made) for made in certificates]
    assert [found is None for found in at_once] == [False, False, True] * 3
    monkeypatch.setattr("proofs.check.checker.chapters.softened.shards.run_one_by_one", None)
    assert [found_in(made) for made in certificates[1::3]] == at_once[1::3]
    monkeypatch.undo()

    def forget(*_: object) -> None:
        raise ValuesDropped

    monkeypatch.setattr("proofs.check.checker.chapters.softened.shards.run_together", forget)
    assert [found_in(made) for made in certificates] == at_once
