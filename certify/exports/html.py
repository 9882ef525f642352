"""`certify export --to html`: a certificate as one page (``certify.pages``)."""

from __future__ import annotations

from pathlib import PurePath

from certify.exports.sealed import read_accepted, read_sealed_text
from certify.exports.softened import read_softened
from certify.files import check_writable, read_text, write_text
from certify.pages.certificate.page import certificate_page
from certify.pages.softened.page import softened_page
from proofs.check import Softened

FROM_STANDARD_INPUT = "the.cert"


def export_html(path: str, output: str) -> None:
    """Write the page of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, or the place cannot be written.
        NotAccepted: if the certificate is rejected.
    """
    check_writable(output)
    name = FROM_STANDARD_INPUT if path == "-" else PurePath(path).name
    write_text(output, page_of(read_text(path), path, name))


def page_of(text: str, path: str, name: str) -> str:
    """The page of a certificate with this text; complaints name ``path``, the page ``name``.

    Raises:
        InputError: if it is no certificate.
        NotAccepted: if the checker rejects it.
    """
    if '"certify-softened"' in text[:100] and isinstance(read_accepted(text, path), Softened):
        return softened_page(read_softened(text, path), name)
    return certificate_page(read_sealed_text(text, path), name)
