"""Reader of the object of docs/reference/certificate.md, section 3: a claim, its transformer, its stated bounds.

The chapter `floats` reads the key of that name afterwards.
"""

from functools import partial

from ...kernel.budget import LENGTHS, MAX_HEADS, MAX_LAYERS, Budget
from ...kernel.kind import REGIMES
from ...kernel.language import Language
from ...kernel.reading.document import Json
from ...kernel.reading.formulas import expect_known_symbols, in_language
from ...kernel.reading.records import OTHER_WEIGHTINGS, Slack
from ...kernel.reading.shapes import (
    Fields,
    headed,
    integer_within,
    list_of,
    one_of,
    read_rational,
    read_symbols,
    read_text,
)
from ...kernel.reading.transformer import WEIGHTINGS, read_transformer
from ...kernel.verdicts import expect, require
from .records import Bound, Certificate, Claim


def read_certificate(document: Json, budget: Budget) -> Certificate:
    """Read a certificate; the transformer comes first, since the claim may mention its predicates."""
    fields = headed(document, "certify-certificate", "claim", "transformer", "bounds", "words", "floats",
                    optional=("words", "floats"))
    language = Language(budget)
    transformer = fields.read("transformer", partial(read_transformer, language=language,
                                                     weightings=(*WEIGHTINGS, *OTHER_WEIGHTINGS)))
    claim = fields.read("claim", partial(read_claim, language=language))
    expect(claim.given is None or "floats" not in fields, "given: expected no claims about float executions beside it")
    bounds = fields.read("bounds", list_of(read_bound))
    require(transformer.alphabet == claim.alphabet, "the alphabet of the transformer is not the alphabet of the claim")
    expect_known_symbols(language, claim.alphabet)
    words = fields.read("words", list_of(read_text)) if "words" in fields else ()
    slacks = [name for name, one in transformer.directions.items() if isinstance(one, Slack) and name in words]
    expect([*words] == slacks and ("words" not in fields or words), "words: expected slack, in the order of directions")
    return Certificate(claim, transformer, bounds, language, words=words)


def read_claim(value: Json, language: Language) -> Claim:
    """Read the claim; its least length may be left out, and is 1 then; `given` may be left out, too."""
    fields = Fields(value, "formula", "alphabet", "min_n", "max_n", "regime", "causal", "given",
                    optional=("min_n", "given"))
    claim = Claim(
        formula=fields.read("formula", in_language(language.formula)),
        alphabet=fields.read("alphabet", read_symbols),
        min_n=fields.read("min_n", integer_within(LENGTHS[1:])) if "min_n" in fields else 1,
        max_n=fields.read("max_n", integer_within(LENGTHS)),
        regime=str(fields.read("regime", one_of(*REGIMES))),
        causal=fields.read("causal", one_of(True, False)),
        given=fields.read("given", in_language(language.formula)) if "given" in fields else None)
    expect(claim.min_n <= claim.max_n, "min_n is above max_n")
    return claim


def read_bound(value: Json) -> Bound:
    """Read the stated errors of one direction."""
    fields = Fields(value, "layer", "head", "direction", "error_if_false", "error_if_true")
    layer, head = integer_within(range(1, MAX_LAYERS + 1)), integer_within(range(1, MAX_HEADS + 1))
    return Bound(fields.read("layer", layer), fields.read("head", head), fields.read("direction", read_text),
                 fields.read("error_if_false", read_rational), fields.read("error_if_true", read_rational))
