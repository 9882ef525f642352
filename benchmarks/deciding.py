"""Decide a network of the zoo or a random one, and write the certificate: what benchmarks/run.py measures.

    python benchmarks/deciding.py tomita_2 63 all decision.cert      a network of examples/trained, at all offsets
    python benchmarks/deciding.py causal 14 0 decision.cert          every word of a random one: 1 layer, width 16
    python benchmarks/deciding.py bidirectional 12 0 decision.cert   3 layers, width 56
    python benchmarks/deciding.py tomita_2 8 0 runs.cert flash       every float run of a class; how many times the
                                                                     decision over the reals that, and its check, cost

A random network has a bias that makes its answer 0 on every word, and that is what is claimed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from certify.frame.shards import Workers
from certify.trained.decide import Settings, decide
from certify.trained.decision import Decision
from certify.trained.float_decision import FloatDecision, decide_floats
from certify.trained.part import MOST_WORDS
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, Claim, When, claim_of_lengths
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.enclosures.float_runs.run_class import presets
from proofs.trained.certificate import WordsUnit, cover_of, decision_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import survey_all

Attention = Literal["causal", "bidirectional"]
KINDS: tuple[Attention, ...] = ("causal", "bidirectional")
SHAPES = {"causal": (1, 16, 1, 64), "bidirectional": (3, 56, 2, 56)}
"""Layers, width, heads, units."""
ROWS = 42


def random_network(attention: Attention, seed: int = 0) -> TrainedNetwork:
    """A network of 5 tokens and 2 logits with TransformerLens's names."""
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


def claim_of_zero(longest: int, read: str) -> Claim:
    """The logit of 0 is above that of 1 after every word over two letters."""
    above = ((0, Fraction(1)), (1, Fraction(-1)))
    return Claim(("0", "1"), (3, 4), (0,), (2,), (0, 0), (1, longest), "first" if read == "first" else "last", False,
                 Fraction(0), Automaton(0, ((0, 0),)), (), (Case(When(None, (0,)), (above,)),))  # fmt: skip


def every_word(attention: Attention, longest: int) -> str:
    """The certificate that runs every word, after floats found that all are right."""
    network, claim = random_network(attention), claim_of_zero(longest, "last" if attention == "causal" else "first")
    if attention == "causal":
        found = survey_all(FloatNetwork(network), claim, 0, range(1, longest + 1)).values()
        assert all(least is not None and least.margin > 0 for least in found)
        return decision_text(network, claim, cover_of([WordsUnit(0, 1, longest)]))
    decision = decide(network, claim, Settings(Workers(2), most_words=MOST_WORDS))
    assert decision.certificate is not None and decision.certified_to == longest
    return decision.certificate


def of_the_zoo(name: str, longest: int, offsets: str, runs: Sequence[str] = ()) -> str:
    """The certificate of as many lengths as are certified."""
    plan = plans()[name]
    network = plan.network()
    last = (network.rows or 1) - 1 if offsets == "all" else 0
    claim = replace(plan.claim(network), lengths=(1, longest), offsets=(0, last))
    if runs:
        return of_float_runs(network, claim, runs[0])
    certificate = decide(network, claim, Settings(Workers(2))).certificate
    assert certificate is not None
    return certificate


def of_float_runs(network: TrainedNetwork, claim: Claim, name: str) -> str:
    """The certificate of every float run of a class; prints how many times a decision over the reals it takes."""
    text, ((real, checked), (floats, floats_checked)) = times_of_float_runs(network, claim, name)
    print(f"{name}: {floats:.1f} s, {floats / real:.1f} times the decision; its check {floats_checked:.1f} s, "
          f"{floats_checked / checked:.1f} times that of the decision (seconds of processor)")
    return text


def times_of_float_runs(network: TrainedNetwork, claim: Claim, name: str) -> tuple[str, list[tuple[float, float]]]:
    """The same, and seconds of processor: of the decision over the reals and its check, of that of runs and its."""
    decide(network, claim_of_lengths(network, claim, 1, 2), Settings(Workers(1)))  # what is imported and made once
    asked: tuple[Callable[[], Decision | FloatDecision], ...] = (
        lambda: decide(network, claim, Settings(Workers(1))), lambda: decide_floats(network, claim, presets()[name]))
    seconds, texts = [], []
    for ask in asked:
        start = time.process_time()
        text = ask().certificate
        assert text is not None
        made = time.process_time()
        check_text(text.encode(), work=1000)
        seconds.append((made - start, time.process_time() - made))
        texts.append(text)
    return texts[1], seconds


def main() -> None:
    """Write the certificate."""
    name, longest, offsets, place, *runs = sys.argv[1:]
    kind = next((one for one in KINDS if one == name), None)
    text = every_word(kind, int(longest)) if kind else of_the_zoo(name, int(longest), offsets, runs)
    Path(place).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
