"""The trusted checker of certificates (README.md has an overview); the only interface for the rest of the project.

Names defined in chapters are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .checker.checking import Accepted, check_file, check_text, read_bytes
from .checker.command import gravest, main, printable, read_arguments
from .checker.kernel.verdicts import ACCEPTED, STATUS, Incomplete, Malformed, Refusal, Rejected, verdict_of
from .checker.requirements import Request, RequiredClaim

if TYPE_CHECKING:
    from .checker.chapters.float_models.reading import FloatClaim, Format, write_format
    from .checker.chapters.formula.certificate import Coverage
    from .checker.chapters.formula.records import Bound, Certificate, Claim
    from .checker.chapters.margin.reading import MarginFile
    from .checker.chapters.softened.reading import Softened
    from .checker.chapters.trained.reading.decision import Decision
    from .checker.chapters.trained.reading.tracks_claim import TracksClaim
    from .checker.chapters.trained.reading.words_claim import EVERY, TrainedClaim

PLACES = {
    ".checker.chapters.formula.certificate": ("Coverage",),
    ".checker.chapters.formula.records": ("Bound", "Certificate", "Claim"),
    ".checker.chapters.margin.reading": ("MarginFile",),
    ".checker.chapters.float_models.reading": ("FloatClaim", "Format", "write_format"),
    ".checker.chapters.softened.reading": ("Softened",),
    ".checker.chapters.trained.reading.decision": ("Decision",),
    ".checker.chapters.trained.reading.tracks_claim": ("TracksClaim",),
    ".checker.chapters.trained.reading.words_claim": ("EVERY", "TrainedClaim"),
}
"""The exported names of chapters, by module."""

if not TYPE_CHECKING:  # types are those of the imports above

    def __getattr__(name: str) -> Any:
        """Return a name that is defined in a chapter.

        Raises:
            AttributeError: if no chapter defines it.
        """
        for place, names in PLACES.items():
            if name in names:
                return getattr(import_module(place, __name__), name)
        raise AttributeError(f"module {__name__} has no attribute {name}")
