"""Proof of a certificate about inputs in tracks, form by form: by classes, in exact numbers, or input by input.

docs/reference/tracks.md. Each way is imported on demand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ....kernel.verdicts import require, within
from ..reading.decision import Decision
from ..reading.tracks import EachInput, ExactUnit, LayoutProofs
from ..reading.tracks_claim import TracksClaim

if TYPE_CHECKING:
    from ..floats.inputs import NetworkUnderModel


def prove_tracks(given: Decision[TracksClaim, LayoutProofs],
                 network: NetworkUnderModel | None = None) -> Mapping[str, int]:
    """Prove every form of the claim; return the numbers of classes, of cells, and of inputs one by one.

    With ``network``, in every execution of that network under its float model.
    """
    found = Counter({"forms": len(given.evidence.units)})
    for number, unit in enumerate(given.evidence.units):
        with within(f"form {number + 1}"):
            if isinstance(unit, EachInput):
                from .each_input import make_runner, prove_each

                make = partial(network.make_prover, given.claim) if network else partial(make_runner, given)
                found["inputs"] += prove_each(given, number, unit.inputs, make)
                continue
            if isinstance(unit, ExactUnit):
                from .exact_proof import ExactProof

                require(network is None, "exact numbers: no rule for float executions")
                classes, cells = ExactProof(given, number, unit).run()
            else:
                from .by_classes import FormProof

                classes, cells = FormProof(given, number, unit, network.arithmetic if network else None).run()
            found.update(classes=classes, cells=cells)
    return found
