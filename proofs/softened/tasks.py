"""The survey of one length divided into tasks: a pure function from canonical JSON to canonical JSON, for any process.

{"task": "survey", "transformer": ..., "n": ..., "prefix": [...]}    ->  the survey of these words (findings.py)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from constructions.errors import InputError
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.transformer import Transformer
from proofs.softened.survey import survey_words


def write_survey_task(transformer: Transformer, n: int, prefix: Sequence[str]) -> str:
    """The task of surveying the words of length n with this prefix."""
    return _canonical({"task": "survey", "transformer": transformer_to_json(transformer), "n": n,
                       "prefix": list(prefix)})


def do_task(task: str) -> str:
    """The result of a task.

    Raises:
        InputError: if it is no task, or for what is wrong with the transformer or the prefix.
        Unsupported: if the transformer has a head that is soft and not uniform.
    """
    match json.loads(task):
        case {"task": "survey", "transformer": transformer, "n": int(n), "prefix": list(prefix)}:
            return survey_words(_read(_canonical(transformer)), n, prefix).to_json()
    raise InputError(f"task {task[:60]!r}, expected a survey")


@lru_cache(maxsize=4)
def _read(text: str) -> Transformer:
    """The transformer; many tasks in a row are about the same one."""
    return transformer_from_json(json.loads(text))


def _canonical(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
