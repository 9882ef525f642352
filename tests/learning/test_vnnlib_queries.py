"""VNN-LIB queries about two networks: unsat is certified, sat proved for an input; both are what brute force says."""

import itertools
import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.decide import Settings
from certify.learning.learn import Effort
from certify.learning.vnnlib import read_query
from certify.learning.vnnlib_query import QueryAnswer, answer_query, question_of
from constructions.errors import InputError, Unsupported
from constructions.trained.network import TrainedNetwork
from proofs.check import check_text
from proofs.trained.forward import FloatNetwork
from tests.learning.changed import changed, in_bits, in_half_precision
from tests.learning.questions import network_of_the_zoo

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Side:
    """A comparison of a logit of one network at a place with another one, or with 0."""

    network: str
    place: int
    token: int
    rival: int | None
    relation: str

    def text(self) -> str:
        left, right = (f"Y_{self.network}[0,{self.place},{token}]" if token is not None else "0.0"
                       for token in (self.token, self.rival))
        return f"({self.relation} {left} {right})"

    def holds(self, logits: Any) -> bool:
        right = 0.0 if self.rival is None else logits[self.place, self.rival]
        return OPERATORS[self.relation](logits[self.place, self.token], right)


def query(tokens: Sequence[Sequence[int]], alternatives: Sequence[Sequence[Side]], like: str = "(isomorphic-to f)",
          kind: str = "int64") -> str:
    """Return a query in all forms that the grammar has for it."""
    shape = f"[1, {len(tokens)}]"
    lines = ["; two networks", "(vnnlib-version <2.0>)"]
    for name, relation in (("f", ""), ("g", like)):
        lines.append(f"(declare-network {name} {relation} (declare-input X_{name} {kind} {shape})\n"
                     f"  (declare-output Y_{name} real [1,{len(tokens)},4]))")
    for place, allowed in enumerate(tokens):
        chosen = " ".join(f"(== X_f[0,{place}] {token})" for token in allowed)
        lines.append(f"(assert (and (== X_g[0,{place}] X_f[0,{place}]) (or {chosen})))")
    disjuncts = " ".join(f"(and {' '.join(side.text() for side in one)})" for one in alternatives)
    return "\n".join([*lines, f"(assert (or {disjuncts}))"])


def differ(places: Sequence[int], rows: Sequence[tuple[int, int | None]]) -> list[list[Side]]:
    return [[Side("f", place, *row, one), Side("g", place, *row, other)] for place in places for row in rows
            for one, other in ((">", "<="), ("<=", ">"))]


WORDS = ((2,), (0, 1), (0, 1), (0, 1))
SIGNS: tuple[tuple[int, int | None], ...] = ((0, None), (1, None), (3, None))


@cache
def pair(change: str) -> tuple[TrainedNetwork, TrainedNetwork]:
    network = network_of_the_zoo("tomita_7")
    return network, changed(network, {"half": in_half_precision, "four": in_bits(4), "same": lambda _, values: values}[
        change])


def answered(text: str, change: str) -> QueryAnswer:
    one, other = pair(change)
    return answer_query(question_of(read_query(text, "q"), one, other), one, other, Settings(), Effort())


def by_brute_force(alternatives: Sequence[Sequence[Side]], tokens: Sequence[Sequence[int]], change: str) -> set[Any]:
    networks = dict(zip("fg", map(FloatNetwork, pair(change)), strict=True))
    found = set()
    for one in itertools.product(*tokens):
        logits = {name: network.logits(np.array([one]), 0)[0] for name, network in networks.items()}
        if any(all(side.holds(logits[side.network]) for side in sides) for sides in alternatives):
            found.add(one)
    return found


@pytest.mark.parametrize(("places", "change", "like", "result"), [
    ((3,), "half", "(isomorphic-to f)", "unsat"), ((1, 2, 3), "half", "", "unsat"), ((0, 1), "same", "(equal-to f)",
                                                                                     "unsat"),
    ((0, 1, 3), "half", "", "unsat"), ((1, 2, 3), "four", "(isomorphic-to f)", "sat"), ((0, 2, 3), "four", "", "sat")])
def test_networks_that_tell_other_tokens_to_follow_are_sat_and_others_unsat(places: tuple[int, ...], change: str,
                                                                           like: str, result: str) -> None:
    alternatives = differ(places, SIGNS)
    found = answered(query(WORDS, alternatives, like, "real" if like else "int32"), change)
    wrong = by_brute_force(alternatives, WORDS, change)
    assert found.result == result == ("sat" if wrong else "unsat")
    assert found.tokens is None if result == "unsat" else found.tokens in wrong
    if result == "unsat":
        assert found.equality.certified_to == 3
        for text in found.equality.certificates.values():
            check_text(text.encode())


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_answered_to_a_drawn_query_is_what_brute_force_says(seed: int) -> None:
    """Relations are drawn, so that some queries hold of equal answers, and are refused."""
    draw, answers = random.Random(seed), 0
    for _ in range(4):
        place, row = draw.randrange(4), draw.choice([*SIGNS, (0, 1), (3, 2)])
        alternatives = [[Side(name, place, *row, draw.choice(["<", "<=", ">", ">="])) for name in "fg"]
                        for _ in range(draw.randrange(1, 3))]
        change = draw.choice(["half", "four"])
        try:
            found = answered(query(WORDS, alternatives), change)
        except Unsupported as error:
            assert "the same answers" in str(error) or "expected those of" in str(error)
            continue
        wrong, answers = by_brute_force(alternatives, WORDS, change), answers + 1
        assert found.result != "unsat" or not wrong
        assert found.result != "sat" or found.tokens in wrong
    assert answers


def test_strict_and_weak_comparisons_alike_are_false_where_answers_are_equal() -> None:
    sides = [[Side("f", 3, 0, None, one), Side("g", 3, 0, None, other)]
             for one, other in itertools.product((">", ">="), ("<", "<="))]
    assert answered(query(WORDS, sides), "half").result == "unsat"


GOOD = query(WORDS, differ((3,), SIGNS[:1]))


@pytest.mark.parametrize(("old", "new", "message"), [
    ("(vnnlib-version <2.0>)", "", "q: expected (vnnlib-version <2.0>) first"),
    ("<2.0>", "<3.0>", "vnnlib-version"),
    ("(declare-output Y_g real [1,4,4])", "(declare-output Y_g float32 [1,4,4])",
     "Y_g: elements of type float32, expected real"),
    ("(declare-input X_f int64", "(declare-input X_f float32", "X_f: elements of type float32, expected whole numbers"),
    ("(declare-output Y_f real [1,4,4])", "(declare-hidden H real [1] \"h\") (declare-output Y_f real [1,4,4])",
     "f: hidden nodes (declare-hidden) are not read"),
    ("[1,4,4]", "[1,4,5]", "Y_f: shape [1, 4, 5], expected that of X_f and then the 4 logits"),
    ("(isomorphic-to f)", "(isomorphic-to h)", "isomorphic-to h, expected an earlier network without such a relation"),
    ("(isomorphic-to f)", "(equal-to f)", "g is declared equal-to f, but the networks differ"),
    ("(isomorphic-to f)", "(equal-to f) (equal-to f)", "at most"),
    ("(== X_g[0,2] X_f[0,2])", "(>= X_g[0,2] X_f[0,2])", "an assertion is about several elements of inputs"),
    ("(and (== X_g[0,2] X_f[0,2]) ", "(and ", "place 2: nothing asserts that both networks have the same token"),
    ("(== X_f[0,1] 1)", "(== X_f[0,1] 7)", "place 1: 7 is allowed, but tokens are 0 to 3"),
    ("(== X_f[0,1] 1)", "(>= X_f[0,1] 1)", "place 1: 4 is allowed"),
    ("(== X_f[0,1] 1)", "(<= X_f[0,1] 1)", "is allowed, but tokens are 0 to 3"),
    ("(== X_f[0,2] 1)", "(== X_f[0,2] 3)", "expected places with several tokens, the same ones at each"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= Y_g[0,3,0] Y_f[0,3,0])", "answers are compared, not numbers"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= Y_g[0,3,0] 0.5)", "answers are compared, not numbers"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= Y_g[0,2,0] 0.0)", "may hold where both networks give the same answers"),
    ("(<= Y_g[0,3,0] 0.0)", "(> Y_g[0,3,0] 0.0)", "may hold where both networks give the same answers"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= (* Y_g[0,3,0] Y_g[0,3,0]) 0.0)", "is not linear"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= Y_g[0,4,0] 0.0)", "Y_g[0, 4, 0], but the shape is [1, 4, 4]"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= Z[0,3,0] 0.0)", "\"Z\", expected a number or the name of a tensor"),
    ("(<= Y_g[0,3,0] 0.0)", "(=> Y_g[0,3,0] 0.0)", "expected and, or, or a comparison"),
    ("(<= Y_g[0,3,0] 0.0)", "(<= Y_g[0,3,0] 0.0", "the file ends, expected ) as often as (: "),
    ("; two networks", "; two networks\n)", "line 2: a ) too many"),
    ("X_g int64", "X_f int64", "X_f is declared twice"),
])
def test_what_a_query_may_not_be_is_refused_by_name(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises((InputError, Unsupported)) as error:
        answered(GOOD.replace(old, new, 1) if old != "[1,4,4]" else GOOD.replace(old, new), "half")
    assert message in str(error.value) and "\n" not in str(error.value)


def test_bounds_of_whole_numbers_are_read_and_unsigned_ones_end_at_0() -> None:
    bounded = GOOD.replace("(or (== X_f[0,1] 0) (== X_f[0,1] 1))", "(<= (* 2 X_f[0,1]) 3.5)").replace("int64", "uint8")
    one, other = pair("half")
    assert question_of(read_query(bounded, "q"), one, other).tokens == WORDS


def test_another_architecture_is_not_isomorphic() -> None:
    one, other = pair("half")
    with pytest.raises(InputError, match="g is declared isomorphic-to f, but the networks have other steps"):
        question_of(read_query(GOOD, "q"), one, replace(other, steps=other.steps[1:]))
