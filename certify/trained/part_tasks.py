"""Parts of a decision as tasks: searched in floating point by whoever there is.

A part comes and goes as canonical JSON, so that other processes and machines may do it, and so that what was found may
be kept on disk. Nothing of it is believed: what is claimed to be covered is proved afterwards by the checker.
"""

import functools
import json
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from certify.frame.shards import content, digest_of
from certify.trained.decision import Found, SmallestMargin
from certify.trained.part import Part, PartResult
from certify.trained.searching import Searcher
from constructions.trained.claim_form import claim_from_json
from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import Cover
from proofs.trained.search import WrongWord


def parts_to_tasks(network: str, claim: str, parts: Iterable[Part]) -> list[str]:
    """The parts as tasks for ``do_part``, which say only the digests of the network and the claim as JSON."""
    about = {"network": digest_of(network), "claim": digest_of(claim)}
    return [json.dumps(about | {"part": asdict(part)}) for part in parts]


def do_part(task: str) -> str:
    """The result of a part, as JSON."""
    keys = json.loads(task)
    searcher = _searcher(keys["network"], keys["claim"])
    avoid = tuple((count, way) for count, way in keys["part"].pop("avoid"))
    return result_to_json(searcher.search(Part(**keys["part"], avoid=avoid)))


@functools.lru_cache(maxsize=1)
def _searcher(network: str, claim: str) -> Searcher:
    """By their digests; kept for the next part of the same claim, with what parts share."""
    return Searcher(_network(network), claim_from_json(json.loads(content(claim)), "claim"))


@functools.lru_cache(maxsize=1)
def _network(digest: str) -> TrainedNetwork:
    """Read once, whatever is claimed of it."""
    return network_from_json(json.loads(content(digest)), "network")


# -- results as JSON ---------------------------------------------------------------------------------------------------


def result_to_json(result: PartResult) -> str:
    """The result as text; ``result_from_json`` reads it back."""
    return json.dumps({"found": [_found_to_json(one) for one in result.found], **asdict(result.cover)})


def result_from_json(text: str) -> PartResult:
    """What ``result_to_json`` wrote."""
    data = json.loads(text)
    found = tuple(map(_found_from_json, data.pop("found")))
    return PartResult(found, Cover(**{name: tuple(values) for name, values in data.items()}))


def _found_to_json(found: Found) -> dict[str, Any]:
    data = asdict(found)
    if found.wrong:
        data["wrong"]["value"] = [str(end) for end in found.wrong.value]
    return data


def _found_from_json(data: dict[str, Any]) -> Found:
    seen, wrong = data.pop("seen"), data.pop("wrong")
    if wrong:
        lower, upper = map(Fraction, wrong.pop("value"))
        wrong = WrongWord(tuple(wrong.pop("word")), value=(lower, upper), **wrong)
    if seen:
        seen = SmallestMargin(word=tuple(seen.pop("word")), **seen)
    return Found(seen=seen, wrong=wrong, **data)
