"""Certificates about words of any length: docs/background/lengths.md, sections 3, 5 and 7."""

from collections.abc import Sequence
from typing import Any

from constructions.trained.claim import WordsClaim
from constructions.trained.claim_form import claim_to_json
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import ANY_LENGTH, certificate_text
from proofs.trained.lengths.search import LongWord
from proofs.trained.lengths.truths import CountPartition


def lengths_text(network: TrainedNetwork, claim: WordsClaim, greatest: int | None, kinds: Sequence[CountPartition],
                 trees: Sequence[Sequence[Sequence[int] | None]]) -> str:
    """Return the certificate of a claim proved by counts of letters, up to a length or (None) for every length."""
    return _text("counts", network, claim, greatest, {
        "counts": [[kind.threshold, kind.period] for kind in kinds],
        "trees": [[None if cut is None else list(cut) for cut in tree] for tree in trees]})


def suffixes_text(network: TrainedNetwork, claim: WordsClaim, greatest: int | None, tree: Sequence[int]) -> str:
    """Return the certificate of a claim proved by last letters, up to a length or (None) for every length."""
    return _text("last letters", network, claim, greatest, {"tree": list(tree)})


def long_word_text(network: TrainedNetwork, claim: WordsClaim, greatest: int | None, wrong: LongWord) -> str:
    """Return the certificate of a long wrong word."""
    return _text("wrong word", network, claim, greatest, {
        "word": [list(run) for run in wrong.runs], "case": wrong.case, "row": wrong.row})


def _text(by: str, network: TrainedNetwork, claim: WordsClaim, greatest: int | None, evidence: dict[str, Any]) -> str:
    return certificate_text(ANY_LENGTH, by, network, claim_to_json(claim) | {"max_n": greatest}, evidence)
