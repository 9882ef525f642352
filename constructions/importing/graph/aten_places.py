"""Operations of torch that put elements elsewhere."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import LONG, Call, Unfit
from constructions.importing.graph.aten_values import BOOLEAN, TYPES, WHOLE


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


def cut_out(call: Call) -> None:
    """So many indices of an axis from one on."""
    axis, size = call.axis(call.get("dim")), call.shape(call.x)[call.axis(call.get("dim"))]
    first = call.get("start") + size * (call.get("start") < 0)
    call.emit("Slice", [call.x, *(call.constant([one], LONG) for one in (first, first + call.get("length"), axis))])


def move_axes(call: Call) -> None:
    """Axes in other places."""
    source, target = ([one] if isinstance(one, int) else one for one in call.operands()[1:])
    call.turned(call.x, _moved(len(call.shape(call.x)), source, target), call.made[0])


def _moved(rank: int, source: Sequence[int], target: Sequence[int]) -> list[int]:
    order = [axis for axis in range(rank) if axis not in [one % rank for one in source]]
    for to, axis in sorted((to % rank, axis % rank) for to, axis in zip(target, source, strict=True)):
        order.insert(to, axis)
    return order


def select(call: Call) -> None:
    """One index of an axis."""
    call.emit("Gather", [call.x, call.constant(call.get("index"), LONG)], axis=call.axis(call.get("dim", 0)))


def rows(call: Call) -> None:
    """Rows of a table."""
    _expect_not_negative(call, call.get("indices"))
    call.emit("Gather", [call.get("weight"), call.get("indices")], axis=0)


def index(call: Call) -> None:
    """Rows of a table, by an array; of constants, elements by several."""
    given = [(axis, one) for axis, one in enumerate(call.get("indices")) if one is not None]
    if len(given) == 1 and call.kind(given[0][1]) in WHOLE[3:]:
        call.emit("Gather", [call.x, _within(call, given[0][1], call.shape(call.x)[given[0][0]])], axis=given[0][0])
        return
    call.keep(np.array(call.known(call.x)[_places(call)]), [call.x, *(one for _, one in given)])


def _places(call: Call) -> tuple[Any, ...]:
    """The indices of constants, by whole numbers or masks."""
    found = []
    for one in call.get("indices"):
        array = slice(None) if one is None else call.known(one)
        if one is not None and call.kind(one) not in (*WHOLE[3:], BOOLEAN):
            raise Unfit("indices of a type other than whole numbers of 32 and 64 bits and truth values")
        found.append(array)
    return tuple(found)


def _within(call: Call, places: str, size: int) -> str:
    """Indices, counted from the first element; those of constants are counted so here.

    Raises:
        Unfit: if they are beyond the array.
    """
    if places not in call.program.constants:
        return places
    array = call.known(places)
    if not ((array >= -size) & (array < size)).all():
        raise Unfit(f"indices beyond {size} elements")
    return call.constant(np.where(array < 0, array + size, array), LONG)


def _expect_not_negative(call: Call, places: str) -> None:
    """Reject constant indices below 0, as torch does in look-ups."""
    if places in call.program.constants and (call.known(places) < 0).any():
        raise Unfit("indices below 0, which torch does not take here")


def put(call: Call) -> None:
    """Constants with other elements where indices say so."""
    if call.get("accumulate", False):
        raise Unfit("elements added where indices say so")
    values, where = call.known(call.get("values")), _places(call)
    made = np.array(call.known(call.x))
    count = np.zeros(made.shape, np.int64)
    np.add.at(count, where, 1)
    if values.dtype != made.dtype or (count > 1).any():
        raise Unfit("elements of another type, or the same one put twice")
    made[where] = values
    call.keep(made, [call.x, call.get("values"), *(one for one in call.get("indices") if one is not None)])


def copied(call: Call) -> None:
    """The elements of another array, in the shape and type of the first."""
    call.operands(1)
    name = call.as_kind(call.get("src"), call.kind(call.made[0]))
    call.emit("Expand", [name, call.constant(list(call.shape(call.made[0])), LONG)])


def scattered(call: Call) -> None:
    """An array with another in the place of some indices of an axis."""
    axis = call.axis(call.get("dim", 0))
    shape, kind = call.shape(call.x), call.kind(call.made[0])
    source, numbers = call.get("src"), np.arange(shape[axis])
    if call.operation == "select_scatter":
        where = numbers[[call.get("index")]]
        source = call.reshaped(source, [*shape[:axis], 1, *shape[axis + 1:]])
    else:
        first, last = call.get("start"), call.get("end")
        where = numbers[slice(0 if first is None else first, None if last is None else last, call.get("step", 1))]
    if call.shape(source) != (*shape[:axis], len(where), *shape[axis + 1:]):
        raise Unfit("an array of another shape than what it replaces")
    order = numbers.copy()
    order[where] = shape[axis] + np.arange(len(where))
    both = call.emit("Concat", [call.as_kind(call.x, kind), call.as_kind(source, kind)], call.new(
        [*shape[:axis], shape[axis] + len(where), *shape[axis + 1:]], kind), axis=axis)
    call.emit("Gather", [both, call.constant(order, LONG)], axis=axis)


def index_select(call: Call) -> None:
    """Some indices of an axis, by an array."""
    axis = call.axis(call.get("dim"))
    _expect_not_negative(call, call.get("index"))
    call.emit("Gather", [call.x, _within(call, call.get("index"), call.shape(call.x)[axis])], axis=axis)


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
    times, shape = call.get("repeats", call.get("dims")), call.shape(call.x)
    times = [*[1] * (len(shape) - len(times)), *times]
    name = call.reshaped(call.x, [*[1] * (len(times) - len(shape)), *shape])
    call.emit("Tile", [name, call.constant(times, LONG)])
