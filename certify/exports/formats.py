"""The formats that a certificate is exported to, and the function of each."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Literal

Format = Literal["coq", "smt2", "latex", "tikz", "figures", "proof", "html", "npz", "onnx", "torch", "safetensors"]
Exporter = Callable[..., None]
EXPORTERS: Mapping[Format, tuple[str, str]] = {
    "coq": ("certify.exports.coq", "export_coq"),
    "smt2": ("certify.exports.smt2", "export_smt2"),
    "latex": ("certify.exports.latex", "export_latex"),
    "tikz": ("certify.exports.tikz", "export_tikz"),
    "figures": ("certify.exports.figures", "export_figures"),
    "proof": ("certify.exports.proof.document", "export_proof"),
    "html": ("certify.exports.html", "export_html"),
    "npz": ("certify.exports.npz", "export_npz"),
    "onnx": ("certify.exports.runnable", "export_onnx"),
    "torch": ("certify.exports.runnable", "export_torch"),
    "safetensors": ("certify.exports.runnable", "export_safetensors"),
}
"""The module and name of the function of each format; its arguments are the input and the output path."""
RUNNABLE: tuple[Format, ...] = ("onnx", "torch", "safetensors")
"""The formats whose functions also take a precision."""


def load_exporter(form: Format) -> Exporter:
    """Import and return the function of the format; some need z3 or numpy."""
    module, name = EXPORTERS[form]
    exporter: Exporter = getattr(import_module(module), name)
    return exporter
