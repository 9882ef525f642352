"""Certificates of formulas; docs/reference/certificate.md. Begin with certificate.py, the list of all obligations."""

from ...kernel.kind import FileKind
from .certificate import prove_certificate
from .describing import describe_certificate
from .reading import read_certificate

KIND = FileKind(read_certificate, prove_certificate, describe_certificate,
                parts=("formula", "given", "regime", "causal"))
