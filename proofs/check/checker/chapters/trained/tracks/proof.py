"""A certificate about inputs in tracks: every form, by classes, in exact numbers, or input by input; docs/tracks.md.

Each way is loaded for the first form that is proved by it.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from ....kernel.verdicts import within
from ..reading.decision import Decision
from ..reading.tracks import EachInput, ExactUnit, LayoutProofs, Unit
from ..reading.tracks_claim import TracksClaim

AboutTracks = Decision[TracksClaim, object]


def prove_tracks(given: Decision[TracksClaim, LayoutProofs]) -> Mapping[str, int]:
    """Every form of the claim; how many classes were proved, in how many cells, and how many inputs one by one."""
    return prove_forms(given, prove_each, prove_exactly, prove_by_classes)


def prove_forms(given: Decision[TracksClaim, LayoutProofs], by_input: Callable[[AboutTracks, int, EachInput], int],
                exactly: Callable[[AboutTracks, int, ExactUnit], tuple[int, int]],
                by_classes: Callable[[AboutTracks, int, Unit], tuple[int, int]]) -> Mapping[str, int]:
    """Return the same in these three ways."""
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
    """Return a form input by input; how many there are."""
    from .each_input import exact_outputs, prove_each

    return prove_each(given, number, unit.inputs, exact_outputs(given))


def prove_exactly(given: AboutTracks, number: int, unit: ExactUnit) -> tuple[int, int]:
    """Return a form in exact numbers; how many classes, and cells."""
    from .exact_proof import ExactProof

    return ExactProof(given, number, unit).run()


def prove_by_classes(given: AboutTracks, number: int, unit: Unit) -> tuple[int, int]:
    """Return a form by classes; how many classes, and cells."""
    from .by_classes import FormProof

    return FormProof(given, number, unit).run()
