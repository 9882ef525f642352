"""The lesson of `certify explain`: the formula in words, three example words, the layers, why softmax suffices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from certify.claims.formula.in_words import layers_in_words, sentences
from certify.claims.formula.outcomes import Certified, Outcome
from certify.claims.formula.pipeline import certify_request
from certify.common.numbers import decimal_lower, decimal_upper
from certify.common.words import show_alphabet, show_word
from certify.requests.request import Request
from constructions.language.fragments import find_future_subformula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula, subformulas, symbols_of
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near
from constructions.network.transformer import Transformer
from proofs.formula.discharge import Line

PROVED_TO = 16
"""Length up to which the error of softmax is shown."""
MOST_PARTS = 60
"""With more subformulas the network is not proved here, since that would take long."""
MOST_WORDS, LONGEST_WORD, MOST_LETTERS = 800, 6, 4
QUARTER = Fraction(1, 4)
MOST_SENTENCES = 24
MOST_HEADS = 12
ROUNDING = ("softmax gives some weight to other positions, too, so the value that a head reads is only near 0 or 1, "
            "or near a number; the ReLUs of the layer then compute exactly 0 or 1: for a truth, 0 from values up to "
            "1/4 and 1 from values of at least 3/4; so the next layer starts without error")


@dataclass(frozen=True)
class ShownWord:
    """A word, the truth of the formula along it, and why it is shown."""

    word: tuple[str, ...]
    truths: tuple[bool, ...]
    position: int
    why: str

    @property
    def truth(self) -> bool:
        """The truth at the position that is judged."""
        return self.truths[self.position - 1]


@dataclass(frozen=True)
class Lesson:
    """The lesson about a formula; ``outcome`` is the verdict for short words, None if not computed."""

    sentences: tuple[tuple[str, str], ...]
    words: tuple[ShownWord, ...]
    about_words: str
    layers: tuple[tuple[str, ...], ...]
    outcome: Outcome | None
    why_not: str = ""

    @property
    def errors(self) -> list[tuple[Line, Fraction]]:
        """The heads that approximate a truth or a number, with their error bounds."""
        lines = self.outcome.lines if self.outcome is not None else ()
        return [(line, line.worst.worst.upper) for line in lines if line.worst and line.worst.worst and line.proved]


def teach(request: Request, network: Transformer | None,
          progress: Callable[[str], None] = lambda _: None) -> Lesson:
    """Return the lesson about the formula of a request, and about its network, if there is one."""
    formula = request.formula
    assert formula is not None, "a lesson is about a formula"
    words, about = choose_words(formula, request.alphabet)
    layers = () if network is None else tuple(layers_in_words(network))
    outcome, why_not = None, ""
    if network is None:
        why_not = "no network is built for it"
    elif len(subformulas(formula)) > MOST_PARTS:
        why_not = "it is too large to be proved here: certify formula proves it"
    else:
        outcome = certify_request(request.about(Lengths(1, PROVED_TO)), None, progress)
    return Lesson(tuple(sentences(formula)), words, about, layers, outcome, why_not)


# -- words -------------------------------------------------------------------------------------------------------------


def choose_words(formula: Formula, alphabet: Sequence[str]) -> tuple[tuple[ShownWord, ...], str]:
    """Choose a word that satisfies the formula, one that does not, and one that barely does; and the judged position.

    The last has, among the words of one short length, the most letters whose exchange makes the formula false.
    """
    letters = [*dict.fromkeys([*(letter for letter in alphabet if letter in symbols_of(formula)), *alphabet])]
    letters = letters[:MOST_LETTERS]
    n = max(n for n in range(1, LONGEST_WORD + 1) if len(letters) ** n <= MOST_WORDS)
    words = list(product(letters, repeat=n))
    along = {word: truth_values(formula, word) for word in words}
    position = _where_judged(formula, along, n)
    truth = {word: along[word][position - 1] for word in words}
    fragile = {word: [k for k in range(n) if any(truth[other] != truth[word] for other in _exchanged(word, k, letters))]
               for word in words}
    place = "first" if position == 1 < n else "last"
    true, false = ([word for word in words if truth[word] is value] for value in (True, False))
    if not true or not false:
        (only,) = {*truth.values()}
        every = f"{'true' if only else 'false'} at the {place} position of every word of {n} letters over "
        return (ShownWord(words[0], along[words[0]], position, every + show_alphabet(letters)),), place
    barely = max(true, key=lambda word: len(fragile[word]))
    plain = min((word for word in true if word != barely), key=lambda word: len(fragile[word]), default=barely)
    wrong = min(false, key=lambda word: len(fragile[word]))
    k = fragile[barely][0]
    other = next(word for word in _exchanged(barely, k, letters) if not truth[word])
    count = len(fragile[barely])
    because = (f"only just: with {other[k]} in place of {barely[k]} at position {k + 1} it does not"
               + (f", and {count} of its {n} letters are decisive" if count > 1 else ""))
    shown = [(plain, "satisfies it"), (wrong, "does not"), (barely, f"satisfies it {because}")]
    return tuple(ShownWord(word, along[word], position, why) for word, why in dict(shown).items()), place


def _exchanged(word: tuple[str, ...], k: int, letters: Sequence[str]) -> list[tuple[str, ...]]:
    return [(*word[:k], letter, *word[k + 1:]) for letter in letters if letter != word[k]]


def _where_judged(formula: Formula, along: dict[tuple[str, ...], tuple[bool, ...]], n: int) -> int:
    """Return the last position, as ``certify run`` does; the first, if only there the truth varies."""
    if find_future_subformula(formula) is None:
        return n
    return n if len({truths[0] for truths in along.values()}) == 1 else 1


# -- what is shown -----------------------------------------------------------------------------------------------------


def lesson_lines(lesson: Lesson) -> list[tuple[str, list[str]]]:
    """Return the headings, each with its lines."""
    found = [("in words", _with_rest([f"{text}: {meaning}" for text, meaning in lesson.sentences], MOST_SENTENCES))]
    found.append((f"on three words, judged at the {lesson.about_words} position",
                  [f"{show_word(each.word)}  {' '.join('T' if x else '.' for x in each.truths)}  {each.why}"
                   for each in lesson.words]))
    for number, lines in enumerate(lesson.layers, start=1):
        found.append((f"layer {number}", _with_rest(list(lines), MOST_HEADS)))
    return [*found, ("why softmax suffices", describe_softness(lesson))]


def _with_rest(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], f"and {len(lines) - most} more"]


def describe_softness(lesson: Lesson) -> list[str]:
    """Describe the error of softmax against hard attention, and why it is small enough."""
    outcome, errors = lesson.outcome, lesson.errors
    if outcome is None:
        return [f"nothing is proved here: {lesson.why_not}"]
    if not isinstance(outcome, Certified):
        return [f"nothing is proved here: {outcome.verdict}; certify formula says why"]
    certified = (f"certified for n <= {outcome.max_n}, and accepted by the independent checker: certify formula proves "
                 "it for longer words")
    if not errors:
        return ["there is nothing to round: all values of heads are exact here", certified]
    assert outcome.transformer is not None, "what is certified has a network"
    lines = dict.fromkeys(_describe_error(line, error, outcome.transformer, outcome.max_n) for line, error in errors)
    return [*_with_rest(list(lines), MOST_HEADS), ROUNDING, certified]


def _describe_error(line: Line, error: Fraction, network: Transformer, max_n: int) -> str:
    """Describe the error bound of a head; for truths also its distance from 1/4."""
    below = (f", {decimal_lower(QUARTER - error, 6)} below 1/4"
             if isinstance(network.directions[line.direction], Near) else "")
    return (f"head {line.layer}.{line.place} is at most {decimal_upper(error, 6)} from its target, on every "
            f"word of up to {max_n} letters{below}")


def lesson_to_json(lesson: Lesson) -> dict[str, Any]:
    """Return the lesson as keys beside those of an explanation."""
    return {
        "in_words": [{"formula": text, "means": meaning} for text, meaning in lesson.sentences],
        "words": [{"word": list(each.word), "position": each.position, "truths": list(each.truths),
                   "satisfied": each.truth, "why": each.why} for each in lesson.words],
        "layers": [list(lines) for lines in lesson.layers],
        "softmax": {"max_n": lesson.outcome.max_n if lesson.outcome is not None else None,
                    "verdict": lesson.outcome.verdict if lesson.outcome is not None else None,
                    "errors": [{"head": f"{line.layer}.{line.place}", "direction": line.direction,
                                "at_most": decimal_upper(error)} for line, error in lesson.errors],
                    "says": describe_softness(lesson)},
    }
