"""Reader of the object of docs/reference/softened.md, section 2: claim, transformer, stated gaps and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ...kernel.budget import LENGTHS, Budget
from ...kernel.language import Language, Place
from ...kernel.numbers import Enclosure
from ...kernel.reading.document import Json
from ...kernel.reading.formulas import expect_known_symbols, in_language
from ...kernel.reading.records import SPARSE, LinearForm, Transformer
from ...kernel.reading.shapes import (
    DirectionOrder,
    Fields,
    headed,
    integer_within,
    list_of,
    one_of,
    or_null,
    read_rational,
    read_symbols,
)
from ...kernel.reading.transformer import read_transformer
from ...kernel.verdicts import expect, require


@dataclass(frozen=True)
class SoftenedClaim:
    """The claim: for every n up to max_n and every word, U with this weighting and temperature is within the errors."""

    alphabet: tuple[str, ...]
    max_n: int
    temperature: Place
    weighting: str

    @property
    def min_n(self) -> int:
        """The least length."""
        return 1

    @property
    def lengths(self) -> range:
        """The lengths of the claim, ascending."""
        return range(1, self.max_n + 1)


@dataclass(frozen=True)
class Softened:
    """A claim, the transformer that it is about, and the stated gaps and errors of each length.

    Attributes:
        gaps: the gap of each length, None if no head with scores sees two different scores.
        errors: for each length the error bounds after each stage, of those directions that have one.
    """

    claim: SoftenedClaim
    transformer: Transformer
    gaps: tuple[Fraction | None, ...]
    errors: tuple[tuple[LinearForm, ...], ...]
    language: Language

    def bounds(self, n: int) -> Sequence[LinearForm]:
        """Return the stated bounds at one length before the first stage, which are 0, and after each stage."""
        return [{}, *self.errors[n - 1]]

    def temperature(self, n: int) -> Enclosure:
        """Enclose the temperature at one length."""
        return self.language.enclose_at(self.claim.temperature, n, 1)


def read_softened(document: Json, budget: Budget) -> Softened:
    """Read a certificate."""
    fields = headed(document, "certify-softened", "claim", "transformer", "gaps", "errors")
    language = Language(budget)
    claim = fields.read("claim", partial(read_claim, language=language))
    transformer = fields.read("transformer", partial(read_transformer, language=language))
    gaps = fields.read("gaps", list_of(or_null(read_rational)))
    order = DirectionOrder(list(transformer.directions), budget)
    errors = fields.read("errors", list_of(list_of(order.read_weights)))
    require(transformer.alphabet == claim.alphabet, "the alphabet of the transformer is not the alphabet of the claim")
    expect_known_symbols(language, claim.alphabet)
    expect(len(gaps) == claim.max_n, "gaps: expected {} entries, one for every length", claim.max_n)
    expect(len(errors) == claim.max_n, "errors: expected {} entries, one for every length", claim.max_n)
    expect(all(len(stages) == 2 * len(transformer.layers) for stages in errors), "errors: expected two maps per layer")
    return Softened(claim, transformer, gaps, errors, language)


def read_claim(value: Json, language: Language) -> SoftenedClaim:
    """Read the claim; without a weighting it is about softmax."""
    fields = Fields(value, "alphabet", "max_n", "temperature", "weighting", optional=("weighting",))
    return SoftenedClaim(
        alphabet=fields.read("alphabet", read_symbols),
        max_n=fields.read("max_n", integer_within(LENGTHS)),
        temperature=fields.read("temperature", in_language(language.number)),
        weighting=str(fields.read("weighting", one_of(*SPARSE))) if "weighting" in fields else "softmax")
