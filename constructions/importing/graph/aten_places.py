"""Operations of torch that put elements elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constructions.importing.graph.aten_call import LONG, Call, Unfit
from constructions.importing.graph.aten_values import BOOLEAN, TYPES


def same(call: Call) -> None:
    """The same elements, perhaps of another type."""
    if call.get("train"):
        raise Unfit("a dropout in training; expected the model exported in evaluation (model.eval())")
    if call.kind(call.x) == call.kind(call.made[0]):
        call.emit("Identity", [call.x])
    else:
        call.emit("Cast", [call.x], to=TYPES[call.kind(call.made[0])])


def reshape(call: Call) -> None:
    """Another shape."""
    if call.kind(call.x) != call.kind(call.made[0]):
        raise Unfit("the same bytes as elements of another type")
    call.reshaped(call.x, call.shape(call.made[0]), call.made[0])


def expand(call: Call) -> None:
    """Repeated along axes of size 1."""
    call.emit("Expand", [call.x, call.constant(list(call.shape(call.made[0])), LONG)])


def permute(call: Call) -> None:
    """Axes in another order."""
    call.turned(call.x, [call.axis(one) for one in call.get("dims")], call.made[0])


def transpose(call: Call) -> None:
    """Two axes exchanged, whatever they are called; the last ones, if none are named."""
    order = list(range(len(call.shape(call.x))))
    one, other = map(call.axis, [*call.arguments.values()][1:] or (-1, -2))
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
    if len(given) != 1 or call.kind(given[0][1]) == BOOLEAN:
        raise Unfit("elements by several indices, or by a mask")
    call.emit("Gather", [call.x, given[0][1]], axis=given[0][0])


def index_select(call: Call) -> None:
    """Some indices of an axis, by an array."""
    call.emit("Gather", [call.x, call.get("index")], axis=call.axis(call.get("dim")))


def flip(call: Call) -> None:
    """Axes backwards."""
    name = call.x
    for axis in call.get("dims"):
        shape = call.shape(call.x)
        where = call.constant(np.arange(shape[axis])[::-1], LONG)
        name = call.emit("Gather", [name, where], call.new(shape, call.kind(name)), axis=call.axis(axis))
    call.emit("Identity", [name])


def roll(call: Call) -> None:
    """Axes turned."""
    name, shape = call.x, call.shape(call.x)
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
    axis = int(call.get("dim", 0)) % len(shape)
    single = [*shape[:axis], 1, *shape[axis + 1:]]
    call.emit("Concat", [call.reshaped(one, single) for one in call.get("tensors")], axis=axis)


def split(call: Call) -> None:
    """Pieces of an axis, as long as the program says."""
    axis = call.axis(call.get("dim", 0))
    start = 0
    for output in call.made:
        size = call.shape(output)[axis]
        ends = (call.constant([one], LONG) for one in (start, start + size, axis))
        call.emit("Slice", [call.x, *ends], output)
        start += size


def unbind(call: Call) -> None:
    """All indices of an axis."""
    axis = call.axis(call.get("dim", 0))
    for number, output in enumerate(call.made):
        call.emit("Gather", [call.x, call.constant(number, LONG)], output, axis=axis)


def repeat_interleave(call: Call) -> None:
    """Each index of an axis several times."""
    shape, axis = list(call.shape(call.x)), call.axis(call.get("dim"))
    times = int(call.get("repeats"))
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
