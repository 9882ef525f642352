"""`--to safetensors`: the rounded arrays in one file; its metadata are one JSON object under the key ``certify``."""

import json

import numpy as np
from safetensors.numpy import save

from certify.exports.runnable import about, rounded_weights
from certify.formula.sealed import Sealed, read_sealed
from certify.frame.files import check_writable, write_bytes
from constructions.errors import InputError
from constructions.running.weights import Weights


def export_safetensors(path: str, output: str, precision: str = "binary32") -> None:
    """Write the arrays of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, or the place cannot be written.
        NotAccepted: if the certificate is rejected.
        Unsupported: if a number is too large for the precision.
    """
    if output == "-":
        raise InputError("-o -: arrays are not text, expected a file")
    check_writable(output)
    sealed = read_sealed(path)
    write_bytes(output, safetensors_bytes(sealed, rounded_weights(sealed, precision)))


def safetensors_bytes(sealed: Sealed, weights: Weights) -> bytes:
    """The file. One key of metadata, as the format keeps no order among several."""
    arrays = {name: np.asarray(array, order="C") for name, array in weights.arrays.items()}
    return bytes(save(arrays, {"certify": config_text(sealed, weights)}))


def config_text(sealed: Sealed, weights: Weights) -> str:
    """What a program must know beside the arrays, and the claim, as JSON."""
    return json.dumps(about(sealed) | weights.config(), ensure_ascii=False, indent=1) + "\n"
