"""Proof of a certificate about inputs in tracks, form by form: by classes, in exact numbers, or input by input.

docs/reference/tracks.md. Each way is imported on demand.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from ....kernel.verdicts import within
from ..reading.decision import Decision
from ..reading.tracks import EachInput, ExactUnit, LayoutProofs, Unit
from ..reading.tracks_claim import TracksClaim

AboutTracks = Decision[TracksClaim, object]


def prove_tracks(given: Decision[TracksClaim, LayoutProofs]) -> Mapping[str, int]:
    """Prove every form of the claim; return the numbers of classes, of cells, and of inputs one by one."""
    return prove_forms(given, prove_each, prove_exactly, prove_by_classes)


def prove_forms(given: Decision[TracksClaim, LayoutProofs], by_input: Callable[[AboutTracks, int, EachInput], int],
                exactly: Callable[[AboutTracks, int, ExactUnit], tuple[int, int]],
                by_classes: Callable[[AboutTracks, int, Unit], tuple[int, int]]) -> Mapping[str, int]:
    """Prove every form by these three functions; return the same numbers."""
    found = Counter({"forms": len(given.evidence.units)})
    for number, unit in enumerate(given.evidence.units):
        with within(f"form {number + 1}"):
            if isinstance(unit, EachInput):
                found["inputs"] += by_input(given, number, unit)
                continue
            classes, cells = (exactly(given, number, unit) if isinstance(unit, ExactUnit) else
                              by_classes(given, number, unit))
            found.update(classes=classes, cells=cells)
    return found


def prove_each(given: AboutTracks, number: int, unit: EachInput) -> int:
    """Prove a form input by input; return the number of inputs."""
    from .each_input import exact_outputs, prove_each

    return prove_each(given, number, unit.inputs, exact_outputs(given))


def prove_exactly(given: AboutTracks, number: int, unit: ExactUnit) -> tuple[int, int]:
    """Prove a form in exact numbers; return the numbers of classes and cells."""
    from .exact_proof import ExactProof

    return ExactProof(given, number, unit).run()


def prove_by_classes(given: AboutTracks, number: int, unit: Unit) -> tuple[int, int]:
    """Prove a form by classes; return the numbers of classes and cells."""
    from .by_classes import FormProof

    return FormProof(given, number, unit).run()
