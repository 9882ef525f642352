"""Every word of a trained network: its search and its proof beside plain enumeration in numpy, in one process.

    python benchmarks/every_word.py                      all rows at their sizes: some minutes
    python benchmarks/every_word.py causal 14            1 layer, width 16, up to 14 letters
    python benchmarks/every_word.py bidirectional 14     brackets' shape: 3 layers, width 56
    python benchmarks/every_word.py modular 113          all sums of two letters modulo 113: width 128, 4 heads

``numpy`` runs all words of each length in float64, whole, in batches, and proves nothing. ``search`` is how `certify
decide` looks at all words before the proof; ``proof`` is the trusted folder. Processor seconds of one process, in which
numpy has one thread: others that wait would count as if they worked.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.deciding import KINDS, claim_of_zero, random_network
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, Claim, When
from constructions.trained.network import TrainedNetwork
from proofs.check import check_text
from proofs.trained.certificate import WordsUnit, cover_of, decision_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import WordMargins, survey_all, words_in_batches

SIZES = {"causal": 14, "bidirectional": 10, "modular": 113}
FREQUENCIES = (3, 17, 31, 46, 5, 22, 40, 54)
WIDTH, UNITS, HEADS = 128, 512, 4
BATCH = 1024

Result = TypeVar("Result")


def modular_tensors(p: int) -> dict[str, NDArray[np.float32]]:
    """Weights that add modulo p: the mean of waves of both letters, units, and waves of the sum; all turned at random.

    In f, the second harmonic of max(0, cos(wa + f) + cos(wb + f)) is a multiple of cos(w(a + b) + 2f) |cos(w(a-b)/2)|.
    """
    draw, numbers = np.random.default_rng(0), np.arange(p)
    turn = np.linalg.qr(draw.standard_normal((WIDTH, WIDTH)))[0]
    waves, phases, each = len(FREQUENCIES), UNITS // len(FREQUENCIES), WIDTH // HEADS
    tokens, inward, outward = np.zeros((p + 1, WIDTH)), np.zeros((WIDTH, UNITS)), np.zeros((UNITS, p))
    for k, frequency in enumerate(FREQUENCIES):
        angles = 2 * np.pi * frequency * numbers / p
        tokens[:p, 2 * k], tokens[:p, 2 * k + 1] = np.cos(angles), np.sin(angles)
        for r in range(phases):
            f = 2 * np.pi * r / phases
            inward[2 * k, k * phases + r], inward[2 * k + 1, k * phases + r] = np.cos(f), -np.sin(f)
            outward[k * phases + r] = np.cos(angles + 2 * f)
    left, sizes, right = np.linalg.svd(outward, full_matrices=False)
    written, read = np.zeros((UNITS, WIDTH)), np.zeros((WIDTH, p))
    places = slice(2 * waves, 4 * waves)
    written[:, places], read[places] = left[:, :2 * waves] * sizes[:2 * waves], right[:2 * waves]
    values = turn.T.reshape(WIDTH, HEADS, each).transpose(1, 0, 2)
    tensors = {
        "embed.W_E": tokens @ turn, "pos_embed.W_pos": np.zeros((3, WIDTH)), "unembed.W_U": turn.T @ read / 2,
        "blocks.0.attn.W_Q": np.zeros((HEADS, WIDTH, each)), "blocks.0.attn.W_V": values,
        "blocks.0.attn.W_K": draw.standard_normal((HEADS, WIDTH, each)) / WIDTH,
        "blocks.0.attn.W_O": 3 * values.transpose(0, 2, 1), "blocks.0.mlp.W_in": turn.T @ inward,
        "blocks.0.mlp.W_out": written @ turn}  # fmt: skip
    return {name: np.ascontiguousarray(values, np.float32) for name, values in tensors.items()}


def modular_network(p: int) -> TrainedNetwork:
    """With TransformerLens's names."""
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "network.npz")
        np.savez(path, **modular_tensors(p))  # type: ignore[arg-type]
        return import_network([path], Options(kind="hooked-transformer", attention="causal", norm="none",
                                             activation="relu")).network


def modular_claim(p: int) -> Claim:
    """After two letters and the token p, the logit of their sum is above all others."""
    steps = [list(range(1, p + 1)), *([1 + p + (a + b) % p for b in range(p)] for a in range(p)),
             *([2 * p + 1] * p for _ in range(p + 1))]  # fmt: skip
    one = Fraction(1)
    cases = [Case(When(None, (1 + p + right,)),
                  tuple(tuple(sorted([(right, one), (other, -one)])) for other in range(p) if other != right))
             for right in range(p)]  # fmt: skip
    return Claim(tuple(map(str, range(p))), tuple(range(p)), (), (p,), (0, 0), (2, 2), "last", False, Fraction(0),
                 Automaton(0, tuple(map(tuple, steps))), (), tuple(cases))  # fmt: skip


def question(name: str, size: int) -> tuple[TrainedNetwork, Claim]:
    """The network and the claim of a row."""
    if name == "modular":
        return modular_network(size), modular_claim(size)
    attention = next(kind for kind in KINDS if kind == name)
    return random_network(attention), claim_of_zero(size, "last" if name == "causal" else "first")


def enumerate_in_numpy(network: TrainedNetwork, claim: Claim) -> np.float64:
    """The greatest logit of any word where it is judged."""
    judge, greatest = WordMargins(FloatNetwork(network), claim), np.float64(-np.inf)
    for n in range(claim.lengths[0], claim.lengths[1] + 1):
        for words in words_in_batches(len(claim.alphabet), n, BATCH):
            at = [0 if claim.read == "first" else -1]
            greatest = max(greatest, judge.network.logits(judge.inputs(words), 0, at).max())
    return greatest


def seconds(of: Callable[[], Result]) -> tuple[float, Result]:
    """Processor seconds of a call, and what it gives."""
    start = time.process_time()
    found = of()
    return time.process_time() - start, found


def print_row(name: str, size: int) -> None:
    """Measure one row."""
    network, claim = question(name, size)
    words = sum(len(claim.alphabet) ** n for n in range(claim.lengths[0], claim.lengths[1] + 1))
    plain, _ = seconds(lambda: enumerate_in_numpy(network, claim))
    lengths = range(claim.lengths[0], claim.lengths[1] + 1)
    search, found = seconds(lambda: survey_all(FloatNetwork(network), claim, 0, lengths))
    assert all(least is not None and least.margin > 0 for least in found.values())
    text = decision_text(network, claim, cover_of([WordsUnit(0, *claim.lengths)])).encode()
    proof, _ = seconds(lambda: check_text(text, work=1000))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{name} {size}: {words:,} words; numpy {plain:.2f} s, search {search:.2f} s ({search / plain:.1f} x numpy), "
          f"proof {proof:.2f} s ({1000 * proof / words:.3f} ms a word), both {(search + proof) / plain:.1f} x numpy; "
          f"peak {peak} MB", flush=True)


def main() -> None:
    """Print the rows."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # numpy reads it when it is imported
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    asked = [(sys.argv[1], int(sys.argv[2]))] if len(sys.argv) == 3 else list(SIZES.items())
    for name, size in asked:
        print_row(name, size)


if __name__ == "__main__":
    main()
