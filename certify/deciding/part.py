"""A part of a decision: some obligations at one offset, searched in floating point by whoever there is.

A part comes and goes as canonical JSON, so that other processes and machines may do it, and so that what was found may
be kept on disk. Nothing of it is believed: what is claimed to be covered is proved afterwards by the checker.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.deciding.decision import Found, SmallestMargin
from constructions.trained.claim import Claim, is_by_place
from constructions.trained.claim_form import claim_from_json, claim_to_json
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import Cover
from proofs.trained.search import WrongWord

if TYPE_CHECKING:
    from certify.deciding.searching import Searcher

MOST_WORDS = 2**14
"""Places and lengths with more words than this are not decided word by word, unless it is asked for."""


@dataclass(frozen=True)
class Part:
    """Obligations first … last (places or lengths) of a claim at one offset, and how hard to try.

    ``avoid`` has pairs of a place or length and a way in which it is not to be covered.
    """

    offset: int
    first: int
    last: int
    most_words: int = MOST_WORDS
    effort: int = 1
    avoid: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class PartResult:
    """What was found of each obligation, and units that cover some of them."""

    found: tuple[Found, ...]
    cover: Cover


def parts_to_tasks(network: TrainedNetwork, claim: Claim, parts: Iterable[Part]) -> list[str]:
    """The parts as tasks for ``do_part``."""
    about = {"network": network_to_json(network), "claim": claim_to_json(claim)}
    return [json.dumps(about | {"part": asdict(part)}) for part in parts]


def do_part(task: str) -> str:
    """The result of a part, as JSON."""
    keys = json.loads(task)
    searcher = _searcher(json.dumps([keys["network"], keys["claim"]]))
    avoid = tuple((count, way) for count, way in keys["part"].pop("avoid"))
    return result_to_json(searcher.search(Part(**keys["part"], avoid=avoid)))


@functools.lru_cache(maxsize=1)
def _searcher(text: str) -> Searcher:
    """Kept for the next part of the same claim, with what parts share."""
    from certify.deciding.searching import Searcher

    network, claim = json.loads(text)
    return Searcher(network_from_json(network, "network"), claim_from_json(claim, "claim"))


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


def words_of(claim: Claim, count: int) -> int:
    """How many words there are of a place or a length."""
    return int(len(claim.alphabet) ** count)


def stops_at_wrong(network: TrainedNetwork, claim: Claim) -> bool:
    """Whether a word that is wrong makes all longer lengths refuted, so that they need not be looked at."""
    return is_by_place(network, claim) and claim.read == "each"
