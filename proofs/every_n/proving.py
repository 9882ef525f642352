"""Proof by Coq that a network computes a formula for every n; or the place where the checker refused."""

import tempfile
from dataclasses import replace
from pathlib import Path

from constructions.language.syntax import Formula
from constructions.network.transformer import Transformer
from proofs.every_n.compiled import axioms_of_instances
from proofs.every_n.graph_file import graph_refusal_file, graph_theorem_file, is_large
from proofs.every_n.kernel import REFUSED, Coq, KernelAnswer, find_answer, refused
from proofs.every_n.lengths import EVERY_LENGTH, ProvedLengths
from proofs.every_n.model_file import FOLDER, proof_files
from proofs.every_n.refusals import describe_refusal
from proofs.every_n.transformer_file import refusal_file, theorem_file


def prove_in_coq(coq: Coq, library: Path, transformer: Transformer, formula: Formula,
                 lengths: ProvedLengths = EVERY_LENGTH) -> KernelAnswer:
    """Return whether Coq proves that the transformer computes the formula on words of every length, or of these.

    Raises:
        Unsupported: naming a part of the transformer that the library has no counterpart of.
    """
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        source = Path(folder) / "theorem.v"
        write = graph_theorem_file if is_large(transformer, formula) else theorem_file
        source.write_text(write(transformer, formula, lengths), encoding="utf-8")
        answer = find_answer(coq, library, source, besides=axioms_of_instances(library))
        return _with_place(coq, library, transformer, formula, answer, lengths)


def prove_model_file(coq: Coq, library: Path, transformer: Transformer, formula: Formula,
                     lengths: ProvedLengths = EVERY_LENGTH) -> KernelAnswer:
    """Return whether Coq proves the text of the transformer's model file, as an exported folder states it.

    Raises:
        Unsupported: as ``prove_in_coq``.
    """
    files = proof_files(transformer, formula, "theorem", lengths)
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        *before, statement = (Path(folder) / name for name in files)
        for path in (*before, statement):
            path.write_text(files[path.name], encoding="utf-8")
        for path in before:
            run = coq.compile(path, library, FOLDER)
            if not run.accepted:
                return _with_place(coq, library, transformer, formula, refused(run), lengths)
        return find_answer(coq, library, statement, FOLDER, besides=None)


def _with_place(coq: Coq, library: Path, transformer: Transformer, formula: Formula, answer: KernelAnswer,
                lengths: ProvedLengths = EVERY_LENGTH) -> KernelAnswer:
    """Return the answer; if the checker refused, with the place where it stopped."""
    if answer.reason != REFUSED:
        return answer
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        source = Path(folder) / "refusal.v"
        write = graph_refusal_file if is_large(transformer, formula) else refusal_file
        source.write_text(write(transformer, formula, lengths), encoding="utf-8")
        place = describe_refusal(coq.compile(source, library).printed, list(transformer.directions))
    return replace(answer, reason=f"{REFUSED}: {place}" if place else REFUSED)
