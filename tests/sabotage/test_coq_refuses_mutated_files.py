"""Sabotage in the file that Coq reads: no text that states something false of some short word is proved.

``tests/every_n/coq_reader.py`` reads the statement of a changed text, and brute force decides it.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.meanings import Truth
from proofs.every_n.compiled import axioms_of_instances
from proofs.every_n.kernel import find_answer
from proofs.every_n.transformer_file import theorem_file
from tests.every_n.coq_reader import File, Unreadable, read_coq
from tests.sabotage.file_mutations import PARTS, mutate_file
from tests.sabotage.ground_truth import find_wrong_output, words
from tests.sabotage.test_mutants_are_never_certified_wrongly import CASES
from tests.with_coq import library_of, staying_coq_or_skip

MAX_N = 4
ALWAYS_THERE = {"weight", "bias", "position function", "mask", "temperature"}
"""Parts that each of the long runs must have changed to something false."""


@dataclass(frozen=True)
class MutatedFile:
    """A changed text, what it says, and which part of it was changed."""

    part: str
    about: str
    text: str
    file: File

    def is_false(self) -> bool:
        """Return whether the output is wrong on some short word, or the claim is not its meaning."""
        network, output = self.file.network, self.file.network.directions[self.file.network.output]
        try:
            if not isinstance(output, Truth) or find_wrong_output(network, MAX_N):
                return True
            return any(truth_values(output.formula, word) != truth_values(self.file.claim, word)
                       for word in words(network.alphabet, MAX_N))
        except (InputError, ZeroDivisionError):
            return True

    def proved(self, folder: Path) -> bool:
        source = folder / "theorem.v"
        source.write_text(self.text, encoding="utf-8")
        coq = staying_coq_or_skip()
        library = library_of(coq)
        return find_answer(coq, library, source, besides=axioms_of_instances(library)).proved


def mutated_files(seed: int) -> Iterator[MutatedFile]:
    """Yield an endless supply, of every part in turn; texts that state nothing are left out."""
    rng = random.Random(seed)
    for part in itertools.cycle(PARTS):
        text, regime = rng.choice(CASES)
        formula = parse_formula(text, "ab")
        network = compile_formula(formula, "ab", regime)
        changed = mutate_file(theorem_file(network, formula), part, rng)
        try:
            if changed:
                yield MutatedFile(part, f"{text}, {regime}: {part}", changed,
                                  read_coq(changed, "ab", list(network.directions)))
        except Unreadable:
            continue


def check_false(seed: int, number: int, folder: Path) -> Counter[str]:
    """No false text is proved; how many there were of each part."""
    false = list(itertools.islice((mutant for mutant in mutated_files(seed) if mutant.is_false()), number))
    assert [mutant.about for mutant in false if mutant.proved(folder)] == []
    return Counter(mutant.part for mutant in false)


def test_files_that_state_something_false_are_not_proved(tmp_path: Path) -> None:
    check_false(1, 5, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 8))
def test_a_hundred_and_fifty_files_that_state_something_false_are_not_proved(seed: int, tmp_path: Path) -> None:
    assert set(check_false(seed, 25, tmp_path)) >= ALWAYS_THERE


@pytest.mark.exhaustive
def test_changed_files_that_are_proved_are_true_and_there_are_some(tmp_path: Path) -> None:
    proved = [mutant for mutant in itertools.islice(mutated_files(20), 40) if mutant.proved(tmp_path)]
    assert proved and [mutant.about for mutant in proved if mutant.is_false()] == []
