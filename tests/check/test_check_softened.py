"""The checker of softened transformers accepts what the rules give, exactly, and nothing less, for its reason."""

import itertools
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import proofs.check
from certify.claims.formula.checking import check_files
from certify.claims.formula.sealed import read_sealed
from constructions.errors import InputError
from proofs.check import Malformed, Rejected, Softened, check_text
from proofs.checking.shards import ShardResult, check_shard, finish, read_softened_text
from tests.check.handmade import edit, since_certificate
from tests.check.softened_models import MODELS, counting, recent, rounded, sealed
from tests.check.softened_verdicts import HEAD, covered, rejected, rightmost
from tests.check.softening import (
    EXPRESSIONS,
    dump,
    head,
    last_sum,
    layer,
    seal,
    seal_sparse,
    soft_errors,
    transformer,
)


@pytest.mark.parametrize(("name", "gaps", "words"), [
    ("recent", [None, "275/648", "83/2916"], 14), ("rounded", [None, "1", "1"], 14), ("copied", [None, "1", "1"], 14),
    ("counting", [None, None, None], 14), ("majority", [None, "3/16", "11/108"], 14),
    ("echo", [None, "1", "1"], 14), ("constant", [None, "1", "1/3"], 14)])
def test_the_least_bounds_of_the_rules_are_accepted(name: str, gaps: list[str | None], words: int) -> None:
    made = sealed(name, 3)
    assert made["gaps"] == gaps
    assert covered(made)["words"] == words


@pytest.mark.parametrize("name", ["recent", "rounded", "copied", "majority", "echo"])
def test_a_bound_a_little_too_small_is_rejected_at_each_stage_and_direction(name: str) -> None:
    made, count = sealed(name, 2), 0
    for number, stage in enumerate(made["errors"][1]):
        earlier = made["errors"][1][number - 1] if number else {}
        for d, text in stage.items():
            if earlier.get(d) != text:
                kind = "feed-forward" if number % 2 else "attention"
                less = str(Fraction(text) * (1 - Fraction(1, 10**30)))
                rejected(edit(made, "errors", 1, number, d, value=less),
                         f"n = 2.*layer {number // 2 + 1}, {kind}, direction '{d}': the error may grow by")
                count += 1
    assert count == {"recent": 4, "rounded": 1, "copied": 3, "majority": 3, "echo": 2}[name]


@pytest.mark.parametrize("name", MODELS)
def test_a_direction_left_out_is_rejected(name: str) -> None:
    made = sealed(name, 2)
    for number, stage in enumerate(made["errors"][1]):
        for d in stage:
            rejected(edit(made, "errors", 1, number, d, drop=True), "the error may grow by|is below the one before")


def test_rounding_units_add_nothing_within_their_margins_and_weaker_bounds_are_accepted() -> None:
    made = sealed("rounded", 3)
    assert [list(stages[-1]) for stages in made["errors"]] == [[], ["near"], ["near"]]
    weaker = seal(rounded(), 3, "1/20", lambda stage, d, x: x * 2 if d == "near" else x)
    assert check_text(dump(weaker)).given.claim.max_n == 3
    loose = seal(rounded(), 2, "1/20", lambda stage, d, x: Fraction(25, 100) if d == "near" else x)
    check_text(dump(loose))
    rejected(edit(loose, "transformer", "layers", 0, "feedforward", "units", 0, "bias", value="-1/5"),
             "direction 'out': the error may grow")


def test_the_bounds_of_the_last_stage_add_up_to_at_most_a_quarter() -> None:
    made = sealed("counting", 2)
    exactly = {"is": "1/8", "mean": "1/16", "out": "1/16"}
    for number in (0, 1):
        made = edit(made, "errors", 0, number, value=exactly)
    assert last_sum(made) == Fraction(1, 4)
    check_text(dump(made))
    rejected(edit(made, "errors", 0, 1, "out", value="2/31"), "the bounds at n = 1 add up to 125/496")


def test_bounds_never_shrink_and_are_not_negative() -> None:
    made = edit(sealed("counting", 2), "errors", 1, 0, value={"is": "1/8"})
    rejected(made, "n = 2, stage 2: the bound of .*is.* is below the one before")
    rejected(edit(made, "errors", 1, 0, value={"is": "-1/8"}), "n = 2, stage 1: .* is below the one before")


def test_gaps_are_exactly_attained() -> None:
    made = sealed("recent", 3)
    for wrong in ("23/54", "137/324", "1/19000", "100", "0", "-1/18", None):
        rejected(edit(made, "gaps", 1, value=wrong), "the gap at n = 2 is 275/648, not the stated ")
    rejected(edit(made, "gaps", 0, value="1"), "the gap at n = 1 is none, not the stated 1")
    rejected(edit(sealed("counting", 2), "gaps", 1, value="1"), "the gap at n = 2 is none, not the stated 1")


def test_a_tie_of_a_leftmost_or_rightmost_head_is_rejected_where_it_is() -> None:
    tied = edit(rightmost("rounded", 3), *HEAD, "keys", 0, value={"is": "1", "near": "1"})
    rejected(tied, "n = 2, word '0 0', position 2: layer 1, attention, head 'head' is not tieless")
    unmasked = edit(sealed("recent", 3), "transformer", "layers", 1, "heads", 0, "keys", 0, value={"a": "1"})
    rejected(unmasked, r"n = 2, word 'a a', position 1: layer 2, attention, head 'head' is not tieless")
    leftmost = edit(sealed("counting", 2), *HEAD, "weighting", value="leftmost-hardmax")
    rejected(leftmost, "n = 2, word 'x x', position 2: .* is not tieless")
    check_text(dump(seal(edit(counting(), *HEAD[1:], "weighting", value="leftmost-hardmax"), 1, "1/n")))


def test_a_head_with_scores_is_hard() -> None:
    rejected(edit(sealed("rounded", 2), *HEAD, "weighting", value="softmax"), "has scores and softmax, expected a hard")
    path = ("transformer", "layers", 1, "heads", 0)
    assert sealed("copied", 2)["transformer"]["layers"][1]["heads"][0]["weighting"] == "softmax"
    cold = edit(sealed("copied", 2), *path, "temperature", value="n-1")
    rejected(cold, "the temperature of head 'head': it is 0 at n = 1, i = 1")


@pytest.mark.parametrize(("temperature", "reason"), [
    ("0", "the temperature is 0 at n = 1"), ("1-1/n", "the temperature is 0 at n = 1"), ("-1/20", "is -1/20 at n = 1"),
    ("1/(2-n)", "has no value at n = 2"), ("i/20", "the temperature is not in n only"),
    ("1/20+i-i", "the temperature is not in n only"), ("(5-2*n)/20", "the temperature is -1/20 at n = 3")])
def test_the_temperature_is_positive_and_in_n_alone(temperature: str, reason: str) -> None:
    rejected(edit(sealed("rounded", 3), "claim", "temperature", value=temperature), reason)


def test_a_higher_temperature_needs_larger_bounds() -> None:
    made = sealed("rounded", 3)
    check_text(dump(edit(made, "claim", "temperature", value="1/21")))
    rejected(edit(made, "claim", "temperature", value="1/19"), "direction 'near': the error may grow by")


def test_edited_weights_are_recomputed() -> None:
    made = sealed("recent", 2)
    for path, value, reason in (
        ((*HEAD, "queries", 0, "one"), "9/10", "direction 'last': the error may grow"),
        ((*HEAD, "keys", 0, "place"), "4/5", "the gap at n = 2 is 2/5"),
        ((*HEAD, "values", "last", "b"), "-11/10", "direction 'last': the error may grow"),
        ((*HEAD, "mask"), "past", "direction 'last': the error may grow|the gap at n = 2"),
        (("transformer", "layers", 0, "feedforward", "units", 0, "writes", "mix"), "1/2", "the gap at n = 2 is 1/2"),
        (("transformer", "token_embedding", "a", "a"), "3", "the gap at n = 2"),
        (("transformer", "layers", 1, "heads", 1, "values", "out", "last"), "1/4", "direction 'out'"),
    ):
        rejected(edit(made, *path, value=value), reason)


def test_units_that_read_multiples_of_one_form_are_one_group() -> None:
    tokens = {"0": {"one": "1"}, "1": {"one": "1", "is": "1"}}
    units = [{"reads": {"near": c}, "bias": "0", "writes": {"out": w}} for c, w in (("3", "1/3"), ("-1/2", "-2"))]
    only = layer([head({"near": {"is": "1"}}, {"one": "1"}, {"place": "1"})], [*units, {
        "reads": {"near": "1"}, "bias": "7", "writes": {"out": "-1"}}])
    made = seal(transformer("one place is near out", tokens, {"place": "i"}, [only]), 2, "1/20")
    assert "out" not in made["errors"][1][1]
    check_text(dump(made))


def test_directions_that_several_parts_write_may_share_their_room() -> None:
    """Neither head has half of the room; what they add up to at any one position fits exactly."""
    tokens = {"0": {"one": "1"}, "1": {"one": "1", "is": "1"}}
    heads = [head({"out": {"is": w}}, {"one": q}, {"place": "1"}) for q, w in (("1", "1"), ("2", "-1/3"), ("3", "1/7"))]
    made = seal(transformer("one place is out", tokens, {"place": "i"}, [layer(heads)]), 3, "1/20")
    check_text(dump(made))
    less = str(Fraction(made["errors"][2][0]["out"]) * (1 - Fraction(1, 10**30)))
    for number in (0, 1):
        made = edit(made, "errors", 2, number, "out", value=less)
    rejected(made, "n = 3, word .*layer 1, attention, direction 'out': the error may grow")


@pytest.mark.parametrize("name", ["recent", "copied", "majority", "echo", "constant"])
def test_the_bounds_are_true_and_not_far_from_it(name: str) -> None:
    made, (make, temperature) = sealed(name, 3), MODELS[name]
    for n in (1, 2, 3):
        found = soft_errors(make(), n, EXPRESSIONS[temperature](n, 1))
        for stated, actual in zip(made["errors"][n - 1], found, strict=True):
            for d, x in actual.items():
                assert x <= float(Fraction(stated.get(d, 0))) * (1 + 1e-12)
                assert float(Fraction(stated.get(d, 0))) <= 20 * x + 1e-15


# -- shards ------------------------------------------------------------------------------------------------------------


def test_shards_are_the_same_check_in_any_order() -> None:
    data = dump(sealed("recent", 3))
    shards = [(1, ()), (2, ("a",)), (2, ("b",)), (3, ("b",)), (3, ("a", "b")), (3, ("a", "a"))]
    given = read_softened_text(data)
    found = {shard: check_shard(given, *shard) for shard in reversed(shards)}
    assert min(part.gap for (n, _), part in found.items() if n == 3 and part.gap) == Fraction(83, 2916)
    assert finish(given, found)["words"] == 14
    assert finish(given, found).keys() == covered(sealed("recent", 3)).keys()


def test_shards_are_all_words_each_once() -> None:
    given = read_softened_text(dump(sealed("counting", 2)))
    one, two, four = ShardResult(1, None, 0, 0), ShardResult(2, None, 0, 0), ShardResult(4, None, 0, 0)
    whole: dict[tuple[int, tuple[str, ...]], ShardResult] = {(1, ()): two, (2, ()): four}
    finish(given, whole)
    halves = {(1, ()): two, (2, ("x",)): two, (2, ("y",)): two}
    finish(given, halves)
    wrongs: list[dict[tuple[int, tuple[str, ...]], ShardResult]] = [
        {(1, ()): two}, halves | {(2, ()): four}, halves | {(2, ("x", "y")): one}, {(1, ()): two, (2, ("x",)): two},
        {(1, ()): two, (2, ()): two}, {(1, ()): two, (2, ("x",)): four},
        {(1, ()): two, (2, ("x",)): two, (2, ("x", "x")): one, (2, ("x", "y")): one}]
    for wrong in wrongs:
        with pytest.raises(Rejected, match="the shards at n = 2 are not all words, each once"):
            finish(given, wrong)
    for n, prefix in ((3, ()), (0, ()), (1, ("x", "x")), (2, ("z",))):
        with pytest.raises(Malformed, match="no shard"):
            check_shard(given, n, prefix)
        with pytest.raises(Malformed, match="no shard"):
            finish(given, whole | {(n, prefix): one})


def test_a_fault_is_found_in_the_shard_that_has_it() -> None:
    made = edit(rightmost("rounded", 3), *HEAD, "keys", 0, value={"place": "1", "is": "-1"})
    given = read_softened_text(dump(made))
    faults = []
    for prefix in itertools.product("01", repeat=2):
        try:
            check_shard(given, 2, prefix)
        except Rejected as error:
            faults.append((prefix, str(error)))
    assert [prefix for prefix, _ in faults] == [("0", "1")]
    assert "word '0 1', position 2: layer 1, attention, head 'head' is not tieless" in faults[0][1]


def test_emptied_tables_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.checker.chapters.softened.memoisation.TABLES_BITS", 1)
    for name in MODELS:
        assert covered(sealed(name, 3))["words"] == 14
    rejected(edit(sealed("recent", 3), "gaps", 1, value="1/17"), "the gap at n = 2 is 275/648")


# -- the command line --------------------------------------------------------------------------------------------------


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    folder = Path(proofs.check.__file__).resolve().parent
    return subprocess.run([sys.executable, "-I", "-S", str(folder), *arguments], text=True, check=False,
                          capture_output=True)


def test_the_folder_gives_the_verdict_alone(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("good", "bad", "ugly", "other")]
    good = dump(sealed("rounded", 2))
    for path, data in zip(paths, (good, dump(edit(sealed("rounded", 2), "gaps", 1, value="2")), good[:-1],
                                  dump(since_certificate(2))), strict=True):
        path.write_bytes(data)
    accepted = run(str(paths[0]))
    assert (accepted.returncode, accepted.stderr) == (0, "")
    assert accepted.stdout.splitlines()[-1] == f"accepted: {paths[0]}"
    assert "gap          1 at n = 2" in accepted.stdout
    bad, ugly, mixed = run(str(paths[1])), run(str(paths[2])), run(str(paths[0]), str(paths[3]))
    assert (bad.returncode, bad.stdout.split(":")[0], bad.stderr) == (1, "rejected", "")
    assert (ugly.returncode, ugly.stdout.split(":")[0], ugly.stderr) == (2, "malformed", "")
    assert mixed.returncode == 0 and mixed.stdout.count("accepted: ") == 2


def test_the_claim_asked_for_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "good"
    path.write_bytes(dump(sealed("rounded", 2)))
    assert run("--alphabet", "10", "--max-n", "2", str(path)).returncode == 0
    for asked in (("--max-n", "3"), ("--alphabet", "ab"), ("--formula", "Q_1"), ("--causal",), ("--min-n", "2"),
                  ("--regime", "position")):
        result = run(*asked, str(path))
        assert result.returncode == 1 and "claim differs: the file has" in result.stdout and not result.stderr


def test_the_command_line_reports_the_claim_as_json(tmp_path: Path) -> None:
    path = tmp_path / "good"
    path.write_bytes(dump(sealed("rounded", 2)))
    report, code = check_files([], [str(path)])
    assert code == 0 and report["files"][0] == {
        "file": str(path), "verdict": "accepted", "alphabet": ["0", "1"], "max_n": 2, "temperature": "1 / 20",
        "gaps": [None, "1"], "errors": sealed("rounded", 2)["errors"],
        "covered": {"words": 6, "score profiles": 8, "vectors": 6}}
    path.write_bytes(dump(seal_sparse(rounded(), 2, "1/2", "entmax-1.5")))
    (told,) = check_files([], [str(path)])[0]["files"]
    assert list(told)[4:6] == ["temperature", "weighting"] and told["weighting"] == "entmax-1.5"


def test_it_is_not_exported_as_a_certificate_of_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "good"
    path.write_bytes(dump(sealed("rounded", 2)))
    with pytest.raises(InputError, match="a certificate of a softened transformer, expected one of a formula"):
        read_sealed(str(path))


def test_each_format_has_its_own_reader() -> None:
    with pytest.raises(Malformed, match="expected the keys format, version, claim, transformer, gaps, errors"):
        read_softened_text(dump(since_certificate(2)))
    assert isinstance(check_text(dump(sealed("rounded", 2))).given, Softened)
    assert recent()["output"] == "out"


def test_every_file_of_the_softened_half_is_in_the_page_beside_its_chapter() -> None:
    page = "".join((Path(__file__).parents[2] / "docs" / name).read_text(encoding="utf-8")
                   for name in ("reference/softened.md", "background/softened_rules.md"))
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ") and ".py`" in line]
    assert all(f"## {chapter}" in page or f"**{chapter}" in page for chapter, _ in rows)
    checker = Path(proofs.check.__file__).parent / "checker"
    named = {checker / ("chapters" if "/" in name else "kernel") / name
             for _, files in rows for name in re.findall("`([^`]+)`", files)}
    chapter = (checker / "chapters" / "softened").glob("*.py")
    written = {path for path in chapter if path.name not in ("__init__.py", "showing.py")}
    assert written <= named and all(path.is_file() for path in named)
