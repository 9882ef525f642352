"""Same mathematics, same verdict: formulas of one truth table over the same parts are read alike by heads and units.

Every network here is certified, so the independent checker accepts its certificate, too.
"""

import itertools

import pytest

from certify import Network
from certify.claims.formula.outcomes import Certified, Unknown

FIRST_AND_ONE = ["FIRST & Q_1", "Q_1 & FIRST", "(FIRST & Q_1) & FIRST", "!(!Q_1 | !FIRST)", "FIRST & (Q_1 & true)",
                 "!!(FIRST & Q_1)", "FIRST & Q_1 | FIRST & Q_1 & !Q_0", "FIRST & !(FIRST -> Q_0)"]
AFTER_ZERO = ["Q_1 & prev Q_0", "prev Q_0 & Q_1", "!(prev Q_0 -> Q_0)", "prev Q_0 & (Q_1 & prev Q_0)"]


def head(value: str, means: str, key: dict[str, int], temperature: str = "1/6", when: str = "true") -> Network:
    """Return a network whose one head is near ``means``."""
    net = Network("01", temperature=temperature)
    net.output(net.round(net.head("h", key=dict(key), value=value, means=means, when=when)))
    return net


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("value", "meant"), list(itertools.product(FIRST_AND_ONE, repeat=2)))
def test_positional_conjuncts_that_a_head_reads(value: str, meant: str) -> None:
    outcome = head(value, f"O ({meant})", {"FIRST": 1}).certify(max_n=5)
    assert isinstance(outcome, Certified)
    assert outcome.worst_error is not None and f"{float(outcome.worst_error.upper):.6f}" == "0.009818"


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("value", "meant"), list(itertools.product(AFTER_ZERO, repeat=2)))
def test_conjuncts_that_symbols_tell_apart(value: str, meant: str) -> None:
    """The last 1 came after a 0: where a head attends to the last 1, no 0 is in its way, though it has a key, too."""
    net = head(value, f"(Q_1 -> {meant}) since Q_1", {"Q_1": 8, "Q_0": 4, "i/n": 1}, "1/(2*n)")
    assert net.certify(max_n=6).verdict == "certified"


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("read", "meant"), list(itertools.product(FIRST_AND_ONE, repeat=2)))
def test_positional_conjuncts_that_units_read(read: str, meant: str) -> None:
    """A sum of truths that exclude each other is the truth of their disjunction."""
    for reads, text in [({read: 1, "Q_0": 1}, f"({meant}) | Q_0"), ({read: 1, "!FIRST": 1}, f"({meant}) | !FIRST"),
                        ({read: 1}, f"false | ({meant})")]:
        net = Network("01")
        net.output(net.units(text, [(reads, 0, 1)]))
        assert net.certify(max_n=4).verdict == "certified", text


def test_no_symbol_is_two_symbols() -> None:
    net = Network("012")
    net.output(net.units("Q_0 | Q_1", [({"Q_0": 1, "Q_1": 1}, 0, 1)]))
    assert net.certify(max_n=4).verdict == "certified"


def test_unknown_names_the_free_inputs_and_the_page() -> None:
    net = head("Q_1 & prev Q_1", "(Q_1 -> prev Q_1) since Q_1", {"Q_1": 2, "i/n": 1}, "1/(13/10*n)")
    outcome = net.certify(max_n=6)
    assert isinstance(outcome, Unknown)
    assert outcome.reason.startswith(
        "layer 4, attention, h: the worst error exceeds 1/4 if its inputs prev Q_1 may have any truths "
        "(certify list guides models, section Refuted, and unknown); no word found")
