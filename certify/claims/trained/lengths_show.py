"""Text and JSON of a decision about words of any length, by Parikh images or last letters."""

from typing import Any

from certify.claims.trained.lengths_decision import LengthsDecision, LongWrongWord
from certify.claims.trained.show import describe_network, describe_value, value_to_json
from certify.common.words import show_alphabet


def describe_question(decision: LengthsDecision) -> list[str]:
    """Describe the network, the claim and the method, a line each."""
    claim = decision.claim
    places = {"each": "at every letter", "last": "at the last token"}[claim.read]
    return [describe_network(decision.network),
            f"claim     all words {describe_lengths(decision)} over {show_alphabet(claim.alphabet)}, {places}",
            f"decided   by {decision.way}: {decision.cells} cells, {decision.seconds:.2f} s"]


def describe_lengths(decision: LengthsDecision) -> str:
    """Describe the lengths of the claim."""
    first, last = decision.claim.lengths[0], decision.greatest
    if last is None:
        return "of every length" if first == 1 else f"of length {first} or more"
    return f"of length {first} .. {last}"


def describe_verdict(decision: LengthsDecision) -> str:
    """Describe what is certified, and what is not."""
    if decision.verdict == "vacuous":
        return f"the claim is vacuous: nothing is judged on any word {describe_lengths(decision)}"
    if decision.verdict == "certified":
        return f"right on every word {describe_lengths(decision)}"
    parts = []
    if decision.certificate is not None:
        parts.append(f"right on every word of length {decision.claim.lengths[0]} .. {decision.certified_to}")
    if decision.wrong is not None:
        parts.append(describe_long_wrong(decision, decision.wrong))
    if decision.reason:
        parts.append(decision.reason)
    return "; ".join(parts)


def describe_long_wrong(decision: LengthsDecision, wrong: LongWrongWord) -> str:
    """Describe the wrong word, with the value at its end."""
    word = wrong.word
    row = decision.claim.cases[word.case].above[word.row]
    return (f"wrong at n = {word.length} on {show_runs(decision, wrong)}: at its end "
            f"{describe_value(row, wrong.value, decision.claim.margin)}")


def show_runs(decision: LengthsDecision, wrong: LongWrongWord) -> str:
    """Return the word as powers of letters, such as 0^5025 1."""
    letters = decision.claim.alphabet
    return " ".join(f"{letters[letter]}^{times}" if times > 1 else letters[letter] for letter, times in wrong.word.runs)


def lengths_to_json(decision: LengthsDecision) -> dict[str, Any]:
    """Return the decision as JSON; ``max_n`` is null for every length, ``certified_to`` if all are certified."""
    return {
        "alphabet": list(decision.claim.alphabet),
        "min_n": decision.claim.lengths[0],
        "max_n": decision.greatest,
        "certified_to": decision.certified_to,
        "every_length": decision.verdict == "certified" and decision.greatest is None,
        "counterexample": _wrong_to_json(decision),
        "cells": decision.cells,
        "reason": decision.reason,
    }


def _wrong_to_json(decision: LengthsDecision) -> dict[str, Any] | None:
    if decision.wrong is None:
        return None
    word = decision.wrong.word
    return {"n": word.length, "runs": [[decision.claim.alphabet[letter], times] for letter, times in word.runs],
            "case": word.case, "row": word.row, **value_to_json(decision.wrong.value)}
