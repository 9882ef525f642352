"""Sabotaged hand-written models against Coq: none whose output is wrong on some short word is accepted.

The output alone counts here: `check` lets a direction that nobody reads hold anything. All mutants of a run are checked
in one Coq file, for the lengths for which the model itself is proved.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from constructions.errors import InputError, Unsupported
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.transformer import Transformer
from proofs.every_n import EVERY_LENGTH, ProvedLengths
from proofs.every_n.transformer_file import CoqFile
from tests.formula.test_hand_written_models import formula_of, shipped
from tests.sabotage.ground_truth import find_wrong_output
from tests.sabotage.mutations import mutate
from tests.with_coq import library_of, staying_coq_or_skip

LENGTHS = {
    "first_by_index": EVERY_LENGTH, "first_by_logarithm": ProvedLengths(2), "first_by_marker": ProvedLengths(1, 135),
    "flip_flop": EVERY_LENGTH, "matching_bracket": EVERY_LENGTH, "recent_write": ProvedLengths(1, 8),
}
MAX_N = {2: 5, 3: 4, 4: 3}
"""By the number of symbols."""
_QUESTION = """\
Goal True. let a := eval vm_compute in (check_for users {lengths} network meanings claim) in idtac "{number}" a. Abort.
"""


@dataclass(frozen=True)
class Mutant:
    """A changed model, and what was changed."""

    name: str
    what: str
    network: Transformer

    def is_wrong(self) -> bool:
        """Return whether the output is wrong or undefined on a short word."""
        try:
            max_n, least = MAX_N[len(self.network.alphabet)], LENGTHS[self.name].least
            return find_wrong_output(self.network, max_n, least) is not None
        except (InputError, ZeroDivisionError):
            return True

    def module(self, number: int) -> str:
        """Return the mutant as a module that prints its number and what the checker says."""
        _, _, definitions = definitions_of(self.network).partition("Open Scope Q_scope.\n")
        question = _QUESTION.format(lengths=LENGTHS[self.name].data(), number=number)
        return f"Module M{number}.\n{definitions}\n{question}\nEnd M{number}.\n"


def definitions_of(network: Transformer) -> str:
    """Return the network, its meanings and the claim as Coq has them."""
    return CoqFile(network, formula_of(network)).text("")


def mutants(name: str, seeds: range) -> Iterator[Mutant]:
    """Those that are networks with softmax still, whose output means a truth."""
    model = transformer_to_json(shipped(name))
    for seed in seeds:
        try:
            kind, what, changed = mutate(model, seed)
            network = transformer_from_json(changed)
            definitions_of(network)
        except (InputError, Unsupported, AssertionError):
            continue
        yield Mutant(name, f"{name}, {seed}, {kind}: {what}", network)


def accepted(tried: list[Mutant], folder: Path) -> list[Mutant]:
    """Return the mutants for which the checker of the library says yes."""
    coq = staying_coq_or_skip()
    head, _, _ = definitions_of(shipped("flip_flop")).partition("Open Scope Q_scope.\n")
    source = folder / "mutants.v"
    modules = "".join(mutant.module(number) for number, mutant in enumerate(tried))
    source.write_text(f"{head}Open Scope Q_scope.\n{modules}", encoding="utf-8")
    run = coq.compile(source, library_of(coq))
    assert run.accepted, run.complaint
    answers = dict(re.findall(r'(?m)^"?(\d+)"? (true|false)$', run.printed))
    assert len(answers) == len(tried), run.printed[:400]
    return [mutant for number, mutant in enumerate(tried) if answers[str(number)] == "true"]


def check_mutants(names: list[str], seeds: range, folder: Path) -> tuple[int, int]:
    """None that is wrong is accepted; how many were tried, and how many accepted."""
    tried = [mutant for name in names for mutant in mutants(name, seeds)]
    found = accepted(tried, folder)
    assert [mutant.what for mutant in found if mutant.is_wrong()] == []
    return len(tried), len(found)


def test_no_wrong_mutant_of_a_short_model_is_accepted(tmp_path: Path) -> None:
    tried, found = check_mutants([name for name in LENGTHS if name != "matching_bracket"], range(5), tmp_path)
    assert tried >= 20 and 0 < found < tried


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LENGTHS)
def test_no_wrong_mutant_of_many_is_accepted(name: str, tmp_path: Path) -> None:
    tried, found = check_mutants([name], range(100, 220), tmp_path)
    assert 0 < found < tried
