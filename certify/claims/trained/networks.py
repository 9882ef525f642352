"""The architecture of a trained network: a table of its steps, a picture, a table of its tensors, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from certify.common.json_form import to_json
from certify.common.terminal_tables import TableColumn, plain, print_table
from constructions.importing.program import describe_norm, describe_scale
from constructions.trained import network as trained

if TYPE_CHECKING:
    from rich.console import Console

    from constructions.importing.importer import Imported

_DIGITS_OF_DIGESTS = 12
_READ = {"each": "of each token", "first": "of the first token", "last": "of the last token"}


def parameters(network: trained.TrainedNetwork) -> int:
    """Count the parameters in the tensors."""
    return sum(math.prod(tensor.shape) for tensor in network.tensors.values())


def describe_comparison(compared: trained.ImportComparison | None) -> str:
    """Describe the comparison of a network with its original, made when it was imported."""
    if compared is None:
        return "with nothing"
    least, greatest = compared.lengths
    lengths = f"{least} token{'' if least == 1 else 's'}" if least == greatest else f"{least} to {greatest} tokens"
    return (f"with {compared.original} on {compared.inputs} inputs of {lengths}, greatest difference "
            f"{compared.difference.numerator / compared.difference.denominator:.2g}")


def describe_step(step: trained.Step) -> tuple[str, str, str]:
    """Describe a step by its name, its sizes and its functions."""
    match step:
        case trained.NormStep():
            return "norm", "", describe_norm(step.norm)
        case trained.AttentionStep():
            widths = sorted({head.query.weight.shape[1] for head in step.heads})
            functions = [describe_norm(step.norm), f"scores times {describe_scale(step.scale)}"]
            functions += [f"rotary positions ({step.rotary.pairing})"] if step.rotary else []
            functions += [f"scores capped at {step.cap}"] if step.cap is not None else []
            functions += ["ALiBi slopes"] if step.heads[0].slope is not None else []
            sizes = f"{len(step.heads)} x {'/'.join(map(str, widths))}"
            return "attention", sizes, "; ".join(filter(None, functions))
        case trained.UnitsStep():
            functions = [describe_norm(step.norm), f"{step.activation}" + (", gated" if step.gate else "")]
            return "units", str(step.inward.weight.shape[1]), "; ".join(filter(None, functions))


def _elements(step: trained.Step) -> int:
    """Count the distinct parameters of a step (grouped heads share keys and values)."""
    return sum(math.prod(view.shape) for view in set(trained.views_of_step(step)))


def picture(network: trained.TrainedNetwork) -> Iterator[str]:
    """Draw the residual stream as a vertical line; boxes beside it read from it and are added to it."""
    table = f" + positions {network.positions.shape[0]}" if network.positions else ""
    yield f"tokens {network.vocabulary}{table}"
    yield f"│ {network.width}"
    for step in network.steps:
        if isinstance(step, trained.NormStep):
            yield f"◆ {step.norm.kind} norm"
        else:
            yield f"├─{f' {step.norm.kind} norm ─' if step.norm else '─'} {_boxes(step)} ─┐"
            yield f"⊕{'─' * (len(_boxes(step)) + (len(step.norm.kind) + 8 if step.norm else 1) + 4)}┘"
        yield "│"
    yield f"{network.outputs} logits {_READ[network.readout]}"


def _boxes(step: trained.AttentionStep | trained.UnitsStep) -> str:
    """Return a box for each of the first heads, or one for the hidden units."""
    if isinstance(step, trained.UnitsStep):
        return f"[{step.inward.weight.shape[1]} {step.activation}{' · gate' if step.gate else ''}]"
    shown = [f"[head {head.value.weight.shape[1]}]" for head in step.heads[:6]]
    return " ".join([*shown, *([f"… {len(step.heads)} heads"] if len(step.heads) > 6 else [])])


def print_network(out: Console, imported: Imported) -> None:
    """Print the report, the table of steps, the picture, the tensors."""
    network, report = imported.network, imported.report
    rows = f"positions 0 to {network.rows - 1}" if network.rows else "any number of positions"
    out.print(plain(f"{report.kind}, {network.attention}: {parameters(network)} numbers, width {network.width}, "
                    f"{network.vocabulary} tokens, {network.outputs} logits {_READ[network.readout]}, {rows}"))
    for line in report.program or [f"  {note}" for note in report.assumed]:
        out.print(plain(line))
    out.print(plain(f"  compared {describe_comparison(network.compared)}"))
    for name, reason in report.not_weights.items():
        out.print(plain(f"  not a weight: {name}: {reason}"))
    out.print()
    _print_steps(out, network)
    out.print()
    for line in picture(network):
        out.print(plain(f"  {line}"))
    out.print()
    _print_tensors(out, network)


def _print_steps(out: Console, network: trained.TrainedNetwork) -> None:
    rows = [(str(index), *describe_step(step), str(_elements(step))) for index, step in enumerate(network.steps)]
    last = network.unembedding
    sizes = f"{last.weight.shape[0]} to {last.weight.shape[1]}" + (", bias" if last.bias else "")
    rows.append(("", "unembedding", sizes, "", str(math.prod(last.weight.shape))))
    print_table(out, [TableColumn("step", "right"), TableColumn("what"), TableColumn("sizes"),
                      TableColumn("functions", folds=True),
                      TableColumn("numbers", "right")], rows)


def _print_tensors(out: Console, network: trained.TrainedNetwork) -> None:
    print_table(out,
                [TableColumn("tensor", folds=True), TableColumn("format"), TableColumn("shape"), TableColumn("sha256")],
                [(name, tensor.format, _sizes(tensor.shape), f"{tensor.sha256[:_DIGITS_OF_DIGESTS]}…")
                 for name, tensor in network.tensors.items()])


def _sizes(shape: Iterable[int]) -> str:
    return " x ".join(map(str, shape))


def imported_to_json(imported: Imported) -> dict[str, Any]:
    """Return the architecture and the report as JSON, without the parameters."""
    network, report = imported.network, imported.report
    return {
        "kind": report.kind,
        "assumed": list(report.assumed),
        "not_weights": dict(report.not_weights),
        "sources": to_json(network.sources),
        "program": list(report.program),
        "attention": network.attention,
        "readout": network.readout,
        "compared": to_json(network.compared),
        "vocabulary": network.vocabulary,
        "width": network.width,
        "outputs": network.outputs,
        "rows": network.rows,
        "numbers": parameters(network),
        "steps": [dict(zip(("what", "sizes", "functions"), describe_step(step), strict=True))
                  for step in network.steps],
        "tensors": {name: {"format": tensor.format, "shape": list(tensor.shape), "sha256": tensor.sha256}
                    for name, tensor in network.tensors.items()},
    }
