"""The page of a lesson: the formula in words, words that show it, and the layers as steps on a word of one's own.

What is bounded is proved; what the steps show of a word is computed by the page, in doubles, and it says so.
"""

from collections.abc import Sequence
from typing import Any

from certify.claims.formula.in_words import say_head, say_meaning, say_units
from certify.claims.formula.lesson import Lesson, softness
from certify.exports.pages.base.page import embed_json, open_templates, render_page
from certify.exports.pages.certificate.names import DirectionNames, clip
from certify.exports.pages.certificate.page import network_shape
from certify.exports.pages.certificate.script_data import MOST_NODES, ScriptData
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula
from constructions.network.meanings import Position
from constructions.network.transformer import Layer, Transformer
from constructions.text import printable

LONGEST = 24
"""Words to step through have at most so many symbols."""
MOST_DIRECTIONS = 400
"""A network with more is described, and not stepped through."""
SCRIPTS: Sequence[str] = ("figures.js", "run.js", "words.js", "letters.js", "lesson.js")
NOTHING: dict[str, Any] = {"alphabet": [], "layers": [], "tokens": [], "positions": [], "directions": [], "steps": []}


def lesson_page(lesson: Lesson, formula: Formula, network: Transformer | None) -> str:
    """Return the whole page; ``network`` is the one that the lesson is about."""
    environment = open_templates("certify.exports.pages.lesson", "certify.exports.pages.certificate")
    live = network is not None and can_step(network, formula)
    data = steps_data(lesson, formula, network) if network is not None and live else NOTHING
    data = {"approximations": [], "maps": [], "characters": "", "first": 1, **data}
    heading = printable(format_briefly(formula))
    return render_page(environment, "lesson.html", ("network.css", "certificate.css", "lesson.css"), SCRIPTS,
                       heading=heading, title=clip(heading, 80), lesson=lesson, live=live, why=softness(lesson),
                       shape=network_shape(network) if network is not None else {}, blob=embed_json(data))


def can_step(network: Transformer, formula: Formula) -> bool:
    """Whether the page can run it: by softmax alone, and of a size that one can step through."""
    return (network.has_softmax_alone and len(network.directions) <= MOST_DIRECTIONS
            and len(DirectionNames(network, formula).parts) <= MOST_NODES)


def steps_data(lesson: Lesson, formula: Formula, network: Transformer) -> dict[str, Any]:
    """What the script knows: the network, the formulas, and the steps."""
    data = ScriptData(network, DirectionNames(network, formula), LONGEST)
    found = data.of_network()
    return {**found, "truths": data.of_truths(formula), "steps": steps(network, data.places),
            "start": list(lesson.words[-1].word), "judged": lesson.about_words}


def steps(network: Transformer, places: dict[str, int]) -> list[dict[str, Any]]:
    """The embedding, then of each layer its heads and its ReLUs: what is said, and which directions are written."""
    embedded = [name for name, meaning in network.directions.items()
                if name in network.position_embedding or any(name in row for row in network.token_embedding.values())]
    shown = [name for name in embedded if not isinstance(network.directions[name], Position)] or embedded
    found = [_step("The word is read", ["Each position begins with what its letter and its number say."], shown,
                   [], network, places)]
    for number, layer in enumerate(network.layers, start=1):
        found += _steps_of(number, layer, network, places)
    return found


def _steps_of(number: int, layer: Layer, network: Transformer, places: dict[str, int]) -> list[dict[str, Any]]:
    found = []
    if layer.heads:
        said = [say_head(head, network) for head in layer.heads]
        written = [name for head in layer.heads for name in head.values]
        heads = [f"{number}.{place}" for place in range(1, len(layer.heads) + 1)]
        found.append(_step(f"Layer {number}: attention", said, written, heads, network, places))
    if said_of_units := say_units(layer.feedforward, network):
        written = [name for unit in layer.feedforward.units for name in unit.writes]
        written = list(dict.fromkeys([*written, *layer.feedforward.bias]))
        found.append(_step(f"Layer {number}: ReLUs", [said_of_units], written, [], network, places))
    return found


def _step(title: str, said: list[str], written: Sequence[str], heads: list[str], network: Transformer,
          places: dict[str, int]) -> dict[str, Any]:
    rows = [[places[name], clip(printable(say_meaning(network.directions[name])), 90)] for name in written]
    return {"title": title, "says": [printable(sentence) for sentence in said], "rows": rows, "heads": heads}
