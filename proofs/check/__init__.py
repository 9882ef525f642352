"""The trusted checker of certificates; README.md is the way in. This is all that the rest of the house may use."""

from .checker.asking import Request, RequiredClaim
from .checker.chapters.formula.certificate import Coverage
from .checker.chapters.formula.records import Bound, Certificate, Claim
from .checker.chapters.margin.reading import MarginFile
from .checker.chapters.softened.lengths import ShardResult
from .checker.chapters.softened.reading import Softened, read_softened_text
from .checker.chapters.softened.shards import check_shard, finish
from .checker.chapters.trained.reading.decision import Decision, WrongWord
from .checker.chapters.trained.tracks.reading import TracksCertificate, WrongInput
from .checker.chapters.trained.vacuous import find_vacuous_lengths
from .checker.checking import Accepted, check_file, check_text, read_bytes
from .checker.command import gravest, main, printable, read_arguments
from .checker.kernel.reading.floats import FloatClaim, Format, write_format
from .checker.kernel.verdicts import ACCEPTED, STATUS, Incomplete, Malformed, Refusal, Rejected, verdict_of
from .checker.parts import (
    check_part,
    check_sample,
    check_some,
    estimate,
    find_unproved_floats_of,
    find_unproved_units,
    find_vacuous,
    join_parts,
)
from .checker.same_claim import ask_the_same

__all__ = [
    "ACCEPTED",
    "STATUS",
    "Accepted",
    "Bound",
    "Certificate",
    "Claim",
    "Coverage",
    "Decision",
    "FloatClaim",
    "Format",
    "Incomplete",
    "Malformed",
    "MarginFile",
    "Refusal",
    "Rejected",
    "Request",
    "RequiredClaim",
    "ShardResult",
    "Softened",
    "TracksCertificate",
    "WrongInput",
    "WrongWord",
    "ask_the_same",
    "check_file",
    "check_part",
    "check_sample",
    "check_shard",
    "check_some",
    "check_text",
    "estimate",
    "find_unproved_floats_of",
    "find_unproved_units",
    "find_vacuous",
    "find_vacuous_lengths",
    "finish",
    "gravest",
    "join_parts",
    "main",
    "printable",
    "read_arguments",
    "read_bytes",
    "read_softened_text",
    "verdict_of",
    "write_format",
]
