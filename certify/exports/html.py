"""`certify export --to html`: a certificate as one page (``certify.pages.certificate``)."""

from __future__ import annotations

from pathlib import PurePath

from certify.exports.sealed import read_sealed
from certify.files import check_writable, write_text
from certify.pages.certificate.page import certificate_page

FROM_STANDARD_INPUT = "the.cert"


def export_html(path: str, output: str) -> None:
    """Write the page of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, or the place cannot be written.
        NotAccepted: if the certificate is rejected.
    """
    check_writable(output)
    name = FROM_STANDARD_INPUT if path == "-" else PurePath(path).name
    write_text(output, certificate_page(read_sealed(path), name))
