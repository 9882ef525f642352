"""Compare the search and the proof of all words of a trained network with plain enumeration in numpy.

    python benchmarks/every_word.py                      both rows at their sizes: some minutes
    python benchmarks/every_word.py causal 14            1 layer, width 16, up to 14 letters
    python benchmarks/every_word.py bidirectional 14     brackets' shape: 3 layers, width 56

``numpy`` runs all words of each length in float64, in batches, and proves nothing. ``search`` is the search of `certify
decide` before the proof; ``proof`` is the trusted folder. Times are processor seconds of one process, where numpy has
one thread, as waiting threads would count as working. The weights are random, except a bias that makes the answer 0 on
every word, which is the claim.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

import numpy as np

from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, Read, When, WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.check import check_text
from proofs.trained.certificate import WordsUnit, cover_of, decision_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import WordMargins, survey_all, words_in_batches

Attention = Literal["causal", "bidirectional"]
SIZES: dict[Attention, int] = {"causal": 14, "bidirectional": 10}
SHAPES = {"causal": (1, 16, 1, 64), "bidirectional": (3, 56, 2, 56)}
"""Layers, width, heads, hidden units."""
ROWS, BATCH = 42, 1024

Result = TypeVar("Result")


def random_network(attention: Attention, seed: int = 0) -> TrainedNetwork:
    """Return a network of 5 tokens and 2 logits with TransformerLens's names."""
    layers, width, heads, units = SHAPES[attention]
    draw = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {"embed.W_E": (5, width), "pos_embed.W_pos": (ROWS, width),
                                         "unembed.W_U": (width, 2)}  # fmt: skip
    for layer in range(layers):
        block, head = f"blocks.{layer}", width // heads
        shapes |= {f"{block}.attn.W_{kind}": (heads, width, head) for kind in "QKV"}
        shapes |= {f"{block}.attn.W_O": (heads, head, width), f"{block}.mlp.W_in": (width, units),
                   f"{block}.mlp.W_out": (units, width)}  # fmt: skip
    tensors: dict[str, Any] = {name: (draw.standard_normal(shape) / 8).astype(np.float32)
                               for name, shape in shapes.items()}  # fmt: skip
    tensors["unembed.b_U"] = np.array([64, 0], np.float32)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "network.npz")
        np.savez(path, **tensors)
        options = Options(kind="hooked-transformer", attention=attention, norm="layer", epsilon=Fraction(1, 10**5),
                          activation="relu")
        return import_network([path], options).network


def claim_of_zero(longest: int, attention: Attention) -> WordsClaim:
    """Return the claim that the logit of 0 is above that of 1 after every word over two letters."""
    above = ((0, Fraction(1)), (1, Fraction(-1)))
    read: Read = "last" if attention == "causal" else "first"
    return WordsClaim(("0", "1"), (3, 4), (0,), (2,), (0, 0), (1, longest), read, False, Fraction(0),
                      Automaton(0, ((0, 0),)), (), (Case(When(None, (0,)), (above,)),))  # fmt: skip


def enumerate_in_numpy(network: TrainedNetwork, claim: WordsClaim) -> np.float64:
    """Return the greatest logit of any word where it is judged."""
    judge, greatest = WordMargins(FloatNetwork(network), claim), np.float64(-np.inf)
    for n in range(claim.lengths[0], claim.lengths[1] + 1):
        for words in words_in_batches(len(claim.alphabet), n, BATCH):
            at = [0 if claim.read == "first" else -1]
            greatest = max(greatest, judge.network.logits(judge.inputs(words), 0, at).max())
    return greatest


def seconds(of: Callable[[], Result]) -> tuple[float, Result]:
    """Return the processor seconds of a call, and its result."""
    start = time.process_time()
    found = of()
    return time.process_time() - start, found


def print_row(name: Attention, size: int) -> None:
    """Measure one row."""
    network, claim = random_network(name), claim_of_zero(size, name)
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
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # numpy reads it on import
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    for name, size in SIZES.items():
        if sys.argv[1:2] in ([], [name]):
            print_row(name, int(sys.argv[2]) if len(sys.argv) == 3 else size)


if __name__ == "__main__":
    main()
