"""The task of a training: a claim file, a shipped task by name, or options; and the sizes of a new network for it."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.flags import Flags, table_of_flags
from certify.claims.trained.question import AnyClaim, ClaimTable, read_claim_table
from certify.claims.trained.tracks_file import is_about_tracks
from certify.common.files import read_text
from certify.common.shipped import examples_folder
from certify.learning.training.fresh import Recipe, Sizes, begun, recipe
from certify.learning.training.lessons import Lessons
from certify.learning.training.track_lessons import TrackLessons
from certify.learning.training.word_lessons import WordLessons
from constructions.errors import InputError
from constructions.language.alphabets import parse_alphabet
from constructions.trained.claim import WordsClaim
from constructions.trained.network import Attends, TrainedNetwork
from constructions.trained.tracks import TracksClaim

_TOKENS = ("tokens", "before", "after", "token", "end", "others", "answers", "layout", "among", "pad", "padding",
           "choices", "answer", "each")
"""The keys of a claim file under which integers are tokens."""
LONGEST = 64
"""The greatest length of words in training."""
MANY_TOKENS = 1 << 12
"""The greatest number of tokens of a new network."""
MANY_ROWS = 1 << 12
"""Position rows of the network with which a claim is first read, to determine how many it needs."""


@dataclass(frozen=True)
class Task:
    """The claim to train for, with its lengths and offsets; its file names are relative to the folder."""

    asked: ClaimTable
    scope: Scope

    @property
    def table(self) -> Mapping[str, Any]:
        """The table of the claim file."""
        return self.asked.table

    def claim(self, network: TrainedNetwork) -> AnyClaim:
        """Return the claim about a network.

        Raises:
            InputError, Unsupported: as for ``ClaimTable``, and if words are too long.
        """
        longest = self.table.get("max_n") if self.scope.max_n is None else self.scope.max_n
        if isinstance(longest, int) and longest > LONGEST and not is_about_tracks(self.table):
            raise InputError(f"{self.asked.where}: max_n: {longest}, expected at most {LONGEST} (--max-n): longer "
                             "words are not trained on")
        return self.asked.claim(network, self.scope)

    def text(self, claim: AnyClaim) -> tuple[str, dict[str, str]]:
        """Return an equivalent claim file with these lengths and offsets, and the files that it names."""
        files: dict[str, str] = {}
        table = _with_files_beside(dict(self.table), self.asked.folder, files)
        if isinstance(claim, WordsClaim):
            table |= {"min_n": claim.lengths[0], "max_n": claim.lengths[1], "offset": list(claim.offsets)}
        else:
            columns = [len(form.columns) for form in claim.forms]
            table |= {"columns": [columns[0], columns[-1]], "offset": claim.offset}
        return toml_text(table), files


def read_task(name: str | None, flags: Flags, scope: Scope) -> Task:
    """Return the task of a file or of a name, or of options.

    Raises:
        InputError: if there is none, or both are given.
    """
    if name is None:
        return Task(ClaimTable(table_of_flags(flags), "options"), scope)
    if given := flags.given_options():
        raise InputError(f"{given[0]}: given together with a task, expected one of the two")
    path = name if name == "-" or os.path.exists(name) else str(_named(name))
    return Task(replace(read_claim_table(path), where=name), scope)


def _named(name: str) -> Path:
    """Return the claim file of an example."""
    shipped = {path.parent.name: path for path in sorted((examples_folder() / "trained").glob("*/claim.toml"))}
    shipped |= {path.stem: path for path in sorted((examples_folder() / "adders").glob("*.toml"))}
    if name not in shipped:
        raise InputError(f"{name}: no such file, and no task of this name, expected a claim file or one of "
                         f"{', '.join(shipped)}")
    return shipped[name]


def lessons_of(network: TrainedNetwork, claim: AnyClaim, window: int = 0) -> Lessons:
    """Return the training data of a claim; inner layers should depend only on ``window`` columns, if it is not 0.

    Raises:
        InputError: if the window is negative, or the claim is about words.
    """
    if window < 0:
        raise InputError(f"--window: {window}, expected 0 or more")
    if isinstance(claim, WordsClaim):
        if window:
            raise InputError("--window: of inputs in tracks, and the claim is about words, expected no such option")
        return WordLessons(network, claim)
    return TrackLessons(network, claim, window)


def new_network(task: Task, sizes: Sizes, seed: int) -> tuple[Recipe, TrainedNetwork]:
    """Return an initial network with the tokens and position rows that the task needs.

    Raises:
        InputError, Unsupported: if there is none of these sizes, or the claim is malformed.
    """
    sizes.check()
    stated = task.table.get("attention")
    attention: Attends = sizes.attention or ("bidirectional" if stated == "bidirectional" else "causal")
    vocabulary = 1 + max(_tokens(task.table), default=0)
    if vocabulary > MANY_TOKENS:
        raise InputError(f"{task.asked.where}: token {vocabulary - 1}, expected fewer than {MANY_TOKENS} tokens in all")
    rows = sizes.rows or _rows(task, attention, vocabulary)
    made = recipe(sizes, attention, vocabulary, rows)
    return made, begun(made, np.random.default_rng(seed))


def _rows(task: Task, attention: Attends, vocabulary: int) -> int:
    """Return the number of position rows of the longest input; with all offsets, of the first."""
    offsets = task.table.get("offset", 0) if task.scope.offsets is None else task.scope.offsets
    least = replace(task.scope, offsets=(0, 0)) if offsets == "all" else task.scope
    shape = recipe(Sizes(width=1), attention, vocabulary, MANY_ROWS)
    claim = replace(task, scope=least).claim(begun(shape, np.random.default_rng(0)))
    if isinstance(claim, TracksClaim):
        return claim.offset + max(len(form.layout) for form in claim.forms) - 1
    return claim.offsets[1] + len(claim.before) + claim.lengths[1] + len(claim.after)


def _tokens(value: object, named: bool = False) -> Iterator[int]:
    """Yield the tokens that a table names."""
    if isinstance(value, Mapping):
        if "alphabet" in value:
            letters = value["alphabet"]
            if isinstance(letters, Mapping):
                yield from _tokens(list(letters.values()), True)
            elif isinstance(letters, str | list):
                yield len(parse_alphabet(letters) if isinstance(letters, str) else letters) - 1
        for key, one in value.items():
            yield from _tokens(one, key in _TOKENS and not isinstance(one, Mapping))
    elif isinstance(value, list):
        for one in value:
            yield from _tokens(one, named)
    elif named and isinstance(value, int) and not isinstance(value, bool):
        yield value


def _with_files_beside(value: Any, folder: Path, files: dict[str, str]) -> Any:
    """Copy the table with automata files in the same folder; ``files`` collects them."""
    if isinstance(value, list):
        return [_with_files_beside(one, folder, files) for one in value]
    if not isinstance(value, dict):
        return value
    copied = {key: _with_files_beside(one, folder, files) for key, one in value.items()}
    if isinstance(value.get("dfa"), str):
        copied["dfa"] = f"{len(files)}_{Path(value['dfa']).name}"
        files[copied["dfa"]] = read_text(str(folder / value["dfa"]))
    return copied


def toml_text(table: Mapping[str, Any]) -> str:
    """Format the table as TOML, with answers as separate tables.

    >>> print(toml_text({"alphabet": "01", "answer": [{"kind": "sign", "truth": {"regex": "1*"}}], "max_n": 3}), end="")
    alphabet = "01"
    max_n = 3
    <BLANKLINE>
    [[answer]]
    kind = "sign"
    truth = { regex = "1*" }
    """
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if key != "answer"]
    for one in table.get("answer", []):
        lines += ["", "[[answer]]", *(f"{_key(key)} = {_value(value)}" for key, value in one.items())]
    return "\n".join(lines) + "\n"


def _key(text: str) -> str:
    return text if text.isascii() and text.replace("_", "a").isalnum() else _value(text)


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }"
    return str(value)
