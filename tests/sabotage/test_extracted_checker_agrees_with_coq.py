"""The extracted checker and Coq's kernel say the same of networks and their mutants, and nothing false is accepted.

One reads the model's file, the other what `proofs.every_n.transformer_file` prints of it for Coq: so the readers are
compared, too. Mutants are written in their one spelling; what the program reads of others, it writes in that spelling.
"""

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.examples import load_examples
from certify.common.shipped import examples_folder
from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.syntax import Formula
from constructions.network.json_form import read_transformer, transformer_to_json, write_canonical
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.every_n import EVERY_LENGTH, ProvedLengths
from tests.network.second_forward import SecondForward
from tests.sabotage.ground_truth import DIGITS, own_misses, words
from tests.sabotage.mutations import mutate
from tests.sabotage.test_mutants_are_never_certified_wrongly import CASES
from tests.sabotage.test_mutants_of_hand_written_models import LENGTHS
from tests.tiers import few_and_all
from tests.with_coq import UNSUPPORTED, places_of_kernel
from tests.with_ocaml import Judged, canonical, judge

MAX_N = {2: 4, 3: 4, 4: 3}
"""By the number of symbols."""
BATCH = 50


@dataclass(frozen=True)
class Case:
    """A model file, the requested formula, the original formula of a mutant, and the lengths."""

    about: str
    model: dict[str, Any]
    asked: str
    lengths: ProvedLengths = EVERY_LENGTH

    def network(self) -> Transformer | None:
        """None if the file is not read."""
        try:
            return read_transformer(json.dumps(self.model))
        except InputError:
            return None

    def formula(self) -> Formula:
        return parse_formula(self.asked, self.model["alphabet"])

    def judged(self, folder: Path) -> Judged:
        """Return the output of the program on the canonical form, or on the text itself if it is not read."""
        path, network = folder / "model.json", self.network()
        path.write_text(json.dumps(self.model), encoding="utf-8")
        if network is not None:
            text, written = write_canonical(transformer_to_json(network)), canonical(path)
            assert written in (text, None), self.about
            path.write_text(text, encoding="utf-8")
        return judge(path, self.asked, self.lengths)


def expected(case: Case, place: str) -> tuple[int, str, str]:
    """Return the expected output if the kernel stopped at this place."""
    if case.network() is None:
        return 2, "malformed", ""
    if place == UNSUPPORTED:
        return 3, UNSUPPORTED, ""
    return (3, "unproved", place) if place else (0, "proved", "")


def check_agreement(cases: Sequence[Case], folder: Path) -> list[Case]:
    """Program and kernel agree on all of them; those that are proved."""
    networks = [case.network() for case in cases]
    asked = [(network, case.formula(), case.lengths)
             for network, case in zip(networks, cases, strict=True) if network is not None]
    places = iter(places_of_kernel(asked))
    proved = []
    for case, network in zip(cases, networks, strict=True):
        found = case.judged(folder)
        assert (found.status, found.word, found.place) == expected(case, next(places) if network else ""), case.about
        if found.word == "proved":
            proved.append(case)
    return proved


def compiled(text: str, alphabet: Sequence[str], regime: Regime) -> Iterator[Case]:
    """Yield the network of a formula, if there is one."""
    try:
        network = compile_formula(parse_formula(text, alphabet), alphabet, regime)
    except Unsupported:
        return
    output = network.directions[network.output]
    assert isinstance(output, Truth)
    yield Case(f"{text}, {regime}", transformer_to_json(network), str(output.formula))


def examples(regimes: Sequence[Regime]) -> Iterator[Case]:
    for example, regime in itertools.product(load_examples(), regimes):
        yield from compiled(str(example.formula), example.alphabet, regime)


def shipped_models() -> Iterator[Case]:
    """Yield the shipped models, with the lengths where they are right."""
    for path in sorted((examples_folder() / "models").glob("*.json")):
        network = read_transformer(path.read_text(encoding="utf-8"))
        output = network.directions[network.output]
        assert isinstance(output, Truth)
        yield Case(path.stem, transformer_to_json(network), str(output.formula), LENGTHS[path.stem])


def one_length_more(case: Case) -> Iterator[Case]:
    """At the other end of a range."""
    least, greatest = case.lengths.least, case.lengths.greatest
    if greatest is not None:
        yield replace(case, lengths=ProvedLengths(least, greatest + 1))
    if least > 1:
        yield replace(case, lengths=ProvedLengths(least - 1, greatest))


def formulas_of_the_file() -> Iterator[Case]:
    lines = (examples_folder() / "formulas.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            yield from compiled(line, "ab", ALL_REGIMES[0])


def bases(rng: random.Random) -> Iterator[Case]:
    """Yield endlessly networks of every formula and regime in turn, and sometimes a handmade one."""
    by_hand = itertools.cycle(shipped_models())
    for number, (text, regime) in enumerate(itertools.cycle(rng.sample(CASES, len(CASES)))):
        yield from compiled(text, "ab", regime) if number % 8 else [next(by_hand)]


def mutants(seed: int) -> Iterator[Case]:
    """Yield endlessly cases with one change of the network or of the request."""
    rng = random.Random(seed)
    for case in bases(rng):
        if rng.random() < 1 / 10:
            letters = rng.sample(case.model["alphabet"], 2)
            asked = rng.choice([f"!({case.asked})", f"({case.asked}) & true", f"prev ({case.asked})",
                                f"Q_{letters[0]} since Q_{letters[1]}", f"({case.asked})"])
            yield replace(case, about=f"{case.about}: asked for {asked}", asked=asked)
        else:
            kind, what, changed = mutate(case.model, rng.randrange(10**6))
            yield replace(case, about=f"{case.about}: {kind}, {what}", model=changed)


def output_is_wrong(network: Transformer, least: int) -> bool:
    """Return whether the output is wrong on a short word from this length on; unread directions are arbitrary."""
    forward = SecondForward(network, DIGITS)
    return any(direction == network.output
               for word in words(network.alphabet, MAX_N[len(network.alphabet)], least)
               for direction, _ in own_misses(network, word, forward))


def check_mutants(seed: int, number: int, folder: Path) -> int:
    """Return the mutants agree, and of those that are proved the output is right on short words; how many these are."""
    proved = check_agreement(list(itertools.islice(mutants(seed), number)), folder)
    for case in proved:
        network = case.network()
        assert network is not None and not output_is_wrong(network, case.lengths.least), case.about
        assert network.directions[network.output] == Truth(case.formula()), case.about
    return len(proved)


def test_shipped_models_and_examples_are_judged_as_by_the_kernel(tmp_path: Path) -> None:
    cases = [*shipped_models(), *formulas_of_the_file(), *itertools.islice(examples([ALL_REGIMES[0]]), 0, None, 8)]
    assert len(check_agreement(cases, tmp_path)) >= 5


@pytest.mark.parametrize("count", few_and_all(20, 60))
def test_mutants_are_judged_as_by_the_kernel(count: int, tmp_path: Path) -> None:
    assert check_mutants(1, count, tmp_path) >= count // 20


def test_shipped_models_are_proved_where_they_are_right_and_for_no_length_more(tmp_path: Path) -> None:
    right = list(shipped_models())
    more = [other for case in right for other in one_length_more(case)]
    assert check_agreement([*right, *more], tmp_path) == right and len(right) == 2 * len(more) == 6


@pytest.mark.exhaustive
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_every_example_is_proved_as_by_the_kernel(regime: Regime, tmp_path: Path) -> None:
    cases = list(examples([regime]))
    assert len(check_agreement(cases, tmp_path)) == len(cases) >= 10


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 22))
def test_a_thousand_mutants_are_judged_as_by_the_kernel(seed: int, tmp_path: Path) -> None:
    check_mutants(seed, BATCH, tmp_path)
