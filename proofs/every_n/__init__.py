"""Coq as a prover: its kernel decides whether a network computes a formula on words of every length.

``library`` lists the sources of ``proofs/coq``, ``compiled`` compiles them once for each user, ``kernel`` runs
``coqc``, ``axioms`` parses the axioms of a theorem and ``asking`` runs Coq on a question. Only the exit status of
``coqc`` and its list of axioms are trusted.
"""

from proofs.every_n.asking import ask, ask_about_file
from proofs.every_n.compiled import compiled_library
from proofs.every_n.kernel import Coq, CoqMissing, KernelAnswer, find_coq
from proofs.every_n.lengths import EVERY_LENGTH, ProvedLengths

__all__ = [
           "EVERY_LENGTH",
           "Coq",
           "CoqMissing",
           "KernelAnswer",
           "ProvedLengths",
           "ask",
           "ask_about_file",
           "compiled_library",
           "find_coq",
]
