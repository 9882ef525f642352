"""Writer of the certificate of docs/reference/certificate.md, section 3, in canonical form."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from constructions.language.syntax import TRUE, Formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.lengths import Lengths
from constructions.network.meanings import texts_of_network
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.formula.common.extremes import WorstCase
from proofs.formula.discharge import Line

FORMAT = "certify-certificate"
VERSION = 1


def seal(formula: Formula, lengths: Lengths, regime: Regime | None, transformer: Transformer, lines: Sequence[Line],
         allowed_error: Fraction | None = None) -> str:
    """Return the text of the certificate; a regime of None claims nothing about how attention is sharpened.

    Room is added to a bound only up to the ``allowed_error``, if the bound is below that.

    Sealing proves nothing: the checker recomputes everything that is written here.
    """
    texts = texts_of_network(transformer.directions.values(), transformer.position_embedding.values())
    order = {name: place for place, name in enumerate(transformer.directions)}
    bounded = [(line, line.worst) for line in lines if line.worst is not None]
    bounded.sort(key=lambda pair: (pair[0].layer, pair[0].place, order[pair[0].direction]))
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {
            "formula": texts.formula(formula),
            "alphabet": list(transformer.alphabet),
            **({"min_n": lengths.first} if lengths.first > 1 else {}),
            "max_n": lengths.last,
            "regime": regime.sharpening.value if regime else "unstated",
            "causal": regime.causal if regime else False,
            **({} if transformer.given == TRUE else {"given": texts.formula(transformer.given)}),
        },
        "transformer": transformer_to_json(transformer),
        "bounds": [
            {
                "layer": line.layer,
                "head": line.place,
                "direction": line.direction,
                "error_if_false": str(_stated(worst, False, allowed_error)),
                "error_if_true": str(_stated(worst, True, allowed_error)),
            }
            for line, worst in bounded
        ],
    }
    if words := sorted((line.direction for line in lines if line.on_every_word), key=order.__getitem__):
        certificate["words"] = words
    return write_canonical(certificate)


def _stated(worst: WorstCase, truth: bool, allowed_error: Fraction | None) -> Fraction:
    bound, extreme = worst.bound(truth), worst.if_true if truth else worst.if_false
    return bound if allowed_error is None or extreme is None else max(extreme.upper, min(bound, allowed_error))
