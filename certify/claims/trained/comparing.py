"""Comparison of an imported network with its original: the imported program, or logits that its owner wrote.

ONNX files are run by ONNX Runtime, programs of torch.export by our interpreter (originals_torch.py), where these are
installed. The network is enclosed in ball arithmetic. Differences beyond the rounding of the original are errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_UP, Context
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from certify.claims.trained.networks import parameters
from constructions.errors import InputError
from constructions.importing.contents import MAX_FILE_BYTES
from constructions.importing.onnx_file import load_model, with_external_data
from constructions.text import printable
from constructions.trained.network import ELEMENT_BYTES, ImportComparison, Rounding, Tensor, TrainedNetwork, UnitsStep
from constructions.trained.numbers import all_numbers
from proofs.trained.balls import BallNetwork, enclose_logits
from proofs.trained.forward import FloatNetwork

if TYPE_CHECKING:
    from constructions.importing.importer import Imported
    from constructions.importing.parts import Interface

Word = tuple[int, ...]
Run = Callable[[Sequence[int]], Any]
"""The first output of the original on a word, as an array."""
BITS = 64
OLDEST_IR = 10
"""A version of ONNX's format that ONNX Runtime reads; the semantics of nodes does not depend on it."""
MOST_WORDS = 24
LONGEST, TWO = 64, 2
WORK = 10_000_000
"""Budget: parameters of the network times tokens, over all words; at least two words are run."""
ROUNDING = {2: 2.0**-10, 4: 2.0**-22, 8: 2.0**-48}
"""Relative rounding of weights, by the size of an original's numbers in bytes; its effect on logits is tolerated."""
ALLOWED = 16
"""Greatest difference that is tolerated, as a multiple of the effect of ROUNDING."""


class _NotRun(Exception):
    """The installed tools cannot run the program."""


@dataclass(frozen=True)
class Original:
    """A program or a file that gives logits: its name, the words of the comparison, and their outputs."""

    name: str
    words: Sequence[Word]
    run: Run


def with_comparison(imported: Imported, files: Sequence[Path], given: Mapping[str, int | None],
                    expected: str | None) -> Imported:
    """Return the network with its comparison, if there is an original to compare it with.

    Raises:
        InputError: if a difference exceeds rounding, or the original cannot be run.
    """
    try:
        original = _of_owner(expected, imported.network) if expected is not None else _of_program(
            files, imported, given) if len(files) == 1 else None
    except _NotRun as problem:
        report = imported.report
        return replace(imported, report=replace(report, assumed=(*report.assumed, f"not compared: {problem}")))
    if original is None:
        return imported
    where = printable(expected or files[0].name)
    difference = _greatest_difference(imported, original, where)
    lengths = sorted(map(len, original.words))
    compared = ImportComparison(original.name, len(original.words), (lengths[0], lengths[-1]), difference)
    return replace(imported, network=replace(imported.network, compared=compared))


# -- originals ---------------------------------------------------------------------------------------------------------


def _of_program(files: Sequence[Path], imported: Imported, given: Mapping[str, int | None]) -> Original | None:
    """Return the program in the only file; None if there is none, or its runtime is not installed."""
    (path,), interface = files, imported.report.interface
    if interface is None:
        return None
    if any(isinstance(step, UnitsStep) and isinstance(step.activation, Rounding) for step in imported.network.steps):
        raise _NotRun("it rounds activations, and a program that rounds sums may resolve ties differently")
    words = drawn_words(imported.network, interface)
    if path.suffix == ".onnx":
        try:
            import onnxruntime
        except ModuleNotFoundError:
            return None
        return Original(f"onnxruntime {onnxruntime.__version__}", words, _onnx_run(path, given))
    if path.suffix == ".pt2":
        try:
            import torch
        except ModuleNotFoundError:
            return None
        from certify.claims.trained.originals_torch import open_program

        try:
            run = open_program(path.read_bytes(), printable(path.name), given)
        except InputError as problem:
            raise _NotRun(str(problem)) from None
        words = [word for word in words if len(word) >= interface.least or _takes(run, word)]
        return Original(f"torch {torch.__version__.partition('+')[0]}", words, run)
    return None


def _takes(run: Run, word: Word) -> bool:
    """Return whether a program runs on a word that is shorter than it states."""
    try:
        run(word)
    except InputError:
        return False
    return True


def _onnx_run(path: Path, given: Mapping[str, int | None]) -> Run:
    """Run the graph in ONNX Runtime, without optimisation."""
    import onnxruntime

    where, options = printable(path.name), onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4

    model = load_model(with_external_data(path.read_bytes(), path)[0], where)
    model.ir_version = min(model.ir_version, OLDEST_IR)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as problem:  # errors of ONNX Runtime have no common class
        raise _NotRun(f"ONNX Runtime cannot run it: {_line(problem)}") from None

    def run(word: Sequence[int]) -> Any:
        inputs = {one.name: _filled(word if one.name not in given else range(len(word)) if given[one.name] is None else
                                    [given[one.name]] * len(word), one) for one in session.get_inputs()}
        try:
            return session.run([session.get_outputs()[0].name], inputs)[0]
        except Exception as problem:
            raise InputError(f"{where}: ONNX Runtime cannot run it on {len(word)} tokens: {_line(problem)}") from None
    return run


def _line(problem: Exception) -> str:
    return printable(" ".join(str(problem).split())[:160])


def _filled(numbers: Sequence[int | None], one: Any) -> Any:
    """Return an input of ONNX Runtime, [tokens] or [1, tokens], of its own type."""
    name = re.fullmatch(r"tensor\((\w+)\)", one.type)
    kinds = {"float": "float32", "double": "float64"}
    kind = kinds.get(name[1], name[1]) if name else "int64"
    return np.array(numbers, kind).reshape((1,) * (len(one.shape) - 1) + (-1,) if one.shape else ())


def _of_owner(path: str, network: TrainedNetwork) -> Original:
    """Read logits that the owner wrote: arrays whose names are words, such as ``2,0,1``.

    Raises:
        InputError: if the file has no arrays, or a name is not a word of the network.
    """
    from constructions.importing.importer import read_contents

    where = printable(Path(path).name)
    try:
        with Path(path).open("rb") as file:
            tensors = read_contents(file.read(MAX_FILE_BYTES), where).tensors
    except OSError as error:
        raise InputError(f"{where}: {error.strerror or error}") from None
    logits: dict[Word, Any] = {}
    for name, stored in tensors.items():
        if not re.fullmatch(r"\d{1,9}(,\d{1,9})*", name, re.ASCII) or stored.format is None:
            raise InputError(f"{where}: array {printable(name)[:60]} ({stored}), expected logits under the tokens of "
                             f"their input, as in 2,0,1")
        word = tuple(map(int, name.split(",")))
        if max(word) >= network.vocabulary or (network.rows is not None and len(word) > network.rows):
            raise InputError(f"{where}: input {name[:60]}, expected tokens below {network.vocabulary}, at most "
                             f"{network.rows} of them")
        numbers = all_numbers(Tensor(stored.format, stored.shape, stored.read())).reshape(stored.shape)
        logits[word] = numbers.astype({2: np.float16, 4: np.float32, 8: np.float64}[ELEMENT_BYTES[stored.format]])
    if not logits:
        raise InputError(f"{where}: no arrays, expected logits of at least one input")
    return Original(f"logits in {re.sub(r'[^A-Za-z0-9._-]', '_', where)[:80]}", list(logits),
                    lambda word: logits[tuple(word)])


def drawn_words(network: TrainedNetwork, interface: Interface) -> list[Word]:
    """Draw words for a comparison, deterministically: of several lengths, with all tokens, and with tails of one token.

    Words of which a token sees only hidden keys are left out; the report notes that ambiguity. Programs of torch that
    state two tokens or more, which it writes for any length, are also run on one token.
    """
    draw, most = np.random.default_rng(20), min(network.rows or LONGEST, LONGEST)
    lengths = [interface.length] if interface.length is not None else sorted(
        n for n in {1, 2, 3, most // 2, most - 1, most} if n >= (interface.least if interface.least > TWO else 1))
    size, room, words = parameters(network), WORK, dict[Word, None]()

    def candidates() -> Iterator[Word]:
        every = draw.permutation(network.vocabulary).tolist()
        for turn in range(MOST_WORDS):
            n = lengths[turn % len(lengths)]
            start = turn * n % len(every)
            yield tuple((every * (2 + n // len(every)))[start:start + n])
            word = draw.integers(0, network.vocabulary, n)
            word[int(draw.integers(0, n + 1)):] = word[-1]  # as padding does
            yield tuple(word.tolist())

    for word in candidates():
        if any({*(word[:1] if network.attention == "causal" else word)} <= tokens or {*word} <= tokens
               for tokens in interface.hidden):
            continue
        room -= size * len(word)
        if word not in words and len(words) < MOST_WORDS and (room > 0 or len(words) < 2):
            words[word] = None
    return list(words)


# -- differences -------------------------------------------------------------------------------------------------------


def _greatest_difference(imported: Imported, original: Original, where: str) -> Fraction:
    """Bound the greatest difference between the network's logits and the original's; rounded up.

    Raises:
        InputError: naming a word whose difference exceeds rounding, or if the outputs have another shape.
    """
    network, interface = imported.network, imported.report.interface
    ending = interface.ending if interface is not None else ""
    balls, plain, greatest = BallNetwork(network), FloatNetwork(network), Fraction(0)
    moved: dict[int, FloatNetwork] = {}
    for word in original.words:
        at = {"each": range(len(word)), "first": range(1), "last": range(len(word) - 1, len(word))}[network.readout]
        output = np.asarray(original.run(word))
        tokens = np.array([word])
        mine = plain.logits(tokens, 0, at)[0]
        bytes_of_number = output.dtype.itemsize if output.dtype.kind == "f" else 4
        perturbed = moved.setdefault(bytes_of_number, FloatNetwork(_perturbed(network, ROUNDING[bytes_of_number])))
        allowed = ALLOWED * (np.abs(perturbed.logits(tokens, 0, at)[0] - mine).max() +
                             ROUNDING[bytes_of_number] * np.abs(mine).max())
        shown = ",".join(map(str, word[:20])) + (",…" if len(word) > 20 else "")
        if ending == "an argmax":
            _check_choice(mine, output, allowed, f"{where}: on input {shown}")
            continue
        expected_logits, mine = _comparable(output, mine, ending, f"{where}: on input {shown}")
        if ending:
            error = Fraction(np.float64(np.abs(expected_logits - mine).max()))
        else:
            error = _distance(enclose_logits(balls, word, 0, at, BITS), expected_logits)
        if error > Fraction(np.float64(allowed)):
            raise InputError(f"{where}: on input {shown} the original's logits differ from the imported network's "
                             f"by {_decimal(error)}, expected at most {_decimal(Fraction(np.float64(allowed)))} "
                             f"from rounding")
        greatest = max(greatest, error)
    return Fraction(_decimal(greatest))


def _comparable(output: Any, mine: Any, ending: str, where: str) -> tuple[Any, Any]:
    """Reshape the original's output to the network's; apply to the latter the function that follows the logits."""
    if output.size != mine.size or not np.isfinite(output).all():
        raise InputError(f"{where} the original's output has shape {list(output.shape)}"
                         f"{'' if np.isfinite(output).all() else ' and numbers that are not finite'}, expected "
                         f"{mine.size} logits")
    expected_logits = output.astype(np.float64).reshape(mine.shape)
    if ending:
        shifted = mine - mine.max(-1, keepdims=True)
        logarithms = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        mine = logarithms if "logarithm" in ending else np.exp(logarithms)
    return expected_logits, mine


def _check_choice(mine: Any, output: Any, allowed: Any, where: str) -> None:
    """Check that the chosen tokens have the greatest logits, up to rounding."""
    chosen = output.reshape(-1)
    if len(chosen) != len(mine) or any(row.max() - row[int(one)] > allowed
                                       for row, one in zip(mine, chosen, strict=True)):
        raise InputError(f"{where} the original chooses {chosen.tolist()[:10]}, the imported network "
                         f"{mine.argmax(-1).tolist()[:10]}")


def _distance(found: Any, expected_logits: Any) -> Fraction:
    """Bound the distance of enclosed numbers from others."""
    greatest = Fraction(0)
    for row, numbers in enumerate(expected_logits.tolist()):
        for column, number in enumerate(numbers):
            mantissa, exponent = (abs(found[row, column] - number)).upper().man_exp()
            greatest = max(greatest, int(mantissa) * Fraction(2) ** int(exponent))
    return greatest


def _perturbed(network: TrainedNetwork, by: float) -> TrainedNetwork:
    """Perturb each weight by a relative amount of this size, to estimate the effect of rounding on logits."""
    draw = np.random.default_rng(21)

    def moved(tensor: Tensor) -> Tensor:
        numbers = all_numbers(tensor)
        return Tensor("binary64", tensor.shape, (numbers * (1 + by * draw.choice([-1, 1], numbers.shape))
                                                 ).astype("<f8").tobytes())
    return replace(network, tensors={name: moved(tensor) for name, tensor in network.tensors.items()})


def _decimal(number: Fraction) -> str:
    """Format with two significant digits, rounded up."""
    context = Context(prec=2, rounding=ROUND_UP)
    return str(context.divide(number.numerator, number.denominator))
