"""The checker that is proved in Coq, on claims about random networks that are as sharp as floats tell.

The least value of a row over all words, in floats, lies between the margins of two claims: one is accepted, and of the
other the word with that value is accepted as wrong.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.network import Affine, Tensor, TrainedNetwork, View
from proofs.trained.certificate import CoverJson, decision_text, wrong_word_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.margins import Least, smaller
from proofs.trained.search import RefutingWord
from proofs.trained.words import survey
from tests.every_n.mutants_of_decisions import mutants, word_by_word
from tests.sabotage.certificates.judging import judge
from tests.tiers import few_and_all
from tests.trained.claims import PARITY, claim_of
from tests.trained.random_networks import random_network
from tests.with_ocaml import check_verified

NOTHING = CoverJson((), (), ())
SHIFT, CLOSE = 64, Fraction(1, 10**6)
FORMULAS = ("true", "Q_a", "O Q_b", "Q_a S Q_b", "#<[Q_a] > #<[Q_b]", "ODD(#<[Q_b])", "F Q_b")


def network_and_claim(seed: int, longest: int) -> tuple[TrainedNetwork, WordsClaim]:
    """Return a random network whose logit 0 is about 64, and a claim about it, of margin 0."""
    network, draw = random_network(seed, images=seed % 4 == 3), random.Random(seed)
    last, shift = network.unembedding, np.zeros(network.outputs, dtype="<f4")
    shift[0] = SHIFT
    unused = last.bias.tensor if last.bias else None
    tensors = {name: tensor for name, tensor in network.tensors.items() if name != unused}
    tensors["shift"] = Tensor("binary32", shift.shape, shift.tobytes())
    network = replace(network, tensors=tensors, unembedding=Affine(last.weight, View("shift", 0, shift.shape, (1,))))
    when = When(None, (1,)) if seed % 5 == 0 else When(parse_formula(draw.choice(FORMULAS)))
    before, read = (2,) * draw.randrange(3), draw.choice(("each", "last", "first"))
    offset = 0 if network.rows is None else draw.randrange(2)
    row = ((0, Fraction(1)),) if seed % 2 else ((0, Fraction(1)), (1, Fraction(-1, 3)))
    claim = claim_of([when], before=before, after=(3,) * draw.randrange(2), offsets=(0, offset), lengths=(1, longest),
                     read=read, empty=read == "each" and bool(before), automaton=PARITY if seed % 5 == 0 else None)
    return network, replace(claim, cases=(Case(when, (row,)),))


def least_of(network: TrainedNetwork, claim: WordsClaim) -> Least:
    found = None
    for offset in range(claim.offsets[0], claim.offsets[1] + 1):
        for count in range(0 if claim.empty else 1, claim.lengths[1] + 1):
            found = smaller(found, survey(FloatNetwork(network), claim, offset, count))
    assert found is not None
    return found


@cache
def sharp_pair(seed: int, longest: int) -> tuple[bytes, bytes]:
    """Return the files of a claim that is true, and of one that is false at a word."""
    network, claim = network_and_claim(seed, longest)
    least = least_of(network, claim)
    value = Fraction(float(least.margin)).limit_denominator(10**9)
    true, false = (replace(claim, margin=value + sign * CLOSE) for sign in (-1, 1))
    wrong = RefutingWord(least.word, least.offset, least.place, least.case, least.row, (value, value))
    text = decision_text(network, true, NOTHING)
    return word_by_word(text.encode()), wrong_word_text(network, false, wrong).encode()


def pairs(seeds: range, folder: Path, longest: int = 5) -> Iterator[Path]:
    for seed in seeds:
        for name, data in zip(("true", "false"), sharp_pair(seed, longest), strict=True):
            (path := folder / f"{name}_{seed}.cert").write_bytes(data)
            yield path


@pytest.mark.parametrize("number", few_and_all(6, 60))
def test_claims_just_below_the_least_value_are_accepted_and_just_above_it_refuted(tmp_path: Path, number: int) -> None:
    paths = list(pairs(range(7100, 7100 + number), tmp_path))
    found = check_verified(paths, with_zarith=True)
    assert [one.lines[-1] for one in found if one.verdict != "accepted"] == []
    assert {one.lines[0] for one, path in zip(found, paths, strict=True) if path.stem.startswith("false")} == {
        "the claim that follows is FALSE:"}


@pytest.mark.parametrize("number", few_and_all(4, 110))
def test_mutants_of_random_claims_are_accepted_only_where_python_accepts_them(tmp_path: Path, number: int) -> None:
    paths, accepted = list[Path](), dict[Path, bool]()
    for path in list(pairs(range(7000, 7000 + max(2, number // 5)), tmp_path, longest=3)):
        for k, data in enumerate(mutants(path.read_bytes(), number)):
            (mutant := path.with_name(f"{path.stem}_{k}.cert")).write_bytes(data)
            paths.append(mutant)
            accepted[mutant] = judge(data).verdict == "accepted"
    found = check_verified(paths, with_zarith=True)
    both = [path for path, one in zip(paths, found, strict=True) if one.verdict == "accepted"]
    assert [path.stem for path in both if not accepted[path]] == []
    assert 0 < len(both) <= sum(accepted.values()) < len(paths)
