"""Lemmas for a count of words: what the network answers on each word, as a claim with an acyclic automaton.

Words are run in floating point, letter by letter; no claim depends on that. A word that is wrong is not extended where
each letter is judged, as its extensions are wrong, too.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, Row, When, WordsClaim, last_offset, obligations
from constructions.trained.claim_form import claim_from_json
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import CoverJson, WordsUnit, cover_of
from proofs.trained.forward import Array, FloatNetwork
from proofs.trained.key_value_cache import EMPTY, Prefixes, extend
from proofs.trained.live_states import StateLevels
from proofs.trained.margins import ClaimRows
from proofs.trained.words import WordMargins, is_read_at_ends
from proofs.words.truths import CasesOfWords

Indices = NDArray[np.intp]
NEAR = 10**-9
"""Rows with float values nearer to the margin are left open."""
SINK = 0
"""The state without cases, which words lead to that are too long or not followed."""
Mark = tuple[bool, tuple[Row, ...], int | None]
"""Whether the margin is the claim's, else 0; rows that are above it; and an offset, if this holds only there."""
NOTHING: Mark = (True, (), None)


@dataclass(frozen=True)
class Lemma:
    """A claim that holds, with its evidence: a cover of its words, or None where the checker runs each word."""

    claim: WordsClaim
    cover: CoverJson | None

    def to_json(self, claim_json: dict[str, Any], counted: WordsClaim) -> dict[str, Any]:
        """Return the part of a certificate of a ``counted`` claim; ``claim_json`` is the lemma's claim as JSON."""
        is_own = self.claim.offsets != counted.offsets
        keys = {key: claim_json[key] for key in ("max_n", "margin", *["offsets"] * is_own, "automaton", "cases")}
        if self.cover is None:
            return keys | {"by": "each word", "evidence": {}}
        return keys | {"by": "cover", "evidence": {
            "graphs": list(self.cover.graphs), "directions": list(self.cover.directions),
            "units": list(self.cover.units)}}


def lemma_from_json(claim_json: Mapping[str, Any], part: Mapping[str, Any]) -> Lemma:
    """Return the lemma of a part of a certificate, without its evidence; ``claim_json`` is the counted claim."""
    keys = {key: part[key] for key in ("max_n", "margin", "offsets", "automaton", "cases") if key in part}
    return Lemma(claim_from_json({**claim_json, **keys}, "part"), None)


@dataclass(frozen=True)
class Level:
    """Words of one length: the parent and the last letter of each, and what holds of it, an index into marks."""

    parents: Indices
    letters: Indices
    marks: Indices


class WordRuns:
    """Runs of all words of a claim at all of its offsets, by length, as long as there are at most ``most``.

    Words of ``avoided``, as letters, are left open, and so are those with rows within NEAR of the margin.
    """

    def __init__(self, floats: FloatNetwork, claim: WordsClaim, most: int,
                 avoided: Collection[tuple[int, ...]] = frozenset()) -> None:
        self.floats, self.claim, self.avoided = floats, claim, avoided
        self.rows, self.cases = ClaimRows(claim, floats.network.outputs), CasesOfWords(claim)
        self.marks: dict[Mark, int] = {NOTHING: 0}
        self.extends_all, self.is_complete = claim.read != "each", False
        self.levels = [*self._levels(most)]

    @property
    def longest(self) -> int:
        """The greatest length of which all words are run."""
        return len(self.levels) - 1

    @property
    def has_wrong(self) -> bool:
        """Whether a wrong word was found."""
        return any(not is_right for is_right, *_ in self.marks)

    def _levels(self, most: int) -> Iterator[Level]:
        longest = self.claim.lengths[1]
        live = StateLevels(self.claim, longest).live(range(longest + 1))
        runs = (_Prefixes if is_read_at_ends(self.floats, self.claim) else _WholeWords)(self.floats, self.claim)
        words, states = np.zeros((1, 0), dtype=np.intp), np.zeros(1, dtype=np.intp)
        parents = letters = np.zeros(1, dtype=np.intp)
        for n in range(longest + 1):
            is_judged = n > 0 or (self.claim.empty and self.claim.read == "each")
            marks, follows = self._judged(words, runs.values(words, parents, letters)) if is_judged else (
                np.zeros(1, dtype=np.intp), np.ones(1, dtype=np.bool_))
            yield Level(parents, letters, marks)
            following = np.where(follows[:, np.newaxis], live[n][states], -1) if n < longest else states[:, np.newaxis]
            parents, letters = np.nonzero(following >= 0)
            most -= len(parents)
            self.is_complete = n == longest or not len(parents)
            if self.is_complete or most < 0:
                return
            words, states = np.concatenate([words[parents], letters[:, np.newaxis]], 1), following[parents, letters]

    def _judged(self, words: Indices, values: Array) -> tuple[Indices, NDArray[np.bool_]]:
        """Return marks of words from values [offsets, B, rows], and whether extensions are of interest."""
        needed = self.cases.hold(words)[:, -1][:, self.rows.case_of]
        least = np.where(needed, values.min(0), np.inf)
        most = np.where(needed, values.max(0) + self.rows.margin, np.inf)
        is_kept = np.array([tuple(word) not in self.avoided for word in words.tolist()]) if self.avoided else True
        is_right, worst = (least > NEAR).all(1) & is_kept, most.argmin(1)
        is_wrong = np.asarray((most[np.arange(len(words)), worst] < -NEAR) & is_kept)
        patterns, which = np.unique(needed, axis=0, return_inverse=True)
        right = np.array([self._mark(True, map(self._row, np.nonzero(one)[0].tolist())) for one in patterns], np.intp)
        wrong = {column: self._mark(False, [negated(self._row(column))]) for column in {*worst[is_wrong].tolist()}}
        marks = np.where(is_right, right[which.ravel()], 0)
        marks[is_wrong] = [wrong[column] for column in worst[is_wrong].tolist()]
        below = np.where(needed, values + self.rows.margin, np.inf) < -NEAR  # at some of the offsets only
        for word in np.flatnonzero(below.any((0, 2)) & ~is_wrong & is_kept).tolist():
            offset, column = np.argwhere(below[:, word])[0].tolist()
            marks[word] = self._mark(False, [negated(self._row(column))], self.claim.offsets[0] + offset)
        return marks, np.asarray(is_right | self.extends_all)

    def _row(self, column: int) -> Row:
        case, row = self.rows.rows[column]
        return self.claim.cases[case].above[row]

    def _mark(self, is_right: bool, rows: Iterable[Row], offset: int | None = None) -> int:
        return self.marks.setdefault((is_right, tuple(dict.fromkeys(rows)), offset), len(self.marks))

    def lemmas(self) -> Iterator[Lemma]:
        """Yield the lemmas of what was found: one if the margin is 0, else one for right and one for wrong words.

        Each offset at which words are wrong that are not wrong at all of them has its own lemma.
        """
        marks = [*self.marks]
        kinds = [(True, False)] if not self.claim.margin else [(True,), (False,)]
        own = sorted({offset for _, _, offset in marks if offset is not None})
        for kind, offset in [*((kind, None) for kind in kinds), *(((False,), offset) for offset in own)]:
            kept = np.array([place if rows and is_right in kind and at == offset else 0
                             for place, (is_right, rows, at) in enumerate(marks)])
            steps, states, start = automaton_of(self.levels, kept, len(self.claim.alphabet))
            cases = tuple(Case(When(None, tuple(np.nonzero(states == place)[0].tolist())), mark[1])
                          for place, mark in enumerate(marks) if place and (states == place).any())
            if cases:
                yield self.lemma(Automaton(start, steps), cases, self.claim.margin if kind[0] else Fraction(0), offset)

    def lemma(self, automaton: Automaton, cases: tuple[Case, ...], margin: Fraction, offset: int | None) -> Lemma:
        """Return the claim of an automaton and its cases, perhaps at one offset only, proved word by word."""
        claim = self.claim
        lengths = (claim.lengths[0], max(self.longest, claim.lengths[0]))
        claim = replace(claim, lengths=lengths, automaton=automaton, cases=cases, margin=margin,
                        offsets=claim.offsets if offset is None else (offset, offset))
        return Lemma(claim, words_cover(self.floats.network, claim))


def words_cover(network: TrainedNetwork, claim: WordsClaim) -> CoverJson:
    """Return the cover of all obligations by words."""
    found: dict[int, list[int]] = {}
    for offset, count in obligations(network, claim):
        found.setdefault(offset, []).append(count)
    return cover_of(WordsUnit(offset, counts[0], counts[-1]) for offset, counts in found.items())


def negated(row: Row) -> Row:
    """Return the row whose value is the negative one."""
    return tuple((token, -coefficient) for token, coefficient in row)


def automaton_of(levels: Sequence[Level], kept: Indices, letters: int
                 ) -> tuple[tuple[tuple[int, ...], ...], Indices, int]:
    """Return the minimal acyclic automaton of words by level: its steps, the mark of each state, and the start."""
    known: dict[tuple[int, ...], int] = {(0, *(SINK,) * letters): SINK}
    below: Level | None = None
    states = np.zeros(0, dtype=np.intp)
    for level in reversed(levels):
        nodes = np.full((len(level.marks), 1 + letters), SINK, dtype=np.intp)
        nodes[:, 0] = kept[level.marks]
        if below is not None:
            nodes[below.parents, 1 + below.letters] = states
        unique, which = np.unique(nodes, axis=0, return_inverse=True)
        numbers = [known.setdefault(tuple(node), len(known)) for node in unique.tolist()]
        below, states = level, np.array(numbers, dtype=np.intp)[which.ravel()]
    return tuple(node[1:] for node in known), np.array([node[0] for node in known], dtype=np.intp), int(states[0])


class _Prefixes:
    """Logits at the last letters of prefixes, which share the work of shorter ones."""

    def __init__(self, floats: FloatNetwork, claim: WordsClaim) -> None:
        self.floats, self.claim, self.rows = floats, claim, ClaimRows(claim, floats.network.outputs)
        self.after = claim.after if claim.read == "last" else ()
        around = len(claim.before) + len(claim.after) + claim.lengths[0]
        last = last_offset(floats.network, around, claim.offsets)
        self.known: dict[int, Prefixes] = {}
        for offset in range(claim.offsets[0], last + 1):
            self.known[offset] = EMPTY
            for token in claim.before:
                self.known[offset] = self._longer(offset, self.known[offset], np.zeros(1, dtype=np.intp),
                                                  np.array([token], dtype=np.intp))

    def _longer(self, offset: int, prefixes: Prefixes, parents: Indices, tokens: Indices) -> Prefixes:
        return extend(self.floats, prefixes, parents, tokens, offset, judged=True)

    def values(self, words: Indices, parents: Indices, letters: Indices) -> Array:
        """Return the rows' values minus the margin [offsets, B, rows] of words, which extend the last ones."""
        n, rows, claim = words.shape[1], self.floats.network.rows, self.claim
        tokens = np.array(claim.tokens, dtype=np.intp)
        most = n if rows is None else rows - len(claim.before) - max(n, claim.lengths[0]) - len(claim.after)
        self.known = {offset: one if n == 0 else self._longer(offset, one, parents, tokens[letters])
                      for offset, one in self.known.items() if rows is None or offset <= most}
        return np.stack([self._judged(offset, one) for offset, one in self.known.items()])

    def _judged(self, offset: int, prefixes: Prefixes) -> Array:
        every = np.arange(len(prefixes.path))
        for token in self.after:
            prefixes = self._longer(offset, prefixes, every, np.full(len(every), token))
        assert prefixes.stream is not None
        return np.asarray(self.floats.tail(prefixes.stream) @ self.rows.matrix - self.rows.margin)


class _WholeWords:
    """Logits of whole words, for networks in which they depend on later tokens."""

    def __init__(self, floats: FloatNetwork, claim: WordsClaim) -> None:
        self.runs = WordMargins(floats, claim)

    def values(self, words: Indices, parents: Indices, letters: Indices) -> Array:
        """Return the rows' values minus the margin [offsets, B, rows] of words."""
        del parents, letters
        claim, network, n = self.runs.claim, self.runs.network, words.shape[1]
        if n < claim.lengths[0]:
            return np.zeros((1, len(words), len(self.runs.rows.rows)))
        tokens, size = len(claim.before) + n + len(claim.after), self.runs.batch(n)
        place = 0 if claim.read == "first" else tokens - 1
        found = []
        for offset in range(claim.offsets[0], last_offset(network.network, tokens, claim.offsets) + 1):
            logits = [network.logits(self.runs.inputs(words[start:start + size]), offset, (place,))[:, 0]
                      for start in range(0, len(words), size)]
            found.append(np.concatenate(logits) @ self.runs.rows.matrix - self.runs.rows.margin)
        return np.stack(found)
