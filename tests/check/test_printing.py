"""A printed formula parses back to the same formula."""

import random

import pytest

from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language
from proofs.check.checker.kernel.language.printing import LONGEST_TREE

LEAVES = ("Q_a", "Q_b", r"Q['\'']", r"Q['\\']", "true", "false", "ODD", "MOD(3,1)", "#<[Q_a] - 2*#>[Q_b] + 3 <= 4",
          "-#<[Q_a] + #>[Q_b] <= -2", "-3*#<[Q_a] + #>[Q_b] <= 2", "PRIME(#<[Q_a] - #<[Q_b])",
          "PRIME(-#<[Q_a] + #<[Q_b])", "ODD(#<[Q_a])", "1 < 2", "0 > #<[Q_a] + 5")
SHAPES = ("!({0})", "prev ({0})", "next ({0})", "H ({0})", "({0}) since ({1})", "({0}) U ({1})", "({0}) & ({1})",
          "({0}) | ({1})", "({0}) -> ({1})", "({0}) <-> ({1})", "#<[{0}] - #<[{1}] > #>[{0}]", "MOD(2,1)(#>[{0}])")


def random_formula(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(LEAVES)
    return rng.choice(SHAPES).format(random_formula(rng, depth - 1), random_formula(rng, depth - 1))


@pytest.mark.parametrize("seed", range(4))
def test_a_printed_formula_is_the_same_formula(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(250):
        language = Language(Budget())
        place = language.formula(random_formula(rng, rng.randrange(4)))
        (line,) = language.write(place)
        assert language.formula(line) == place


@pytest.mark.parametrize("text", [
    "P(k) := k % 3 == 1", "P(k,n) := not (k > 2) and n/2 == k or 2^k - 1 - 1 < -n",
    "P(p) := sqrt(p)*p // 2 != 1 and p > 0",
])
def test_a_printed_predicate_is_the_same_predicate(text: str) -> None:
    language, again = Language(Budget()), Language(Budget())
    language.define(text)
    again.define(language.write_definition("P"))
    assert again.write_definition("P") == language.write_definition("P")
    for n in range(1, 9):
        for i in range(1, n + 1):
            assert language.value_at(language.formula("P"), n, i) == again.value_at(again.formula("P"), n, i)


def test_repeated_parts_of_a_long_formula_have_names() -> None:
    language = Language(Budget())
    first, *named = language.write(language.formula(" S ".join(f"Q_{k}" for k in range(60))))
    assert first == "(Q_0 | <58>) since <58>"
    assert named[0] == "<1> is (Q_58 | Q_59) since Q_59" and len(named) == 58
    assert sum(map(len, named)) < LONGEST_TREE
