"""The trusted checker of certificates; README.md is the way in. This is all that the rest of the house may use."""

from .checker.asking import Asked, ask_the_same
from .checker.checking import (
    Accepted,
    check_file,
    check_part,
    check_sample,
    check_text,
    estimate,
    find_unproved_units,
    find_vacuous,
    join_parts,
    read_bytes,
)
from .checker.command import Request, check_some, gravest, main, printable, read_arguments
from .checker.proving.certificate import Coverage
from .checker.reading.floats import FloatClaim, Format, write_format
from .checker.reading.margin import MarginFile
from .checker.reading.records import Bound, Certificate, Claim
from .checker.reading.softened import Softened, read_softened_text
from .checker.reading.trained import Decision, WrongWord
from .checker.softening import Found, check_shard, finish
from .checker.trained import find_vacuous_lengths
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
    "MarginFile",
    "Refusal",
    "Rejected",
    "Request",
    "Softened",
    "WrongWord",
    "ask_the_same",
    "check_file",
    "check_part",
    "check_sample",
    "check_shard",
    "check_some",
    "check_text",
    "estimate",
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
