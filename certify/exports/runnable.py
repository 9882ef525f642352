"""`--to onnx`, `torch` and `safetensors`: the certificate's weights in a precision, as programs, with the claim."""

import json
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

import constructions.running
from certify.claims.formula.sealed import Sealed
from certify.exports.writing import Make, binary_file, folder, of_formula
from constructions.errors import Unsupported, install
from constructions.running.weights import WeightArrays, weights_of
from constructions.text import printable

NOTE = "proved for the exact weights in real arithmetic; the weights here are rounded, and so is their execution"
MODULE = Path(constructions.running.__file__).parent / "torch_network.py"
_README = """\
# A transformer with exact weights, in torch

```text
{statement}
{names}
```

This was {note}.
`config.json` contains the same for programs.

| file | what it is |
|---|---|
| `network.py` | the network, a plain `nn.Module`; needs torch and safetensors |
| `weights.safetensors` | its weights, rounded to {precision}: to nearest, ties to even, from the exact numbers |
| `config.json` | alphabet, lengths, shapes, the names of all truths and directions, the claim |

In this folder:

```python
import torch
from network import TorchNetwork

network = TorchNetwork.load(".")
truths = network.run([{word}])  # (words, positions, formulas)
truths[0, :, network.names.index({formula})]
```

`TorchNetwork.load(".", fused=True)` computes attention by `scaled_dot_product_attention`. `network.to(...)` with
another type rounds the weights once more, from {precision}, which may differ from a single rounding of the exact
numbers; for that, export with `--precision`. The words of a batch have one length, of {lengths}; there is no padding.
"""


def _rounded(make: Callable[[Sealed, WeightArrays], Any]) -> Make:
    """Return a maker of a format from a certificate, and from its weights in a precision for the lengths of the claim.

    Raises:
        Unsupported: if a number is too large for the precision, or the transformer has no float program.
    """
    def made(sealed: Sealed, precision: str = "binary32") -> Any:
        return make(sealed, weights_of(sealed.transformer, sealed.lengths, precision))

    return of_formula(made)


def about(sealed: Sealed) -> dict[str, Any]:
    """Return claim, certificate and network as plain values."""
    claim = sealed.statement[-1]
    return {
        "formula": sealed.claim["formula"],
        "regime": sealed.regime,
        "claim": claim.removeprefix("claim").strip(),
        "note": NOTE,
        "certificate_sha256": sealed.digest,
        "output_direction": sealed.transformer.output,
        "predicates": [definition.description for definition in sealed.transformer.predicates()],
    }


def metadata(sealed: Sealed, weights: WeightArrays) -> Mapping[str, str]:
    """Return claim, weights and network for formats whose metadata are texts; lists are JSON."""
    values = about(sealed) | {
        "precision": weights.precision,
        "lengths": [weights.lengths.first, weights.lengths.last],
        "alphabet": list(weights.alphabet),
        "truths": list(weights.truths),
    }
    return {name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in values.items()}


def onnx_bytes(sealed: Sealed, weights: WeightArrays) -> bytes:
    """Return the file of standard operators, with its claim in the metadata.

    Raises:
        Unsupported: if onnx is not installed.
    """
    if find_spec("onnx") is None:
        raise Unsupported(f"this export needs the package onnx, which is not installed: {install('onnx')}")
    from certify.exports.onnx_graph import onnx_model

    return bytes(onnx_model(weights, metadata(sealed, weights)).SerializeToString())


def safetensors_bytes(sealed: Sealed, weights: WeightArrays) -> bytes:
    """Return the file; it has one key of metadata, since the format does not order several."""
    arrays = {name: np.asarray(array, order="C") for name, array in weights.arrays.items()}
    return bytes(save(arrays, {"certify": config_text(sealed, weights)}))


def config_text(sealed: Sealed, weights: WeightArrays) -> str:
    """Return the configuration of the program, and the claim, as JSON."""
    return json.dumps(about(sealed) | weights.config(), ensure_ascii=False, indent=1) + "\n"


def torch_folder(sealed: Sealed, weights: WeightArrays) -> Mapping[str, str | bytes]:
    """Return the files of the folder."""
    readme = _README.format(
        statement="\n".join(map(printable, sealed.statement)), names=sealed.names, note=NOTE,
        precision=weights.precision, lengths=weights.lengths, formula=repr(sealed.claim["formula"]),
        word=_some_word(weights))
    return {
        "README.md": readme,
        "network.py": MODULE.read_text(encoding="utf-8"),
        "config.json": config_text(sealed, weights),
        "weights.safetensors": safetensors_bytes(sealed, weights),
    }


def _some_word(weights: WeightArrays) -> str:
    """Return a word of the claim, as Python: a string if every symbol is one character."""
    n = min(weights.lengths.last, max(4, weights.lengths.first))
    word = [weights.alphabet[place % len(weights.alphabet)] for place in range(n)]
    return repr("".join(word) if all(len(symbol) == 1 for symbol in word) else word)


export_onnx = binary_file(_rounded(onnx_bytes))
export_torch = folder(_rounded(torch_folder))
export_safetensors = binary_file(_rounded(safetensors_bytes))
