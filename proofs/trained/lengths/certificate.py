"""The text of certificates about lengths, and of a long wrong word: docs/lengths.md, sections 3, 5 and 7."""

from collections.abc import Sequence
from typing import Any

from constructions.network.json_form import write_canonical
from constructions.trained.claim import Claim
from constructions.trained.claim_form import claim_to_json
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import VERSION
from proofs.trained.lengths.search import SeenWord
from proofs.trained.lengths.truths import Kind


def lengths_text(network: TrainedNetwork, claim: Claim, greatest: int | None, kinds: Sequence[Kind],
                 trees: Sequence[Sequence[Sequence[int] | None]]) -> str:
    """A certificate of the format certify-lengths, up to a length or (None) for every length."""
    return write_canonical({
        **_head("certify-lengths", network, claim, greatest),
        "counts": [[kind.threshold, kind.period] for kind in kinds],
        "trees": [[None if cut is None else list(cut) for cut in tree] for tree in trees]})


def suffixes_text(network: TrainedNetwork, claim: Claim, greatest: int | None, tree: Sequence[int]) -> str:
    """A certificate of the format certify-suffixes, up to a length or (None) for every length."""
    return write_canonical({**_head("certify-suffixes", network, claim, greatest), "tree": list(tree)})


def long_word_text(network: TrainedNetwork, claim: Claim, greatest: int | None, wrong: SeenWord) -> str:
    """A certificate of the format certify-long-word."""
    return write_canonical({
        **_head("certify-long-word", network, claim, greatest),
        "word": [list(run) for run in wrong.runs], "case": wrong.case, "row": wrong.row})


def _head(name: str, network: TrainedNetwork, claim: Claim, greatest: int | None) -> dict[str, Any]:
    return {"format": name, "version": VERSION, "network": network_to_json(network),
            "claim": claim_to_json(claim) | {"max_n": greatest}}
