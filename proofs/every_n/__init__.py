"""Coq as a prover: its kernel decides whether a network computes a formula on words of every length.

``library`` lists the sources of ``proofs/coq``, ``compiled`` compiles them once for each user, ``kernel`` runs
``coqc``, ``axioms`` parses the axioms of a theorem and ``proving`` has Coq prove a statement. Only the exit status of
``coqc`` and its list of axioms are trusted.
"""

from proofs.every_n.compiled import compiled_library
from proofs.every_n.kernel import Coq, CoqMissing, KernelAnswer, find_coq
from proofs.every_n.lengths import EVERY_LENGTH, ProvedLengths
from proofs.every_n.proving import prove_in_coq, prove_model_file

__all__ = [
    "EVERY_LENGTH",
    "Coq",
    "CoqMissing",
    "KernelAnswer",
    "ProvedLengths",
    "compiled_library",
    "find_coq",
    "prove_in_coq",
    "prove_model_file",
]
