"""Whether an automaton calls exactly those words out that are: by its own answers, or by the claim that asks.

No decision says so, and none needs to: of which words a claim asks something is known, and which letters the network
allows are its answers. If these are right on all words that are not called out, and the automaton calls a word out
exactly if it calls the word without its last letter out, or answers there that this letter is not allowed, then it
calls exactly those words out that the network does not allow: by induction on the length.
"""

from certify.learning.question import OUT, Question
from constructions.regular.cover_automata import Marked, Word
from proofs.words.tracking import State, track


def find_misplaced(question: Question, found: Marked, longest: int) -> Word | None:
    """The first of the shortest words of at most so many letters that are called out, or not, by mistake."""
    match question.words:
        case "allowed":
            return _allowed(question, found, longest)
        case "asked":
            return _asked(question, found, longest)
    return _called_out(found, longest)


def _allowed(question: Question, found: Marked, longest: int) -> Word | None:
    level: dict[int, Word] = {found.automaton.start: ()}
    seen: set[int] = set()
    for n in range(longest):
        following: dict[int, Word] = {}
        for state, word in level.items():
            for letter, after in enumerate(found.automaton.steps[state]):
                goes_on = question.allows(found.marks[state], letter) if n >= question.first else True
                if goes_on == (found.marks[after] == OUT):
                    return (*word, letter)
                following.setdefault(after, (*word, letter))
        if n >= question.first:
            seen |= level.keys()
        level = {state: word for state, word in following.items() if state not in seen}
    return None


def _asked(question: Question, found: Marked, longest: int) -> Word | None:
    tracker = track(question.claim)
    level: dict[tuple[int, State], Word] = {(found.automaton.start, tracker.start): ()}
    seen: set[tuple[int, State]] = set()
    for n in range(longest + 1):
        for (state, tracked), word in level.items():
            if n >= question.first and (found.marks[state] == OUT) == bool(tracker.cases(tracked)):
                return word
        if n >= question.first:
            seen |= level.keys()
        following: dict[tuple[int, State], Word] = {}
        for (state, tracked), word in level.items():
            for letter, after in enumerate(found.automaton.steps[state]):
                following.setdefault((after, tracker.step(tracked, letter)), (*word, letter))
        level = {pair: word for pair, word in following.items() if pair not in seen}
    return None


def _called_out(found: Marked, longest: int) -> Word | None:
    return next((word for state, word in zip(range(len(found.marks)), found.access, strict=True)
                 if found.marks[state] == OUT and len(word) <= longest), None)
