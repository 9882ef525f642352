"""The README of a folder that `--to coq` writes: what is proved, how to check it, what to read."""

from certify.every_n.claim import TheoremClaim
from certify.frame.words import show_alphabet
from constructions.language.predicates import definitions_of
from constructions.language.printer import format_formula
from constructions.text import printable
from proofs.every_n import ProvedLengths
from proofs.every_n.model_file import name_of_statement

_CHECKED = """\
# A theorem for {lengths}

`model.json` is the file of a transformer over the alphabet {alphabet}. It is proved that it computes this formula:
"""
_UNCHECKED = """\
# Unchecked

Coq was not asked about this folder: nothing is proved before `check.sh` says so. `model.json` is the file of a
transformer over the alphabet {alphabet}. What is claimed of it is that it computes this formula:
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

This refuses a folder with any other file than those of the table below, compares the library with `SHA256SUMS`, makes a
string of Coq from the bytes of `model.json`, compiles everything from its sources, has Coq's second checker, `coqchk`,
go through all of it, and compares the axioms with `axioms.txt`.
It takes some minutes. The theorem is proved if the exit status is 0; the last lines then say what was checked: the
letters, the formula and the definitions of its predicates as Coq has them, and the lengths.

To believe the theorem, read `theorem/statement.v` and what it names: `{said}` and the text of a model in
`library/model_text.v`, `library/formula_text.v` and `library/json_text.v`; `lengths` and `computes_for` in
`library/network.v`; `defined_for` in `library/well_defined.v`; the meaning of formulas in `library/formula.v`, and that
of users' predicates in `library/user_predicates.v`. The network in Coq need not be read: the statement is about
`model.json` alone, and Coq compares the text of the network with it, byte for byte. The other files are proofs, which
Coq reads for you.

What these files say is the same in every folder of one version of `certify`, so they have one digest, that of
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
| `axioms.txt` | the axioms that may be used: those of Coq's own real numbers |
| `library/` | definitions and proofs that hold for all networks |
| `_CoqProject` | the files in the order in which they are compiled |
"""
_PREDICATES = """
There, of a position k (or, of a count, where it is k) in a word of length n, as `model.json` defines it:

```text
{predicates}```
"""
COMMAND = "sh check.sh"


def folder_readme(claim: TheoremClaim, lengths: ProvedLengths, theorem: str, digest: str, *, checked: bool) -> str:
    """The text, where ``theorem`` is the file with the network; it claims a proof only if Coq was asked."""
    lines = "".join(f"{definition.description}\n" for definition in definitions_of([claim.formula]))
    predicates = _PREDICATES.format(predicates=lines) if lines else ""
    return ((_CHECKED if checked else _UNCHECKED) + _REST).format(
        theorem=theorem, command=COMMAND, digest=digest, formula=printable(format_formula(claim.formula)),
        alphabet=printable(show_alphabet(claim.network.alphabet)), lengths=lengths, n=lengths.bounds,
        said=name_of_statement(lengths), predicates=predicates,
        weights=", ".join(claim.network.weightings()) or "softmax")
