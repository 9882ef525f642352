"""Running one network in every way there is, and what its truths are by the semantics."""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime

from certify.exports.onnx_graph import onnx_model
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.printer import MAX_PLAIN, written_length
from constructions.language.semantics import TruthTable
from constructions.language.syntax import Formula, subformulas
from constructions.network.lengths import up_to
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES
from constructions.running.numpy_network import to_numpy
from constructions.running.to_torch import to_torch
from constructions.running.weights import weights_of
from tests.with_torch import torch_or_skip

Word = Sequence[str]
Run = Callable[[Sequence[Word]], Any]
FORMULAS = {
    "Q_1": "01", "prev Q_a": "ab", "next (Q_a & !Q_b)": "ab", "Q_1 since Q_0": "01", "Q_1 until prev Q_0": "01",
    "(Q_a | Q_b) since (Q_b & prev Q_a)": "abc", "O (Q_a & H Q_a)": "ab", "G (Q_b -> F Q_a)": "ab",
    "ODD(#<[Q_1])": "01", "#<[Q_1] - #<[Q_0] >= 1": "01", "#<[Q_1] == #>[Q_1]": "01",
    "#<[prev Q_1] != 2 | LAST": "01", "MOD(1,3) & FIRST -> Q_a": "ab", "PRIME(#<[Q_a since Q_b])": "ab",
}
"""A dozen and two: every operator, and counts to both sides."""


def networks(formula: str, alphabet: str) -> Iterator[Transformer]:
    """Those of the formula, in every regime that it fits."""
    for regime in ALL_REGIMES:
        try:
            yield compile_formula(parse_formula(formula), alphabet, regime)
        except Unsupported:
            continue


def short_words(alphabet: Sequence[str], longest: int) -> Iterator[list[Word]]:
    """All words of each length."""
    for n in range(1, longest + 1):
        yield list(itertools.product(alphabet, repeat=n))


def random_words(alphabet: Sequence[str], n: int, count: int) -> list[Word]:
    """Always the same; the first few symbols are drawn with changing odds, so that counts differ."""
    chance = random.Random(n)
    return [chance.choices(alphabet, weights=[chance.random() ** 2 + 0.01 for _ in alphabet], k=n)
            for _ in range(count)]


def tokens(transformer: Transformer, words: Sequence[Word]) -> Any:
    """Places in the alphabet."""
    places = {symbol: place for place, symbol in enumerate(transformer.alphabet)}
    return np.array([[places[symbol] for symbol in word] for word in words], dtype=np.int64)


def formula_of(transformer: Transformer) -> Formula:
    """Return the formula that the output means."""
    meaning = transformer.directions[transformer.output]
    assert isinstance(meaning, Truth)
    return meaning.formula


def truths(transformer: Transformer, words: Sequence[Word]) -> Any:
    """Return truths by the semantics, [words, n, subformulas that are short enough to be named in a program]."""
    formula = formula_of(transformer)
    named = [part for part in subformulas(formula) if part is formula or written_length(part) <= MAX_PLAIN]
    tables = [TruthTable(word) for word in words]
    return np.array([[table.values(part) for part in named] for table in tables]).transpose(0, 2, 1)


def numpy_run(transformer: Transformer, max_n: int, precision: str = "binary32") -> Run:
    """numpy; sums of 16 bits accumulate in binary32, as they do in the other programs."""
    return to_numpy(transformer, max_n, precision, None if precision == "binary32" else "binary32").run


def onnx_session(transformer: Transformer, max_n: int, precision: str = "binary32",
                 metadata: Mapping[str, str] = {}) -> Any:
    """onnxruntime, one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # what is refused is tested, not printed
    model = onnx_model(weights_of(transformer, up_to(max_n), precision), metadata)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def onnx_run(transformer: Transformer, max_n: int, precision: str = "binary32") -> Run:
    """Return the truths by onnxruntime."""
    session = onnx_session(transformer, max_n, precision)
    return lambda words: session.run(["truths"], {"tokens": tokens(transformer, words)})[0]


def torch_run(transformer: Transformer, max_n: int, precision: str = "binary32", fused: bool = False) -> Run:
    """torch, on the processor."""
    network = to_torch(transformer, max_n, precision, fused)
    return lambda words: network.run(words).double().numpy()


def fused_run(transformer: Transformer, max_n: int, precision: str = "binary32") -> Run:
    """torch with its own attention."""
    return torch_run(transformer, max_n, precision, fused=True)


RUNS = {"numpy": numpy_run, "onnxruntime": onnx_run, "torch": torch_run, "torch, fused attention": fused_run}
"""By the name of the program."""


def started(program: str, transformer: Transformer, max_n: int, precision: str = "binary32") -> Run:
    """Return a program, ready to run; the test is skipped if it needs torch, which is absent."""
    if program.startswith("torch"):
        torch_or_skip()
    return RUNS[program](transformer, max_n, precision)


def assert_exact(run: Run, transformer: Transformer, words: Sequence[Word]) -> None:
    """Every truth is exactly 1 or exactly 0, as the semantics says."""
    assert np.array_equal(np.asarray(run(words), dtype=np.float64), truths(transformer, words))
