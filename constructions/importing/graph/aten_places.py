"""Operations of torch that move elements."""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import BOOLEAN, TYPES, WHOLE, Call, Translator, Unfit


def _same(call: Call) -> None:
    """Translate an identity, perhaps to another type."""
    if call.get("train"):
        raise Unfit("a dropout in training; expected the model exported in evaluation (model.eval())")
    call.get("p")  # the probability of a dropout
    if (other := call.get("other")) is not None and call.kind(other) != call.out_kind:
        raise Unfit("elements of another type than those of its argument other")
    if call.kind(call.x) == call.out_kind:
        call.emit("Identity", [call.x])
    else:
        call.emit("Cast", [call.x], to=TYPES[call.out_kind])


def _reshape(call: Call) -> None:
    """Translate a change of shape; check it against the arguments."""
    if call.kind(call.x) != call.out_kind:
        raise Unfit("the same bytes as elements of another type")
    old, new = call.plain_shape(call.x), call.plain_shape(call.out)
    expected = call.get("size", call.get("shape"))
    if expected is None and call.get("other") is not None:
        expected = call.plain_shape(call.get("other"))
    expected = _folded(call, old) if expected is None else expected
    if len(expected) != len(new) or any(one not in (-1, size) for one, size in zip(expected, new, strict=True)) or (
            math.prod(old) != math.prod(new)):
        raise Unfit(f"a result of shape {new}, expected {tuple(expected)} of an array of shape {old}")
    call.reshaped(call.x, call.out_shape, call.out)


def _folded(call: Call, shape: Sequence[int]) -> Sequence[int]:
    """Return the shape that follows from arguments other than sizes."""
    operation = call.operation.removesuffix("_")
    if operation == "ravel":
        return [math.prod(shape)]
    if operation == "flatten":
        first, last = (call.axis(call.get(*one)) for one in (("start_dim", 0), ("end_dim", -1)))
        return [*shape[:first], math.prod(shape[first: last + 1]), *shape[last + 1:]]
    if operation == "unsqueeze":
        axis = range(len(shape) + 1)[call.get("dim")]
        return [*shape[:axis], 1, *shape[axis:]]
    if operation == "unflatten":
        axis = call.axis(call.get("dim"))
        return [*shape[:axis], *call.get("sizes"), *shape[axis + 1:]]
    if operation != "squeeze":
        raise KeyError(operation)
    axes = call.get("dim")
    axes = range(len(shape)) if axes is None else [axes] if isinstance(axes, int) else axes
    dropped = [call.axis(axis) for axis in axes]
    return [size for axis, size in enumerate(shape) if size != 1 or axis not in dropped]


def _expand(call: Call) -> None:
    """Translate a repetition along axes of size 1."""
    made = call.plain_shape(call.out)
    expected = call.get("size") if call.get("other") is None else call.plain_shape(call.get("other"))
    if len(expected) != len(made) or any(one not in (-1, size) for one, size in zip(expected, made, strict=True)):
        raise Unfit(f"a result of shape {made}, expected {tuple(expected)} by its arguments")
    call.emit("Expand", [call.x, [*call.out_shape]])


def _transpose(call: Call) -> None:
    """Translate an exchange of two axes, by default the last ones."""
    order = list(range(len(call.shape(call.x))))
    one, other = map(call.axis, call.operands()[1:] or (-1, -2))
    order[one], order[other] = order[other], order[one]
    call.turned(call.x, order, call.out)


def _cut(call: Call) -> None:
    """Translate a slice of an axis, by its end or (narrow) by its length."""
    axis, first, last, length = call.axis(call.get("dim", 0)), call.get("start"), call.get("end"), call.get("length")
    size, first = call.shape(call.x)[axis], 0 if first is None else first
    if length is not None:
        first += size * (first < 0)
        last = first + length
    ends = [first, size if last is None else min(last, size), axis, call.get("step", 1)]
    call.emit("Slice", [call.x, *([one] for one in ends)])


def _move_axes(call: Call) -> None:
    rank = len(call.shape(call.x))
    source, target = ([one] if isinstance(one, int) else one for one in call.operands()[1:])
    order = [axis for axis in range(rank) if axis not in [one % rank for one in source]]
    for to, axis in sorted((to % rank, axis % rank) for to, axis in zip(target, source, strict=True)):
        order.insert(to, axis)
    call.turned(call.x, order, call.out)


def _rows(call: Call) -> None:
    _expect_not_negative(call, call.get("indices"))
    call.emit("Gather", [call.get("weight"), call.get("indices")], axis=0)


def _index(call: Call) -> None:
    """Translate an index of rows of a table by an array; of constants, also by several arrays."""
    given = [(axis, one) for axis, one in enumerate(call.get("indices")) if one is not None]
    if len(given) == 1 and call.kind(given[0][1]) in WHOLE[3:]:
        call.emit("Gather", [call.x, _within(call, given[0][1], call.shape(call.x)[given[0][0]])], axis=given[0][0])
        return
    call.keep(np.array(call.known(call.x)[_places(call)]), [call.x, *(one for _, one in given)])


def _places(call: Call) -> tuple[Any, ...]:
    """Return the indices of constants, as integers or masks."""
    found = []
    for one in call.get("indices"):
        found.append(slice(None) if one is None else call.known(one))
        if one is not None and call.kind(one) not in (*WHOLE[3:], BOOLEAN):
            raise Unfit("indices of a type other than integers of 32 and 64 bits and Boolean")
    return tuple(found)


def _within(call: Call, places: str, size: int) -> str:
    """Return indices counted from the first element; constant negative ones are converted."""
    if places not in call.program.constants:
        return places
    array = call.known(places)
    if not ((array >= -size) & (array < size)).all():
        raise Unfit(f"indices beyond {size} elements")
    return call.constant(np.where(array < 0, array + size, array))


def _expect_not_negative(call: Call, places: str) -> None:
    """Reject constant indices below 0, as torch does in look-ups."""
    if places in call.program.constants and (call.known(places) < 0).any():
        raise Unfit("indices below 0, which torch does not accept here")


def _put(call: Call) -> None:
    """Translate an assignment to indexed elements of constants."""
    if call.get("accumulate", False):
        raise Unfit("elements added at indices")
    values, where = call.known(call.get("values")), _places(call)
    made = np.array(call.known(call.x))
    count = np.zeros(made.shape, np.int64)
    np.add.at(count, where, 1)
    if values.dtype != made.dtype or (count > 1).any():
        raise Unfit("elements of another type, or an index that occurs twice")
    made[where] = values
    call.keep(made, [call.x, call.get("values"), *(one for one in call.get("indices") if one is not None)])


def _copied(call: Call) -> None:
    """Translate a copy of the elements of another array, in the shape and type of the first."""
    call.operands(1)
    call.emit("Expand", [call.as_kind(call.get("src")), [*call.out_shape]])


def _scattered(call: Call) -> None:
    """Translate an array with some indices of an axis replaced by another array."""
    axis = call.axis(call.get("dim", 0))
    shape = call.shape(call.x)
    source, numbers = call.get("src"), np.arange(shape[axis])
    if call.operation == "select_scatter":
        where = numbers[[call.get("index")]]
        source = call.reshaped(source, [*shape[:axis], 1, *shape[axis + 1:]])
    else:
        where = numbers[slice(call.get("start") or 0, call.get("end"), call.get("step", 1))]
    if call.shape(source) != (*shape[:axis], len(where), *shape[axis + 1:]):
        raise Unfit("an array of another shape than the part that it replaces")
    order = numbers.copy()
    order[where] = shape[axis] + np.arange(len(where))
    both = call.do("Concat", call.as_kind(call.x), call.as_kind(source), kind=call.out_kind, shape=[
        *shape[:axis], shape[axis] + len(where), *shape[axis + 1:]], axis=axis)
    call.emit("Gather", [both, order], axis=axis)


def _index_select(call: Call) -> None:
    axis = call.axis(call.get("dim"))
    _expect_not_negative(call, call.get("index"))
    call.emit("Gather", [call.x, _within(call, call.get("index"), call.shape(call.x)[axis])], axis=axis)


def _ordered(call: Call) -> None:
    """Translate a flip or a roll of axes."""
    name, shape = str(call.x), call.shape(call.x)
    shifts = call.get("dims") if call.operation == "flip" else call.get("shifts")
    for shift, axis in zip(shifts, call.get("dims"), strict=True):
        order = np.arange(shape[axis])[::-1] if call.operation == "flip" else np.roll(np.arange(shape[axis]), shift)
        name = call.do("Gather", name, order, shape=shape, axis=call.axis(axis))
    call.emit("Identity", [name])


def _concat(call: Call) -> None:
    """Translate a concatenation; ``hstack`` is along the second axis (or the only one)."""
    names = [call.as_kind(one) for one in call.get("tensors")]
    call.emit("Concat", names, axis=min(1, len(call.shape(names[0])) - 1) if call.operation == "hstack" else
              call.axis(call.get("dim", 0), names[0]))


def _stack(call: Call) -> None:
    shape, axis = call.out_shape, call.axis(call.get("dim", 0), call.out)
    for one in call.get("tensors"):
        call.expect_shape([*call.shape(one)[:axis], len(call.get("tensors")), *call.shape(one)[axis:]])
    call.emit("Concat", [call.reshaped(call.as_kind(one), [*shape[:axis], 1, *shape[axis + 1:]])
                         for one in call.get("tensors")], axis=axis)


def _split(call: Call) -> None:
    shape, axis = call.shape(call.x), call.axis(call.get("dim", 0))
    for output, (first, last) in zip(call.made, _ends(call, shape[axis]), strict=True):
        call.expect_shape([*shape[:axis], max(0, last - first), *shape[axis + 1:]], output)
        call.emit("Slice", [call.x, [first], [last], [axis]], output)


def _ends(call: Call, size: int) -> list[tuple[int, int]]:
    """Return first and last index (exclusive) of each piece of an axis."""
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
        raise Unfit("pieces that do not cover the axis")
    return [*pairwise(accumulate(sizes, initial=0))]


def _unbind(call: Call) -> None:
    axis = call.axis(call.get("dim", 0))
    if len(call.made) != call.shape(call.x)[axis]:
        raise Unfit("pieces that do not cover the axis")
    for number, output in enumerate(call.made):
        call.emit("Gather", [call.x, number], output, axis=axis)


def _repeat_interleave(call: Call) -> None:
    """Translate a repetition of each index of an axis."""
    shape, axis, times = call.shape(call.x), call.axis(call.get("dim")), int(call.get("repeats"))
    call.expect_shape([*shape[:axis], shape[axis] * times, *shape[axis + 1:]])
    call.reshaped(repeated(call, call.x, axis, times), call.out_shape, call.out)


def repeated(call: Call, name: str, axis: int, times: int) -> str:
    """Return the array repeated along a new axis after this one."""
    shape = call.shape(name)
    wide = [*shape[: axis + 1], times, *shape[axis + 1:]]
    return call.do("Expand", call.reshaped(name, [*shape[: axis + 1], 1, *shape[axis + 1:]]), wide, shape=wide)


def _repeat(call: Call) -> None:
    times, shape = call.get("repeats", call.get("dims")), call.shape(call.x)
    times = [*[1] * (len(shape) - len(times)), *times]
    call.emit("Tile", [call.reshaped(call.x, [*[1] * (len(times) - len(shape)), *shape]), times])


PLACES: Mapping[str, Translator] = {
    **dict.fromkeys(("contiguous", "clone", "alias", "detach", "lift_fresh_copy", "dropout", "to", "_to_copy",
                     "type_as", "detach_"), _same),
    **dict.fromkeys(("view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as",
                     "reshape_as", "ravel"), _reshape),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _expand),
    "permute": lambda call: call.turned(call.x, [call.axis(one) for one in call.get("dims")], call.out),
    **dict.fromkeys(("transpose", "mT", "swapaxes", "swapdims"), _transpose), "movedim": _move_axes,
    **dict.fromkeys(("t", "numpy_T"), lambda call: call.turned(call.x, range(len(call.shape(call.x)))[::-1], call.out)),
    "slice": _cut, "narrow": _cut, "embedding": _rows,
    "select": lambda call: call.emit("Gather", [call.x, call.get("index")], axis=call.axis(call.get("dim", 0))),
    **dict.fromkeys(("index", "_unsafe_index"), _index), "index_select": _index_select,
    **dict.fromkeys(("index_put", "_unsafe_index_put"), _put), "copy": _copied,
    **dict.fromkeys(("slice_scatter", "select_scatter"), _scattered), **dict.fromkeys(("flip", "roll"), _ordered),
    **dict.fromkeys(("cat", "concat", "hstack"), _concat), "stack": _stack,
    **dict.fromkeys(("split", "split_with_sizes", "chunk", "tensor_split"), _split), "unbind": _unbind,
    **dict.fromkeys(("repeat", "tile"), _repeat), "repeat_interleave": _repeat_interleave}
"""Translators by operation."""
