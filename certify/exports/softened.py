"""A certificate of a softened transformer that the independent checker accepts, as its page gets it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.language.expressions import Expression, parse_expression
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.transformer import Transformer

Errors = Mapping[str, Fraction]


@dataclass(frozen=True)
class SealedSoftened:
    """The transformer with hard attention, the temperature, and by length the gap and the bounds after each stage."""

    transformer: Transformer
    temperature: Expression
    gaps: tuple[Fraction | None, ...]
    errors: tuple[tuple[Errors, ...], ...]
    digest: str

    @property
    def last(self) -> int:
        """The greatest length of the claim."""
        return len(self.gaps)


def read_softened(text: str, path: str) -> SealedSoftened:
    """What a text says that the checker has accepted as a certificate of a softened transformer.

    Raises:
        Unsupported: if the claim is about another weighting than softmax.
    """
    data = read_json(text, path)
    if "weighting" in data["claim"]:
        raise Unsupported(f"{path}: its claim is about {data['claim']['weighting']}, which the page does not run")
    gaps = tuple(None if gap is None else Fraction(gap) for gap in data["gaps"])
    errors = tuple(tuple({name: Fraction(bound) for name, bound in stage.items()} for stage in stages)
                   for stages in data["errors"])
    temperature = parse_expression(data["claim"]["temperature"])
    return SealedSoftened(transformer_from_json(data["transformer"], path), temperature, gaps, errors,
                          hashlib.sha256(text.encode()).hexdigest())
