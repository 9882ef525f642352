"""Readers of the JSON values in a file. Each function returns the value it read, or raises Malformed."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from ..budget import Budget
from ..verdicts import expect, quote, within
from .document import Json

Read = TypeVar("Read")

RATIONAL = re.compile("-?[0-9]{1,1000}(/[1-9][0-9]{0,999})?")
READ_STEPS = 10  # of work to read one value


class Fields:
    """An object with fixed keys in a fixed order; an error in a field is reported with its key."""

    def __init__(self, value: Json, *keys: str, optional: Collection[str] = ()) -> None:
        """Check that the keys are these, in this order; the ``optional`` ones may be missing."""
        found = list(value) if isinstance(value, dict) else []
        wanted = [key for key in keys if key not in optional or key in found]
        shown = ", ".join(map(quote, found[:12])) if isinstance(value, dict) else quote(value)
        expect(isinstance(value, dict) and found == wanted, "expected the keys {}, got {}", ", ".join(wanted), shown)
        self._value: Mapping[str, Json] = value

    def __contains__(self, key: str) -> bool:
        """Return whether an optional key is present."""
        return key in self._value

    def read(self, key: str, shape: Callable[[Json], Read]) -> Read:
        """Read the field with a reader."""
        with within(key):
            return shape(self._value[key])


def headed(value: Json, name: str, *keys: str, optional: Collection[str] = ()) -> Fields:
    """Return the fields of an object that begins with its format and version (1)."""
    fields = Fields(value, "format", "version", *keys, optional=optional)
    fields.read("format", one_of(name))
    fields.read("version", one_of(1))
    return fields


def or_null(shape: Callable[[Json], Read]) -> Callable[[Json], Read | None]:
    """Return a reader that also accepts null."""
    return lambda value: None if value is None else shape(value)


def read_text(value: Json) -> str:
    """Return a string without lone surrogates."""
    expect(isinstance(value, str) and not re.search("[\ud800-\udfff]", value),
           "expected a string (no lone surrogates), got {}", quote(value))
    return str(value)


def read_rational(value: Json) -> Fraction:
    """Parse a rational in its unique spelling."""
    fits = isinstance(value, str) and RATIONAL.fullmatch(value) is not None and str(Fraction(value)) == value
    expect(fits, "expected a string, a rational in lowest terms (limit: 1000 digits), got {}", quote(value))
    return Fraction(value)


def one_of(*choices: str | int) -> Callable[[Json], Json]:
    """Return a reader of one of these values, of the same type."""
    def read(value: Json) -> Json:
        fits = type(value) is type(choices[0]) and value in choices
        expect(fits, "expected {}, got {}", " or ".join(map(quote, choices)), quote(value))
        return value
    return read


def integer_within(allowed: range) -> Callable[[Json], int]:
    """Return a reader of an integer in a range."""
    def read(value: Json) -> int:
        fits = type(value) is int and value in allowed
        expect(fits, "expected {} to {} (limit), got {}", allowed.start, allowed.stop - 1, quote(value))
        return int(value)
    return read


def list_of(shape: Callable[[Json], Read]) -> Callable[[Json], tuple[Read, ...]]:
    """Return a reader of a list; messages number its items from 1."""
    def read(value: Json) -> tuple[Read, ...]:
        expect(isinstance(value, list), "expected a list, got {}", quote(value))
        return tuple(item for place, one in enumerate(value, 1) for item in [read_item(str(place), one, shape)])
    return read


def read_item(name: str, value: Json, shape: Callable[[Json], Read]) -> Read:
    """Read one item of a list or a map; an error is reported with its name."""
    with within(name):
        return shape(value)


def read_symbols(value: Json) -> tuple[str, ...]:
    """Return an alphabet: at least one symbol, none empty, none twice."""
    symbols = list_of(read_text)(value)
    expect(symbols and all(symbols) and len(set(symbols)) == len(symbols),
           "expected at least one symbol, none empty, each once")
    return symbols


def entries(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield the entries of an object with any keys."""
    expect(isinstance(value, dict), "expected an object, got {}", quote(value))
    yield from value.items()


class DirectionOrder:
    """The order of the named directions; readers of maps from directions."""

    def __init__(self, names: Sequence[str], budget: Budget) -> None:
        self._order = {name: place for place, name in enumerate(names)}
        self._budget = budget

    def read_map(self, value: Json, shape: Callable[[Json], Read]) -> dict[str, Read]:
        """Read a map from directions, in their order and without zero entries."""
        last, found = -1, dict[str, Read]()
        for name, item in entries(value):
            self._budget.spend(READ_STEPS)
            place = self._order.get(name, -1)
            expect(place > last, "{}: unknown or misplaced", quote(name))
            expect(item not in ("0", {}), "{}: a zero entry is left out, not written", quote(name))
            found[name] = read_item(quote(name), item, shape)
            last = place
        return found

    def read_weights(self, value: Json) -> dict[str, Fraction]:
        """Read a linear form."""
        return self.read_map(value, read_rational)
