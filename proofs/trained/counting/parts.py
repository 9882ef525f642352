"""Parts of a count: claims about sub-machines, right ones and those with a first error, and their certificate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Layout, TracksClaim
from constructions.trained.tracks_form import tracks_claim_to_json
from constructions.trained.weights import Weights
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import TRACKS, certificate_text, counts_to_json
from proofs.trained.counting.boxes import BoxSearch, FoundBoxes, InputBox
from proofs.trained.counting.machines import fitted_claim, of_inputs, sub_claim
from proofs.trained.tracks.wrong import Margins

Indices = NDArray[np.intp]
NEAR = 10**-9  # inputs with float margins nearer to 0 are left open


@dataclass(frozen=True)
class Part:
    """A claim about some inputs of form ``form``: they are right, or wrong first at ``place``.

    There the machine writes tokens that no other part about the place writes.
    """

    form: int
    place: int | None
    claim: TracksClaim

    @property
    def order(self) -> tuple[int, int]:
        """The key by which a certificate lists its parts."""
        return self.form, -1 if self.place is None else self.place

    def by_token(self, form: Layout) -> list["Part"]:
        """Return a part about each token that is written at the place."""
        machines = {} if self.place is None else self.claim.machine.by_token(form.layout[self.place])
        return [replace(self, claim=replace(self.claim, machine=one)) for one in machines.values()]

    def to_json(self, unit: dict[str, Any]) -> dict[str, Any]:
        """Return the part with its proof, as JSON of a certificate."""
        return {"form": self.form, "place": self.place,
                "machine": tracks_claim_to_json(self.claim)["machine"], "unit": unit}


def parts_of_boxes(search: BoxSearch, found: FoundBoxes, number: int) -> Iterator[Part]:
    """Yield the right inputs, those in no box, and the wrong ones by place of the first error.

    If no machine knows the token that is written, or it is too large, there is a part for each token. Parts whose
    machines would be too large have fewer inputs.
    """
    bad = [*found.wrong, *found.open]
    if (claim := fitted_claim(search, bad)) is not None:
        yield Part(number, None, claim)
    errors: dict[int, dict[int, list[InputBox]]] = {}
    for box in found.wrong:
        errors.setdefault(search.place(box), {}).setdefault(box.token, []).append(box)
    for place, of_place in sorted(errors.items()):
        avoided = [box for box in bad if search.place(box) < place]
        try:
            claims = [sub_claim(search, avoided, list(chain(*of_place.values())), place)]
        except Unsupported:
            claims = [fitted_claim(search, avoided, met, place) for _, met in sorted(of_place.items())]
        yield from (Part(number, place, claim) for claim in claims if claim is not None)


def parts_of_inputs(margins: Margins, inputs: Indices) -> Iterator[Part]:
    """Yield the parts of inputs [N, columns] of a form, run one by one in floats, except nearly tied inputs."""
    claim, form = margins.claim, margins.form
    above, other = margins.of(inputs)
    least, right = above + np.float64(claim.margin), (above > NEAR).all(axis=1)
    if right.any():
        yield Part(margins.number, None, of_inputs(claim, form, inputs[right]))
    before = np.ones(len(inputs), np.bool_)
    for index, place in enumerate(form.asked):
        wrong = before & (least[:, index] < -NEAR)
        those, written, at = inputs[wrong], other[wrong, index], form.layout[place]
        read = those[:, :at.column + 1] if at.kind == "answer" else those
        is_known = len(np.unique(read, axis=0)) == len(np.unique(np.column_stack([read, written]), axis=0))
        for some in [written >= 0] if is_known else [written == token for token in np.unique(written)]:
            if some.any():
                yield Part(margins.number, place, of_inputs(claim, form, those[some], place, written[some]))
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
