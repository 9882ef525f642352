"""A target's automaton, read over every short word, against ``constructions.language.semantics``."""

import itertools
import random

import pytest

from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula, Not, Symbol, subformulas
from proofs.formula.common.targets import build_target
from proofs.formula.failures import NotDerived
from tests.network.random_formulas import random_formula

WORDS = [word for n in range(1, 6) for word in itertools.product("ab", repeat=n)]


def check_automaton(formula: Formula, read: list[Formula], words: list[tuple[str, ...]],
                    apart: bool = False) -> None:
    target = build_target(formula, read, apart)
    for word in words:
        n = len(word)
        held = {atom: truth_values(atom, word) for atom in target.atoms}
        expected, read_truths = truth_values(formula, word), [truth_values(f, word) for f in read]
        memory = 0
        for i in range(1, n + 1) if target.past else range(n, 0, -1):
            letter = tuple(held[atom][i - 1] for atom in target.atoms)
            memory, truth = target.step(memory, letter, i, n)
            assert truth == expected[i - 1], (str(formula), [str(f) for f in read], word, i)
            for f, truths in zip(read, read_truths, strict=True):
                assert target.read_truth(f, letter, i, n) == truths[i - 1], (str(formula), str(f), word, i)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_random_targets_with_random_reads(first: int) -> None:
    """Reads are subformulas of the target, the target itself, and strangers: each changes what counts as an atom."""
    decided = 0
    for seed in range(first, first + 25):
        rng = random.Random(seed)
        temporal = [("prev", "since"), ("next", "until"), ("prev",), ("until",)][seed % 4]
        atoms = [parse_formula(text) for text in ("ODD", "LAST", "MOD(3,1)")]
        formula = random_formula(rng, 3, temporal=temporal, atoms=atoms)
        pool = [*subformulas(formula), Symbol("a"), random_formula(rng, 2, atoms=atoms), parse_formula("!ODD & Q_a")]
        read = rng.sample(pool, min(len(pool), rng.randint(0, 3)))
        try:
            check_automaton(formula, read, WORDS)
            decided += 1
            check_automaton(formula, read, WORDS, apart=True)
        except NotDerived:
            pass  # no temporal operator is left above the atoms, or there are too many atoms
    assert decided >= 10


@pytest.mark.parametrize(
    "text",
    [
        "prev Q_a since Q_b",
        "prev (Q_a since prev Q_b)",
        "prev prev prev Q_a",
        "(Q_a since Q_b) since (prev Q_a since Q_a)",
        "!prev !Q_a",
        "prev ODD",
        "prev (ODD & Q_a)",
        "FIRST since Q_a",
        "prev true",
        "!(true since !prev Q_a)",
    ],
)
def test_nested_past_targets(text: str) -> None:
    formula = parse_formula(text)
    reads: list[list[Formula]] = [[], [Symbol("a")], [Symbol("b"), parse_formula("Q_a & Q_b")]]
    for read in reads:
        check_automaton(formula, read, WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "next Q_a until Q_b",
        "next next Q_a",
        "next (LAST until Q_a)",
        "next LAST",
        "(Q_a until Q_b) <-> next (Q_b until Q_a)",
    ],
)
def test_nested_future_targets(text: str) -> None:
    formula = parse_formula(text)
    reads: list[list[Formula]] = [[], [Symbol("a")], [parse_formula("Q_a -> Q_b")]]
    for read in reads:
        check_automaton(formula, read, WORDS)


@pytest.mark.parametrize("text", ["Q_a", "ODD", "true", "prev next Q_a", "Q_a since (Q_b until Q_a)", "Q_a & Q_b"])
def test_targets_without_one_direction_are_not_derived(text: str) -> None:
    with pytest.raises(NotDerived):
        build_target(parse_formula(text), [])


def test_a_temporal_operand_that_is_read_is_an_atom_whatever_its_direction() -> None:
    inner = parse_formula("next Q_a")
    check_automaton(parse_formula("prev next Q_a"), [inner], WORDS)
    check_automaton(parse_formula("Q_b since next Q_a"), [inner, Symbol("b")], WORDS)


@pytest.mark.parametrize("text", ["Q_a since Q_b", "prev Q_a", "prev (Q_a since Q_b)", "next (Q_a until Q_b)"])
def test_a_head_that_reads_its_own_target_still_has_to_decide_it(text: str) -> None:
    """Reading the truth of the target is one more free atom; it is never taken for the target."""
    formula = parse_formula(text)
    check_automaton(formula, [formula], WORDS)
    check_automaton(formula, [Not(formula), Symbol("a")], WORDS)
    target = build_target(formula, [formula])
    assert formula in target.atoms and formula in target.remembering


def test_position_predicates_that_are_read_inside_a_formula_are_evaluated_not_guessed() -> None:
    """docs/background/obligations.md: position predicates, true and false are evaluated, never atoms."""
    target = build_target(parse_formula("prev (ODD & Q_a)"), [parse_formula("ODD | Q_a"), Symbol("a")])
    assert parse_formula("ODD") not in target.atoms
    target = build_target(parse_formula("true since Q_a"), [parse_formula("true -> Q_a"), parse_formula("true & Q_a")])
    assert parse_formula("true") not in target.atoms
