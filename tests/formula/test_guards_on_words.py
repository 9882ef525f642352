"""Guards that depend on the word: a head is near its truth where something was written before, and free elsewhere."""

import json
from fractions import Fraction
from itertools import product

import pytest

from certify import Network
from certify.claims.formula.outcomes import Certified, Refuted
from constructions.language.semantics import TruthTable
from constructions.network.meanings import Near
from proofs.check import Rejected, check_text
from proofs.words.replay import run_soft
from tests.check.handmade import dump

WRITES = "Q_w00 | Q_w01"
ALPHABET = ("w00", "w01", "w10", "w11", "r")


def latest_write(constant: int, guard: str, means: str = f"(({WRITES}) -> Q_w01) since ({WRITES})") -> Network:
    """A head that looks up cell 0 by a parabola, the latest write first; another cell answers where 0 was not written.
    """
    net = Network(",".join(ALPHABET), temperature=f"1/{constant}")
    found = net.head("cell", key={"Q_w10 | Q_w11": -1, "Q_r": -1000, "-3/10*1/ln(i+1)": 1}, value="Q_w01 | Q_w11",
                     means=means, when=guard)
    net.output(net.round(found))
    return net


@pytest.mark.parametrize(("constant", "guard", "word"), [
    (100, "true", "w11"), (5000, "true", "w11"), (3, f"O ({WRITES})", "w00 w01")])
def test_a_cell_that_was_not_written_is_refuted_without_the_guard_and_a_small_constant_with_it(
        constant: int, guard: str, word: str) -> None:
    outcome = latest_write(constant, guard).certify(max_n=6)
    assert isinstance(outcome, Refuted) and " ".join(outcome.counterexample.word) == word


@pytest.mark.parametrize("guard", [f"O ({WRITES})", "prev O Q_w01", f"O ({WRITES}) & EVEN", "Q_w01 | prev Q_w00"])
def test_the_worst_errors_are_those_of_all_words_on_which_the_guard_holds(guard: str) -> None:
    outcome = latest_write(40, guard).certify(max_n=4)
    assert isinstance(outcome, Certified) and outcome.transformer is not None
    meaning = outcome.transformer.directions["cell"]
    assert isinstance(meaning, Near)
    worst = {False: Fraction(0), True: Fraction(0)}
    for n in range(1, 5):
        for word in product(ALPHABET, repeat=n):
            table, values = TruthTable(word), run_soft(outcome.transformer, word, 128, 1 << 12)
            rows = zip(table.values(meaning.when), table.values(meaning.formula), values, strict=True)
            for holds, truth, vector in rows:
                if holds:
                    error = 1 - vector["cell"].lower if truth else vector["cell"].upper
                    worst[truth] = max(worst[truth], error)
    (bound,) = [one for one in json.loads(outcome.certificate)["bounds"] if one["direction"] == "cell"]
    for truth, name in ((False, "error_if_false"), (True, "error_if_true")):
        most = max(worst[truth] * (1 + Fraction(1, 10**9)), Fraction(1, 10**15))
        assert worst[truth] <= Fraction(bound[name]) <= most


def test_a_certificate_with_a_smaller_error_or_another_guard_is_rejected() -> None:
    outcome = latest_write(40, f"O ({WRITES})").certify(max_n=4)
    assert isinstance(outcome, Certified)
    check_text(outcome.certificate.encode())
    for name in ("error_if_false", "error_if_true"):
        made = json.loads(outcome.certificate)
        bound = next(one for one in made["bounds"] if one["direction"] == "cell")
        bound[name] = str(Fraction(bound[name]) * Fraction(99, 100))
        with pytest.raises(Rejected, match="below the worst case"):
            check_text(dump(made))
    made = json.loads(outcome.certificate)
    made["transformer"]["directions"]["cell"]["when"] = "O Q_r"
    with pytest.raises(Rejected):
        check_text(dump(made))


def test_a_guard_on_the_word_under_another_weighting_is_not_certified() -> None:
    net = Network("a,b", temperature="1/9")
    near = net.head("near", key="Q_a", value="Q_a", means="O Q_a", when="O Q_a", weighting="sparsemax")
    net.output(net.round(near, "O Q_a & O Q_a"))
    assert net.certify(max_n=3).verdict != "certified"
