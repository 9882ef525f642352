"""Description of the program of a network, in plain lines, for its owner to confirm."""

from collections.abc import Iterator, Sequence

from constructions.importing.parts import RecognisedNetwork
from constructions.importing.questions import READOUTS, Questions
from constructions.trained.network import AttentionStep, Norm, NormStep, Scale, Step, UnitsStep, View


def program(found: RecognisedNetwork, kind: str, facts: Sequence[str], questions: Questions) -> tuple[str, ...]:
    """Return descriptions of all parts of the network, in order."""
    missing = [f"shown with {questions.placeholders}, which are not answered yet"] if questions.placeholders else []
    readout = READOUTS[found.readout if found.pooled is None else "mean"]
    wide = any(step.norm and step.norm.of for step in found.steps)
    copies = "the stream is wider than that of the program: it holds copies of sums, of which norms are taken"
    lines = (
        *facts, *([copies] if wide else []),
        f"stream: row t of {_named(found.tokens)} for each token t, padding too; not scaled",
        _positions(found), *_folded([_step(step, found) for step in found.steps]), f"logits: {readout}",
        *(f"norm of that: {_norm(step.norm)}" for step in found.pooled or ()),
        f"unembedding: {_named(found.unembedding.weight)}, {_biases(found.unembedding.bias)}; no scale, no cap",
        *questions.notes, *missing)
    return (f"--kind {kind}: {found.kind}, only these parts, once each, in this order, each after the one before:",
            *(f"  {line}" for line in lines))


def _positions(found: RecognisedNetwork) -> str:
    table = found.positions
    if table is not None:
        first = table.start // table.strides[0]
        return (f"positions: rows {first} to {first + table.shape[0] - 1} of {table.tensor} are added, row {first} at "
                f"the first token; the sum is not scaled, nor normalised before the parts below")
    turned = any(isinstance(step, AttentionStep) and step.rotary for step in found.steps)
    sloped = any(isinstance(step, AttentionStep) and step.heads[0].slope is not None for step in found.steps)
    return f"positions: {'rotary' if turned else 'ALiBi' if sloped else 'none'}, number 0 at the first token"


def _named(view: View) -> str:
    return f"{view.tensor} [{' x '.join(map(str, view.shape))}]"


def _step(step: Step, found: RecognisedNetwork) -> str:
    """Return the description of a part, its input, and the use of its output."""
    read = f"of the {_norm(step.norm)}, of the stream" if step.norm else "of the stream"
    match step:
        case NormStep():
            return f"norm: the stream becomes its {_norm(step.norm)}"
        case AttentionStep():
            mask = "causal" if found.attention == "causal" else "of all tokens"
            biases = _biases(step.bias, *(part.bias for one in step.heads for part in (one.query, one.key, one.value)))
            widths = "/".join(map(str, sorted({head.query.weight.shape[1] for head in step.heads})))
            how = [f"rotary positions ({step.rotary.pairing})"] if step.rotary else []
            slopes = [str(head.slope) for head in step.heads if head.slope is not None]
            how += [f"ALiBi slopes {' '.join(slopes)}"] if slopes else []
            return "; ".join((f"attention {read}", f"heads: {len(step.heads)} of width {widths}",
                              f"{mask}, no window", f"scores times {describe_scale(step.scale)}, "
                              + ("no cap" if step.cap is None else f"capped at {step.cap}"),
                              *how, biases, "added to the stream"))
        case UnitsStep():
            gate = f"{step.activation} of a gate" if step.gate else f"{step.activation}, no gate"
            return (f"feed-forward block {read}; {step.inward.weight.shape[1]} units; {gate}; "
                    f"{_biases(step.inward.bias, step.outward.bias)}; added to the stream")


def _norm(norm: Norm) -> str:
    stored = norm.gain is not None and not norm.gain.tensor.startswith("computed.")
    return describe_norm(norm) + " as stored" * stored


def _biases(*biases: View | None) -> str:
    """Return whether the given linear maps have biases, in words."""
    return "biases" if all(biases) else "some biases" if any(biases) else "no biases"


def _folded(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with repeated blocks written once."""
    start = 0
    while start < len(lines):
        runs = []
        for size in range(1, (len(lines) - start) // 2 + 1):
            times = 1
            while lines[start : start + size] == lines[start + times * size : start + (times + 1) * size]:
                times += 1
            runs.append((size * times if times > 1 else 0, -size, times))
        covered, size, times = max(runs, default=(0, -1, 1))
        if not covered:
            yield lines[start]
            start += 1
            continue
        yield f"{times} times, one after the other, each with weights of its own:"
        yield from (f"  {line}" for line in lines[start : start - size])
        start += covered


def describe_norm(norm: Norm | None) -> str:
    """Return a short description of a norm."""
    if norm is None:
        return ""
    learned = [word for word, view in (("gain", norm.gain), ("bias", norm.bias)) if view]
    of = f" of {norm.of.weight.shape[1]} numbers" if norm.of else ""
    return f"{norm.kind} norm{of}, epsilon {norm.epsilon}" + (f", {' and '.join(learned)}" if learned else "")


def describe_scale(scale: Scale) -> str:
    """Return the factor of scores as text."""
    return f"1/sqrt({scale.root})" if scale.root else str(scale.times)
