"""Brute force over all words of a length, run soft and enclosed, on both sides of the critical constant."""

import itertools
from typing import Any

import pytest

from certify.auditing.claims import AboutNetwork
from certify.auditing.claims_file import read_claim
from certify.auditing.critical import Bracketing
from constructions.network.lengths import Lengths
from proofs.words.replay import find_miss

FORMULAS: list[tuple[str, str, dict[str, Any]]] = [
    ("(Q_a | Q_b) since Q_a", "abc", {}), ("(Q_a | Q_b) until Q_a", "abc", {"regime": "position"}),
    ("(Q_a | Q_b) since Q_a", "abc", {"causal": True}), ("prev Q_1", "01", {}), ("prev Q_1", "01", {"causal": True}),
    ("next Q_1", "01", {"regime": "position"}), ("Q_1 S Q_0", "01", {}), ("ODD(#<[Q_1])", "01", {}),
    ("#<[Q_1] >= 1", "01", {}), ("#>[Q_1] == 2", "01", {}), ("#<[Q_1] >= 1", "01", {"causal": True}),
    ("#<[Q_1] > #<[Q_0]", "01", {}), ("#<[Q_1] > #<[Q_0]", "01", {"causal": True}), ("#<[Q_1] == #<[Q_0]", "01", {}),
    ("2*#<[Q_1] - #>[Q_0] >= 1", "01", {}), ("2*#<[Q_1] - #>[Q_0] >= 1", "01", {"regime": "position"}),
    ("2*#<[Q_1] >= 3", "01", {}), ("#<[Q_a] + #<[Q_b] > 2*#<[Q_c]", "abc", {}), ("#<[Q_1] != #>[Q_1]", "01", {}),
    ("O (#<[Q_1] > #<[Q_0])", "01", {}), ("#<[#<[Q_1] > #<[Q_0]] >= 1", "01", {}),
]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("n", [2, 3, pytest.param(4, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(("text", "alphabet", "keys"), FORMULAS)
def test_no_word_fails_at_the_upper_end_and_some_word_at_the_lower(
        text: str, alphabet: str, keys: dict[str, Any], n: int) -> None:
    about = read_claim({"name": "x", "formula": text, "alphabet": alphabet, "lengths": n, **keys}).about
    assert isinstance(about, AboutNetwork)
    request, width = about.request, about.demands.width
    gamma = Bracketing(request, width).critical(Lengths(n, n)).gamma
    assert gamma is not None and 0 < gamma.lower < gamma.upper <= gamma.lower * (1 + width)
    words = list(itertools.product(alphabet, repeat=n))
    above, below = request.with_gamma(gamma.upper).network, request.with_gamma(gamma.lower).network
    assert all(find_miss(above, word) is None for word in words)
    assert any(find_miss(below, word) is not None for word in words)
