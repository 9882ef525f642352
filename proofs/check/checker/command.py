"""The command line: arguments to verdicts, printed once, and the exit status."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from .checking import check_file
from .kernel.kind import REGIMES
from .kernel.verdicts import ACCEPTED, GRAVEST_FIRST, STATUS, Malformed, Refusal, expect, verdict_of
from .requirements import Request, RequiredClaim, parse_required, split_alphabet


class Arguments(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Report a misuse of the arguments.

        Raises:
            Malformed: always.
        """
        raise Malformed(f"{message}; --help explains the usage")


def make_parser() -> Arguments:
    """Build the argument parser."""
    parser = Arguments(prog="check", allow_abbrev=False, description="Checks certificates: accepted 0, rejected 1, "
                       "malformed 2, incomplete 3. The exit status of several files is that of the gravest verdict.")
    parser.add_argument("files", metavar="FILE", nargs="+", help="a certificate; - is standard input")
    parser.add_argument("--formula", help="the claim must be about this formula")
    parser.add_argument("--predicate", action="append", default=[], help="using NAME(k,n) := ...")
    parser.add_argument("--given", metavar="FORMULA", help="and where this holds (left out: at every position)")
    parser.add_argument("--alphabet", help="and this alphabet: 01, or symbols separated by commas")
    parser.add_argument("--min-n", type=int, help="and this least length (with --max-n: 1, if it is not given)")
    parser.add_argument("--max-n", type=int, help="and this greatest length, or a greater one")
    parser.add_argument("--regime", choices=REGIMES, help="and this regime")
    parser.add_argument("--causal", action="store_true", default=None, help="and causal")
    parser.add_argument("--work", type=int, default=1, metavar="N", help="allow N times the default work and memory")
    return parser


def read_arguments(argv: Sequence[str] | None) -> Request:
    """Parse a command line into the files and the required claim.

    Raises:
        Malformed: for bad usage.
        SystemExit: after --help.
    """
    options = make_parser().parse_args(argv)
    expect(options.work >= 1, "--work: expected a number of 1 or more")
    alphabet = None if options.alphabet is None else split_alphabet(options.alphabet)
    required = RequiredClaim(options.formula, tuple(options.predicate), alphabet, options.min_n, options.max_n,
                          options.regime, options.causal, options.given)
    for name in ("formula", "given"):
        parse_required(required, None, name)  # rejects a malformed one before any file is read
    return Request(tuple(options.files), required, options.work)


def gravest(verdicts: Sequence[str]) -> str:
    """Return the verdict that decides the exit status of several files."""
    return next(verdict for verdict in GRAVEST_FIRST if verdict in verdicts)


def check_one(path: str, request: Request) -> tuple[str, list[str]]:
    """Check one file; return its verdict and the lines to print."""
    try:
        lines = check_file(path, request.required, request.work).lines
    except Refusal as refusal:
        verdict = verdict_of(refusal)
        return verdict, [f"{verdict}: {path}: {refusal}"]
    return ACCEPTED, [*lines, f"{ACCEPTED}: {path}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Check every file and print the verdicts; return the exit status of the gravest one."""
    try:
        request = read_arguments(argv)
        results = [check_one(path, request) for path in request.files]
    except Refusal as refusal:
        results = [(verdict_of(refusal), [f"{verdict_of(refusal)}: {refusal}"])]
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else STATUS["malformed"]
    try:
        print(*(printable(line) for _, lines in results for line in lines), sep="\n", flush=True)
    except OSError:
        return STATUS["malformed"]
    return STATUS[gravest([verdict for verdict, _ in results])]


def printable(line: str) -> str:
    """Escape a line to printable ASCII; quoted text has neither other characters nor breaks, and is unchanged."""
    return "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode("ascii") for c in line)
