"""Helpers of the tests with Coq: without Coq they are skipped, or fail if CERTIFY_NEEDS_COQ is set.

The library is compiled once for all processes that test: who comes while another compiles waits for it. Loading it and
the real numbers takes nearly all of the time of `coqc` for a short file, so tests with many questions use a Coq that
has loaded them (``tests/coq_sessions.py``).
"""

import fcntl
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from constructions.errors import Unsupported
from constructions.language.syntax import Formula
from constructions.network.transformer import Transformer
from proofs.every_n import (
    EVERY_LENGTH,
    Coq,
    CoqMissing,
    KernelAnswer,
    ProvedLengths,
    compiled_library,
    find_coq,
    prove_in_coq,
)
from proofs.every_n.compiled import axioms_of_instances, cache_folder
from proofs.every_n.graph_file import graph_theorem_file, is_large
from proofs.every_n.kernel import find_answer
from proofs.every_n.library import COMPILED, SOFTENING, listed_files
from proofs.every_n.refusals import describe_refusal
from proofs.every_n.transformer_file import refusal_file, theorem_file
from tests.coq_sessions import CoqThatStays
from tests.needed import found_or_skipped

UNSUPPORTED = "unsupported"
IMPORTS = re.compile(r"^(?:From |Import |Open Scope ).*?\.\n", re.MULTILINE | re.DOTALL)
MORE = ("compile_formula.v", *SOFTENING)
"""The files that some tests ask about, beside those that `certify prove` needs."""


@cache
def _coq_at(_: str | None) -> Coq:
    """Return the result of ``find_coq``, cached by program; its location is looked up each time."""
    return find_coq()


def coq_or_skip() -> Coq:
    """Return the Coq of this machine; the library is compiled in the cache of the user, as for `certify prove`."""
    coq = found_or_skipped(lambda: _coq_at(shutil.which("coqc")), CoqMissing, "CERTIFY_NEEDS_COQ")
    library_of(coq)
    return coq


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Hold a lock that one test process has at a time."""
    cache_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    with (cache_folder() / f".{name}.lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def library_of(coq: Coq) -> Path:
    """Return the compiled library, as `certify prove` finds it."""
    with one_at_a_time("coq"):
        return compiled_library(coq)


@cache
def larger_library_of(coq: Coq) -> Path:
    """Return a folder with the same, and beside it ``MORE`` and what these files need."""
    library_of(coq)
    with one_at_a_time("more"):
        return compiled_library(coq, entries=(*COMPILED, *MORE))


def whole_library_of(coq: Coq) -> Path:
    """Return a folder with all files of the library."""
    larger_library_of(coq)
    with one_at_a_time("more"):
        return compiled_library(coq, entries=[path.name for path in listed_files()], copied=(*COMPILED, *MORE))


def staying_coq_or_skip() -> Coq:
    """Return the same Coq, which loads the library once."""
    return CoqThatStays(*astuple(coq_or_skip()))


def ask_coq(transformer: Transformer, formula: Formula, lengths: ProvedLengths = EVERY_LENGTH) -> KernelAnswer:
    """Return Coq's answer about the theorem that the transformer computes the formula, for every n or these."""
    coq = staying_coq_or_skip()
    return prove_in_coq(coq, library_of(coq), transformer, formula, lengths)


def ask_coq_whether(transformer: Transformer, formula: Formula) -> KernelAnswer:
    """Return Coq's answer for every n; if it is no, the location of the refusal is not computed."""
    coq = staying_coq_or_skip()
    library = library_of(coq)
    with TemporaryDirectory() as folder:
        source = Path(folder) / "theorem.v"
        write = graph_theorem_file if is_large(transformer, formula) else theorem_file
        source.write_text(write(transformer, formula), encoding="utf-8")
        return find_answer(coq, library, source, besides=axioms_of_instances(library))


def printed_by_coq(texts: Sequence[str]) -> str:
    """Return Coq's output for these texts in one file, each in its own module, with their imports at the top."""
    coq = staying_coq_or_skip()
    imported = dict.fromkeys(line for text in texts for line in IMPORTS.findall(text))
    modules = [f"Module M{k}.\n{IMPORTS.sub('', text)}\nEnd M{k}.\n" for k, text in enumerate(texts)]
    with TemporaryDirectory() as folder:
        source = Path(folder) / "texts.v"
        source.write_text("".join([*imported, *modules]), encoding="utf-8")
        run = coq.compile(source, library_of(coq))
    assert run.accepted, run.complaint
    return run.printed


def places_of_kernel(claims: Sequence[tuple[Transformer, Formula, ProvedLengths]]) -> list[str]:
    """Return the location of the refusal of `check_for` in Coq's kernel by network; empty iff it is accepted."""
    texts = [_question_or_none(*claim) for claim in claims]
    answers = iter(printed_by_coq([text for text in texts if text is not None]).split(": bool")[:-1])
    return [UNSUPPORTED if text is None else _place(next(answers), network)
            for text, (network, _, _) in zip(texts, claims, strict=True)]


def _question_or_none(network: Transformer, formula: Formula, lengths: ProvedLengths) -> str | None:
    """Return the query of Coq for the location, and whether the checker accepts."""
    try:
        return (f"{refusal_file(network, formula, lengths)}\n"
                f"Eval vm_compute in check_for users {lengths.data()} network meanings claim.")
    except Unsupported:
        return None


def _place(printed: str, network: Transformer) -> str:
    """Return the place in what Coq printed: a refusal, and then whether the checker says yes."""
    refusal, accepts = printed.rsplit("= ", 1)
    place = describe_refusal(refusal, list(network.directions))
    assert accepts.strip() == ("false" if place else "true"), printed
    return place
