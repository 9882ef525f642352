"""`--to torch`: a folder with a plain module, its weights and its claim; torch and safetensors alone run it."""

from collections.abc import Mapping
from pathlib import Path

import constructions.running
from certify.exports.runnable import NOTE, rounded_weights
from certify.exports.safetensors_file import config_text, safetensors_bytes
from certify.formula.sealed import Sealed, read_sealed
from certify.frame.files import check_new_folder, write_folder
from constructions.running.weights import Weights
from constructions.text import printable

MODULE = Path(constructions.running.__file__).parent / "torch_network.py"
_README = """\
# A transformer with exact weights, in torch

```text
{statement}
{names}
```

This was {note}.
`config.json` says the same to programs.

| file | what it is |
|---|---|
| `network.py` | the network, a plain `nn.Module`; needs torch and safetensors |
| `weights.safetensors` | its weights, rounded to {precision}: to nearest, ties to even, from the exact numbers |
| `config.json` | alphabet, lengths, shapes, the names of all truths and directions, the claim |

In this folder:

```python
import torch
from network import Network

network = Network.load(".")
truths = network.run([{word}])  # (words, positions, formulas)
truths[0, :, network.names.index({formula})]
```

`Network.load(".", fused=True)` computes attention by torch's `scaled_dot_product_attention`. `network.to(...)` with
another type rounds the weights once more, from {precision}, which is not always what rounding the exact numbers once
gives; for that, export with `--precision`. The words of a batch have one length, of {lengths}; there is no padding.
"""


def export_torch(path: str, output: str, precision: str = "binary32") -> None:
    """Write the folder of the certificate.

    Raises:
        InputError: if the file is no certificate, or the folder is not new or empty.
        NotAccepted: if the certificate is rejected.
        Unsupported: if a number is too large for the precision.
    """
    check_new_folder(output)
    sealed = read_sealed(path)
    write_folder(output, torch_folder(sealed, rounded_weights(sealed, precision)))


def torch_folder(sealed: Sealed, weights: Weights) -> Mapping[str, str | bytes]:
    """The files of the folder."""
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


def _some_word(weights: Weights) -> str:
    """A word of the claim, as Python: a string if every symbol is one character."""
    n = min(weights.lengths.last, max(4, weights.lengths.first))
    word = [weights.alphabet[place % len(weights.alphabet)] for place in range(n)]
    return repr("".join(word) if all(len(symbol) == 1 for symbol in word) else word)
