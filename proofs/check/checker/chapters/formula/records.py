"""The contents of a certificate of a formula, as frozen records.

See docs/reference/certificate.md, section 3. Not trusted yet.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...kernel.language import Language, Place
from ...kernel.reading.records import ApproximateTruth, Product, Slack, Transformer, Truth


@dataclass(frozen=True)
class Claim:
    """The claim: at every position of every word of length n in min_n..max_n, the output is the truth of the formula.

    Where something is ``given``, the claim is about the positions at which that holds, and no others.
    """

    formula: Place
    alphabet: tuple[str, ...]
    min_n: int
    max_n: int
    regime: str
    causal: bool
    given: Place | None = None

    @property
    def lengths(self) -> range:
        """The lengths of the claim, ascending."""
        return range(self.min_n, self.max_n + 1)


@dataclass(frozen=True)
class Bound:
    """The stated errors of one *near* or *others* direction that a head writes; layers and heads count from 1."""

    layer: int
    head: int
    direction: str
    error_if_false: Fraction
    error_if_true: Fraction


@dataclass(frozen=True)
class Certificate:
    """A claim, the transformer that it is about, and the stated bounds.

    ``floats`` are the claims about float models, which the chapter `floats` reads and proves; this chapter ignores
    them.
    """

    claim: Claim
    transformer: Transformer
    bounds: tuple[Bound, ...]
    language: Language
    floats: tuple[Any, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """True if the formula of some direction counts; the temperature regime then allows embeddings up to n^2."""
        return any("#" in self.language.leaves(meaning.formula) for meaning in self.transformer.directions.values()
                   if isinstance(meaning, Truth | ApproximateTruth | Product | Slack))
