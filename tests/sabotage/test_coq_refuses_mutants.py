"""Sabotaged networks in Coq: none whose output is wrong on some short word is proved for every n."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.syntax import Formula
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.transformer import Transformer
from tests.sabotage.ground_truth import find_wrong_output
from tests.sabotage.mutations import mutate
from tests.sabotage.test_mutants_are_never_certified_wrongly import CASES
from tests.with_coq import ask_coq_whether

MAX_N = 4


@dataclass(frozen=True)
class Mutant:
    """A changed network, and the formula that it computed before."""

    about: str
    network: Transformer
    formula: Formula

    def changes_behaviour(self) -> bool:
        """Return whether the output changes on some short word."""
        try:
            return find_wrong_output(self.network, MAX_N) is not None
        except (InputError, ZeroDivisionError):
            return True

    def proved(self) -> bool:
        """Return whether Coq still proves the theorem; False for networks that cannot be printed for Coq."""
        try:
            return ask_coq_whether(self.network, self.formula).proved
        except Unsupported:
            return False


def mutants(seed: int) -> Iterator[Mutant]:
    """Yield an endless supply, from every formula and regime in turn; models that are not read are left out."""
    rng = random.Random(seed)
    for text, regime in itertools.cycle(CASES):
        formula, change = parse_formula(text, "ab"), rng.randrange(10**6)
        kind, what, changed = mutate(transformer_to_json(compile_formula(formula, "ab", regime)), change)
        try:
            yield Mutant(f"{text}, {regime}: {kind}, {what}", transformer_from_json(changed), formula)
        except InputError:
            continue


def check_changing(seed: int, number: int) -> None:
    changing = (mutant for mutant in mutants(seed) if mutant.changes_behaviour())
    proved = [mutant.about for mutant in itertools.islice(changing, number) if mutant.proved()]
    assert proved == []


def test_mutants_that_change_behaviour_are_not_proved() -> None:
    check_changing(1, 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 14))
def test_a_hundred_and_twenty_mutants_that_change_behaviour_are_not_proved(seed: int) -> None:
    check_changing(seed, 10)


@pytest.mark.exhaustive
def test_mutants_that_are_proved_are_harmless_and_there_are_some() -> None:
    proved = [mutant for mutant in itertools.islice(mutants(20), 80) if mutant.proved()]
    assert len(proved) >= 4
    assert [mutant.about for mutant in proved if mutant.changes_behaviour()] == []
