"""The display of a comparison of two networks, as text and JSON."""

from typing import Any

from rich.console import Console
from rich.text import Text

from certify.claims.trained.show import cut_word, describe_network, show_numbers, show_row
from certify.common.files import write_folder
from certify.common.numbers import enclosed, ends_to_json
from certify.common.terminal_tables import plain
from certify.common.verdicts import colour
from certify.common.words import counted, show_word
from certify.learning.equality import Difference, Equality
from certify.learning.show import describe_question
from certify.learning.vnnlib_query import QueryAnswer
from constructions.text import printable
from proofs.enclosures.intervals import Interval


def print_equality(out: Console, equality: Equality) -> None:
    """Print the question and the answer in sentences."""
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
    """Describe up to which length the two are equal, where they differ, what is open."""
    parts = []
    first, states = equality.learned.question.first, equality.learned.automaton
    if equality.certified_to is not None and states is not None:
        parts.append(f"equal on every word of length {first} .. {equality.certified_to}, where both equal an "
                     f"automaton of {counted(len(states.marks), 'state')}")
    if equality.difference:
        parts.append(f"different at n = {len(equality.difference.word)}")
    if unknown := equality.lengths_that_are("unknown"):
        row = equality.first("unknown")
        parts.append(f"open at n = {show_numbers(unknown)} ({row.reason if row else ''})")
    return "; ".join(parts)


def describe_difference(difference: Difference) -> str:
    """Describe the word, and the combination of logits in both networks."""
    word, row = cut_word(show_word(difference.word)) or "()", show_row(difference.row)
    return (f"on the word {word} (n = {len(difference.word)}) at offset {difference.offset}, {row} is "
            f"{enclosed(*difference.first)} in the first and {enclosed(*difference.second)} in the second")


def print_query_answer(out: Console, answer: QueryAnswer) -> None:
    """Print the result as the standard requires, with the inputs of a satisfying one; then the comparison."""
    out.print(answer.result)
    for place, token in enumerate(answer.tokens or ()):
        for declared in answer.asked.query.networks:
            tensor = declared.inputs[0]
            out.print(plain(f"{tensor.name}[{','.join([*['0'] * (len(tensor.shape) - 1), str(place)])}]={token}"))
    out.print()
    print_equality(out, answer.equality)
    if answer.result == "unknown" and answer.equality.difference:
        length = counted(answer.asked.length, "letter")
        out.print(plain(f"the query is about words of {length}: none was found on which its assertions are proved"))


def query_answer_to_json(answer: QueryAnswer) -> dict[str, Any]:
    """Return the result, and the comparison, as JSON."""
    return {**equality_to_json(answer.equality), "verdict": answer.verdict, "query": answer.result,
            "length": answer.asked.length, "tokens": list(answer.tokens) if answer.tokens else None}


def equality_to_json(equality: Equality) -> dict[str, Any]:
    """Return the comparison as JSON."""
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


SAME = ("import json; one, other = (json.load(open(name))['claim'] for name in ('first.cert', '{}')); "
        "n = min(one.pop('max_n'), other.pop('max_n')); print('one claim, of words up to', n) "
        "if one == other else exit('two claims')")
"""A program that compares two claims, ignoring their greatest lengths."""
FILES = """`first.cert` proves that the first network has the answers of an automaton, `second.cert` that the second
does, on words up to a length; `second.wrong` that the second does not on one word. Check these files by"""
CHECK = """The checker (`certify export --to checker -o check.pyz` writes it) proves each by itself and prints the
digest of its weights; the last lines check that all are about one automaton. So up to the lesser length the two are
equal, and on the wrong word, if the first is proved that far, they differ."""


def write_equality(path: str, equality: Equality) -> None:
    """Write the folder.

    Raises:
        InputError: if the folder cannot be written, or is not empty.
    """
    certificates = equality.certificates
    write_folder(path, {**certificates, "README.md": readme(equality)})


def readme(equality: Equality) -> str:
    """Describe the content of the folder, and how to check it."""
    names = list(equality.certificates)
    lines = ["# Two trained networks compared", "", f"{equality.verdict}: {printable(describe_equality(equality))}"]
    if equality.difference:
        lines += ["", printable(describe_difference(equality.difference))]
    lines += ["", FILES, "", "```sh", *(f"python -I -S check.pyz {name}" for name in names)]
    lines += [f'python3 -c "{SAME.format(name)}"' for name in names if name != "first.cert"]
    return "\n".join([*lines, "```", "", CHECK, ""])
