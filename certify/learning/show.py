"""The display of a learnt automaton, as text and JSON: states by length, the table, its descriptions."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from certify.claims.trained.show import cut_word, describe_network, show_numbers
from certify.common.numbers import decimal
from certify.common.terminal_tables import Cell, TableColumn, plain, print_table, verdict_text
from certify.common.verdicts import colour
from certify.common.words import counted, show_alphabet, show_word
from certify.learning.counts import Test
from certify.learning.differences import Differences
from certify.learning.explanation import (
    Explanation,
    count_text,
    describe_alternative,
    describe_answer,
    explain,
    formula_text,
    why_no_formula,
)
from certify.learning.formulas import Explained
from certify.learning.learned import Learned, is_judged
from certify.learning.question import LearningQuestion
from certify.learning.small_formulas import Guess
from constructions.language.printer import format_formula
from constructions.regular.cover_automata import Word

MOST_ROWS = 16
MOST_STATES = 24
"""Tables of larger automata are not printed; the JSON object has them."""
FEW = 6
"""The number of words that are listed where a small formula is wrong."""
DIGITS = 4
COLUMNS = (TableColumn("n", "right"), TableColumn("states", "right"), TableColumn("verdict"),
           TableColumn("smallest margin found"),
           TableColumn("on the word"))
WORDS = {"all": "all words", "asked": "all words that the claim judges",
         "allowed": "all words that the network itself allows, letter by letter"}
PLACES = {"each": "after every letter", "last": "at the last token", "first": "at the first token"}


def print_learned(out: Console, learned: Learned) -> None:
    """Print the question, a table over lengths, the automaton, and its descriptions."""
    for line in describe_question(learned):
        out.print(plain(line))
    out.print()
    print_table(out, COLUMNS, list(_rows(learned)))
    out.print()
    if learned.automaton and len(learned.automaton.marks) <= MOST_STATES:
        columns = [TableColumn("state", "right"), TableColumn("after"), TableColumn("answer", folds=True),
                   *(TableColumn(f"then {symbol}", "right") for symbol in learned.question.claim.alphabet)]
        print_table(out, columns, list(_states(learned)))
        out.print()
    out.print(Text(f"{learned.verdict}:", style=colour(learned.verdict)), plain(describe_learned(learned)))
    explanation = explain(learned)
    for line in describe_explanation(learned, explanation) if explanation else ():
        out.print(plain(line))


def describe_question(learned: Learned) -> list[str]:
    """Describe the network, the words and the answers, a line each."""
    network, question = learned.network, learned.question
    claim = question.claim
    first, last = claim.offsets
    where = f"offset {first}" if first == last else f"every offset {first} .. {last} at which they fit"
    answers = ", ".join(describe_alternative(part, 0) if len(part) == 2 else
                        f"the greatest of {', '.join(f'logit[{token}]' for token in tokens_of(part))}"
                        for part in question.parts)
    return [describe_network(network),
            f"words     {WORDS[question.words]}, of length {question.first} .. {question.longest} over "
            f"{show_alphabet(claim.alphabet)}, at {where}",
            f"answers   {PLACES[claim.read]}: {answers}"]


def tokens_of(part: tuple[Any, ...]) -> list[int]:
    """Return the tokens that a part compares."""
    return sorted({token for alternative in part for row in alternative for token, _ in row})


def _rows(learned: Learned) -> Iterator[list[Cell]]:
    for row in learned.telling_rows(MOST_ROWS):
        margin = decimal(Fraction(row.seen.value), DIGITS) if row.seen else "-"
        word = cut_word(show_word(row.seen.word)) if row.seen else "-"
        yield [str(row.n), "-" if row.states is None else str(row.states), verdict_text(row.verdict), margin, word]


def _states(learned: Learned) -> Iterator[list[Cell]]:
    found = learned.automaton
    assert found is not None
    for state, (code, word) in enumerate(zip(found.marks, found.access, strict=True)):
        judged = is_judged(learned.question, found, state)
        yield [str(state), spelt(learned.question, word), describe_answer(learned.question, code) if judged else "-",
               *(str(after) for after in found.automaton.steps[state])]


def spelt(question: LearningQuestion, word: Word) -> str:
    """Format the word; the empty word as in expressions."""
    return show_word(question.claim.alphabet[letter] for letter in word) or "()"


def listed(question: LearningQuestion, found: Differences, few: int | None = None) -> str:
    """List the first few differing words."""
    words = [cut_word(spelt(question, word)) for word in found.words[:few]]
    return ", ".join([*words, *(["..."] if found.total > len(words) else [])])


def describe_learned(learned: Learned) -> str:
    """Describe what is certified, and why no more is."""
    parts = []
    if learned.certified_to is not None and learned.automaton is not None:
        states = len(learned.automaton.marks)
        parts.append(f"an automaton of {counted(states, 'state')} gives the network's answers on every word of length "
                     f"{learned.question.first} .. {learned.certified_to}"
                     + (", its whole domain" if learned.is_the_whole_domain and learned.verdict == "certified" else "")
                     + ("; none has fewer" if states > 1 else ""))
    if unknown := learned.lengths_that_are("unknown"):
        parts.append(f"open at n = {show_numbers(unknown)} ({learned.reason})")
    return "; ".join(parts)


def describe_explanation(learned: Learned, explanation: Explanation) -> Iterator[str]:
    """Yield formulas, comparisons of counts, differences; a line each."""
    question, longest = learned.question, learned.certified_to
    for one in explanation.formulas:
        what = describe_alternative(question.parts[one.part], one.choice)
        text = formula_text(one)
        yield f"  {what}  iff  {text}" if text else f"  {what}: no formula ({why_no_formula(one)})"
        if one.choice == 0 and (test := count_text(explanation.counted, one.part, question.claim.alphabet)) not in (
                None, text):
            yield f"  {what}  iff  {test}, up to n = {longest}"
        if guess := explanation.guesses.get((one.part, one.choice)):
            yield f"  {describe_guess(question, what, guess)}"
    yield from describe_differences(question, explanation)


def describe_guess(question: LearningQuestion, what: str, guess: Guess) -> str:
    """Describe the best small formula, and the words on which it is wrong."""
    wrong, text = guess.wrong, format_formula(guess.formula)
    if not wrong.total:
        return f"{what}  iff  {text}, up to n = {wrong.longest}"
    words = listed(question, wrong, FEW)
    return (f"  the best found of {guess.among:,} small formulas, {text}, is wrong on {wrong.total:,} of "
            f"{guess.words:,} words of at most {wrong.longest} letters: {words}")


def describe_differences(question: LearningQuestion, explanation: Explanation) -> Iterator[str]:
    """Yield whether the network satisfies the claim."""
    found = explanation.differences
    if explanation.no_differences:
        yield f"not compared with the claim: {explanation.no_differences}"
    if found is None:
        return
    if not found.total:
        yield (f"as claimed on every word of length {question.claimed_from} .. {found.longest}"
               + (" that it allows" if question.words == "allowed" else ""))
        return
    words = listed(question, found)
    yield f"not as claimed on {counted(found.total, 'word')} of at most {found.longest} letters: {words}"
    if found.expression:
        yield (f"  of at most {found.longest} letters: as claimed, except after the words that match "
               f"{found.expression}")


def learned_to_json(learned: Learned) -> dict[str, Any]:
    """Return the result as JSON."""
    question, claim, found = learned.question, learned.question.claim, learned.automaton
    explanation = explain(learned)
    return {
        "verdict": learned.verdict,
        "alphabet": list(claim.alphabet),
        "words": question.words,
        "answers": [[describe_alternative(part, choice) for choice in range(len(part))] for part in question.parts],
        "offsets": list(claim.offsets),
        "max_n": question.longest,
        "certified_to": learned.certified_to,
        "whole_domain": learned.is_the_whole_domain,
        "reason": learned.reason,
        "lengths": [{"n": row.n, "verdict": row.verdict, "states": row.states,
                     "smallest_margin_found": row.seen.value if row.seen else None} for row in learned.rows],
        "automaton": None if found is None else [
            {"after": [claim.alphabet[letter] for letter in word], "answer": describe_answer(question, code),
             "steps": list(found.automaton.steps[state])}
            for state, (code, word) in enumerate(zip(found.marks, found.access, strict=True))],
        "formulas": [_formula_to_json(learned, one, explanation)
                     for one in (explanation.formulas if explanation else ())],
        "counts": _counts_to_json(learned, explanation),
        "differences": _differences_to_json(question, explanation),
        "asked": dict(learned.asked),
        "seconds": round(learned.seconds, 3),
    }


def _formula_to_json(learned: Learned, one: Explained, explanation: Explanation | None) -> dict[str, Any]:
    guess, alphabet = explanation and explanation.guesses.get((one.part, one.choice)), learned.question.claim.alphabet
    return {"answer": describe_alternative(learned.question.parts[one.part], one.choice), "formula": formula_text(one),
            "reason": None if formula_text(one) else why_no_formula(one), "best": guess and {
                "formula": format_formula(guess.formula), "among": guess.among, "words": guess.words,
                "wrong": guess.wrong.total, "wrong_by_length": list(guess.wrong.counts),
                "first": [[alphabet[letter] for letter in word] for word in guess.wrong.words]}}


def _counts_to_json(learned: Learned, explanation: Explanation | None) -> list[dict[str, Any]]:
    """Return the parts that counts decide, and for the others two words with the same counts and different answers."""
    found, claim = explanation.counted if explanation else None, learned.question.claim
    listed: list[dict[str, Any]] = []
    for place, test in enumerate(found.tests if found else ()):
        assert found is not None
        pair = found.anagrams.get(place)
        if isinstance(test, Test) or pair:
            words = [[claim.alphabet[letter] for letter in word] for word in pair] if pair else None
            listed.append({"answer": describe_alternative(learned.question.parts[place], 0), "anagrams": words,
                           "comparison": test.text(claim.alphabet) if isinstance(test, Test) else None})
    return listed


def _differences_to_json(question: LearningQuestion, explanation: Explanation | None) -> dict[str, Any] | None:
    return differences_to_json(question, explanation.differences) if explanation and explanation.differences else None


def differences_to_json(question: LearningQuestion, found: Differences) -> dict[str, Any]:
    """Return the number of differing words, also by length, and the first of them."""
    return {"total": found.total, "by_length": list(found.counts), "expression": found.expression or None,
            "words": [[question.claim.alphabet[letter] for letter in word] for word in found.words]}
