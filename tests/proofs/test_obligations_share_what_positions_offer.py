"""What positions offer is known to one object that the caller owns: nothing of it outlives its owner."""

from __future__ import annotations

from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.discharge import Line, Memory, discharge
from proofs.obligations import attention

TWICE = compile_formula(parse_formula("(prev Q_1) & prev !Q_1"), "01", Regime(), Fraction(3))


def attention_lines(memory: Memory) -> list[Line]:
    return [line for line in discharge(TWICE, up_to(5), memory, twice=False) if line.kind == "attention"]


def test_a_memory_discharges_equal_obligations_once_and_another_memory_knows_nothing_of_them() -> None:
    memory = Memory()
    assert not all(line.repeated for line in attention_lines(memory))
    assert all(line.repeated for line in attention_lines(memory))
    assert not all(line.repeated for line in attention_lines(Memory()))


def test_every_memory_numbers_the_same_steps_alike() -> None:
    keys = [[line.obligation.key() for line in attention_lines(Memory()) if line.obligation] for _ in range(2)]
    assert keys[0] == keys[1]


def test_forgetting_what_was_worked_out_changes_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "MOST_OFFERS", 3)
    memory = Memory()
    first = attention_lines(memory)
    assert all(line.repeated for line in attention_lines(memory))
    assert [line.obligation and line.obligation.key() for line in first] == [
        line.obligation and line.obligation.key() for line in attention_lines(Memory())]
