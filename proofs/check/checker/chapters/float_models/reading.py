"""Reader of the key `floats` of a certificate: claims about float models.

See docs/reference/floats.md, section 1, and floats_rules.md, section 4.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ...kernel.numbers import ONE
from ...kernel.reading.document import Json
from ...kernel.reading.shapes import Fields, integer_within, list_of, one_of, read_rational, read_text
from ...kernel.verdicts import expect, quote, within
from .presets import PRESETS

MAX_CLAIMS = 32
MAX_NAME = 100  # characters, so that a name is printed whole
MAX_BLOCK = 1 << 20
PRECISIONS, LEAST, GREATEST = range(2, 65), range(-(1 << 14), -1), range(2, (1 << 14) + 1)
ALSO = {
    "eights": "inputs of matrix products in 8 bits; queries, keys, values in binary16",
    "gains": "RMS norms stored before their gain",
    "integers": "sums of whole numbers, scaled afterwards",
    "merged": "variances merged from parts",
    "one pass": "variances in one pass",
    "scales": "scores stored before their scale, or its root in queries and keys"}


class Format(NamedTuple):
    """Numbers m 2^k, |m| < 2^precision, k >= least - precision + 1, of absolute value below 2^(greatest + 1)."""

    precision: int
    least: int
    greatest: int


FORMATS: dict[str, Format] = {
    "binary64": Format(53, -1022, 1023),
    "binary32": Format(24, -126, 127),
    "tf32": Format(11, -126, 127),
    "binary16": Format(11, -14, 15),
    "bfloat16": Format(8, -126, 127)}

INTEGER = "(0|-?[1-9][0-9]{0,4})"
WRITTEN = re.compile(rf"float\({INTEGER},{INTEGER},{INTEGER}\)")


@dataclass(frozen=True, kw_only=True)
class FloatClaim:
    """A float model, and the claim that every execution is right on all words of up to max_n symbols.

    ``sum_ulp`` is 1 where sums are rounded to nearest, above 1 where they are cut off; ``also`` names keys of `ALSO`.
    """

    name: str
    storage: Format
    inputs: Format
    sums: Format
    scores: Format
    softmax: Format
    weights: Format
    normalised: str
    exp_ulp: Fraction
    exp_base: str
    block: int
    sum_ulp: Fraction
    also: tuple[str, ...] = ()
    max_n: int

    @property
    def formats(self) -> dict[str, Format]:
        """The six formats by the names of their fields."""
        return {name: getattr(self, name) for name in FIELDS[1:7]}


FIELDS = tuple(one.name for one in fields(FloatClaim))


def write_format(written: Format) -> str:
    """Return the one spelling of a format: its name if it has one, else ``float(p,e,E)``."""
    names = [name for name, known in FORMATS.items() if known == written]
    return names[0] if names else f"float({written.precision},{written.least},{written.greatest})"


def read_format(value: Json) -> Format:
    """Parse a format: its name, or ``float(p,e,E)`` if it has none."""
    text = read_text(value)
    found = WRITTEN.fullmatch(text)
    read = FORMATS.get(text) or (Format(*map(int, found.groups())) if found else None)
    expect(read is not None and write_format(read) == text,
           "expected {}, or float(p,e,E) for any other format, got {}", ", ".join(FORMATS), quote(value))
    assert read is not None
    for number, allowed in zip(read, (PRECISIONS, LEAST, GREATEST), strict=True):
        expect(number in allowed, "float(p,e,E): expected p, e, E in 2..64, -16384..-2, 2..16384 (limits), got {}",
               quote(value))
    return read


def is_within(inner: Format, outer: Format) -> bool:
    """Return whether all numbers of ``inner`` are numbers of ``outer``."""
    return inner.precision <= outer.precision and inner.least >= outer.least and inner.greatest <= outer.greatest


def read_floats(value: Json, lengths: range) -> tuple[FloatClaim, ...]:
    """Parse the claims about float models; each ``max_n`` is one of these lengths."""
    claims: Sequence[FloatClaim] = list_of(partial(read_float_claim, lengths=lengths))(value)
    expect(1 <= len(claims) <= MAX_CLAIMS, "expected 1 to {} (limit) claims, got {}", MAX_CLAIMS, len(claims))
    expect(len({claim.name for claim in claims}) == len(claims), "two claims have one name")
    return tuple(claims)


def read_float_claim(value: Json, lengths: range) -> FloatClaim:
    """Parse one claim; a name of `PRESETS` must be of that model."""
    fields = Fields(value, *FIELDS, optional=("sum_ulp", "also"))
    name = fields.read("name", read_name)
    with within(quote(name)):
        formats: dict[str, Format] = {key: fields.read(key, read_format) for key in FIELDS[1:7]}
        claim = FloatClaim(
            name=name, **formats,
            normalised=str(fields.read("normalised", one_of("before", "after", "either"))),
            exp_ulp=fields.read("exp_ulp", read_exp_ulp),
            exp_base=str(fields.read("exp_base", one_of("e", "2", "either"))),
            block=fields.read("block", integer_within(range(MAX_BLOCK + 1))),
            sum_ulp=fields.read("sum_ulp", read_above_1) if "sum_ulp" in fields else ONE,
            also=fields.read("also", read_also) if "also" in fields else (),
            max_n=fields.read("max_n", integer_within(lengths)))
        numbers = (*map(write_format, formats.values()), claim.normalised, claim.exp_ulp, claim.exp_base, claim.block,
                   claim.sum_ulp, *claim.also)
        expect(PRESETS.get(name) in (None, " ".join(map(str, numbers))), "it is the name of another float model")
        return claim


def read_exp_ulp(value: Json) -> Fraction:
    """Parse a rational, 1/2 or more: no rounded value of an irrational exponential has a smaller bound in ulp."""
    found = read_rational(value)
    expect(2 * found >= 1, "expected 1/2 or more, as correctly rounded exponentials have, got {}", quote(value))
    return found


def read_above_1(value: Json) -> Fraction:
    """Parse a rational above 1."""
    found = read_rational(value)
    expect(found > 1, "expected more than 1, got {}", quote(value))
    return found


def read_also(value: Json) -> tuple[str, ...]:
    """Parse names of further executions: some keys of `ALSO`, in order."""
    found = tuple(map(str, list_of(one_of(*ALSO))(value)))
    expect(found and found == tuple(sorted(set(found))), "expected names in order, each once, got {}", quote(value))
    return found


def read_name(value: Json) -> str:
    """Parse a name short enough to be printed whole."""
    name = read_text(value)
    expect(1 <= len(name) <= MAX_NAME, "expected a name of 1 to {} characters (limit), got {}", MAX_NAME, quote(name))
    return name
