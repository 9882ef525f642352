"""The page of a lesson: the formula in words, example words, and the layers as steps on a word of the user.

Bounds are proved; the values in the steps are computed by the page, in doubles, and it says so.
"""

from collections.abc import Sequence
from typing import Any

from certify.claims.formula.in_words import describe_head, describe_meaning, describe_units
from certify.claims.formula.lesson import Lesson, describe_softness
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
"""The greatest length of words to step through."""
MOST_DIRECTIONS = 400
"""A network with more directions is only described."""
SCRIPTS: Sequence[str] = ("figures.js", "run.js", "words.js", "letters.js", "lesson.js")
NOTHING: dict[str, Any] = {"alphabet": [], "layers": [], "tokens": [], "positions": [], "directions": [], "steps": []}


def lesson_page(lesson: Lesson, formula: Formula, network: Transformer | None) -> str:
    """Return the whole page; ``network`` is the lesson's network."""
    environment = open_templates("certify.exports.pages.lesson", "certify.exports.pages.certificate")
    live = network is not None and can_step(network, formula)
    data = steps_data(lesson, formula, network) if network is not None and live else NOTHING
    data = {"approximations": [], "maps": [], "characters": "", "first": 1, **data}
    heading = printable(format_briefly(formula))
    return render_page(environment, "lesson.html", ("network.css", "certificate.css", "lesson.css"), SCRIPTS,
                       heading=heading, title=clip(heading, 80), lesson=lesson, live=live,
                       why=describe_softness(lesson), blob=embed_json(data),
                       shape=network_shape(network) if network is not None else {})


def can_step(network: Transformer, formula: Formula) -> bool:
    """Return whether the page can run it: softmax only, and small enough."""
    return (network.has_softmax_alone and len(network.directions) <= MOST_DIRECTIONS
            and len(DirectionNames(network, formula).parts) <= MOST_NODES)


def steps_data(lesson: Lesson, formula: Formula, network: Transformer) -> dict[str, Any]:
    """Return the data of the script: the network, the formulas, and the steps."""
    data = ScriptData(network, DirectionNames(network, formula), LONGEST)
    found = data.of_network()
    return {**found, "truths": data.of_truths(formula), "steps": steps(network, data.places),
            "start": list(lesson.words[-1].word), "judged": lesson.about_words}


def steps(network: Transformer, places: dict[str, int]) -> list[dict[str, Any]]:
    """Return the steps, the embedding, then heads and ReLUs of each layer: their texts, and the written directions."""
    embedded = [name for name, meaning in network.directions.items()
                if name in network.position_embedding or any(name in row for row in network.token_embedding.values())]
    shown = [name for name in embedded if not isinstance(network.directions[name], Position)] or embedded
    found = [_step("The word is read", ["Each position starts with the embedding of its letter and its number."], shown,
                   [], network, places)]
    for number, layer in enumerate(network.layers, start=1):
        found += _steps_of(number, layer, network, places)
    return found


def _steps_of(number: int, layer: Layer, network: Transformer, places: dict[str, int]) -> list[dict[str, Any]]:
    found = []
    if layer.heads:
        texts = [describe_head(head, network) for head in layer.heads]
        written = [name for head in layer.heads for name in head.values]
        heads = [f"{number}.{place}" for place in range(1, len(layer.heads) + 1)]
        found.append(_step(f"Layer {number}: attention", texts, written, heads, network, places))
    if units := describe_units(layer.feedforward, network):
        written = [name for unit in layer.feedforward.units for name in unit.writes]
        written = list(dict.fromkeys([*written, *layer.feedforward.bias]))
        found.append(_step(f"Layer {number}: ReLUs", [units], written, [], network, places))
    return found


def _step(title: str, texts: list[str], written: Sequence[str], heads: list[str], network: Transformer,
          places: dict[str, int]) -> dict[str, Any]:
    rows = [[places[name], clip(printable(describe_meaning(network.directions[name])), 90)] for name in written]
    return {"title": title, "says": [printable(sentence) for sentence in texts], "rows": rows, "heads": heads}
