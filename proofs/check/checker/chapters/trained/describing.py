"""Sentences about every decision: its network, what was covered, the execution of a wrong word or input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...kernel.kind import entry
from ...kernel.verdicts import quote_all
from .reading.network import AttentionStep, Network, Rounding, UnitsStep

if TYPE_CHECKING:
    from ..float_models.choices import ExecutionChoices

EXACT = "exact reals, real exponentials and square roots"
IN_RUNS = "in every execution under each float model below"
VACUOUS = "the claim that follows is VACUOUS: on no word is anything judged:"
FALSE = "the claim that follows is FALSE:"
LINE = 100  # characters of a line that lists things


def covered(coverage: Mapping[str, int]) -> list[str]:
    """Return what was covered to accept a claim."""
    return entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])


def describe_coverage(given: object, coverage: Mapping[str, int], lines: list[str]) -> list[str]:
    """Return the claim, vacuous if no cell had rows, and what was covered to accept it."""
    del given
    return [*[VACUOUS] * (coverage.get("cells with rows") == 0), *lines, *covered(coverage)]


def words_of_choices(choices: ExecutionChoices | None) -> list[str]:
    """Describe the execution in which a claim about executions is false."""
    return [] if choices is None else entry("execution", [
        f"every sum {choices.order}, products {'fused with sums' if choices.fused else 'rounded'},",
        f"weights normalised {'before' if choices.before else 'after'} they are multiplied, exponentials to base "
        f"{choices.base}"])


def describe_network(network: Network) -> list[str]:
    """Describe the network, and its sources as the file states them."""
    return [
        *entry("network", list(words_of_network(network))),
        *(line for source in network.sources for line in entry("from", [
            f"{quote_all([source.file])}, sha256 {source.sha256}",
            "(not checked; the claim is about the weights in the certificate)"])),
        *entry("compared", [f"{network.compared or 'with no original when it was imported'} (not checked)"]),
        *entry("edited", [f"this network is not the one that it came from: {counted(len(network.edits) - 1, 'edit')}",
                          *network.edits] if network.edits else [])]


def write_tokens(tokens: Sequence[int]) -> str:
    """Write tokens."""
    return " ".join(map(str, tokens)) or "none"


def counted(number: int, noun: str) -> str:
    """Write a number and a noun, as in "1 head", "2 heads"."""
    return f"{number} {noun}" + "s" * (number != 1)


def words_of_network(network: Network) -> Iterator[str]:
    """Yield the shape of the network."""
    heads = sum(len(step.heads) for step in network.attention_steps)
    units = sum(step.inward.weight.width for step in network.steps if isinstance(step, UnitsStep))
    steps = sum(isinstance(step, AttentionStep) for step in network.steps)
    kind = "causal" if network.masked else "bidirectional"
    rounded = sum(isinstance(step, UnitsStep) and isinstance(step.activation, Rounding) for step in network.steps)
    kind += f", {counted(rounded, 'rounding')}" * (rounded > 0) + " by the range of all tokens" * network.of_input
    yield (f"{kind}, {counted(steps, 'layer')} of attention, {counted(heads, 'head')}, {counted(units, 'neuron')}, "
           f"width {network.width},")
    rows = "no table of positions" if network.rows is None else f"{counted(network.rows, 'row')} of positions"
    yield (f"{counted(len(network.tokens.rows), 'token')}, {rows}, {counted(network.outputs, 'logit')}, read out at "
           + {"each": "each token", "first": "the first token alone", "last": "the last token alone"}[network.readout])


def folded(name: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield the parts, as many in a line as there is room for."""
    line = name
    for number, part in enumerate(parts):
        line += f" {part}" + ("," if number < len(parts) - 1 else "")
        if len(line) > LINE:
            yield line
            line = "   "
    if line.strip():
        yield line
