"""Formulas are placed in the smallest logic of [SHA] that contains them."""

import pytest

from constructions.language.fragments import find_future_subformula, fragment_of
from constructions.language.parser import parse_formula


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("Q_a & !Q_b", "Boolean"), ("true", "Boolean"), ("prev Q_a", "TL[prev]"), ("X Q_a", "TL[next]"),
        ("prev next Q_a", "TL[prev, next]"), ("Q_a since Q_b", "TL[since]"), ("F Q_a", "TL[until]"),
        ("O F Q_a", "TL[since, until]"), ("prev O Q_a", "TL[prev, since]"), ("next F Q_a", "TL[next, until]"),
        ("prev F Q_a", "LTL"), ("next O Q_a", "LTL"), ("prev next O Q_a", "LTL"), ("prev next O F Q_a", "LTL"),
        ("FIRST", "TL[Mon]"), ("prev FIRST", "TL[prev, Mon]"), ("prev F FIRST", "LTL[Mon]"),
        ("ODD(#<[Q_a])", "TL[#<, +, Mon]"), ("#<[Q_a] <= 1", "TL[#<, +, Mon]"), ("1 <= 2", "TL[#<, +, Mon]"),
        ("#>[Q_a] <= #<[Q_a]", "TL[#<, #>, +, Mon]"), ("#>[Q_a] <= 1", "TL[#<, #>, +, Mon]"),
        ("prev #<[O Q_a] <= 1", "TL[prev, since, #<, +, Mon]"), ("O #<[Q_a] <= 1", "TL[since, #<, +, Mon]"),
        ("prev #>[Q_a] <= 1", "LTL[#<, #>, +, Mon]"), ("#<[next Q_a] <= 1", "LTL[#<, #>, +, Mon]"),
    ],
)  # fmt: skip
def test_fragments(text: str, fragment: str) -> None:
    assert fragment_of(parse_formula(text)) == fragment


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Q_a since prev Q_b", None), ("ODD(#<[Q_a])", None), ("O next Q_a", "next Q_a"),
        ("Q_a until Q_b", "Q_a until Q_b"),
        ("O #>[Q_a] <= 1", "#>[Q_a] <= 1"), ("ODD(#>[Q_a])", "ODD(#>[Q_a])"), ("1 < #<[X Q_a]", "next Q_a"),
        ("G Q_a", "F !Q_a"),
    ],
)  # fmt: skip
def test_what_looks_to_the_future_is_found(text: str, found: str | None) -> None:
    assert find_future_subformula(parse_formula(text)) is (parse_formula(found) if found else None)
