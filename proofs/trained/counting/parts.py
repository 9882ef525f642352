"""Parts of a count: claims about sub-machines, right ones and those with a first error, and their certificate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Layout, TracksClaim, Transducer
from constructions.trained.tracks_form import tracks_claim_to_json
from constructions.trained.weights import Weights
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import TRACKS, certificate_text, counts_to_json
from proofs.trained.counting.boxes import BoxSearch, FoundBoxes, InputBox
from proofs.trained.counting.machines import allowed_by_all, fitted_claim, of_inputs, sub_claim
from proofs.trained.tracks.wrong import Margins

Indices = NDArray[np.intp]
NEAR = 10**-9  # inputs with float margins nearer to 0 are left open


@dataclass(frozen=True)
class Part:
    """A claim about some inputs of form ``form``: they are right at the places from ``first`` to ``last``.

    Or they are right before ``last``, and wrong there, where the machine writes tokens that no other such part writes.
    Evidence of ``verdicts`` on boxes about its place, if any, proves its claim.
    """

    form: int
    is_wrong: bool
    first: int
    last: int
    claim: TracksClaim
    verdicts: dict[str, Any] | None = field(default=None, compare=False)

    @property
    def order(self) -> tuple[int, bool, int]:
        """The key by which a certificate lists its parts."""
        return self.form, self.is_wrong, self.last

    def by_token(self, form: Layout) -> list["Part"]:
        """Return a part about each token that is written at the place of an error."""
        machines = self.claim.machine.by_token(form.layout[self.last]) if self.is_wrong else {}
        return [replace(self, claim=replace(self.claim, machine=one)) for one in machines.values()]

    def to_json(self, unit: dict[str, Any] | int) -> dict[str, Any]:
        """Return the part with its proof, or the number of its verdicts, as JSON of a certificate."""
        return {"form": self.form, "verdict": "wrong" if self.is_wrong else "right", "first": self.first,
                "last": self.last, "machine": tracks_claim_to_json(self.claim)["machine"], "unit": unit}


def parts_of_boxes(search: BoxSearch, found: FoundBoxes, number: int, verdicts: Mapping[int, Any] = {}
                   ) -> Iterator[Part]:
    """Yield for each place the inputs that are right there, those in none of its boxes, and the wrong ones.

    If no machine knows the token that is written, or it is too large, there is a part for each token. Parts whose
    machines would be too large have fewer inputs. The ``verdicts`` on boxes of a place are the evidence of its parts.
    """
    for place in search.form.form.asked:
        bad = [box for box in (*found.wrong, *found.open) if search.place(box) == place]
        errors: dict[int, list[InputBox]] = {}
        for box in found.wrong:
            if search.place(box) == place:
                errors.setdefault(box.token, []).append(box)
        if (claim := fitted_claim(search, bad, (), place)) is not None:
            yield Part(number, False, place, place, claim, verdicts.get(place))
        try:
            claims = [sub_claim(search, [], list(chain(*errors.values())), place)] if errors else []
        except Unsupported:
            claims = [fitted_claim(search, [], met, place) for _, met in sorted(errors.items())]
        yield from (Part(number, True, place, place, claim, verdicts.get(place)) for claim in claims
                   if claim is not None)


def first_errors_of(parts: Sequence[Part], form: Layout) -> Iterator[tuple[int, Transducer]]:
    """Yield the place of each wrong part, and its inputs that are in no such part before, or right there."""
    for part in parts:
        if part.is_wrong and (machine := in_right_parts(parts, form, [part.claim.machine], part.first)) is not None:
            yield part.last, machine


def in_right_parts(parts: Sequence[Part], form: Layout, machines: Sequence[Transducer], end: int
                   ) -> Transducer | None:
    """Return the machine of inputs of these machines that are in right parts about all places before ``end``, if any.

    Given a machine, at a place without these its inputs are those in no wrong part. With one machine alone it is the
    same one.
    """
    right = [part for part in parts if not part.is_wrong and part.first < end]
    known = {place for part in right for place in range(part.first, part.last + 1)}
    if not machines and {*range(form.asked[0], end)} - known:
        return None
    those = [*machines, *(part.claim.machine for part in right)]
    avoided = [part.claim.machine for part in parts if part.is_wrong and part.last < end and part.last not in known]
    return allowed_by_all(those, avoided) if len(those) + len(avoided) > 1 else those[0]


def parts_of_inputs(margins: Margins, inputs: Indices) -> Iterator[Part]:
    """Yield the parts of inputs [N, columns] of a form, run one by one in floats, except nearly tied inputs."""
    claim, form = margins.claim, margins.form
    above, other = margins.of(inputs)
    least, right = above + np.float64(claim.margin), (above > NEAR).all(axis=1)
    if right.any():
        yield Part(margins.number, False, form.asked[0], form.asked[-1], of_inputs(claim, form, inputs[right]))
    before = np.ones(len(inputs), np.bool_)
    for index, place in enumerate(form.asked):
        wrong = before & (least[:, index] < -NEAR)
        those, written, at = inputs[wrong], other[wrong, index], form.layout[place]
        read = those[:, :at.column + 1] if at.kind == "answer" else those
        is_known = len(np.unique(read, axis=0)) == len(np.unique(np.column_stack([read, written]), axis=0))
        for some in [written >= 0] if is_known else [written == token for token in np.unique(written)]:
            if some.any():
                yield Part(margins.number, True, form.asked[0], place, of_inputs(
                    claim, form, those[some], place, written[some]))
        before &= least[:, index] > NEAR


def counts_text(network: TrainedNetwork, claim: TracksClaim, proved: Sequence[tuple[Part, dict[str, Any]]],
                right: Sequence[tuple[Fraction, Fraction]], weights: Sequence[Weights] | None,
                run: FloatModel | None = None, only_verdicts: bool = False) -> str:
    """Return the certificate of a count, of parts with their units: docs/background/counting.md, section 4."""
    units = {id(part.verdicts): (part, part.verdicts) for part, _ in proved if part.verdicts is not None}
    number = {key: index for index, key in enumerate(units)}
    parts = [part.to_json(number.get(id(part.verdicts), unit)) for part, unit in proved]
    verdicts = [{"form": part.form, "place": part.last, "unit": unit} for part, unit in units.values()]
    evidence = {"parts": [] if only_verdicts else parts, **({"verdicts": verdicts} if verdicts else {})}
    most = max(len(form.columns) for form in claim.forms)
    return certificate_text(
        TRACKS, "parts", network, tracks_claim_to_json(claim), evidence,
        None if run is None else {**run.to_json(), "max_n": most},
        counts_to_json(right, weights))
