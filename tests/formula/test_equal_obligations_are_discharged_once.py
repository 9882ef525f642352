"""Heads that differ by names alone are proved once, by one memory that the caller owns."""

from fractions import Fraction

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.lengths import Lengths, up_to
from constructions.regimes import Regime
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.discharge import DischargedObligations, Line, discharge

TWICE = compile_formula(parse_formula("(prev Q_1) & prev !Q_1"), "01", Regime(), Fraction(3))


def attention_lines(memory: DischargedObligations) -> list[Line]:
    return [line for line in discharge(TWICE, up_to(5), memory, twice=False) if line.kind == "attention"]


def test_a_memory_discharges_equal_obligations_once_and_another_memory_knows_nothing_of_them() -> None:
    memory = DischargedObligations()
    assert not all(line.repeated for line in attention_lines(memory))
    assert all(line.repeated for line in attention_lines(memory))
    assert not all(line.repeated for line in attention_lines(DischargedObligations()))


def keys_of(text: str, gamma: Fraction = Fraction(3), lengths: Lengths = up_to(5)) -> set[tuple[object, ...]]:
    transformer = compile_formula(parse_formula(text), "01", Regime(), gamma)
    lines = discharge(transformer, lengths, DischargedObligations(), twice=False)
    obligations = [line.obligation for line in lines if line.kind == "attention"]
    return {one.key() for one in obligations if isinstance(one, AttentionObligation)}


def test_heads_with_other_names_are_equal() -> None:
    assert len(keys_of("(prev Q_1) & prev Q_0")) == 2
    assert keys_of("prev Q_1") == keys_of("prev (Q_0 & prev Q_1)")
    assert keys_of("Q_1 S Q_0") == keys_of("Q_0 S Q_1")


def test_heads_with_other_scores_lengths_or_targets_differ() -> None:
    keys = [keys_of("prev Q_1"), keys_of("prev Q_1", Fraction(3) + Fraction(1, 10**9)),
            keys_of("prev Q_1", lengths=up_to(6)), keys_of("prev Q_1", lengths=Lengths(2, 5)), keys_of("next Q_1"),
            keys_of("Q_1 S Q_0"), keys_of("Q_1 U Q_0")]
    assert len(set.union(*keys)) == sum(map(len, keys)) == 12
