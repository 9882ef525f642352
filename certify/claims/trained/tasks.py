"""Tasks about a network and a claim, and their results, as canonical JSON.

So other processes and machines can do a task, and results can be kept on disk. Results are not trusted: the checker
proves claimed covers afterwards, wrong executions are replayed.
"""

import dataclasses
import json
from collections.abc import Sequence
from functools import cache, lru_cache
from types import UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from certify.common.json_form import to_json
from certify.common.shards import content, digest_of
from constructions.trained.claim import WordsClaim
from constructions.trained.claim_form import claim_from_json, claim_to_json
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim
from constructions.trained.tracks_form import tracks_claim_from_json, tracks_claim_to_json
from proofs.enclosures.float_models.model import FloatModel, read_float_model

T = TypeVar("T")

# -- networks and claims of tasks
# ---------------------------------------------------------------------------------------


def text_of_network(network: TrainedNetwork) -> str:
    """Return the network as text for workers."""
    return json.dumps(network_to_json(network))


def text_of_claim(claim: WordsClaim | TracksClaim) -> str:
    """Return the claim as text for workers."""
    return json.dumps(claim_to_json(claim) if isinstance(claim, WordsClaim) else tracks_claim_to_json(claim))


def about(texts: Sequence[str], run: FloatModel | None = None, **keys: Any) -> dict[str, Any]:
    """Return the keys of a task: the digests of the texts of a network and a claim, and the float model, if any."""
    network, claim = map(digest_of, texts)
    return {"network": network, "claim": claim, "float": run and run.to_json(), **keys}


@lru_cache(maxsize=1)
def network_in(digest: str) -> TrainedNetwork:
    """Return the network of a task, parsed once for all claims."""
    return network_from_json(json.loads(content(digest)), "network")


def claim_in(digest: str) -> WordsClaim:
    """Return the claim of a task about words."""
    return claim_from_json(json.loads(content(digest)), "claim")


def tracks_claim_in(digest: str) -> TracksClaim:
    """Return the claim of a task about inputs in tracks."""
    return tracks_claim_from_json(json.loads(content(digest)), "claim")


def run_in(text: str) -> FloatModel:
    """Return the float model of a task."""
    fields = json.loads(text)
    return read_float_model(fields.pop("name"), fields)


# -- results -----------------------------------------------------------------------------------------------------------


def result_to_text(result: Any) -> str:
    """Return a dataclass as text for ``result_from_text``."""
    return json.dumps(to_json(result))


def result_from_text(kind: type[T], text: str) -> T:
    """Return the result of this kind that ``result_to_text`` wrote."""
    return cast(T, _read(kind, json.loads(text)))


@cache
def _kinds_of_fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, data: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:  # an optional value
        return None if data is None else _read(arguments[0], data)
    if origin is tuple:
        return tuple(_read(arguments[0], part) for part in data)
    if dataclasses.is_dataclass(kind):
        kinds = _kinds_of_fields(cast(type, kind))
        return kind(**{name: _read(part, data[name]) for name, part in kinds.items()})  # type: ignore[operator]
    return data if kind is Any or origin in (dict, Literal) else kind(data)
