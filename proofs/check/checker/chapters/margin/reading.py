"""Reader of the object of docs/reference/margins.md, section 2: a claim about the sign of an output, and a transformer.

Formula and transformer have a table of formulas each: the predicates of one are not defined in the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ...kernel.budget import LENGTHS, MAX_N, Budget
from ...kernel.language import Language, Place
from ...kernel.reading.document import Json
from ...kernel.reading.formulas import expect_known_symbols, in_language, read_predicates
from ...kernel.reading.records import Transformer
from ...kernel.reading.shapes import (
    Fields,
    headed,
    integer_within,
    list_of,
    one_of,
    or_null,
    read_rational,
    read_symbols,
    read_text,
)
from ...kernel.reading.transformer import read_transformer
from ...kernel.verdicts import expect, quote

Epsilon = Fraction | None
Norms = tuple[tuple[Epsilon, Epsilon], ...]
"""The epsilons of the norms after the attention and after the feed-forward block of each layer; None without a norm."""


@dataclass(frozen=True)
class MarginClaim:
    """The claim: for every n in min_n..max_n and every word, |output - threshold| > margin, on the formula's side.

    Attributes:
        formula: the output is above the threshold where it holds, below elsewhere.
        predicates: the places of definitions by name.
        alphabet: the letters of words.
        before: symbols before every word.
        after: symbols after it.
        at: "first", "last" or "every".
        margin: a number that depends on n only.
    """

    formula: Place
    predicates: Mapping[str, Place]
    alphabet: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    min_n: int
    max_n: int
    at: str
    threshold: Fraction
    margin: Place

    @property
    def lengths(self) -> range:
        """The lengths of the claim, ascending."""
        return range(self.min_n, self.max_n + 1)


@dataclass(frozen=True)
class MarginFile:
    """A claim and the transformer that it is about.

    Attributes:
        language: the table of the claim.
        network_language: the table of the transformer.
        norms: an entry for each layer.
    """

    claim: MarginClaim
    transformer: Transformer
    language: Language
    network_language: Language
    norms: Norms


def read_margin(document: Json, budget: Budget) -> MarginFile:
    """Read a certificate."""
    fields = headed(document, "certify-margin", "claim", "transformer", "norms", optional=("norms",))
    language, network_language = Language(budget), Language(budget)
    claim = fields.read("claim", partial(read_claim, language=language))
    transformer = fields.read("transformer", partial(read_transformer, language=network_language))
    expect_known_symbols(network_language, transformer.alphabet)
    for symbol in (*claim.alphabet, *claim.before, *claim.after):
        expect(symbol in transformer.token_embedding, "claim: {} is not a symbol of the transformer", quote(symbol))
    norms: Norms = ((None, None),) * len(transformer.layers)
    if "norms" in fields:
        norms = fields.read("norms", list_of(read_norms))
        expect(len(norms) == len(transformer.layers), "norms: expected an entry for each layer")
    return MarginFile(claim, transformer, language, network_language, norms)


def read_norms(value: Json) -> tuple[Epsilon, Epsilon]:
    """Read the epsilons of a layer."""
    fields = Fields(value, "attention", "feedforward")
    return fields.read("attention", read_epsilon), fields.read("feedforward", read_epsilon)


def read_epsilon(value: Json) -> Epsilon:
    """Read a rational of 0 or more, or null."""
    epsilon = or_null(read_rational)(value)
    expect(epsilon is None or epsilon >= 0, "expected 0 or more, got {}", epsilon)
    return epsilon


def read_claim(value: Json, language: Language) -> MarginClaim:
    """Read the claim; its predicates come first, since its formula may mention them."""
    fields = Fields(value, "formula", "predicates", "alphabet", "before", "after", "min_n", "max_n", "at", "threshold",
                    "margin")
    predicates = fields.read("predicates", partial(read_predicates, language=language))
    claim = MarginClaim(
        formula=fields.read("formula", in_language(language.formula)),
        predicates=predicates,
        alphabet=fields.read("alphabet", read_symbols),
        before=fields.read("before", list_of(read_text)), after=fields.read("after", list_of(read_text)),
        min_n=fields.read("min_n", integer_within(LENGTHS)), max_n=fields.read("max_n", integer_within(LENGTHS)),
        at=str(fields.read("at", one_of("first", "last", "every"))),
        threshold=fields.read("threshold", read_rational),
        margin=fields.read("margin", in_language(language.number)))
    expect_known_symbols(language, claim.alphabet)
    expect(claim.min_n <= claim.max_n, "min_n is above max_n")
    expect("i" not in language.leaves(claim.margin), "margin: expected an expression in n only")
    longest = claim.max_n + len(claim.before) + len(claim.after)
    expect(longest <= MAX_N, "limit: sequences of {} symbols, got {}", MAX_N, longest)
    return claim
