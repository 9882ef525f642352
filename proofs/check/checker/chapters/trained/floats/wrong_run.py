"""A run by which a claim is false in a class of runs: docs/floats.md, section 7, Wrong runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ....kernel.budget import Budget
from ....kernel.kind import entry
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, headed, one_of
from ....kernel.verdicts import expect, require
from ...run_classes.reading import FloatClaim, read_floats
from ..reading.decision import KEYS_OF_WRONG_WORD, WrongWord, read_word
from ..reading.network import Network
from ..words.describing import describe_wrong_word
from ..words.running import Judge
from ..words.wrong_word import find_place, tokens_of
from .casting import cast_network
from .describing import words_of_run
from .one_run import OneRun, Way
from .proof import expect_sensible

FORMAT_OF_WRONG_RUN = "certify-wrong-run"
KEYS_OF_WAY = ("order", "fused", "normalised", "exp_base")


@dataclass(frozen=True)
class WrongRun(WrongWord):
    """A word, a class of runs, and a run of it."""

    run: FloatClaim
    way: Way


def read_wrong_run(document: Json, budget: Budget) -> WrongRun:
    """The refutation that a document holds."""
    fields = headed(document, FORMAT_OF_WRONG_RUN, "network", "claim", "floats", *KEYS_OF_WRONG_WORD, *KEYS_OF_WAY)
    at = read_word(fields, budget)
    run, way = read_way(fields, at.claim.max_n)
    return WrongRun(**vars(at), run=run, way=way)


def read_way(fields: Fields, most: int) -> tuple[FloatClaim, Way]:
    """A class, for inputs of up to this length, and what a run of it does."""
    runs = fields.read("floats", partial(read_floats, lengths=range(most, most + 1)))
    expect(len(runs) == 1, "floats: expected one class, got {}", len(runs))
    return runs[0], Way(
        str(fields.read("order", one_of("forwards", "backwards", "in pairs"))),
        bool(fields.read("fused", one_of(True, False))),
        fields.read("normalised", one_of("before", "after")) == "before",
        str(fields.read("exp_base", one_of("e", "2"))))


def prove_wrong_run(given: WrongRun) -> Mapping[str, int]:
    """The run is one of the class, on a word of the claim, and the row is at most the margin in it.

    Raises:
        Rejected: if not, or if a number is too large.
    """
    claim = given.claim
    one = one_run(given.language.budget, given.network, given.run, given.way)
    place = find_place(Judge(given.network, claim, given.language), given)
    logits = one.logits(tokens_of(given), given.offset, place)
    value = sum((c * logits[token] for token, c in claim.cases[given.case].above[given.row]), Fraction(0))
    require(value <= claim.margin, "the row is {} in the run, above the margin", value)
    return {"run": 1}


def one_run(budget: Budget, network: Network, run: FloatClaim, way: Way) -> OneRun:
    """The run, which is one of the class.

    Raises:
        Rejected: if it is not.
    """
    expect_sensible(run)
    require(run.exp_ulp >= 1, "exp_ulp is below 1, and functions of the run are within 1")
    require(run.normalised in ("either", "before" if way.before else "after"), "weights are normalised otherwise")
    require(run.exp_base in ("either", way.base), "exponentials have another base")
    return OneRun(budget, cast_network(network, run), run, way)


def describe_wrong_run(given: WrongRun, coverage: Mapping[str, int]) -> list[str]:
    """The claim that is false, the word, the class and the run of it."""
    return [*describe_wrong_word(given, coverage, "in every float run of the class below"),
            *entry("float runs", words_of_run(given.run)), *entry("wrong run", words_of_way(given.way))]


def words_of_way(way: Way) -> list[str]:
    """What the run does."""
    return [f"every sum {way.order}, products {'fused with sums' if way.fused else 'rounded'},",
            f"weights normalised {'before' if way.before else 'after'} they are multiplied, exponentials to base "
            f"{way.base}"]
