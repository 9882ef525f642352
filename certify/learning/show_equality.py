"""What people and programs read of two networks that are compared."""

from typing import Any

from rich.console import Console
from rich.text import Text

from certify.frame.numbers import enclosed, ends_to_json
from certify.frame.terminal_tables import plain
from certify.frame.verdicts import colour
from certify.frame.words import counted, show_word
from certify.learning.equality import Difference, Equality
from certify.learning.show import describe_question
from certify.learning.vnnlib_query import QueryAnswer
from certify.trained.show import cut_word, describe_network, show_numbers, show_row
from proofs.enclosures.intervals import Interval


def print_equality(out: Console, equality: Equality) -> None:
    """The question and the answer in sentences."""
    network, words, answers = describe_question(equality.learned)
    out.print(plain(network))
    out.print(plain(describe_network(equality.second, "and")))
    out.print(plain(words))
    out.print(plain(answers))
    out.print()
    out.print(Text(f"{equality.verdict}:", style=colour(equality.verdict)), plain(describe_equality(equality)))
    if equality.difference:
        out.print(plain(describe_difference(equality.difference)))


def describe_equality(equality: Equality) -> str:
    """Up to which length the two are equal, where they differ, what is open."""
    parts = []
    first, states = equality.learned.question.first, equality.learned.automaton
    if equality.certified_to is not None and states is not None:
        parts.append(f"equal on every word of length {first} .. {equality.certified_to}, where both answer as an "
                     f"automaton of {counted(len(states.marks), 'state')}")
    if equality.difference:
        parts.append(f"different at n = {len(equality.difference.word)}")
    if unknown := equality.lengths_that_are("unknown"):
        row = equality.first("unknown")
        parts.append(f"open at n = {show_numbers(unknown)} ({row.reason if row else ''})")
    return "; ".join(parts)


def describe_difference(difference: Difference) -> str:
    """The word, and the combination of logits in both networks."""
    word, row = cut_word(show_word(difference.word)) or "()", show_row(difference.row)
    return (f"on the word {word} (n = {len(difference.word)}) at offset {difference.offset}, {row} is "
            f"{enclosed(*difference.first)} in the first and {enclosed(*difference.second)} in the second")


def print_query_answer(out: Console, answer: QueryAnswer) -> None:
    """The result in the standard's words, with the inputs of a satisfying one; then the comparison."""
    out.print(answer.result)
    for place, token in enumerate(answer.tokens or ()):
        for declared in answer.asked.query.networks:
            tensor = declared.inputs[0]
            out.print(plain(f"{tensor.name}[{','.join([*['0'] * (len(tensor.shape) - 1), str(place)])}]={token}"))
    out.print()
    print_equality(out, answer.equality)
    if answer.result == "unknown" and answer.equality.difference:
        length = counted(answer.asked.length, "letter")
        out.print(plain(f"the query is about words of {length}: none was found on which what it asserts is proved"))


def query_answer_to_json(answer: QueryAnswer) -> dict[str, Any]:
    """The result, and the comparison."""
    return {**equality_to_json(answer.equality), "verdict": answer.verdict, "query": answer.result,
            "length": answer.asked.length, "tokens": list(answer.tokens) if answer.tokens else None}


def equality_to_json(equality: Equality) -> dict[str, Any]:
    """All of it."""
    claim, found = equality.learned.question.claim, equality.difference
    return {
        "verdict": equality.verdict,
        "alphabet": list(claim.alphabet),
        "words": equality.learned.question.words,
        "offsets": list(claim.offsets),
        "certified_to": equality.certified_to,
        "lengths": [{"n": row.n, "verdict": row.verdict, "reason": row.reason} for row in equality.rows],
        "states": len(equality.learned.automaton.marks) if equality.learned.automaton else None,
        "difference": None if found is None else {
            "word": list(found.word), "offset": found.offset, "row": show_row(found.row),
            "first": ends_to_json(Interval(*found.first)), "second": ends_to_json(Interval(*found.second))},
        "seconds": round(equality.seconds, 3),
    }
