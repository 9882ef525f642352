"""The display of a training, as text and JSON: a row for each round, the decision, the changes of a repair."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from certify.claims.trained.show import cut_word
from certify.claims.trained.showing import decision_to_json, describe_decision, print_decision
from certify.common.terminal_tables import TableColumn, numbers, plain, print_table, print_verdict
from certify.common.words import counted
from certify.learning.show import listed
from certify.learning.show_equality import describe_difference, describe_equality, equality_to_json
from certify.learning.training.rounds import Repair, Round, Training

HEAD = ("round", "loss", "words", "wrong", "shortest wrong", "decision")
ANEW = "restarted"


def print_training(out: Console, training: Training, repair: Repair | None) -> None:
    """Print the rounds, the decision, the changes."""
    print_table(out, [*numbers(*HEAD[:4]), *map(TableColumn, HEAD[4:])], round_rows(training.rounds))
    out.print()
    if training.decision is None:
        print_verdict(out, training.verdict, training.reason)
        return
    print_decision(out, training.decision)
    for line in [*([training.reason] if training.reason else []), *describe_repair(repair)]:
        out.print(plain(line))


def describe_training(training: Training) -> list[str]:
    """Describe the verdict, and why there is no better one."""
    decision = training.decision
    if decision is None:
        return [f"{training.verdict}: {training.reason}"]
    return [f"{training.verdict}: {describe_decision(decision)}", *([training.reason] if training.reason else [])]


def round_rows(rounds: Sequence[Round]) -> list[tuple[str, ...]]:
    """Return the cells of each round."""
    return [(str(one.number), "-" if one.loss is None else f"{one.loss:.2g}", str(one.seen), str(one.wrong),
             cut_word(one.shortest) or "-", _decided(one)) for one in rounds]


def _decided(one: Round) -> str:
    to = "" if one.certified_to is None or one.verdict == "certified" else f", certified up to {one.certified_to}"
    to += f", right on {one.share}" if one.share else ""
    return "; ".join([*([ANEW] if one.anew else []), *([one.verdict + to] if one.verdict else [])]) or "-"


def describe_repair(repair: Repair | None) -> list[str]:
    """Describe the changes, a sentence a line."""
    if repair is None:
        return []
    lines = []
    if repair.wrong is not None and repair.learned is not None:
        found, claim = repair.wrong, repair.learned.question.claim
        named = listed(repair.learned.question, found)
        lines.append(f"repaired: of the words of at most {found.longest} letters that the claim judges, at "
                     f"offset {claim.offsets[0]}, the given network had {counted(found.total, 'word')} wrong"
                     + (f" ({named})" if named else "") + "; on all others both satisfy the claim")
        if found.expression:
            lines.append(f"  these are the words that match {found.expression}, of at most {found.longest} letters")
    else:
        lines.append(f"the wrong words of the given network are unknown: {repair.reason}")
    if repair.equality is not None:
        lines.append(f"given and repaired compared: {repair.equality.verdict}: {describe_equality(repair.equality)}")
        if repair.equality.difference:
            lines.append(describe_difference(repair.equality.difference))
    return lines


def training_to_json(training: Training, repair: Repair | None) -> dict[str, Any]:
    """Return the training as JSON."""
    decision = training.decision
    return {
        "verdict": training.verdict,
        "reason": training.reason,
        "rounds": [vars(one) for one in training.rounds],
        "decision": None if decision is None else decision_to_json(decision),
        "repair": _repair_to_json(repair),
        "seconds": round(training.seconds, 3),
    }


def _repair_to_json(repair: Repair | None) -> dict[str, Any] | None:
    if repair is None:
        return None
    wrong = repair.wrong
    claim = repair.learned.question.claim if repair.learned is not None else None
    return {
        "wrong": None if wrong is None or claim is None else {
            "total": wrong.total, "longest": wrong.longest, "by_length": list(wrong.counts),
            "expression": wrong.expression or None,
            "words": [[claim.alphabet[letter] for letter in word] for word in wrong.words]},
        "equal": equality_to_json(repair.equality) if repair.equality is not None else None,
        "reason": repair.reason,
    }
