"""An automaton as SVG: states in columns by the length of the shortest word to them, steps as labelled arrows.

The output is deterministic; numbers of states are those of the table.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, sin

from markupsafe import Markup

from certify.exports.pages.base.svg import element, join, number
from certify.learning.explanation import describe_answer
from certify.learning.learned import is_judged
from certify.learning.question import OUT, LearningQuestion
from constructions.regular.cover_automata import Marked

MOST_STATES = 64
ACROSS, DOWN, RADIUS, EDGE = 130.0, 92.0, 21.0, 60.0
LONGEST_LABEL = 12
STYLE = ("text{font:12px system-ui,sans-serif;fill:var(--ink,#1b1f24)}.soft{fill:var(--soft,#59626d);font-size:10px}"
         "circle{fill:var(--panel,#f6f7f8);stroke:var(--ink,#1b1f24)}"
         ".differs{stroke:var(--refuted,#ad2016);stroke-width:3}path{fill:none;stroke:var(--soft,#59626d)}.tip{fill:var(--soft,#59626d);stroke:none}")


@dataclass(frozen=True)
class StatePosition:
    """The position of a state."""

    x: float
    y: float


def draw_automaton(question: LearningQuestion, found: Marked, differing: Collection[int] = ()) -> Markup | None:
    """Draw the automaton; None if there are too many states; states in which words differ from the claim are red.

    Trap states of words outside the claim are left out.
    """
    if len(found.marks) > MOST_STATES:
        return None
    drawn = [state for state, code in enumerate(found.marks) if code != OUT or not _is_trap(found, state)]
    places = _places(found, drawn)
    wide = max(place.x for place in places.values()) + ACROSS
    high = max(place.y for place in places.values()) + EDGE
    steps = _steps(question, found, drawn)
    parts = [element("style", STYLE), _arrow_in(places[found.automaton.start])]
    parts += [_arrow(places[one], places[other], label, (other, one) in steps) if one != other else
              _loop(places[one], label) for (one, other), label in steps.items()]
    for state in drawn:
        judged = is_judged(question, found, state)
        answer = describe_answer(question, found.marks[state]) if judged else "(not judged)"
        parts.append(_state(places[state], state, answer, state in differing))
    return element("svg", join(parts), xmlns="http://www.w3.org/2000/svg", class_="automaton", role="img",
                   viewBox=f"0 0 {number(wide)} {number(high)}",
                   aria_label=f"an automaton of {len(found.marks)} states")


def _is_trap(found: Marked, state: int) -> bool:
    return all(found.marks[after] == OUT for after in found.automaton.steps[state])


def _places(found: Marked, drawn: Sequence[int]) -> dict[int, StatePosition]:
    """Return columns by the lengths of shortest words, each in the order of the states."""
    columns: dict[int, list[int]] = {}
    for state in drawn:
        columns.setdefault(len(found.access[state]), []).append(state)
    most = max(map(len, columns.values()))
    places = {}
    for index, column in enumerate(sorted(columns)):
        for row, state in enumerate(columns[column]):
            y = EDGE + DOWN * (row + (most - len(columns[column])) / 2)
            places[state] = StatePosition(EDGE + ACROSS * index + 20, y + 12)
    return places


def _steps(question: LearningQuestion, found: Marked, drawn: Sequence[int]) -> dict[tuple[int, int], str]:
    """Return the letters of all steps from one state to another."""
    letters: dict[tuple[int, int], list[str]] = {}
    for state in drawn:
        for letter, after in enumerate(found.automaton.steps[state]):
            if after in drawn:
                letters.setdefault((state, after), []).append(question.claim.alphabet[letter])
    return {pair: _cut(",".join(those)) for pair, those in letters.items()}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else f"{text[:LONGEST_LABEL - 1]}…"


def _state(place: StatePosition, state: int, answer: str, differs: bool) -> Markup:
    circle = element("circle", element("title", f"state {state}: {answer}"), cx=place.x, cy=place.y, r=RADIUS,
                     class_="differs" if differs else None)
    return join([circle, element("text", str(state), x=place.x, y=place.y + 4, text_anchor="middle"),
                 *(element("text", line, x=place.x, y=place.y + RADIUS + 13 + 12 * index, text_anchor="middle",
                           class_="soft") for index, line in enumerate(_lines(answer)))])


def _lines(answer: str) -> list[str]:
    """Return an answer in short, in at most two lines."""
    short = answer.replace("logit[", "").replace("]", "").replace(" > 0", "")
    parts = short.split("; ")
    return [_cut(part) for part in parts[:2]]


def _arrow_in(place: StatePosition) -> Markup:
    x = place.x - RADIUS
    return join([element("path", d=f"M{number(x - 24)} {number(place.y)}H{number(x - 7)}"), _tip(x, place.y, 0.0)])


def _tip(x: float, y: float, angle: float) -> Markup:
    """Return the head of an arrow that ends here."""
    left, right = ((x - 8 * cos(angle + turn), y - 8 * sin(angle + turn)) for turn in (-0.42, 0.42))
    return element("path", d=f"M{number(x)} {number(y)}L{number(left[0])} {number(left[1])}"
                             f"L{number(right[0])} {number(right[1])}z", class_="tip")


def _arrow(one: StatePosition, other: StatePosition, label: str, both_ways: bool) -> Markup:
    """Return a curved arrow, with more curvature if it skips a column or one leads back."""
    across, down = other.x - one.x, other.y - one.y
    far = hypot(across, down)
    bend = 14.0 + (0.22 * far if far > ACROSS * 1.5 or (across == 0 and far > DOWN * 1.5) else 0.0)
    bend = max(bend, 40.0) if across == 0 else bend if both_ways or bend > 14 else 6.0
    middle = StatePosition((one.x + other.x) / 2 + down / far * bend, (one.y + other.y) / 2 - across / far * bend)
    leaving = atan2(middle.y - one.y, middle.x - one.x)
    coming = atan2(other.y - middle.y, other.x - middle.x)
    start = StatePosition(one.x + RADIUS * cos(leaving), one.y + RADIUS * sin(leaving))
    end = StatePosition(other.x - RADIUS * cos(coming), other.y - RADIUS * sin(coming))
    path = (f"M{number(start.x)} {number(start.y)}Q{number(middle.x)} {number(middle.y)} "
            f"{number(end.x - 6 * cos(coming))} {number(end.y - 6 * sin(coming))}")
    x, y = (start.x + 2 * middle.x + end.x) / 4, (start.y + 2 * middle.y + end.y) / 4
    return join([element("path", d=path), _tip(end.x, end.y, coming),
                 element("text", label, x=x + 7 * down / far, y=y + 4 - 9 * across / far, text_anchor="middle")])


def _loop(place: StatePosition, label: str) -> Markup:
    left, right, top = place.x - 8, place.x + 8, place.y - RADIUS
    path = (f"M{number(left)} {number(top + 2)}C{number(left - 14)} {number(top - 26)} {number(right + 14)} "
            f"{number(top - 26)} {number(right + 1)} {number(top - 4)}")
    return join([element("path", d=path), _tip(right, top + 2, 1.9),
                 element("text", label, x=place.x, y=top - 24, text_anchor="middle")])
