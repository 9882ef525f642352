"""Operations of torch that put elements elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np

from constructions.importing.graph.aten_call import LONG, Call, Unfit
from constructions.importing.graph.aten_values import TYPES


def same(call: Call) -> None:
    """The same elements, perhaps of another type."""
    if call.get("train"):
        raise Unfit("a dropout in training; expected the model exported in evaluation (model.eval())")
    call.get("p")  # of a dropout
    if (other := call.get("other")) is not None and call.kind(other) != call.kind(call.made[0]):
        raise Unfit("elements of another type than those of its argument other")
    if call.kind(call.x) == call.kind(call.made[0]):
        call.emit("Identity", [call.x])
    else:
        call.emit("Cast", [call.x], to=TYPES[call.kind(call.made[0])])


def reshape(call: Call) -> None:
    """Another shape, which is compared with the one that the arguments ask for."""
    if call.kind(call.x) != call.kind(call.made[0]):
        raise Unfit("the same bytes as elements of another type")
    old, new = call.plain_shape(call.x), call.plain_shape(call.made[0])
    asked = call.get("size", call.get("shape"))
    if asked is None and call.get("other") is not None:
        asked = call.plain_shape(call.get("other"))
    if asked is None:
        asked = _FOLDED_AXES[call.operation.removesuffix("_")](call, old)
    if len(asked) != len(new) or any(one not in (-1, size) for one, size in zip(asked, new, strict=True)) or (
            math.prod(old) != math.prod(new)):
        raise Unfit(f"a result of shape {new}, expected {tuple(asked)} of an array of shape {old}")
    call.reshaped(call.x, call.shape(call.made[0]), call.made[0])


def _flattened(call: Call, shape: Sequence[int]) -> Sequence[int]:
    first, last = (call.axis(call.get(*one)) for one in (("start_dim", 0), ("end_dim", -1)))
    return [*shape[:first], math.prod(shape[first: last + 1]), *shape[last + 1:]]


def _unflattened(call: Call, shape: Sequence[int]) -> Sequence[int]:
    axis = call.axis(call.get("dim"))
    return [*shape[:axis], *call.get("sizes"), *shape[axis + 1:]]


def _squeezed(call: Call, shape: Sequence[int]) -> Sequence[int]:
    axes = call.get("dim")
    axes = range(len(shape)) if axes is None else [axes] if isinstance(axes, int) else axes
    dropped = [call.axis(axis) for axis in axes]
    return [size for axis, size in enumerate(shape) if size != 1 or axis not in dropped]


def _unsqueezed(call: Call, shape: Sequence[int]) -> Sequence[int]:
    axis = range(len(shape) + 1)[call.get("dim")]
    return [*shape[:axis], 1, *shape[axis:]]


_FOLDED_AXES: Mapping[str, Callable[[Call, Sequence[int]], Sequence[int]]] = {
    "flatten": _flattened, "unflatten": _unflattened, "squeeze": _squeezed, "unsqueeze": _unsqueezed,
    "ravel": lambda _, shape: [math.prod(shape)]}
"""Shapes that follow from arguments other than sizes."""


def expand(call: Call) -> None:
    """Repeated along axes of size 1."""
    made = call.plain_shape(call.made[0])
    asked = call.get("size") if call.get("other") is None else call.plain_shape(call.get("other"))
    if len(asked) != len(made) or any(one not in (-1, size) for one, size in zip(asked, made, strict=True)):
        raise Unfit(f"a result of shape {made}, expected {tuple(asked)} by its arguments")
    call.emit("Expand", [call.x, call.constant(list(call.shape(call.made[0])), LONG)])


def permute(call: Call) -> None:
    """Axes in another order."""
    call.turned(call.x, [call.axis(one) for one in call.get("dims")], call.made[0])


def transpose(call: Call) -> None:
    """Two axes exchanged, whatever they are called; the last ones, if none are named."""
    order = list(range(len(call.shape(call.x))))
    one, other = map(call.axis, call.operands()[1:] or (-1, -2))
    order[one], order[other] = order[other], order[one]
    call.turned(call.x, order, call.made[0])


def turn_around(call: Call) -> None:
    """All axes in the opposite order."""
    call.turned(call.x, range(len(call.shape(call.x)))[::-1], call.made[0])


def cut(call: Call) -> None:
    """Some indices of an axis."""
    axis = call.axis(call.get("dim", 0))
    size = call.shape(call.x)[axis]
    first, last = call.get("start"), call.get("end")
    ends = [0 if first is None else first, size if last is None else min(last, size), axis, call.get("step", 1)]
    call.emit("Slice", [call.x, *(call.constant([one], LONG) for one in ends)])


def select(call: Call) -> None:
    """One index of an axis."""
    call.emit("Gather", [call.x, call.constant(call.get("index"), LONG)], axis=call.axis(call.get("dim", 0)))


def rows(call: Call) -> None:
    """Rows of a table."""
    call.emit("Gather", [call.get("weight"), call.get("indices")], axis=0)


def index(call: Call) -> None:
    """Rows of a table, by an array."""
    given = [(axis, one) for axis, one in enumerate(call.get("indices")) if one is not None]
    if len(given) != 1 or call.kind(given[0][1]) not in (4, LONG):
        raise Unfit("elements by several indices, or by a mask")
    call.emit("Gather", [call.x, given[0][1]], axis=given[0][0])


def index_select(call: Call) -> None:
    """Some indices of an axis, by an array."""
    call.emit("Gather", [call.x, call.get("index")], axis=call.axis(call.get("dim")))


def flip(call: Call) -> None:
    """Axes backwards."""
    name: str = call.x
    for axis in call.get("dims"):
        shape = call.shape(call.x)
        where = call.constant(np.arange(shape[axis])[::-1], LONG)
        name = call.emit("Gather", [name, where], call.new(shape, call.kind(name)), axis=call.axis(axis))
    call.emit("Identity", [name])


def roll(call: Call) -> None:
    """Axes turned."""
    name, shape = str(call.x), call.shape(call.x)
    for shift, axis in zip(call.get("shifts"), call.get("dims"), strict=True):
        where = call.constant(np.roll(np.arange(shape[axis]), shift), LONG)
        name = call.emit("Gather", [name, where], call.new(shape, call.kind(name)), axis=call.axis(axis))
    call.emit("Identity", [name])


def concat(call: Call) -> None:
    """Arrays one after another."""
    kind = call.kind(call.made[0])
    names = [call.as_kind(one, kind) for one in call.get("tensors")]
    call.emit("Concat", names, axis=call.axis(call.get("dim", 0), names[0]))


def side_by_side(call: Call) -> None:
    """Arrays along the second axis, or the only one."""
    names = [call.as_kind(one, call.kind(call.made[0])) for one in call.get("tensors")]
    call.emit("Concat", names, axis=min(1, len(call.shape(names[0])) - 1))


def stack(call: Call) -> None:
    """Arrays along a new axis."""
    shape = call.shape(call.made[0])
    axis, kind = call.axis(call.get("dim", 0), call.made[0]), call.kind(call.made[0])
    single = [*shape[:axis], 1, *shape[axis + 1:]]
    for one in call.get("tensors"):
        call.expect_shape([*call.shape(one)[:axis], len(call.get("tensors")), *call.shape(one)[axis:]])
    call.emit("Concat", [call.reshaped(call.as_kind(one, kind), single) for one in call.get("tensors")], axis=axis)


def split(call: Call) -> None:
    """Pieces of an axis."""
    shape, axis = call.shape(call.x), call.axis(call.get("dim", 0))
    ends = _ends(call, shape[axis])
    for output, (first, last) in zip(call.made, ends, strict=True):
        call.expect_shape([*shape[:axis], max(0, last - first), *shape[axis + 1:]], output)
        call.emit("Slice", [call.x, *(call.constant([one], LONG) for one in (first, last, axis))], output)


def _ends(call: Call, size: int) -> list[tuple[int, int]]:
    """First and last index of each piece of an axis, the last one excluded."""
    pieces, sections = call.get("chunks"), call.get("sections")
    if (indices := call.get("indices")) is not None:
        return [slice(*pair).indices(size)[:2] for pair in pairwise([0, *indices, size])]
    if sections is not None:
        sizes = [size // sections + (number < size % sections) for number in range(sections)]
    else:
        sizes = -(-size // pieces) if pieces else call.get("split_size", call.get("split_sizes"))
        if isinstance(sizes, int):
            sizes = [min(sizes, size - first) for first in range(0, size, sizes)]
    if sum(sizes) != size:
        raise Unfit("pieces that are not the whole axis")
    return [*pairwise(accumulate(sizes, initial=0))]


def unbind(call: Call) -> None:
    """All indices of an axis."""
    axis = call.axis(call.get("dim", 0))
    if len(call.made) != call.shape(call.x)[axis]:
        raise Unfit("pieces that are not the whole axis")
    for number, output in enumerate(call.made):
        call.emit("Gather", [call.x, call.constant(number, LONG)], output, axis=axis)


def repeat_interleave(call: Call) -> None:
    """Each index of an axis several times."""
    shape, axis = list(call.shape(call.x)), call.axis(call.get("dim"))
    times = int(call.get("repeats"))
    call.expect_shape([*shape[:axis], shape[axis] * times, *shape[axis + 1:]])
    call.reshaped(repeated(call, call.x, shape, axis, times), call.shape(call.made[0]), call.made[0])


def repeated(call: Call, name: str, shape: Sequence[int], axis: int, times: int) -> str:
    """A new axis after one, along which it is repeated."""
    apart = call.reshaped(name, [*shape[: axis + 1], 1, *shape[axis + 1:]])
    wide = [*shape[: axis + 1], times, *shape[axis + 1:]]
    return call.emit("Expand", [apart, call.constant(wide, LONG)], call.new(wide, call.kind(name)))


def repeat(call: Call) -> None:
    """The whole array several times."""
    times = call.get("repeats")
    shape = call.shape(call.x)
    name = call.reshaped(call.x, [*[1] * (len(times) - len(shape)), *shape])
    call.emit("Tile", [name, call.constant(times, LONG)])
