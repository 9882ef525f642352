"""Mutants of certificates: whatever the checker accepts, the producer loads, and a run of all short words agrees.

The number of each verdict is printed with ``-s``.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from proofs.check import ACCEPTED
from tests.sabotage.certificates.bases import BASES, base
from tests.sabotage.certificates.finding import find_fault, find_fault_of
from tests.sabotage.certificates.judging import Judgement, judge
from tests.sabotage.certificates.mutants import Mutant, mutants
from tests.sabotage.certificates.paths import Json, dump, removed, replaced
from tests.sabotage.certificates.renaming import rename_directions, rename_symbols

FEW, MANY = 2000, 24
"""Every so many mutants: some hundreds in all, and tens of thousands."""


class Tally(Counter[str]):
    """The number of each verdict, and the most steps of a check."""

    most_steps = 0

    def note(self, found: Judgement) -> None:
        self[found.verdict] += 1
        self.most_steps = max(self.most_steps, found.steps)


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    counted = Tally()
    yield counted
    print(f"\n{counted.total()} mutants: {dict(sorted(counted.items()))}, at most {counted.most_steps} steps of work")


def judge_every(step: int, name: str, tally: Tally) -> None:
    """Judge every ``step``-th mutant of a certificate, with another residue for each; collect all faults."""
    first, whole, faults = list(BASES).index(name) % step, dump(base(name)), []
    for number, mutant in enumerate(mutants(base(name))):
        if number % step == first:
            data = mutant.make()
            found = judge(data)
            tally.note(found)
            if fault := find_fault_of(data, found, judge) or find_misspelling(mutant, data != whole, found):
                faults.append((mutant.kind, mutant.where, fault))
    assert not faults


def find_misspelling(mutant: Mutant, changed: bool, found: Judgement) -> str | None:
    """Return a file in another spelling than the one of its object is malformed, whatever it claims."""
    wrong = mutant.kind == "misspelled" and changed and found.verdict != "malformed"
    return f"misspelled, and {found.verdict}" if wrong else None


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", BASES)
def test_a_few_mutants_are_judged_rightly(name: str, tally: Tally) -> None:
    judge_every(FEW, name, tally)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BASES)
def test_many_mutants_are_judged_rightly(name: str, tally: Tally) -> None:
    judge_every(MANY, name, tally)


@pytest.mark.exhaustive
def test_many_are_at_least_20000() -> None:
    assert sum(sum(1 for _ in mutants(base(name))) // MANY for name in BASES) >= 20_000


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", BASES)
def test_what_is_mutated_is_accepted_and_true(name: str) -> None:
    data = dump(base(name))
    assert judge(data).verdict == ACCEPTED and find_fault(data, judge) is None


# -- what these tests would see ----------------------------------------------------------------------------------------


def gullible(data: bytes) -> Judgement:
    """Return a checker that accepts everything, and says what it likes."""
    return Judgement(ACCEPTED, ("formula      true",))


def without_a_row() -> Json:
    made = rename_symbols(base("anything"), {"0": "min_n"})
    return removed(made, ("transformer", "token_embedding", "min_n"))


def undefined_somewhere() -> Json:
    return replaced(base("anything"), ("transformer", "position_embedding", "free"), "1/(n-i)")


def wrong_weight() -> Json:
    return replaced(base("by_hand_boolean"), ("transformer", "layers", 0, "feedforward", "units", 0, "bias"), "1")


def too_small_a_bound() -> Json:
    return replaced(base("by_hand_since"), ("bounds", 0, "error_if_true"), "0")


def too_large_a_margin() -> Json:
    return replaced(base("margin_parity"), ("claim", "margin"), "1")


def another_formula() -> Json:
    return replaced(base("constant"), ("claim", "formula"), "false")


WRONG: dict[str, Callable[[], Json]] = {
    "a row is missing": without_a_row, "no value at n = i": undefined_somewhere, "a wrong weight": wrong_weight,
    "a bound is too small": too_small_a_bound, "a margin is too large": too_large_a_margin,
    "another formula": another_formula}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_certificate_that_is_accepted_is_seen(name: str) -> None:
    assert find_fault(dump(WRONG[name]()), gullible)


def raw_output(data: bytes) -> Judgement:
    """Return the output of a checker that prints the name of the output without quotes."""
    found = judge(data)
    return Judgement(found.verdict, (*found.lines, data.decode().rsplit('"output": "', 1)[1].split('"')[0]))


def test_a_name_that_is_printed_raw_is_seen() -> None:
    made = rename_directions(base("constant"), {"y": "x, and PARITY holds"})
    assert find_fault(dump(made), judge) is None
    assert str(find_fault(dump(made), raw_output)).startswith("a name speaks: ")


def silent_about_guards(data: bytes) -> Judgement:
    found = judge(data)
    return Judgement(found.verdict, tuple(line for line in found.lines if "guard" not in line))


def test_a_guard_that_never_holds_and_is_passed_over_is_seen() -> None:
    made = replaced(base("guarded"), ("transformer", "directions", "near", "when"), "false")
    assert find_fault(dump(made), judge) is None
    assert find_fault(dump(made), silent_about_guards) == "the guard of ['near'] never holds, which is not said"
