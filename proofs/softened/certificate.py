"""Writer of the certificate of docs/reference/softened.md, section 2, in canonical form."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from constructions.language.expressions import Expression
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting

FORMAT = "certify-softened"
VERSION = 1


def seal_softened(transformer: Transformer, max_n: int, temperature: Expression, gaps: Sequence[Fraction | None],
                  errors: Sequence[Sequence[Mapping[str, Fraction]]],
                  weighting: Weighting = Weighting.SOFTMAX) -> str:
    """Return the text of the certificate, from the gap and the bounds of all stages at n = 1, ..., max_n.

    Sealing proves nothing: the checker recomputes everything that is written here.
    """
    assert len(gaps) == len(errors) == max_n, "one gap and one list of bounds for each length"
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {"alphabet": list(transformer.alphabet), "max_n": max_n, "temperature": str(temperature),
                  **({} if weighting.is_softmax else {"weighting": str(weighting)})},
        "transformer": transformer_to_json(transformer),
        "gaps": [None if gap is None else str(gap) for gap in gaps],
        "errors": [[{name: str(stage[name]) for name in transformer.directions if stage.get(name)} for stage in stages]
                   for stages in errors],
    }
    return write_canonical(certificate)
