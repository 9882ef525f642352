"""A run by which a claim is false in a class of runs: docs/floats.md, section 7, Wrong runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ....kernel.budget import Budget
from ....kernel.kind import entry
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, one_of, read_heading
from ....kernel.verdicts import expect, require
from ...run_classes.reading import FloatClaim, read_floats
from ..describing import describe_wrong_word
from ..reading.decision import KEYS_OF_WRONG_WORD, WrongWord, read_word
from ..words import Judge
from ..wrong_word import find_place, tokens_of
from .casting import cast_network
from .describing import words_of_run
from .one_run import OneRun, Way
from .proof import expect_sensible

FORMAT_OF_WRONG_RUN = "certify-wrong-run"


@dataclass(frozen=True)
class WrongRun(WrongWord):
    """A word, a class of runs, and a run of it."""

    run: FloatClaim
    way: Way


def read_wrong_run(document: Json, budget: Budget) -> WrongRun:
    """The refutation that a document holds."""
    fields = Fields(document, "format", "version", "network", "claim", "floats", *KEYS_OF_WRONG_WORD, "order", "fused",
                    "normalised", "exp_base")
    read_heading(fields, FORMAT_OF_WRONG_RUN)
    at = read_word(fields, budget)
    runs = fields.read("floats", partial(read_floats, lengths=range(at.claim.max_n, at.claim.max_n + 1)))
    expect(len(runs) == 1, "floats: expected one class, got {}", len(runs))
    way = Way(
        str(fields.read("order", one_of("forwards", "backwards", "in pairs"))),
        bool(fields.read("fused", one_of(True, False))),
        fields.read("normalised", one_of("before", "after")) == "before",
        str(fields.read("exp_base", one_of("e", "2"))))
    return WrongRun(**vars(at), run=runs[0], way=way)


def prove_wrong_run(given: WrongRun) -> Mapping[str, int]:
    """The run is one of the class, on a word of the claim, and the row is at most the margin in it.

    Raises:
        Rejected: if not, or if a number is too large.
    """
    claim, run, way = given.claim, given.run, given.way
    expect_sensible(run)
    require(run.exp_ulp >= 1, "exp_ulp is below 1, and functions of the run are within 1")
    require(run.normalised in ("either", "before" if way.before else "after"), "weights are normalised otherwise")
    require(run.exp_base in ("either", way.base), "exponentials have another base")
    budget = given.language.budget
    place = find_place(Judge(given.network, claim, given.language), given)
    one = OneRun(budget, cast_network(given.network, run), run, way)
    logits = one.logits(tokens_of(given), given.offset, place)
    value = sum((c * logits[token] for token, c in claim.cases[given.case].above[given.row]), Fraction(0))
    require(value <= claim.margin, "the row is {} in the run, above the margin", value)
    return {"run": 1}


def describe_wrong_run(given: WrongRun, coverage: Mapping[str, int]) -> list[str]:
    """The claim that is false, the word, the class and the run of it."""
    way = given.way
    return [*describe_wrong_word(given, coverage, "in every float run of the class below"),
            *entry("float runs", words_of_run(given.run)),
            *entry("wrong run", [f"every sum {way.order}, products {'fused with sums' if way.fused else 'rounded'},",
                                 f"weights normalised {'before' if way.before else 'after'} they are multiplied, "
                                 f"exponentials to base {way.base}"])]
