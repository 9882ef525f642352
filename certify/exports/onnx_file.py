"""`--to onnx`: one file of standard operators, with its claim in the metadata."""

from certify.exports.runnable import metadata, require_package, rounded_weights
from certify.formula.sealed import read_sealed
from certify.frame.files import check_writable, write_bytes
from constructions.errors import InputError


def export_onnx(path: str, output: str, precision: str = "binary32") -> None:
    """Write the model of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, or the place cannot be written.
        NotAccepted: if the certificate is rejected.
        Unsupported: if a number is too large for the precision, or onnx is not installed.
    """
    if output == "-":
        raise InputError("-o -: a model is not text, expected a file")
    check_writable(output)
    require_package("onnx", "onnx")
    from certify.exports.onnx_graph import onnx_model

    sealed = read_sealed(path)
    weights = rounded_weights(sealed, precision)
    write_bytes(output, onnx_model(weights, metadata(sealed, weights)).SerializeToString())
