"""The page of a hardened network: both decisions, the program, and a word to click through soft, hard and program.

The answers and weights of each word of the page are computed here, in floating point; the script only looks them up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from certify.claims.trained.decision import Decision
from certify.claims.trained.hard_programs import HardProgram
from certify.claims.trained.hardening import HardenedHead, Hardening
from certify.claims.trained.hardening_show import describe_hardening, describe_own, describe_program, or_itself
from certify.claims.trained.heads_show import describe_in_words
from certify.claims.trained.show import describe_claim
from certify.claims.trained.showing import describe_decision
from certify.exports.pages.base.page import embed_json, open_templates, render_page
from certify.exports.pages.decision.page import AFTER, BEFORE, Filed
from certify.exports.pages.parts.drawing import draw_circuit
from constructions.crasp.interpreter import run_counting_program
from constructions.crasp.parser import parse_counting_program
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.trained.claim import Case, When, WordsClaim, input_tokens, judged
from constructions.trained.hard_patterns import unmarked
from constructions.trained.hard_programs import canonical_rows, opposite
from proofs.trained.forward import FloatNetwork, equal_weights
from proofs.trained.hardening import HardMargins
from proofs.words.tracking import cases_at

MOST_PREFIXES = 400
"""Words to click through: all up to a length, at most so many in all."""
LONGEST = 40
"""The greatest length of the other words, which a decision or a measurement names."""


def hardening_page(found: Hardening, certificate: str | None = None) -> str:
    """Return the whole page; its command checks the certificate of the hard network at this path."""
    decision, program = found.decision, found.program
    files = [Filed(certificate.rpartition("/")[2], decision.certificate, False)] if (
        certificate is not None and decision.certificate is not None) else []
    said = {(one.layer, one.head): describe_attention(one) for one in found.heads}
    return render_page(
        open_templates("certify.exports.pages.parts"), "hardened.html", (), ("hardened.js",),
        title=f"A trained network with hard attention, on all words of length {found.claim.lengths[0]} to "
        f"{found.claim.lengths[1]}", found=found.verdict,
        asks=[describe_claim(found.network, found.claim), describe_hardening(found)],
        circuit=draw_circuit(found.network, said), rows=(), averages=(), pictures=(), needed=(), files=files,
        hard=[describe_own(one, one.own) for one in found.heads if one.own is not None],
        decisions=[("soft, as trained", found.soft.verdict, describe_decision(found.soft)),
                   ("hard", decision.verdict, describe_decision(decision))],
        program=describe_program(program)[:-1], beside=embed_json(side_by_side(found)))


def describe_attention(one: HardenedHead) -> str:
    """Describe what a hard head reads, and the least soft mass there."""
    mass = "" if one.mass is None else f": as trained at least {one.mass.least:.4g} (measured)"
    return f"reads {describe_in_words(one.pattern)}{or_itself(one)}, hard{mass}"


def side_by_side(found: Hardening) -> dict[str, Any]:
    """Return the data of the script: for each prefix the weights of each hard head, and all answers."""
    claim = found.claim
    listed = [*dict.fromkeys(word for word in _listed(found) if len(word) <= LONGEST)]
    known = {word[:n] for word in [*_short_words(claim), *listed] for n in range(1, len(word) + 1)}
    entries: dict[str, Any] = {}
    for n in sorted({len(word) for word in known}):
        entries |= _entries(found, sorted(word for word in known if len(word) == n))
    letters = [" ".join(str(claim.letter_index[symbol]) for symbol in word) for word in listed]
    return {"alphabet": claim.alphabet, "before": [*BEFORE * len(claim.before)], "after": [*AFTER * len(claim.after)],
            "heads": [f"{one.layer}.{one.head}" for one in found.heads], "entries": entries,
            "listed": letters or [max(entries, key=len)]}


def _listed(found: Hardening) -> Iterator[tuple[str, ...]]:
    """Yield the words that are named: those on which a network or the program is wrong, and of least masses."""
    for decision in (found.soft, found.decision):
        if isinstance(decision, Decision) and decision.wrong is not None:
            yield unmarked(found.claim, decision.wrong.word)
    if isinstance(found.program, HardProgram) and found.program.wrong is not None:
        yield found.program.wrong
    yield from (one.mass.least_word for one in found.heads if one.mass is not None)


def _short_words(claim: WordsClaim) -> list[tuple[str, ...]]:
    """Return all words of the greatest length of which there are few, prefixes included."""
    letters, n, total = len(claim.alphabet), 0, 0
    while n < claim.lengths[1] and (total := total + letters**(n + 1)) <= MOST_PREFIXES:
        n += 1
    return list(product(claim.alphabet, repeat=n))


def _entries(found: Hardening, words: list[tuple[str, ...]]) -> Mapping[str, Any]:
    """Return the entry of each of some words of one length, by the numbers of its letters."""
    network, claim, n = found.network, found.claim, len(words[0])
    rows = canonical_rows(claim)
    signs = replace(claim, empty=False, margin=Fraction(0), automaton=None, cases=(Case(When(), rows),))
    floats, letters = FloatNetwork(network), np.array([claim.letters(word) for word in words])
    patterns = {(one.layer, one.head): one.pattern for one in found.heads}
    soft, hard = (HardMargins(floats, signs, chosen) for chosen in ({}, patterns))
    answers = [(judge.margins(letters, claim.offsets[0])[:, -1] > 0).tolist() for judge in (soft, hard)]
    at = judged(claim, n)[-1][1]
    chosen = hard.chosen(letters)
    own = np.arange(len(input_tokens(claim, words[0]))) == at
    entries = dict[str, Any]()
    for number, word in enumerate(words):
        attention = floats.attention(np.array(input_tokens(claim, word)), claim.offsets[0])
        holds = {row for case in cases_at(claim, word, n) for row in claim.cases[case].above}
        entries[" ".join(map(str, letters[number]))] = {
            "soft": [_rounded(attention[layer - 1][head - 1][at]) for layer, head in patterns],
            "hard": [_rounded(equal_weights(chosen[part][number, at], own)) for part in patterns],
            "answers": [answers[0][number], answers[1][number]], "program": _values(found.program, word),
            "claim": [True if row in holds else False if opposite(row) in holds else None for row in rows]}
    return entries


def _values(program: HardProgram | str, word: tuple[str, ...]) -> dict[str, str]:
    """Return the values of the program's definitions at the last letter."""
    if isinstance(program, str):
        return {}
    values: Mapping[str, Any] = (run_counting_program(parse_counting_program(program.text, program.alphabet), word)
                                 if program.counts else run_program(parse_program(program.text), word))
    return {name: {True: "yes", False: "no"}.get(value[-1], str(value[-1])) for name, value in values.items()}


def _rounded(weights: Any) -> list[float]:
    return [round(float(weight), 4) for weight in weights]
