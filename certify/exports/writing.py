"""The common part of all formats: a certificate is read and checked, and the result is written atomically."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from certify.claims.formula.sealed import OtherKind, Sealed, read_sealed_text
from certify.common.files import check_new_folder, check_writable, read_text, write_bytes, write_folder, write_text
from constructions.errors import InputError, Unsupported

FROM_STANDARD_INPUT = "the.cert"
Content = str | bytes | Mapping[str, str | bytes]
Make = Callable[..., Any]
"""A maker of a format from the text of a certificate and the path for messages (and options)."""
Exporter = Callable[..., None]
"""A writer of a format: its arguments are the path of a certificate and the output path (and options).

Raises:
    InputError: if the file is not a certificate, or the output cannot be written.
    NotAccepted: if the certificate is rejected.
    Unsupported: if the format does not support the kind of certificate, or its numbers or network are too large.
"""


def of_formula(make: Callable[..., Any]) -> Make:
    """Return a maker of a format from a text; ``make`` takes an accepted certificate of a formula."""
    return lambda text, path, **options: make(read_formula(text, path), **options)


def read_formula(text: str, path: str) -> Sealed:
    """Return the accepted certificate of a formula, for a format without other kinds.

    Raises:
        InputError: if it is not a certificate.
        NotAccepted: if the checker rejects it.
        Unsupported: if it is a certificate of another kind.
    """
    try:
        return read_sealed_text(text, path)
    except OtherKind as other:
        raise Unsupported(f"{path}: there is no such export of a certificate {other.kind}") from None


def text_file(make: Make) -> Exporter:
    """Return an exporter that writes a text to a file, or to standard output."""
    return partial(_write, make, check_writable, write_text)


def binary_file(make: Make) -> Exporter:
    """Return an exporter that writes bytes to a file."""
    return partial(_write, make, _check_file, write_bytes)


def folder(make: Make) -> Exporter:
    """Return an exporter that writes files, by their names, into a new folder."""
    return partial(_write, make, check_new_folder, write_folder)


def _write(make: Make, check: Callable[[str], None], write: Callable[[str, Any], None], path: str, output: str,
           **options: Any) -> None:
    check(output)
    content: Content = make(read_text(path), path, **options)
    write(output, content)


def _check_file(output: str) -> None:
    if output == "-":
        raise InputError("-o -: it is not text, expected a file")
    check_writable(output)


def name_of(path: str) -> str:
    """Return the name of a certificate, without folders."""
    return FROM_STANDARD_INPUT if path == "-" else PurePath(path).name
