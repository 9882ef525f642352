"""Terminal functions of all commands: error lines, JSON, output files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from certify.common.files import check_writable, write_text
from certify.common.partial_answer import PartialAnswer
from certify.common.progress import is_silent
from certify.common.verdicts import HasVerdict, exit_status
from constructions.text import printable

if TYPE_CHECKING:
    from rich.console import Console


AnyFound = TypeVar("AnyFound")


class Json:
    """The state of ``--json``: whether it was given, and whether the object has been printed."""

    wanted = False
    printed = False


def expect_json(arguments: Sequence[str]) -> None:
    """Look for ``--json``, even among malformed arguments, so that errors are JSON, too."""
    options = arguments[:arguments.index("--")] if "--" in arguments else arguments
    Json.wanted, Json.printed = "--json" in options, False


def complain(error: object, verdict: str = "malformed") -> int:
    """Print one line (two more for a formula: the text and a caret) and return the exit status of the verdict.

    With ``--json`` the verdict and the line are one object on standard output, too, unless there is a better one.
    """
    if Json.wanted and not Json.printed:
        print_json({"verdict": verdict, "error": f"{getattr(error, 'before', '')}{error}"}, indent=None)
    say(error)
    return exit_status(verdict)


def say(error: object) -> None:
    """Print an error on standard error."""
    lines = [f"certify: {printable(getattr(error, 'before', '') + str(error))}"]
    if caret := getattr(error, "caret", None):
        lines.append(caret())
    print("\n".join(lines), file=sys.stderr)


def prepare_output() -> None:
    """Make standard output escape what it cannot encode; replace it if closed, so that the exit status remains."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


@contextlib.contextmanager
def without_log_of(package: str) -> Iterator[None]:
    """Limit the log of a package to errors while it is imported."""
    import logging

    log = logging.getLogger(package)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def discard_output() -> None:
    """Discard standard output that nobody reads, so that its buffer does not raise a second error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str) -> None:
    """Print a note on standard error, unless ``--quiet`` was given."""
    if not is_silent():
        print(f"certify: note: {text}", file=sys.stderr)


def tell(text: str) -> None:
    """Report on standard error where an output is, or why there is none, unless ``--quiet`` was given."""
    if not is_silent():
        print(text, file=sys.stderr)


# -- writing results ---------------------------------------------------------------------------------------------------


def print_json(data: dict[str, Any], indent: int | None = 1) -> None:
    """Print one JSON object on standard output."""
    Json.printed = True
    print(json.dumps(data, indent=indent))


def show_found(found: AnyFound | PartialAnswer[AnyFound], to_json: Callable[[AnyFound], dict[str, Any]],
               print_on: Callable[[Console, AnyFound], None], output: str | None = None) -> None:
    """Print the answer: as one JSON object, or as text, on standard error if ``output`` is -.

    At a timeout, it is the partial answer; the verdict and its reason are those of the whole question.
    """
    if Json.wanted:
        print_json(partial_to_json(found, to_json) if isinstance(found, PartialAnswer) else to_json(found))
        return
    from certify.common.terminal_tables import console, print_verdict, verdict_instead

    out = console(sys.stderr if output == "-" else None)
    if not isinstance(found, PartialAnswer):
        print_on(out, found)
    elif found.answer is None:
        print_verdict(out, found.verdict, found.reason)
    else:
        with verdict_instead(found.verdict, found.reason):
            print_on(out, found.answer)


def partial_to_json(found: PartialAnswer[AnyFound], to_json: Callable[[AnyFound], dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON object of a partial answer: the results of the finished lengths, and the claimed range."""
    known = {} if found.answer is None else to_json(found.answer)
    return {**known, "verdict": found.verdict, "min_n": found.asked.first, "max_n": found.asked.last,
            "certified_to": found.certified_to, "reason": found.reason}


def check_file(output: str | None) -> None:
    """Raise InputError if the output is not a file, where it could have been a folder; call before the work begins."""
    if output is not None:
        check_writable(output)


def write_found(found: HasVerdict | PartialAnswer[Any], output: str | None) -> None:
    """Write the certificate of the answer, if there is one and it is requested.

    At a timeout, it is the certificate of the finished lengths.
    """
    proved, name = (found.answer, f"certificate of n = {found.finished}, which is proved,") if isinstance(
        found, PartialAnswer) else (found, "certificate")
    certificate: str | None = getattr(proved, "certificate", None)
    write_certificate(output, certificate, found.verdict, name if certificate else "certificate")


def write_certificate(output: str | None, certificate: str | None, verdict: str,
                      name: str = "certificate") -> None:
    """Write the certificate to ``output``, if both exist, and report the path, or why there is no certificate."""
    if output is None:
        return
    if certificate is None:
        tell(f"certify: {verdict}, so no {name} was written")
        return
    write_text(output, certificate)
    if output != "-" and not Json.wanted:
        tell(f"{name} in {output}")
