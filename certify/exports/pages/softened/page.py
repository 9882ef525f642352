"""The page of a softened transformer: the temperature, the errors after each stage, the weights, a word to try.

Gaps and bounds are the certificate's, which the checker has accepted: bounds are rounded up, gaps and slack down.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

from markupsafe import Markup

from certify.claims.formula.real_functions import sentence
from certify.common.words import show_word
from certify.exports.pages.base.page import embed_json, open_templates, render_page
from certify.exports.pages.base.svg import element, join
from certify.exports.pages.certificate import tables
from certify.exports.pages.certificate.approximations import SHORT
from certify.exports.pages.certificate.blocks import find_columns
from certify.exports.pages.certificate.commands import check_softened_command
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.pages.certificate.page import OPERATORS, network_shape, show_lower, show_upper
from certify.exports.pages.certificate.script_data import ScriptData
from certify.exports.pages.certificate.wiring import draw_network
from certify.exports.pages.certificate.worst_words import sample_word
from constructions.errors import Unsupported
from constructions.language.expressions import Expression, parse_expression
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.meanings import Anything
from constructions.network.transformer import Transformer

Errors = Mapping[str, Fraction]


@dataclass(frozen=True)
class SealedSoftened:
    """The transformer with hard attention, the temperature, and by length the gap and the bounds after each stage."""

    transformer: Transformer
    temperature: Expression
    gaps: tuple[Fraction | None, ...]
    errors: tuple[tuple[Errors, ...], ...]
    digest: str

    @property
    def last(self) -> int:
        """The greatest length of the claim."""
        return len(self.gaps)


def read_softened(text: str, path: str) -> SealedSoftened:
    """Parse a text that the checker has accepted as a certificate of a softened transformer.

    Raises:
        Unsupported: if the claim is about another weighting than softmax.
    """
    data = read_json(text, path)
    if "weighting" in data["claim"]:
        raise Unsupported(f"{path}: its claim is about {data['claim']['weighting']}, which the page does not run")
    gaps = tuple(None if gap is None else Fraction(gap) for gap in data["gaps"])
    errors = tuple(tuple({name: Fraction(bound) for name, bound in stage.items()} for stage in stages)
                   for stages in data["errors"])
    temperature = parse_expression(data["claim"]["temperature"])
    return SealedSoftened(transformer_from_json(data["transformer"], path), temperature, gaps, errors,
                          hashlib.sha256(text.encode()).hexdigest())


CHECKER_DOES = "It runs every word exactly, and recomputes every gap and bound independently."
QUARTER = Fraction(1, 4)
MOST_ROWS = 120
SCRIPTS: Sequence[str] = ("figures.js", "network.js", "run.js", "words.js", "softened.js")
CONTENTS = (("try", "Try a word"), ("network", "Network"), ("moved", "How far it moves"), ("weights", "Weights"),
            ("trust", "What is trusted"))


@dataclass(frozen=True)
class Length:
    """The certified numbers for words of one length."""

    n: int
    gap: Fraction | None
    temperature: Fraction
    moved: Fraction

    @property
    def slack(self) -> Fraction:
        """The distance of the bound from 1/4."""
        return QUARTER - self.moved


def lengths_of(sealed: SealedSoftened) -> list[Length]:
    """Return all lengths of the claim."""
    return [Length(n, gap, sealed.temperature.evaluate(n=n), sum(stages[-1].values(), Fraction(0)))
            for n, (gap, stages) in enumerate(zip(sealed.gaps, sealed.errors, strict=True), start=1)]


def softened_page(sealed: SealedSoftened, file: str) -> str:
    """Return the whole page; ``file`` is the name of the certificate in commands, without folders."""
    network, names = sealed.transformer, DirectionNames(sealed.transformer)
    data = page_data(sealed, names)
    lengths = lengths_of(sealed)
    environment = open_templates("certify.exports.pages.softened", "certify.exports.pages.certificate")
    environment.filters |= {"upper": show_upper, "lower": show_lower, "word": show_word}
    holds = ["" if isinstance(meaning, Anything) else each["holds"]
             for meaning, each in zip(network.directions.values(), data["directions"], strict=True)]
    return render_page(
        environment, "softened.html", ("network.css", "certificate.css"), SCRIPTS, sealed=sealed, file=file,
        lengths=lengths, real_functions=sentence(network, sealed.temperature),
        worst=max(lengths, key=lambda each: each.moved), flat=draw_network(network, names, True),
        tall=draw_network(network, names, False), stages=draw_stages(sealed), ends=ends_of(totals_of(sealed)),
        contents=CONTENTS, shape=network_shape(network), checker_does=CHECKER_DOES,
        check=check_softened_command(network.alphabet, sealed.last, file),
        most_rows=MOST_ROWS, operators=OPERATORS, heads=[(f"{layer}.{place}", head.name)
                                                        for layer, place, head in network.heads()],
        separated=any(len(symbol) > 1 for symbol in network.alphabet), blob=embed_json(data),
        **tables.list_weights(network, names, holds))


def page_data(sealed: SealedSoftened, names: DirectionNames) -> Any:
    """Return the data of the script: the network, and the temperature of softmax."""
    network = sealed.transformer
    data = ScriptData(network, names, sealed.last)
    of_network = data.of_network()
    return {**of_network, "first": 1, "blocks": data.of_blocks(find_columns(network, names)), "approximations": [],
            "maps": [], "characters": "", "truths": {"rows": [], "nodes": data.table.nodes},
            "start": sample_word(network.alphabet, min(sealed.last, SHORT)),
            "softened": sealed.temperature.postfix,
            "bounds": [ceil(each.moved * 10**6) / 10**6 for each in lengths_of(sealed)]}


def stage_names(sealed: SealedSoftened) -> list[str]:
    """Return the names of the stages in order."""
    return [f"layer {number}, {what}" for number in range(1, len(sealed.transformer.layers) + 1)
            for what in ("heads", "feed-forward")]


def totals_of(sealed: SealedSoftened) -> list[list[Fraction]]:
    """Sum the bounds of all directions: for each length, after each stage."""
    return [[sum(stage.values(), Fraction(0)) for stage in stages] for stages in sealed.errors]


def ends_of(totals: list[list[Fraction]]) -> tuple[Fraction, Fraction] | None:
    """Return the least non-zero total, and the greatest; None if all are 0."""
    moved = [total for stages in totals for total in stages if total]
    return (min(moved), max(moved)) if moved else None


def shade_of(total: Fraction, least: Fraction, greatest: Fraction) -> float:
    """Map totals to shades, logarithmically: .2 for the least, 1 for the greatest; 0 for 0.

    >>> [shade_of(Fraction(x), Fraction(1, 10**30), Fraction(1, 10**10)) for x in ("0", "1e-30", "1e-20", "1e-10")]
    [0.0, 0.2, 0.6, 1.0]
    """
    if not total or least == greatest:
        return float(bool(total))
    return round(.2 + .8 * (_log(total) - _log(least)) / (_log(greatest) - _log(least)), 2)


def _log(x: Fraction) -> float:
    """Return the logarithm of a number that may be too small for a double."""
    return log10(x.numerator) - log10(x.denominator)


def draw_stages(sealed: SealedSoftened) -> Markup:
    """Draw the bound of all directions together after each stage (rows), by length (columns)."""
    totals, names = totals_of(sealed), stage_names(sealed)
    ends = ends_of(totals) or (Fraction(0), Fraction(0))
    size = max(1.0, len(sealed.errors) / 12)
    cells = [element("rect", element("title", f"n = {n + 1}, {names[stage]}: at most {show_upper(totals[n][stage])}"),
                     class_="w", x=n, y=stage, width=.96, height=.92, opacity=shade_of(totals[n][stage], *ends))
             for stage in range(len(names)) for n in range(len(sealed.errors))]
    ticks = [element("text", name, class_="tick", x=-.2, y=stage + .6, text_anchor="end", font_size=.4 * size)
             for stage, name in enumerate(names)]
    step = max(1, floor(size * 2))
    ticks.append(element("text", "n =", class_="tick", x=-.2, y=len(names) + .5 * size, text_anchor="end",
                         font_size=.4 * size))
    ticks += [element("text", str(n), class_="tick", x=n - .5, y=len(names) + .5 * size, text_anchor="middle",
                      font_size=.4 * size) for n in range(1, len(sealed.errors) + 1, step)]
    return element("svg", join([*cells, *ticks]), class_="stages", role="img",
                   style=f"max-width:{2.4 * (len(sealed.errors) / size + 4.8):.0f}rem",
                   viewBox=f"{-4.6 * size:g} -0.2 {len(sealed.errors) + 4.8 * size:g} {len(names) + .9 * size:g}",
                   aria_label="Error bounds after each stage, by length")
