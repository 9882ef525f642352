"""A hundred constants r ln k, r sqrt k and sums of them: at the critical one, and 1e-6, 1e-20 and 1e-60 beside it.

With the formula below a step to the left weighs x = e^-gamma in both regimes, so that the error at n = 2 is x/(1 + x),
which is 1/4 at gamma = ln 3.
"""

from itertools import cycle

import pytest
from mpmath import mp

from certify import audit, certify, prove
from tests.with_coq import coq_or_skip, staying_coq_or_skip

SINCE = "(Q_a | Q_b) since Q_a"
EQUAL = ("ln(3)", "2*ln(3)/2", "ln(9)/2", "1/3*ln(27)", "-ln(1/3)", "ln(2)+ln(3/2)", "ln(12)-2*ln(2)", "ln(6)-ln(4)/2",
         "3/2*ln(3)-ln(9)/4", "ln(3/4)+2*ln(2)")
DISTANCES = (6, 20, 60)
SIGNS = {"+": "certified", "-": "refuted"}


def beside(k: int, rest: str, digits: int, sign: str) -> str:
    """Return a constant r sqrt(k), and ln(2) if there is a rest, at this distance from ln 3."""
    with mp.workdps(200):
        wanted = mp.log(3) + (1 if sign == "+" else -1) * mp.mpf(10) ** -digits - (mp.log(2) if rest else 0)
        return f"{int(mp.nint(wanted / mp.sqrt(k) * mp.mpf(10) ** (digits + 4)))}/10^{digits + 4}*sqrt({k}){rest}"


def constants() -> list[tuple[str, str]]:
    """Return the constants, each with its verdict."""
    found = [(text, "certified") for text in EQUAL]
    for digits in DISTANCES:
        for sign, verdict in SIGNS.items():
            found += [(f"{text}{sign}1/10^{digits}", verdict) for text in EQUAL]
            found += [(beside(k, rest, digits, sign), verdict)
                      for k, rest in ((2, ""), (3, ""), (2, "+ln(2)"), (5, "+ln(2)"), (7, ""))]
    return found


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("place", "text", "verdict"), [
    (place, *each) for place, each in zip(cycle(("temperature", "position")), constants(), strict=False)])
def test_a_constant_at_or_beside_the_critical_one_is_decided(place: str, text: str, verdict: str) -> None:
    found = certify(SINCE, alphabet="abc", gamma=text, max_n=2, regime=place)
    assert found.verdict == verdict, text
    assert audit(SINCE, alphabet="abc", gamma=text, regime=place, lengths=2, critical=[]).verdict == verdict, text


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("place", "text", "verdict"), [
    (place, *each) for place, each in zip(cycle(("temperature", "position")), constants(), strict=False)])
def test_for_every_n_the_critical_constant_is_ln_4(place: str, text: str, verdict: str,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    """The same constants and ln(4/3): proved, or false at a length that the answer names; the nearest at n = 128."""
    coq_or_skip()
    monkeypatch.setattr("certify.claims.every_n.theorems.find_coq", staying_coq_or_skip)
    found = prove(SINCE, alphabet="abc", gamma=f"{text}+ln(4/3)", regime=place)
    assert found.verdict == ("proved" if verdict == "certified" else "refuted"), text
    assert (found.counterexample is None) is (found.exit_code == 0)


def test_there_are_a_hundred_of_them() -> None:
    assert len(dict(constants())) == 100


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("digits", [60, 100])
def test_rational_constants_beside_the_critical_one_are_decided(digits: int, sign: str) -> None:
    with mp.workdps(200):
        constant = int(mp.nint(mp.log(3) * mp.mpf(10) ** (digits + 4))) + (10**4 if sign == "+" else -(10**4))
    gamma = f"{constant}/{10 ** (digits + 4)}"
    assert certify(SINCE, alphabet="abc", gamma=gamma, max_n=2).verdict == SIGNS[sign]
    assert audit(SINCE, alphabet="abc", gamma=gamma, lengths=2, critical=[]).verdict == SIGNS[sign]


def test_the_limit_of_the_critical_constants_certifies_at_every_length() -> None:
    """At ln 4 the error is below 1/4 by less than 4^-n."""
    assert certify(SINCE, alphabet="abc", gamma="ln(4)", max_n=16, min_n=16).verdict == "certified"
    assert certify(SINCE, alphabet="abc", gamma="ln(4)-1/10^12", max_n=24, min_n=24).verdict == "refuted"
