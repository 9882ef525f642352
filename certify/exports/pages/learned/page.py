"""The page of a learned automaton: the drawing, a table, formulas, differences, growth of the number of states."""

from collections.abc import Iterator
from pathlib import PurePath

from markupsafe import Markup

from certify.claims.trained.show import cut_word
from certify.common.words import counted
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.base.svg import element, join, number
from certify.exports.pages.decision.curve import ticks
from certify.exports.pages.decision.page import Filed
from certify.exports.pages.learned.drawing import draw_automaton
from certify.learning.explanation import describe_answer, explain
from certify.learning.learned import Learned, is_judged
from certify.learning.show import describe_explanation, describe_learned, describe_question, spelt

MOST_STATES = 256
WIDTH, HEIGHT, LEFT, BELOW = 640.0, 200.0, 52.0, 34.0


def learned_page(learned: Learned, name: str | None = None) -> str:
    """Return the whole page; ``name`` is the certificate's file name, if it is in a file."""
    explanation = explain(learned)
    found, question = learned.automaton, learned.question
    differing = explanation.differences.states if explanation and explanation.differences else ()
    filed = Filed(PurePath(name).name, learned.certificate or "") if name else None
    return render_page(
        open_templates("certify.exports.pages.learned"), "learned.html", (), (), learned=learned,
        says=describe_learned(learned), asked=[line[10:] for line in describe_question(learned)],
        drawing=draw_automaton(question, found, differing) if found else None, states=list(_states(learned)),
        letters=question.claim.alphabet, most_states=MOST_STATES,
        explained=[line.strip() for line in describe_explanation(learned, explanation)] if explanation else [],
        growth=draw_growth([row.states for row in learned.rows if row.states is not None]),
        contents=list(_contents(learned, name is not None)), filed=filed,
        files=[filed] if filed and filed.text else [])


def _contents(learned: Learned, checked: bool) -> Iterator[tuple[str, str]]:
    """Yield the sections that exist."""
    if learned.automaton:
        yield "words", "In other words"
        yield "automaton", "The automaton"
    if sum(row.states is not None for row in learned.rows) > 1:
        yield "growth", "States against length"
    if checked:
        yield "check", "Check it"


def _states(learned: Learned) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield, for each state, a shortest word to it, the answer and the steps."""
    found, question = learned.automaton, learned.question
    for state, code in enumerate(found.marks if found else ()):
        assert found is not None
        judged = is_judged(question, found, state)
        yield (cut_word(spelt(question, found.access[state])), describe_answer(question, code) if judged else "–",
               found.automaton.steps[state])


def draw_growth(sizes: list[int]) -> Markup | None:
    """Plot the least number of states for words of at most n letters, against n; None if there are fewer than two."""
    if len(sizes) < 2:
        return None
    high = max(sizes)

    def x(n: float) -> float:
        return LEFT + (n - 1) / (len(sizes) - 1) * (WIDTH - LEFT - 12)

    def y(states: float) -> float:
        return 10 + (1 - states / high) * (HEIGHT - BELOW - 10)

    parts = [element("line", x1=LEFT, x2=WIDTH, y1=y(states), y2=y(states), stroke="currentColor",
                     stroke_opacity="0.15") for states in ticks(0, high) if states == int(states)]
    parts += [element("text", f"{states:g}", x=LEFT - 6, y=y(states) + 4, text_anchor="end", font_size="11",
                      fill="currentColor") for states in ticks(0, high) if states == int(states)]
    parts += [element("text", f"{n:g}", x=x(n), y=HEIGHT - 18, text_anchor="middle", font_size="11",
                      fill="currentColor") for n in ticks(1, len(sizes)) if n == int(n)]
    line = "".join(f"{'M' if n == 1 else 'L'}{number(x(n))} {number(y(size))}" for n, size in enumerate(sizes, start=1))
    parts += [element("path", d=line, fill="none", stroke="var(--link)", stroke_width="2")]
    parts += [element("circle", element("title", f"n = {n}: {counted(size, 'state')}"), cx=x(n), cy=y(size), r=3,
                      fill="var(--link)") for n, size in enumerate(sizes, start=1)]
    return element("svg", join(parts), class_="curve", role="img", viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
                   aria_label="least number of states, against length")
