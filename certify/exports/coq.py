"""`--to coq`: a folder that Coq alone can check, with the library, the network and the theorem about every n."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from certify.exports.theorem_claim import TheoremClaim, claim_theorem
from certify.files import check_new_folder, write_folder
from certify.request import read_request
from certify.subjects import Kind
from constructions.language.printer import format_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.text import printable
from proofs.by_coq.axioms import ALLOW_LIST
from proofs.by_coq.library import LOGICAL_NAME, needed_sources
from proofs.by_coq.transformer_file import theorem_file

COMMAND = rf"grep '\.v$' _CoqProject | xargs -n 1 coqc -q -Q library {LOGICAL_NAME}"
_README = """\
# A theorem for every n

`{theorem}` defines a transformer by its weights and proves that it computes this formula:

```text
{formula}
```

For every n >= 1, every word of length n over the alphabet and every position of the word: the output of the network, in
real arithmetic with real softmax, is exactly 1 if the word satisfies the formula at that position and exactly 0 if not;
nothing divides by zero, and every temperature is positive.

Coq 8.16 (Debian: the package `coq`) checks it. In this folder:

```sh
{command}
```

This compiles the library and then the theorem, in about a minute. The theorem is proved if the exit status is 0. What
is printed at the end are the axioms that it rests on: those of `axioms.txt`, which Coq's own real numbers need, and no
others.

To believe the theorem, read its statement: `network_computes` in `{theorem}`, `computes` in `library/network.v`,
`defined` in `library/well_defined.v` and the meaning of formulas in `library/formula.v`. The other files are proofs,
which Coq reads for you.

| file | what it is |
|---|---|
| `{theorem}` | the formula, the network, the theorem |
| `model.json` | the same network, as `certify model` and `certify run` read it |
| `axioms.txt` | the axioms that may be used |
| `library/` | definitions and proofs that hold for all networks |
| `_CoqProject` | the files in the order in which they are compiled |
"""


def export_coq(path: str, output: str) -> None:
    """Write the folder for what is in a model file or in a certificate.

    Raises:
        InputError: if it is neither, or the folder is not new or empty.
        Unsupported: naming a part of the network that the Coq library has no counterpart of.
    """
    check_new_folder(output)
    request = read_request(path, taken=(Kind.NETWORK,))
    write_folder(output, coq_folder(claim_theorem(request, Path(path).stem)))


def coq_folder(claim: TheoremClaim) -> Mapping[str, str]:
    """The files of the folder.

    Raises:
        Unsupported: naming a part of the network that the Coq library has no counterpart of.
    """
    theorem, library = theorem_name(claim), needed_sources()
    compiled = [*(f"library/{name}" for name in library), theorem]
    readme = _README.format(theorem=theorem, command=COMMAND, formula=printable(format_formula(claim.formula)))
    return {
        "README.md": readme,
        "_CoqProject": "\n".join([f"-Q library {LOGICAL_NAME}", "", *compiled, ""]),
        "axioms.txt": ALLOW_LIST.read_text(encoding="utf-8"),
        "model.json": write_canonical(transformer_to_json(claim.network)),
        theorem: theorem_file(claim.network, claim.formula),
        **{f"library/{name}": text for name, text in library.items()},
    }


def theorem_name(claim: TheoremClaim) -> str:
    """The name of the file with the theorem."""
    return f"Theorem_{claim.name}.v"
