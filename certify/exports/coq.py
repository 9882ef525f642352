"""`--to coq`: a folder that Coq alone can check, with the library, the network and the theorem about it."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from certify.claims.every_n.claim import TheoremClaim, claim_theorem
from certify.claims.every_n.theorems import prove, reason_in_words
from certify.claims.formula.sealed import NotAccepted
from certify.common.files import check_new_folder, read_text, write_folder
from certify.common.progress import ProgressLine
from certify.common.words import show_alphabet
from certify.exports.writing import read_formula
from certify.requests.request import read_request
from certify.requests.subjects import SubjectKind
from constructions.errors import InputError, WithoutAnswer
from constructions.language.predicates import definitions_of
from constructions.language.printer import format_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.text import printable
from proofs.every_n import EVERY_LENGTH, CoqMissing, ProvedLengths
from proofs.every_n.library import LOGICAL_NAME, digests_of, library_digest, sealed_files
from proofs.every_n.model_file import FOLDER, MODEL, name_of_statement, proof_files

_CHECKED = """\
# A theorem for {lengths}

`model.json` is the file of a transformer over the alphabet {alphabet}. It is proved that it computes this formula:
"""
_UNCHECKED = """\
# Unchecked

Coq has not checked this folder: nothing is proved until `check.sh` succeeds. `model.json` is the file of a
transformer over the alphabet {alphabet}. The claim is that it computes this formula:
"""
_REST = """\

```text
{formula}
```
{predicates}
For every {n}, every word of length n over the alphabet and every position of the word: the output of the network, in
real arithmetic with real {weights}, is exactly 1 if the word satisfies the formula at that position and exactly 0
if not; nothing divides by zero, and every temperature is positive.

Coq 8.16 (Debian: the package `coq`) checks it. In this folder:

```sh
{command}
```

This rejects a folder with other files than those of the table below, compares the library with `SHA256SUMS`, makes a
string of Coq from the bytes of `model.json`, compiles everything from its sources, has Coq's second checker, `coqchk`,
go through all of it, and compares the axioms with `axioms.txt`.
It takes some minutes. The theorem is proved if the exit status is 0; the last lines then state what was checked: the
letters, the formula and the definitions of its predicates as Coq has them, and the lengths.

To review the theorem, read `theorem/statement.v` and its definitions: `{statement}` and the text of a model in
`library/model_text.v`, `library/formula_text.v` and `library/json_text.v`; `lengths` and `computes_for` in
`library/network.v`; `defined_for` in `library/well_defined.v`; the meaning of formulas in `library/formula.v`, and that
of users' predicates in `library/user_predicates.v`. The network in Coq need not be read: the statement is about
`model.json` only, and Coq compares the text of the network with it, byte for byte. The other files are proofs, which
Coq checks.

The library is the same in every folder of one version of `certify`, so it has one digest, that of
`SHA256SUMS`. `certify prove --json` prints it as `library`, and `sha256sum SHA256SUMS` should print it here:

```text
{digest}
```

| file | what it is |
|---|---|
| `model.json` | the network, as `certify model` and `certify run` read it |
| `theorem/statement.v` | the statement about `model.json`, with the letters, predicates and formula |
| `{theorem}` | the same network in Coq, and the proof that it computes the formula |
| `check.sh` | the command above |
| `SHA256SUMS` | the digests of the library, of `axioms.txt` and of `check.sh` |
| `axioms.txt` | the allowed axioms: those of Coq's own real numbers |
| `library/` | definitions and proofs that hold for all networks |
| `_CoqProject` | the files in the order in which they are compiled |
"""
_PREDICATES = """
There, for a position k (or a count equal to k) in a word of length n, as `model.json` defines it:

```text
{predicates}```
"""
COMMAND = "sh check.sh"


def folder_readme(claim: TheoremClaim, lengths: ProvedLengths, theorem: str, digest: str, *, checked: bool) -> str:
    """Return the text, where ``theorem`` is the file with the network; it claims a proof only if Coq checked it."""
    lines = "".join(f"{definition.description}\n" for definition in definitions_of([claim.formula]))
    predicates = _PREDICATES.format(predicates=lines) if lines else ""
    return ((_CHECKED if checked else _UNCHECKED) + _REST).format(
        theorem=theorem, command=COMMAND, digest=digest, formula=printable(format_formula(claim.formula)),
        alphabet=printable(show_alphabet(claim.network.alphabet)), lengths=lengths, n=lengths.bounds,
        statement=name_of_statement(lengths), predicates=predicates,
        weights=", ".join(claim.network.weightings()) or "softmax")


PROGRAMS = ("check.sh",)
_MARK = "(* UNCHECKED: Coq has not checked this file. *)\n"


class NoProof(WithoutAnswer, Exception):
    """Coq does not accept the theorem, or did not check it."""

    def __init__(self, verdict: str, reason: str) -> None:
        """Make a message of one line."""
        super().__init__(f"{verdict}: {reason}")
        self.verdict = verdict


def export_coq(path: str, output: str, unchecked: bool = False, lengths: ProvedLengths = EVERY_LENGTH) -> None:
    """Write the folder for a model file or a certificate, if Coq accepts its theorem on these lengths.

    With ``unchecked``, or without Coq, the folder is written with a note that nothing is proved yet.

    Raises:
        NoProof: if Coq does not accept the theorem, and then there is no folder; or if it did not check it.
        InputError: if the file is neither, or the folder is not new or empty.
        Unsupported: naming a part of the network without a counterpart in the Coq library; for a certificate that is
            not of a formula.
    """
    check_new_folder(output)
    claim = _read_claim(path)
    why = "Coq did not check it" if unchecked else _ask(claim, lengths)
    write_folder(output, coq_folder(claim, lengths, checked=not why), PROGRAMS)
    if why:
        raise NoProof("unchecked", f"{why}; nothing is proved in {output} until its check.sh succeeds")


def _read_claim(path: str) -> TheoremClaim:
    try:
        return claim_theorem(read_request(path, taken=(SubjectKind.NETWORK,)), Path(path).stem)
    except InputError:
        with suppress(InputError, NotAccepted):
            read_formula(read_text(path), path)  # gives the message of other formats for other kinds
        raise


def _ask(claim: TheoremClaim, lengths: ProvedLengths) -> str:
    """Return why Coq did not check it; empty if it accepts the theorem."""
    try:
        with ProgressLine() as progress:
            theorem = prove(claim, progress, lengths, of_file=True)
    except CoqMissing as missing:
        return str(missing)
    if theorem.verdict != "proved":
        raise NoProof(theorem.verdict, f"{reason_in_words(theorem)}; no folder was written")
    return ""


def coq_folder(claim: TheoremClaim, lengths: ProvedLengths = EVERY_LENGTH, *, checked: bool) -> Mapping[str, str]:
    """Return the files of the folder about these lengths, with a note if Coq did not check it.

    Raises:
        Unsupported: naming a part of the network without a counterpart in the Coq library.
    """
    theorem, sealed = f"Theorem_{claim.name}", sealed_files()
    own = {f"theorem/{name}": text
           for name, text in proof_files(claim.network, claim.formula, theorem, lengths).items()}
    compiled = [*(name for name in sealed if name.endswith(".v")), *own]
    del own[f"theorem/{MODEL}.v"]  # check.sh makes it from model.json
    mark = "" if checked else _MARK
    return {
        "README.md": folder_readme(claim, lengths, f"theorem/{theorem}.v", library_digest(), checked=checked),
        "_CoqProject": "\n".join([f"-Q library {LOGICAL_NAME}", f"-Q theorem {FOLDER}", "", *compiled, ""]),
        "SHA256SUMS": digests_of(sealed),
        "model.json": write_canonical(transformer_to_json(claim.network)),
        **{name: mark + text for name, text in own.items()},
        **sealed,
    }
