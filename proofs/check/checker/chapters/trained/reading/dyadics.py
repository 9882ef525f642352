"""Tensors of a network, and their matrices and vectors, as exact dyadic rationals: integers times a power of two.

A tensor is base64 of its bytes, with a digest; docs/reference/trained.md, section 2. Floats are decoded as bits,
unrounded.
"""

from array import array
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import prod
from sys import byteorder

from ....kernel.budget import MAX_TENSOR_BYTES, MAX_VIEWED, Budget
from ....kernel.numbers import INTEGER_BITS
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, entries, integer_within, list_of, one_of, read_item, read_text
from ....kernel.verdicts import expect, quote

MAX_EXTENT = 1 << 24  # of a dimension, a stride or a start: files have fewer elements
POINTER_BITS = 64  # memory of an entry of a view, which refers to one of its tensor
ROW_BITS = 512  # memory of a row of a view

Natural = integer_within(range(MAX_EXTENT + 1))


@dataclass(frozen=True)
class Encoding:
    """A binary format: bytes of an element, code of `array`, bits of the fraction and of the exponent."""

    size: int
    code: str
    fraction: int
    exponent: int


ENCODINGS: Mapping[str, Encoding] = {
    "binary32": Encoding(4, "I", 23, 8), "binary64": Encoding(8, "Q", 52, 11),
    "binary16": Encoding(2, "H", 10, 5), "bfloat16": Encoding(2, "H", 7, 8)}


@dataclass(frozen=True)
class Vector:
    """The rationals ``entries[j] * 2^power``."""

    entries: tuple[int, ...]
    power: int


@dataclass(frozen=True)
class Matrix:
    """The rationals ``rows[i][j] * 2^power``; all rows have ``width`` entries."""

    rows: tuple[tuple[int, ...], ...]
    width: int
    power: int


@dataclass(frozen=True)
class DyadicTensor:
    """The elements in row-major order, as integers times 2^power; ``size`` in bytes in the file."""

    elements: Sequence[int]
    power: int
    size: int


def read_base64(value: Json) -> bytes:
    """Decode base64 text that is the one spelling of its bytes."""
    text = read_text(value)
    try:
        data = b64decode(text, validate=True)
    except (Error, ValueError):
        data = b""
    expect(b64encode(data).decode("ascii") == text, "expected base64, got {}", quote(text))
    return data


def read_tensor(value: Json, budget: Budget) -> DyadicTensor:
    """Parse a tensor; the number of elements fits the shape, all are finite, and the digest is that of the bytes."""
    fields = Fields(value, "format", "shape", "sha256", "data")
    encoding = ENCODINGS[str(fields.read("format", one_of(*ENCODINGS)))]
    shape = fields.read("shape", list_of(Natural))
    digest = fields.read("sha256", read_text)
    data = fields.read("data", read_base64)
    budget.spend(1 + (len(data) >> 2))
    expect(prod(shape[:8]) * encoding.size == len(data) and len(shape) <= 8,
           "data: {} bytes do not fit the shape (limit: 8 dimensions)", len(data))
    expect(sha256(data).hexdigest() == digest, "sha256: it is not the digest of the data")
    return decode(data, encoding, budget)


def decode(data: bytes, encoding: Encoding, budget: Budget) -> DyadicTensor:
    """Return the exact values of the elements, over one power of two.

    The exponent field x and the fraction f of an element mean (2^fraction + f) 2^(x - shift), or f 2^(1 - shift) if x
    is 0; the greatest x means infinity or NaN.
    """
    words = array(encoding.code, data)
    if byteorder == "big":
        words.byteswap()
    fields = [(word >> encoding.fraction) & ((1 << encoding.exponent) - 1) for word in words]
    infinite = (1 << encoding.exponent) - 1
    expect(infinite not in fields, "data: an element is not finite")
    least = max(1, min(fields, default=1))
    greatest = max(fields, default=1)
    budget.hold(len(words) * (INTEGER_BITS + encoding.fraction + greatest - least))
    one, mask, sign = 1 << encoding.fraction, (1 << encoding.fraction) - 1, 1 << (8 * encoding.size - 1)
    sizes = [((word & mask) | one) << (x - least) if x else word & mask for word, x in zip(words, fields, strict=True)]
    elements = [-size if word & sign else size for word, size in zip(words, sizes, strict=True)]
    return DyadicTensor(elements, least - encoding.fraction - (1 << (encoding.exponent - 1)) + 1, len(data))


class Tensors:
    """The tensors of a file by name, and which of them were used."""

    def __init__(self, tensors: Mapping[str, DyadicTensor], budget: Budget) -> None:
        self._tensors, self._budget = tensors, budget
        self._used: set[str] = set()
        self._viewed = 0

    def read_vector(self, value: Json) -> Vector:
        """Parse a view: a vector inside a tensor."""
        tensor, start, shape, strides = self._read_view(value, 1)
        stop = start + shape[0] * strides[0]
        entries = tensor.elements[start:stop:strides[0]] if strides[0] else [tensor.elements[start]] * shape[0]
        return Vector(tuple(entries), tensor.power)

    def read_matrix(self, value: Json) -> Matrix:
        """Parse a view: a matrix inside a tensor."""
        tensor, start, (height, width), (down, right) = self._read_view(value, 2)
        elements = tensor.elements
        rows = tuple(tuple([elements[start + i * down + j * right] for j in range(width)]) for i in range(height))
        return Matrix(rows, width, tensor.power)

    def expect_all_used(self) -> None:
        """Require that every tensor is used by some view."""
        unused = [name for name in self._tensors if name not in self._used]
        expect(not unused, "tensors: {} is not used", quote("".join(unused[:1])))

    def _read_view(self, value: Json, dimensions: int) -> tuple[DyadicTensor, int, tuple[int, ...], tuple[int, ...]]:
        """Parse tensor, start, shape and strides; all elements are inside the tensor."""
        fields = Fields(value, "tensor", "start", "shape", "strides")
        name = fields.read("tensor", read_text)
        start = fields.read("start", Natural)
        shape = fields.read("shape", list_of(integer_within(range(1, MAX_EXTENT + 1))))
        strides = fields.read("strides", list_of(Natural))
        expect(name in self._tensors, "tensor: {} is not there", quote(name))
        expect(len(shape) == len(strides) == dimensions, "expected {} dimensions", dimensions)
        tensor = self._tensors[name]
        last = start + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
        expect(last < len(tensor.elements), "it is not within the tensor {}", quote(name))
        expect(prod(shape) <= len(tensor.elements), "it has more elements than the tensor {}", quote(name))
        self._used.add(name)
        self._viewed += prod(shape)
        expect(self._viewed <= MAX_VIEWED, "the elements of all views are more than {} (limit)", MAX_VIEWED)
        self._budget.spend(1 + (prod(shape) >> 3))
        self._budget.hold(POINTER_BITS * prod(shape) + ROW_BITS * shape[0])
        return tensor, start, shape, strides


def read_tensors(value: Json, budget: Budget) -> Tensors:
    """Parse the tensors of a network."""
    read = partial(read_tensor, budget=budget)
    tensors = {name: read_item(quote(name), one, read) for name, one in entries(value)}
    expect(sum(tensor.size for tensor in tensors.values()) <= MAX_TENSOR_BYTES, "expected at most {} bytes (limit)",
           MAX_TENSOR_BYTES)
    return Tensors(tensors, budget)
