"""ONNX files and programs of torch.export as networks by their computation: docs/howto/importing.md, "Graphs"."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from constructions.errors import InputError
from constructions.importing.graph.affine_forms import (
    Array,
    Base,
    Exactness,
    Flat,
    HiddenUnits,
    NormBase,
    NotUnderstood,
    SoftmaxHeads,
    SumBase,
    TokenBase,
)
from constructions.importing.graph.arithmetic import by_position
from constructions.importing.graph.exported_program import ExportedProgram, read_exported_program
from constructions.importing.graph.layout import Epoch, Operation, Plan, Read
from constructions.importing.graph.operators import Graph
from constructions.importing.graph.reading import MAX_TOKENS, GraphReading, read_nodes, tokens_input
from constructions.importing.graph.reductions import SUM
from constructions.importing.graph.tensors import NetworkAtLength, Tensors
from constructions.importing.onnx_file import graph_of, load_model
from constructions.importing.parts import Interface, RecognisedNetwork
from constructions.importing.quantised import ROUNDED, WEIGHTS_ALONE
from constructions.importing.questions import Questions
from constructions.text import printable
from constructions.trained import network as trained

ONE_TOKEN = "on inputs of one token the graph takes no mean over tokens; they are read as longer ones are"


def read_graph(data: bytes, where: str, questions: Questions) -> tuple[RecognisedNetwork, dict[str, trained.Tensor]]:
    """Read the network and its tensors."""
    is_program, given = where.endswith(".pt2"), dict(questions.option("given") or ())
    source = read_exported_program(data, where, given) if is_program else _graph(data, where, given)
    count = _count(source, where, questions)
    graph, rounded = source.graph(count)
    tensors = Tensors(graph.stored)
    reading = read_nodes(graph, count, where, given)
    state = reading.state
    found = replace(_network(reading, count, where, tensors), interface=Interface(
        source.length, max(source.least, 1), reading.ending, tuple(state.hidden)))
    if is_program:
        found = replace(found, kind=found.kind.replace("graph of ONNX", "program of torch.export"))
    if rounded:
        questions.assume("scores are divided by the square root of the heads' width, rounded to binary64")
    if source.length is not None:
        questions.assume(f"the graph reads {count} tokens; " + (
            "shorter inputs are read as it reads their beginnings" if found.attention == "causal" else
            "inputs of other lengths are read in the same way"))
    elif SUM in state.assumed:
        raise InputError(f"{where}: node {next(iter(state.assumed[SUM]))}: a sum over all tokens of inputs of any "
                         f"length, expected a mean, or a graph for one length")
    else:
        if count > 1 and not _compare_lengths(source, count, where, lambda graph, n: read_nodes(
                graph, n, where, given, apart=True, bidirectional=found.attention == "bidirectional")):
            questions.assume(ONE_TOKEN)
        if source.least > 1:
            questions.assume(f"the program states {source.least} tokens or more; on shorter inputs its nodes compute "
                             f"the same network")
    for name, number in given.items():
        questions.assume(f"input {printable(name)} is {'0, 1, 2, …' if number is None else number} on every word")
    questions.assume("the network is what the nodes of the graph compute, whatever they are called")
    if reading.ending:
        questions.assume(f"the graph ends in {reading.ending}; the logits are those before it")
    if state.rounded:
        questions.assume(ROUNDED)
    elif state.quantised:
        questions.assume(WEIGHTS_ALONE)
        questions.assume("ONNX Runtime may round that to 8 bits, unless session.qdq_matmulnbits_accuracy_level is 0")
    for what, nodes in state.assumed.items():
        questions.assume(f"{what} ({_listed([*nodes])})")
    if reading.left_out:
        questions.assume(f"outputs {', '.join(reading.left_out[:4])} are left out")
    if rounded_in := [*state.exactness.rounded]:
        questions.assume(f"sums or products of weights are rounded to binary64 in {_listed(rounded_in)}")
    return found, tensors.made


def _listed(nodes: list[str]) -> str:
    """Return some nodes by name, and how many more there are."""
    return ", ".join(nodes[:4]) + (f" and {len(nodes) - 4} more nodes" if len(nodes) > 4 else "")


@dataclass(frozen=True)
class _OnnxGraph:
    """A graph with the lengths that it accepts, as an ``ExportedProgram`` has them."""

    graph: Callable[[int], tuple[Graph, bool]]
    length: int | None
    least: int = 1
    greatest: int | None = None


def _graph(data: bytes, where: str, given: Mapping[str, int | None]) -> _OnnxGraph:
    graph = graph_of(load_model(data, where), where)
    sizes = tokens_input(graph, given, where).sizes
    return _OnnxGraph(lambda _: (graph, False), sizes[-1] if sizes else 1)


def _count(source: _OnnxGraph | ExportedProgram, where: str, questions: Questions) -> int:
    """Return the number of tokens to read, from the graph or the user."""
    rows: int | None = questions.option("rows")
    if source.length is None:
        first, last = max(source.least, 1), min(source.greatest or MAX_TOKENS, MAX_TOKENS)
        if rows is None or not first <= rows <= last:
            raise InputError(f"{where}: the graph reads inputs of any length, expected --rows N, for how many "
                             f"positions, {first} to {last}")
        return rows
    if not 1 <= source.length <= MAX_TOKENS:
        raise InputError(f"{where}: inputs of {source.length} tokens, expected 1 to {MAX_TOKENS}")
    if rows not in (None, source.length):
        raise InputError(f"{where}: --rows {rows}, but the graph reads inputs of {source.length} tokens")
    return source.length


def _compare_lengths(source: _OnnxGraph | ExportedProgram, count: int, where: str,
                     read: Callable[[Graph, int], GraphReading]) -> bool:
    """Check that at every length the network is the same, with fewer rows in tables of positions and of scores.

    Return false if a mean over tokens disappears on inputs of one token, which comparing with the original covers, too.
    """
    def form(n: int) -> tuple[NetworkAtLength, bool]:
        try:
            reading, tensors = read(source.graph(n)[0], n), Tensors({})
            return NetworkAtLength(_network(reading, n, where, tensors), tensors,
                                   reading.state.tables), reading.state.pooled
        except InputError as problem:
            raise InputError(f"{problem} (on inputs of {n} tokens)") from None

    whole, is_pooled = form(count)
    for n in range(count - 1, 0, -1):
        if not form(n)[0].begins(whole, n):
            if n == 1 and is_pooled:
                return False
            raise InputError(f"{where}: on inputs of {n} tokens the graph is another network than on those of "
                             f"{count}, expected the same except for rows of positions")
    return True


def _network(reading: GraphReading, count: int, where: str, tensors: Tensors) -> RecognisedNetwork:
    exactness = reading.state.exactness
    exactness.node = "the output"
    try:
        output = reading.output.settled(exactness)
        _, positions, _, forms = by_position(output, output.shape)
        if forms.shape[-1] != forms.size or (len(positions) > 1 and not np.array_equal(positions, np.arange(count))):
            raise NotUnderstood("an output that is not the logits of one token, or of all tokens in order")
        only = None if len(positions) == count else int(positions[0])
        if only not in (None, 0, count - 1):
            raise NotUnderstood(f"logits of token {only} only, expected the first, the last or all")
        causal = {weights.is_causal for weights in reading.state.softmaxes} - {None}
        found = Writer(output.flat.columns(forms.ravel()), count, exactness, tensors).network(
            "bidirectional" if causal == {False} else "causal", "graph of ONNX")
        return replace(found, readout="each" if only is None else "last" if only else "first")
    except NotUnderstood as problem:
        raise InputError(f"{where}: {problem}") from None


class Writer:
    """Writer of a network from its logits: the tables, and the steps of a plan."""

    def __init__(self, logits: Flat, count: int, exactness: Exactness, tensors: Tensors) -> None:
        self.count, self.tensors, self.exactness = count, tensors, exactness
        self.plan = Plan(logits, exactness)

    def network(self, attends: trained.Attends, kind: str) -> RecognisedNetwork:
        """Return the network; ``kind`` is the name of its files in the report."""
        epochs = self.plan.epochs
        tokens, positions = self._embedding(epochs[0])
        steps: list[trained.Step] = []
        for epoch in epochs:
            if epoch.start:
                steps.append(self._norm_step(epoch, epochs[epochs.index(epoch) - 1]))
            for index in range(epoch.start + 1, min(epoch.end, len(self.plan.operations) + 1)):
                steps.append(self._step(self.plan.operations[index - 1], index, epoch))
        return RecognisedNetwork(kind, attends, tokens, positions, tuple(steps),
                                 self._affine(self.plan.output, epochs[-1], None))

    # -- tables --------------------------------------------------------------------------------------------------------

    def _embedding(self, epoch: Epoch) -> tuple[trained.View, trained.View | None]:
        sizes = {base.size for block in epoch.blocks for base in block.terms if isinstance(base, TokenBase)}
        if not sizes:
            raise NotUnderstood("no table looked up by tokens")
        tokens, positions = np.zeros((sizes.pop(), epoch.width)), np.zeros((self.count, epoch.width))
        first = [(block.part, constant) for block in epoch.blocks for when, constant in block.constants if when == 0]
        for block in epoch.blocks:
            for base, matrix in block.terms.items():
                if isinstance(base, TokenBase):
                    tokens[:, block.part] = matrix
        has_table = any(len(constant) > 1 for _, constant in first)
        for part, constant in sorted(first, key=lambda one: len(one[1]) == 1):  # tables before single rows
            table = positions if has_table else tokens
            table[:, part] = self.exactness.sum(table[:, part], constant)
        return self.tensors.view(tokens), self.tensors.view(positions) if has_table else None

    # -- reading and writing the stream --------------------------------------------------------------------------------

    def _matrix(self, read: Read, epoch: Epoch, norm: NormBase | None) -> Array:
        """Return the matrix that reads a value from the stream, or through a norm."""
        if norm is not None:
            return read.matrix if read.base is norm else np.zeros((norm.size, read.matrix.shape[1]))
        whole = np.zeros((epoch.width, read.matrix.shape[1]))
        if isinstance(read.base, SumBase):
            whole[epoch.block_of[read.base].part] = read.matrix
        return whole

    def _affine(self, read: Read, epoch: Epoch, norm: NormBase | None) -> trained.Affine:
        bias = None if read.bias is None or not read.bias.any() else self.tensors.view(read.bias)
        return trained.Affine(self.tensors.view(self._matrix(read, epoch, norm)), bias)

    def _side_by_side(self, flats: list[Flat], epoch: Epoch, norm: NormBase | None) -> trained.Affine:
        """Return the concatenated inputs of several hidden units."""
        reads = [self.plan.read(flat) for flat in flats]
        matrix = np.concatenate([self._matrix(read, epoch, norm) for read in reads], 1)
        bias = np.concatenate([np.zeros(flat.size) if read.bias is None else read.bias
                               for flat, read in zip(flats, reads, strict=True)])
        return trained.Affine(self.tensors.view(matrix), self.tensors.view(bias) if bias.any() else None)

    def _written(self, base: Base, epoch: Epoch) -> Array:
        """Return the matrix that writes a value into the stream."""
        whole = np.zeros((base.size, epoch.width))
        for block in epoch.blocks:
            if base in block.terms:
                whole[:, block.part] = block.terms[base]
        return whole

    def _bias(self, index: int, epoch: Epoch) -> trained.View | None:
        """Return the constants that are written with an operation."""
        whole = np.zeros(epoch.width)
        for block in epoch.blocks:
            for when, constant in block.constants:
                if when == index:
                    whole[block.part] = self.exactness.sum(whole[block.part], constant[0])
        return self.tensors.view(whole) if whole.any() else None

    def _norm(self, norm: NormBase | None, epoch: Epoch) -> trained.Norm | None:
        if norm is None:
            return None
        of = self._affine(self.plan.read(norm.of.flat), epoch, None)
        matrix = self.tensors.array(of.weight)
        is_all = of.bias is None and np.array_equal(matrix, np.eye(norm.size))
        return trained.Norm(norm.kind, norm.epsilon, None if norm.gain is None else self.tensors.view(norm.gain),
                            None if norm.bias is None or not (self.tensors.pieces or norm.bias.any()) else
                            self.tensors.view(norm.bias),
                            None if is_all else of)

    def _norm_step(self, epoch: Epoch, before: Epoch) -> trained.NormStep:
        """Return the step in which a norm replaces the stream; constants from its start are in its bias."""
        norm = self.plan.operations[epoch.start - 1].what
        assert isinstance(norm, NormBase)
        bias = norm.bias
        for when, constant in epoch.blocks[0].constants:
            if when == epoch.start:
                bias = self.exactness.sum(np.zeros(norm.size) if bias is None else bias, constant[0])
        made = self._norm(replace(norm, bias=bias), before)
        assert made is not None
        return trained.NormStep(made)

    def _step(self, operation: Operation, index: int, epoch: Epoch) -> trained.Step:
        what, norm, bias = operation.what, self.plan.norm_of(operation), self._bias(index, epoch)
        if isinstance(what, SoftmaxHeads):
            return self._attention(operation, what, norm, bias, epoch)
        if isinstance(what, HiddenUnits):
            inward = self._side_by_side([one.inward for one in operation.units], epoch, norm)
            gate = None if what.gate is None else self._side_by_side(
                [one.gate for one in operation.units if one.gate], epoch, norm)
            written = np.concatenate([self._written(base, epoch) for base in operation.made])
            return trained.UnitsStep(self._norm(norm, epoch), inward, gate, what.activation,
                                     trained.Affine(self.tensors.view(written), bias))
        read = Read(norm or what, np.eye(what.size), None)
        return trained.UnitsStep(self._norm(norm, epoch), self._affine(read, epoch, norm), None, "identity",
                                 trained.Affine(self.tensors.view(self._written(what, epoch)), bias))

    def _attention(self, operation: Operation, what: SoftmaxHeads, norm: NormBase | None, bias: trained.View | None,
                   epoch: Epoch) -> trained.AttentionStep:
        heads = []
        for base in sorted(operation.made, key=lambda one: one.order):
            reads = what.heads[base.index]  # type: ignore[attr-defined]  # attention makes only HeadBase
            query, key, value = (self._affine(self.plan.read(flat), epoch, norm)
                                 for flat in (reads.query, reads.key, reads.value))
            heads.append(trained.TrainedHead(query, key, value, self.tensors.view(self._written(base, epoch)),
                                             reads.slope))
        rotary = None
        if what.rotary is not None:
            cosines, sines = map(self.tensors.view, what.rotary)
            rotary = trained.Rotary(cosines, sines, "halves")
        scale = trained.Scale(root=what.scale) if isinstance(what.scale, int) else trained.Scale(times=what.scale)
        return trained.AttentionStep(self._norm(norm, epoch), tuple(heads), bias, scale, rotary, what.cap)
