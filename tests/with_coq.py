"""What the tests with Coq share: without Coq they are skipped, or fail where CERTIFY_NEEDS_COQ is set."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from constructions.language.syntax import Formula
from constructions.network.transformer import Transformer
from proofs.by_coq import EVERY_LENGTH, Answer, Coq, CoqMissing, ProvedLengths, ask, compiled_library, find_coq


def coq_or_skip() -> Coq:
    """The Coq of this machine."""
    try:
        return find_coq()
    except CoqMissing as reason:
        if os.environ.get("CERTIFY_NEEDS_COQ"):
            pytest.fail(f"{reason}, and CERTIFY_NEEDS_COQ is set")
        pytest.skip(str(reason))


@cache
def library_of(coq: Coq) -> Path:
    """The compiled library, in the cache of the user as for `certify prove`."""
    return compiled_library(coq)


def ask_coq(transformer: Transformer, formula: Formula, lengths: ProvedLengths = EVERY_LENGTH) -> Answer:
    """What Coq says of the theorem that the transformer computes the formula, for every n or these."""
    coq = coq_or_skip()
    return ask(coq, library_of(coq), transformer, formula, lengths)
