"""What all formats share: a certificate is read and checked, and what is made of it is written whole, or nothing."""

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
"""What makes a format of the text of a certificate and the path that complaints name (and of options)."""
Exporter = Callable[..., None]
"""Writes a format: it takes the path of a certificate and the place to write to (and options).

Raises:
    InputError: if the file is no certificate, or the place cannot be written.
    NotAccepted: if the certificate is rejected.
    Unsupported: if the format has nothing for certificates of its kind, or for numbers or a network so large.
"""


def of_formula(make: Callable[..., Any]) -> Make:
    """What makes a format of certificates of formulas; ``make`` takes one that is accepted."""
    return lambda text, path, **options: make(read_formula(text, path), **options)


def read_formula(text: str, path: str) -> Sealed:
    """Return the accepted certificate of a formula, for a format that has nothing for other kinds.

    Raises:
        InputError: if it is no certificate.
        NotAccepted: if the checker rejects it.
        Unsupported: if it is of another kind.
    """
    try:
        return read_sealed_text(text, path)
    except OtherKind as other:
        raise Unsupported(f"{path}: there is no such export of a certificate {other.kind}") from None


def text_file(make: Make) -> Exporter:
    """Writes a text in a file, or on standard output."""
    return partial(_write, make, check_writable, write_text)


def binary_file(make: Make) -> Exporter:
    """Writes bytes in a file."""
    return partial(_write, make, _check_file, write_bytes)


def folder(make: Make) -> Exporter:
    """Writes files, by their names, in a new folder."""
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
    """What a certificate is called, without folders."""
    return FROM_STANDARD_INPUT if path == "-" else PurePath(path).name
