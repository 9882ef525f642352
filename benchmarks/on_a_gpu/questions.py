"""Write the questions of on_a_gpu/run.py: networks of formulas and trained ones, words, and true answers.

Usage: python benchmarks/on_a_gpu/questions.py questions.pt
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from certify.claims.floats.survey import Proved
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from certify.claims.trained.question import read_any_claim
from constructions.language.parser import parse_formula
from constructions.language.semantics import TruthTable
from constructions.network.lengths import up_to
from constructions.network.transformer import Transformer
from constructions.running.weights import weights_of
from constructions.trained.claim import input_tokens, judged
from constructions.trained.network import TrainedNetwork
from constructions.trained.numbers import all_numbers
from constructions.trained.tracks import TracksClaim, sampled_inputs
from examples.trained.zoo import Plan, plans
from proofs.floats.execution.words import two_blocks
from proofs.trained.tracks.inputs import TransducerArrays

LAST = 64
FORMULAS = {
    "since": ("(!Q_c) S Q_b", "abc"), "until": ("(!Q_c) U Q_b", "abc"), "prev": ("prev Q_a", "ab"),
    "next": ("next Q_a", "ab"), "nested": ("Q_1 since prev Q_0", "01"), "odd": ("ODD(#<[Q_1])", "01"),
    "majority": ("2*#<[Q_1] > #<[true]", "01"), "both sides": ("#<[Q_a] >= #>[Q_b]", "ab"),
    "three in a row": ("Q_1 & next Q_1 & next next Q_0", "01"),
    "alternating": ("Q_b & H ((Q_a -> !prev Q_a) & (Q_b -> prev Q_a))", "ab"),
    "a_n_b_n": ("#<[Q_a] == #<[Q_b] & H (Q_a -> !O Q_b)", "ab"),
    "tomita_5": ("EVEN(#<[Q_0]) & EVEN(#<[Q_1])", "01"),
}
BUILT_FOR = ("any", "bfloat16")
"""The network of [SHA], and the one for low precision."""
ALL_WORDS = {2: 10, 3: 6}
"""For an alphabet of this size, all words up to this length."""
LONG = (LAST // 2 + 1, LAST)
MOST = 48
KINDS = ("gpt", "encoder", "unplaced")
ADDERS = ("decimal", "decimal_soft", "ternary", "binary", "reverse", "sort", "sort_trained", "parity", "brackets")
LONGEST, LONG_WORDS, INPUTS = 40, 24, 64


def transformer_of(name: str, built_for: str) -> Transformer:
    """Return the network of a formula, certified over the reals."""
    formula, alphabet = FORMULAS[name]
    outcome = certify(formula, tuple(alphabet), LAST, precision=None if built_for == "any" else built_for)
    assert isinstance(outcome, Certified)
    return Proved.read(outcome.certificate).transformer


def words_of(alphabet: str) -> Iterator[list[Sequence[str]]]:
    """Yield words in batches of one length: all short ones; two blocks and random ones of the long lengths."""
    for n in range(1, ALL_WORDS[len(alphabet)] + 1):
        yield list(itertools.product(alphabet, repeat=n))
    for n in LONG:
        chance = random.Random(n)
        yield [*list(two_blocks(alphabet, n))[:MOST], *(chance.choices(
            alphabet, weights=[chance.random() ** 2 + 1 / 100 for _ in alphabet], k=n) for _ in range(MOST))]


def of_formula(name: str, built_for: str) -> dict[str, Any]:
    """Return weights, words, and the truths that the network names."""
    alphabet, weights = FORMULAS[name][1], weights_of(transformer_of(name, built_for), up_to(LAST), "binary64")
    named = [parse_formula(text) for text in weights.truths]
    batches = []
    for words in words_of(alphabet):
        truths = [np.array([TruthTable(word).values(part) for part in named]).T for word in words]
        batches.append({"tokens": torch.tensor([[alphabet.index(letter) for letter in word] for word in words],
                                               dtype=torch.uint8), "truths": torch.from_numpy(np.array(truths) != 0)})
    return {"name": f"{name}, {built_for}", "formula": name, "precision": built_for, "alphabet": alphabet,
            "layers": weights.layers, "truths": [*weights.truths.values()],
            "arrays": {key: torch.from_numpy(np.array(array)) for key, array in weights.arrays.items()},
            "batches": batches}


def plain(x: Any) -> Any:
    """Convert to dictionaries, lists, numbers and texts."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    return x.numerator / x.denominator if isinstance(x, Fraction) else x


def as_data(network: TrainedNetwork) -> dict[str, Any]:
    """Return a network in the form of on_a_gpu/networks.py."""
    fields = plain(asdict(replace(network, tensors={}, sources=())))
    return {**{key: fields[key] for key in ("tokens", "positions", "steps", "unembedding", "attention")},
            "tensors": {name: torch.from_numpy(np.array(all_numbers(tensor)))
                        for name, tensor in network.tensors.items()}}


def of_plan(plan: Plan) -> dict[str, Any]:
    """Return a network of the zoo, all short words, and long ones."""
    network = plan.network()
    claim, batches = replace(plan.claim(network), offsets=(0, 0)), []
    letters, first, last = tuple(claim.alphabet), claim.lengths[0], min(claim.lengths[1], LONGEST)
    chance = random.Random(plan.name)
    for n in dict.fromkeys([*range(first, 9), (first + last) // 2, last]):
        pairs = judged(claim, n) if first <= n <= last else []
        if not pairs:
            continue
        words = list(itertools.product(letters, repeat=n)) if len(letters)**n <= 256 else [
            tuple(chance.choices(letters, k=n)) for _ in range(LONG_WORDS)]
        inputs = np.array([input_tokens(claim, word) for word in words], np.uint8)
        batches.append({"n": n, "tokens": torch.from_numpy(inputs), "offset": 0,
                        "places": [at for _, at in pairs], "words": ["".join(word) for word in words]})
    return {"name": plan.name, "network": as_data(network), "batches": batches}


def of_adder(name: str) -> dict[str, Any]:
    """Return a network of examples/adders, and drawn inputs."""
    folder = Path(__file__).resolve().parents[2] / "examples" / "adders"
    network, claim = read_any_claim(str(folder / f"{name}.json"), str(folder / f"{name}.toml"))
    assert isinstance(claim, TracksClaim)
    form = claim.forms[0]
    inputs = TransducerArrays(claim, form)
    columns = np.array([[claim.column_index[column] for column in one]
                        for one in sampled_inputs(claim, form, INPUTS)])
    data: dict[str, Any] = {"name": name, "network": as_data(network), "batches": [{
        "tokens": torch.from_numpy(inputs.tokens(columns).astype(np.uint8)), "offset": claim.offset,
        "places": [place - 1 for place in form.asked]}]}
    if [track.name for track in claim.tracks] == ["a", "b"]:
        data |= {"base": len(claim.tracks[0].tokens), "columns": len(form.columns), "offset": claim.offset,
                 "layout": layout_of(form)}
    return data


def layout_of(form: Any) -> list[Any]:
    """Return tracks, tokens and the answer in their order."""
    found: list[Any] = []
    for place in form.layout:
        one = {"token": place.index, "track": "ab"[place.index] if place.kind == "track" else ""}.get(
            place.kind, "answer")
        if isinstance(one, int) or one not in found:
            found.append(one)
    return found


def main() -> None:
    """Write the questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    formulas = []
    for name, built_for in itertools.product(FORMULAS, BUILT_FOR):
        formulas.append(of_formula(name, built_for))
        print(formulas[-1]["name"], file=sys.stderr, flush=True)
    trained = [of_plan(plan) for plan in plans().values() if plan.kind in KINDS] + [of_adder(name) for name in ADDERS]
    torch.save({"formulas": formulas, "trained": trained}, given.file)


if __name__ == "__main__":
    main()
