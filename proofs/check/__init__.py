"""The trusted checker of certificates; README.md is the way in. This is all that the rest of the house may use."""

from .checker.asking import Asked
from .checker.checking import Accepted, check_file, check_part, check_sample, check_text, estimate
from .checker.command import Request, gravest, main, read_arguments
from .checker.proving.certificate import Coverage
from .checker.reading.floats import FloatClaim, Format, write_format
from .checker.reading.records import Bound, Certificate, Claim
from .checker.reading.softened import Softened, read_softened_text
from .checker.reading.trained import Decision, WrongWord
from .checker.softening import Found, check_shard, finish
from .checker.verdicts import ACCEPTED, STATUS, Incomplete, Malformed, Refusal, Rejected, verdict_of

__all__ = [
    "ACCEPTED",
    "STATUS",
    "Accepted",
    "Asked",
    "Bound",
    "Certificate",
    "Claim",
    "Coverage",
    "Decision",
    "FloatClaim",
    "Format",
    "Found",
    "Incomplete",
    "Malformed",
    "Refusal",
    "Rejected",
    "Request",
    "Softened",
    "WrongWord",
    "check_file",
    "check_part",
    "check_sample",
    "check_shard",
    "check_text",
    "estimate",
    "finish",
    "gravest",
    "main",
    "read_arguments",
    "read_softened_text",
    "verdict_of",
    "write_format",
]
