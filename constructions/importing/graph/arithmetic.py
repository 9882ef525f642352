"""Elementary operations on the values of a graph's edges: sums, products, quotients; concatenation."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.importing.graph import curves
from constructions.importing.graph.affine_forms import (
    Array,
    Base,
    Codes,
    Exactness,
    Flat,
    NormBase,
    NotUnderstood,
    beside,
)
from constructions.importing.graph.curves import HALF, Curve, as_curve, over_root, plain_mean, resolved, to_power
from constructions.importing.graph.state import State, by_head
from constructions.importing.graph.values import (
    ArrayMean,
    Centred,
    CentredSquare,
    IntegerProduct,
    MeanSquare,
    Modulated,
    Range,
    ScoreArray,
    Tokenwise,
    placed,
    shape_of,
    what,
)


def keeps(constant: Any, value: Any) -> bool:
    """Return whether an array keeps its shape under broadcasting with the constant."""
    shape = shape_of(value)
    return shape is not None and np.broadcast_shapes(constant.shape, shape) == shape


def finite(constant: Any) -> Array:
    """Return constants, to be added to or multiplied with numbers of tokens; they must be finite."""
    numbers = np.asarray(constant, np.float64)
    if not np.isfinite(numbers).all():
        raise NotUnderstood("infinite or NaN constants beside numbers of tokens, expected finite ones")
    return numbers


def number_in(array: Any) -> Fraction | None:
    """Return the number that all elements are equal to, or None."""
    flat = np.asarray(array, np.float64).ravel()
    same = flat.size > 0 and bool((flat == flat[0]).all()) and bool(np.isfinite(flat[0]))
    return Fraction(np.float64(flat[0])) if same else None


def by_position(value: Tokenwise, shape: tuple[int, ...]) -> tuple[Tokenwise, Codes, int | None, Codes]:
    """Return the array in a wider shape; its positions, their axis (None: one position), the forms of a position."""
    value = value.broadcast(shape)
    positions, forms = value.positions, value.forms
    if not positions.size:
        raise NotUnderstood("an empty array, expected elements")
    if (positions == positions.flat[0]).all():
        return value, positions.ravel()[:1], None, forms
    for axis in range(positions.ndim):
        first = [slice(0, 1)] * positions.ndim
        first[axis] = slice(None)
        if (positions == positions[tuple(first)]).all():
            one = np.take(forms, [0], axis)
            if (forms == one).all():
                return value, positions[tuple(first)].ravel(), axis, one
    raise NotUnderstood("numbers of different tokens in one row, expected one token")


# -- with constants ----------------------------------------------------------------------------------------------------


def _by_rows(value: Tokenwise, constant: Array) -> tuple[Tokenwise, Codes, Codes, Array, Array]:
    """Broadcast array and constant; return also positions, forms of each, and the constant by positions and whole."""
    value, positions, axis, forms = by_position(value, np.broadcast_shapes(value.shape, constant.shape))
    whole = np.broadcast_to(constant, value.shape)
    rows = whole.reshape(1, -1) if axis is None else np.moveaxis(whole, axis, 0).reshape(len(positions), -1)
    return value, positions, forms, rows, whole


def plus_constant(value: Tokenwise, constant: Array, count: int, exactness: Exactness) -> Tokenwise:
    """Return the sum with a constant; a constant that depends on positions becomes a table."""
    if not finite(constant).any():
        return value.broadcast(constant.shape)
    value, positions, forms, rows, _ = _by_rows(value.settled(exactness), finite(constant))
    flat = value.flat.columns(forms.ravel())
    alike = (rows == rows[:1]).all()
    table = rows[:1] if alike else np.zeros((count, flat.size))
    if not alike:
        table[positions] = rows
    widened = np.broadcast_to(np.arange(flat.size).reshape(forms.shape), value.shape)
    normed = _with_norms(flat, lambda norm, at: replace(norm, bias=table[0][at])
                         if len(table) == 1 and norm.bias is None else None)  # of norms without a bias
    return placed(normed or Flat(flat.terms, (*flat.constants, table), flat.size), value.positions, widened)


def times_constant(value: Tokenwise, constant: Array, exactness: Exactness) -> Tokenwise | Modulated:
    """Return the product with a constant, element by element."""
    constant = finite(constant)
    if (number := number_in(constant)) is not None:
        return replace(value.broadcast(constant.shape), factor=value.factor * number)
    value, _, forms, rows, whole = _by_rows(value, constant)
    if (rows != rows[:1]).any():
        return Modulated(((value.settled(exactness), np.array(whole)),))
    pairs, places = np.unique(np.stack([forms.ravel().astype(np.float64), rows[0]]), axis=1, return_inverse=True)
    flat, row = value.flat.columns(pairs[0].astype(np.int64)), pairs[1]
    flat = _with_norms(flat, lambda norm, at: replace(norm, gain=row[at])
                       if norm.gain is None and norm.bias is None else None) or Flat(
        {base: exactness.times(matrix, row) for base, matrix in flat.terms.items()},
        [exactness.times(one, row) for one in flat.constants], flat.size)
    widened = np.broadcast_to(places.reshape(forms.shape), value.shape)
    return placed(flat, value.positions, widened, value.factor)


def _with_norms(flat: Flat, change: Callable[[NormBase, Array], NormBase | None]) -> Flat | None:
    """Return the forms with changed norms, if they are values of norms, each once; else None."""
    terms, chosen = dict[Base, Array](), list[int]()
    for base, matrix in flat.terms.items():
        if not isinstance(base, NormBase) or not np.isin(matrix, (0, 1)).all() or (matrix.sum(1) != 1).any():
            return None
        made = change(base, matrix.argmax(1))
        if made is None:
            return None
        terms[made] = matrix
        chosen += matrix.argmax(1).tolist()
    fits = terms and not flat.constants and len(chosen) == len({*chosen}) == flat.size
    return Flat(terms, (), flat.size) if fits else None


# -- of two arrays -----------------------------------------------------------------------------------------------------


def plus(x: Tokenwise, y: Tokenwise, sign: int, exactness: Exactness) -> Tokenwise:
    """Return the sum, or the difference."""
    x, y = x.broadcast(y.shape), y.broadcast(x.shape)
    if (ratio := x.ratio_to(y)) is not None:
        return replace(y, factor=(ratio + sign) * y.factor)
    x, y = x.settled(exactness), replace(y, factor=sign * y.factor).settled(exactness)
    if (x.positions != y.positions).any():
        raise NotUnderstood("a sum of numbers of different tokens, expected the same tokens")
    pairs, places = np.unique(np.stack([x.forms.ravel(), y.forms.ravel()]), axis=1, return_inverse=True)
    flat = x.flat.columns(pairs[0]).plus(y.flat.columns(pairs[1]), exactness)
    return placed(flat, x.positions, places.reshape(x.shape))


def as_parts(value: Tokenwise | Modulated, exactness: Exactness) -> tuple[tuple[Tokenwise, Array], ...]:
    """Return a value as a sum of arrays times constants."""
    if isinstance(value, Modulated):
        return tuple((part, exactness.scaled(table, value.factor)) for part, table in value.parts)
    return ((value.settled(exactness), np.ones(value.shape)),)


def plain(value: Modulated, count: int, exactness: Exactness) -> Tokenwise:
    """Return numbers times constants of positions, as hidden units: gates that depend on positions only."""
    found = []
    for part, table in value.parts:
        numbers = np.array(np.broadcast_to(table, part.shape))
        found.append(part if (numbers == 1).all() else curves.product(
            _constants_at(part.positions, numbers, count), part))
    total = found[0]
    for one in found[1:]:
        total = plus(total, one, 1, exactness)
    return replace(total, factor=total.factor * value.factor)


def _constants_at(positions: Codes, numbers: Array, count: int) -> Tokenwise:
    """Return constants as numbers of the tokens at these positions."""
    return plus_constant(placed(Flat({}, (), 1), positions, np.zeros(numbers.shape, np.int64)), numbers, count,
                         Exactness())


def joined(state: State, values: Sequence[Any], axis: int) -> Tokenwise | Modulated:
    """Concatenate arrays."""
    exactness = state.exactness
    known = next(value for value in values if not isinstance(value, np.ndarray))
    if isinstance(known, Curve):
        known = resolved(known, exactness)
    example = known.parts[0][0] if isinstance(known, Modulated) else known
    has_constants = any(isinstance(value, np.ndarray) for value in values)
    place = np.take(example.positions, [0], axis) if has_constants else example.positions
    if (example.positions != place).any():
        raise NotUnderstood("constants before or after tokens, expected a token of their own at their place")
    made = [_constants_at(np.broadcast_to(place, value.shape), np.asarray(value, np.float64), state.count)
            if isinstance(value, np.ndarray) else resolved(value, exactness) if isinstance(value, Curve) else value
            for value in values]
    if any(not isinstance(value, Tokenwise | Modulated) for value in made):
        raise NotUnderstood("concatenated with something else than an array of numbers of tokens")
    if all(isinstance(value, Tokenwise) for value in made):
        return joined_numbers([value.settled(exactness) for value in made], axis)
    parts = [as_parts(value, exactness) for value in made]
    longest = max(map(len, parts))
    parts = [(*one, *(((one[0][0], np.zeros(one[0][0].shape)),) * (longest - len(one)))) for one in parts]
    return Modulated(tuple(
        (joined_numbers([one[k][0] for one in parts], axis),
         np.concatenate([np.broadcast_to(one[k][1], one[k][0].shape) for one in parts], axis))
        for k in range(longest)))


def joined_numbers(values: Sequence[Tokenwise], axis: int) -> Tokenwise:
    """Concatenate arrays of numbers of tokens."""
    if all(value.flat is values[0].flat for value in values):
        return Tokenwise(values[0].flat, np.concatenate([value.codes for value in values], axis))
    flats: list[Flat] = []
    for value in values:
        flats += [] if any(value.flat is flat for flat in flats) else [value.flat]
    starts = np.cumsum([0, *(flat.size for flat in flats)])
    whole = beside(flats)
    first = [int(starts[next(k for k, flat in enumerate(flats) if flat is value.flat)]) for value in values]
    return placed(whole, np.concatenate([value.positions for value in values], axis),
                  np.concatenate([value.forms + start for value, start in zip(values, first, strict=True)], axis))


# -- Add, Sub, Mul and Div of two values -------------------------------------------------------------------------------


def add(state: State, x: Any, y: Any, sign: int = 1) -> Any:
    """Return x + y or x - y."""
    exactness = state.exactness
    if isinstance(x, np.ndarray):
        return add(state, negated(y) if sign < 0 else y, x)
    if isinstance(y, np.ndarray):
        return _add_constant(x, sign * np.asarray(y, np.float64), state.count, exactness)
    if isinstance(y, ArrayMean) and sign < 0 and isinstance(x, Tokenwise) and x.ratio_to(y.of) == 1:
        return Centred(x)
    x, y = plain_mean(x, exactness), plain_mean(y, exactness)
    if isinstance(x, Modulated) or isinstance(y, Modulated):
        if isinstance(x, Tokenwise | Modulated) and isinstance(y, Tokenwise | Modulated):
            shape = np.broadcast_shapes(x.shape, y.shape)
            other = tuple((part, sign * table) for part, table in as_parts(y, exactness))
            return Modulated(tuple(
                (part.broadcast(shape), np.broadcast_to(table, shape))
                for part, table in (*as_parts(x, exactness), *other)))
    elif isinstance(x, Tokenwise | Curve) and isinstance(y, Tokenwise | Curve):
        one, two = as_curve(x), as_curve(y)
        if one.of.ratio_to(two.of) == 1 and not (isinstance(x, Tokenwise) and isinstance(y, Tokenwise)):
            return Curve(one.of, curves.plus(one.polynomial, two.polynomial, sign))
        return plus(resolved(x, exactness), resolved(y, exactness), sign, exactness)
    raise NotUnderstood(f"a sum of {what(x)} and {what(y)}")


def _add_constant(x: Any, constant: Array, count: int, exactness: Exactness) -> Any:
    x = plain_mean(x, exactness)
    number = number_in(constant)
    if isinstance(x, MeanSquare) and number is not None and x.power == 1 and keeps(constant, x):
        return replace(x, epsilon=x.epsilon + number)
    if isinstance(x, MeanSquare) and x.power == HALF:
        raise NotUnderstood("an epsilon beside the root of a mean of squares, expected it under the root")
    if isinstance(x, ScoreArray):
        return x.plus(constant)
    if isinstance(x, Curve) and number is not None and keeps(constant, x):
        return Curve(x.of, curves.plus(x.polynomial, curves.constant(number)))
    if isinstance(x, Tokenwise | Curve):
        return plus_constant(resolved(x, exactness), constant, count, exactness)
    raise NotUnderstood(f"a sum of {what(x)} and constants")


def negated(x: Any) -> Any:
    """Return -x."""
    if isinstance(x, np.ndarray):
        return np.asarray(-x)
    if isinstance(x, Tokenwise | Modulated):
        return replace(x, factor=-x.factor)
    if isinstance(x, Curve):
        return x.times(Fraction(-1))
    raise NotUnderstood(f"the negative of {what(x)}")


def multiply(state: State, x: Any, y: Any) -> Any:
    """Return x · y."""
    exactness = state.exactness
    x, y = plain_mean(x, exactness), plain_mean(y, exactness)
    if isinstance(x, np.ndarray) or isinstance(y, IntegerProduct):
        x, y = y, x
    if isinstance(x, np.ndarray):
        return exactness.times(finite(x), finite(y))
    if isinstance(x, Range | IntegerProduct):
        return _with_scale(x, y, exactness)
    if isinstance(y, np.ndarray):
        return _times_constant(x, np.asarray(y, np.float64), exactness)
    for one, other in ((x, y), (y, x)):
        if isinstance(other, MeanSquare) and other.power == -HALF and isinstance(
                one, Tokenwise | Centred | Curve):
            return _over_root(one, other, exactness)
    if isinstance(x, Centred) and isinstance(y, Centred) and x.gain is y.gain is None and x.of.ratio_to(y.of) == 1:
        return CentredSquare(x.of)
    if not isinstance(x, Tokenwise | Curve) or not isinstance(y, Tokenwise | Curve):
        raise NotUnderstood(f"a product of {what(x)} and {what(y)}")
    one, two = as_curve(x), as_curve(y)
    if one.of.ratio_to(two.of) == 1:
        return Curve(one.of, curves.times(one.polynomial, two.polynomial))
    if not isinstance(x, Curve):
        x, y = y, x
    if one.of.shape != two.of.shape:
        raise NotUnderstood("a product of arrays of different shapes, expected one shape")
    return curves.product(x, resolved(y, exactness))


def _over_root(x: Tokenwise | Centred | Curve, y: MeanSquare, exactness: Exactness) -> Any:
    """Return a norm, whose gain may have been multiplied before."""
    made = over_root(x, y, exactness)
    return times_constant(made, x.gain, exactness) if isinstance(x, Centred) and x.gain is not None else made


def _with_scale(x: Range | IntegerProduct, y: Any, exactness: Exactness) -> Any:
    """Return a range's scale, or a product of integers, times constants; or that product times its scale."""
    if isinstance(y, np.ndarray) and isinstance(x, Range) and not x.is_zero:
        return replace(x, times=exactness.times(np.asarray(x.times, np.float64), np.asarray(y, np.float64)))
    own = isinstance(x, IntegerProduct) and isinstance(y, Range) and x.scale == replace(y, times=1)
    if isinstance(x, IntegerProduct) and (own or isinstance(y, np.ndarray)):
        made = _times_constant(x.value, np.asarray(y.times if own else y, np.float64), exactness)
        return made if own else replace(x, value=made)
    raise NotUnderstood("integers times something else than constants or their own scale")


def _times_constant(x: Any, constant: Array, exactness: Exactness) -> Any:
    number = number_in(constant)
    if number is not None and (made := _times_number(x, number, constant)) is not None:
        return made
    if isinstance(x, Tokenwise | Curve):
        return times_constant(resolved(x, exactness), constant, exactness)
    if isinstance(x, Centred) and x.gain is None and keeps(constant, x):
        return Centred(x.of, finite(constant), x)
    if isinstance(x, ScoreArray) and number is None and np.isin(constant, (0, 1)).all():
        return x.times(constant).filled(constant == 0, np.zeros(()))
    if isinstance(x, ScoreArray) and x.cap is None and constant.ndim > 1 and constant.shape[-2:] == (1, 1) and keeps(
            constant, x) and ((finite(constant) > 0).all() or not any(mask.numbers.any() for mask in x.masks)):
        each = np.broadcast_to(constant[..., 0, 0], x.reads.shape)  # queries of each head times its own number
        return replace(x.times(constant), reads=by_head(x.reads.shape, lambda index: (
            x.reads[index][0].scaled(Fraction(np.float64(each[index])), exactness), x.reads[index][1])))
    raise NotUnderstood(f"a product of {what(x)} and constants")


def _times_number(x: Any, number: Fraction, array: Any) -> Any:
    """Return x times a number, broadcast with the array that consists of it; None for other values, or a new shape."""
    if isinstance(x, Tokenwise):
        return replace(x.broadcast(array.shape), factor=x.factor * number)
    if not isinstance(x, Curve | MeanSquare | Modulated | ScoreArray) or not keeps(array, x):
        return None
    if isinstance(x, Modulated):
        return replace(x, factor=x.factor * number)
    if isinstance(x, ScoreArray):
        return x.times(np.asarray(np.float64(number))).scaled(number) if number > 0 else None
    return x.times(number) if isinstance(x, Curve) or x.power == 1 else None


def divide(state: State, x: Any, y: Any) -> Any:
    """Return x / y."""
    exactness = state.exactness
    x = plain_mean(x, exactness)
    if isinstance(y, MeanSquare) and y.power == HALF:
        if isinstance(x, np.ndarray) and number_in(x) == 1 and keeps(x, y):
            return to_power(y, Fraction(-1))
        if isinstance(x, Tokenwise | Centred | Curve):
            return _over_root(x, y, exactness)
    number = number_in(y) if isinstance(y, np.ndarray) else None
    if number is None and isinstance(y, np.ndarray) and (np.asarray(y) != 0).all():
        return multiply(state, x, exactness.inverse(np.asarray(y, np.float64)))
    if number is None or number == 0:
        raise NotUnderstood(f"a quotient of {what(x)} by {what(y)}")
    if (made := _times_number(x, 1 / number, y)) is None:
        raise NotUnderstood(f"a quotient of {what(x)} by constants")
    return made
