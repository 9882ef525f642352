"""Parts of a count: claims about sub-machines, right ones and those with a first error, and their certificate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim
from constructions.trained.tracks_form import tracks_claim_to_json
from constructions.trained.weights import Weights
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import TRACKS, certificate_text, counts_to_json
from proofs.trained.counting.boxes import BoxSearch, FoundBoxes, InputBox
from proofs.trained.counting.machines import fitted_claim, of_inputs
from proofs.trained.tracks.wrong import Margins

Indices = NDArray[np.intp]
NEAR = 10**-9  # inputs with float margins nearer to 0 are left open


@dataclass(frozen=True)
class Part:
    """A claim about some inputs of form ``form``: they are right, or wrong first at ``place``, where ``token`` is."""

    form: int
    place: int | None
    token: int | None
    claim: TracksClaim

    @property
    def order(self) -> tuple[int, int, int]:
        """The key by which a certificate lists its parts."""
        return self.form, -1 if self.place is None else self.place, -1 if self.token is None else self.token

    def to_json(self, unit: dict[str, Any]) -> dict[str, Any]:
        """Return the part with its proof, as JSON of a certificate."""
        return {"form": self.form, "place": self.place, "token": self.token,
                "machine": tracks_claim_to_json(self.claim)["machine"], "unit": unit}


def parts_of_boxes(search: BoxSearch, found: FoundBoxes, number: int) -> Iterator[Part]:
    """Yield the right inputs, those in no box, and the wrong ones by place and token of the first error.

    Parts whose machines would be too large have fewer inputs.
    """
    bad = [*found.wrong, *found.open]
    if (claim := fitted_claim(search, bad)) is not None:
        yield Part(number, None, None, claim)
    errors: dict[tuple[int, int], list[InputBox]] = {}
    for box in found.wrong:
        errors.setdefault((search.place(box), box.token), []).append(box)
    for (place, token), met in sorted(errors.items()):
        avoided = [box for box in bad if search.place(box) < place]
        if (claim := fitted_claim(search, avoided, met, place, token)) is not None:
            yield Part(number, place, token, claim)


def parts_of_inputs(margins: Margins, inputs: Indices) -> Iterator[Part]:
    """Yield the parts of inputs [N, columns] of a form, run one by one in floats, except nearly tied inputs."""
    claim, form = margins.claim, margins.form
    above, other = margins.of(inputs)
    least, right = above + np.float64(claim.margin), (above > NEAR).all(axis=1)
    if right.any():
        yield Part(margins.number, None, None, of_inputs(claim, form, inputs[right]))
    before = np.ones(len(inputs), np.bool_)
    for index, place in enumerate(form.asked):
        wrong = before & (least[:, index] < -NEAR)
        for token in np.unique(other[wrong, index]).tolist():
            those = inputs[wrong & (other[:, index] == token)]
            yield Part(margins.number, place, int(token), of_inputs(claim, form, those, place, int(token)))
        before &= least[:, index] > NEAR


def counts_text(network: TrainedNetwork, claim: TracksClaim, parts: Sequence[dict[str, Any]],
                right: Sequence[tuple[Fraction, Fraction]], weights: Sequence[Weights] | None,
                run: FloatModel | None = None) -> str:
    """Return the certificate of a count: docs/background/counting.md, section 4."""
    most = max(len(form.columns) for form in claim.forms)
    return certificate_text(
        TRACKS, "parts", network, tracks_claim_to_json(claim), {"parts": list(parts)},
        None if run is None else {**run.to_json(), "max_n": most},
        counts_to_json(right, weights))
