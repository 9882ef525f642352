"""What the tests with Coq share: without Coq they are skipped, or fail where CERTIFY_NEEDS_COQ is set."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from constructions.language.syntax import Formula
from constructions.network.transformer import Transformer
from proofs.by_coq import EVERY_LENGTH, Answer, Coq, CoqMissing, ProvedLengths, ask, compiled_library, find_coq
from tests.needed import found_or_skipped


def coq_or_skip() -> Coq:
    """The Coq of this machine."""
    return found_or_skipped(find_coq, CoqMissing, "CERTIFY_NEEDS_COQ")


@cache
def library_of(coq: Coq) -> Path:
    """The compiled library, in the cache of the user as for `certify prove`."""
    return compiled_library(coq)


def ask_coq(transformer: Transformer, formula: Formula, lengths: ProvedLengths = EVERY_LENGTH) -> Answer:
    """What Coq says of the theorem that the transformer computes the formula, for every n or these."""
    coq = coq_or_skip()
    return ask(coq, library_of(coq), transformer, formula, lengths)
