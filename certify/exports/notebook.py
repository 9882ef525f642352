"""What a notebook shows of an outcome and of a run: verdict, claim, table, the network as a picture.

Every text is escaped; the picture is an image of its own, so that nothing in it meets the page around it.
"""

import base64
import re
from importlib.resources import files

from certify.auditing.results import ClaimResult
from certify.claims.formula.outcomes import Certified, Outcome
from certify.claims.formula.runs import WordTrace, run_rows
from certify.claims.formula.show import COLUMNS_OF_ATTENTION
from certify.claims.formula.summary import attention_cells, describe_greatest, why_not_certified
from certify.common.numbers import decimal_upper
from certify.common.readable import Shown
from certify.common.words import show_alphabet, show_word
from constructions.errors import Unsupported
from constructions.html_text import html_table, html_text
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.network.transformer import Transformer, check_softmax
from proofs.check import Accepted
from proofs.formula.common.kinds import APPROXIMATING

LONGEST = 60
"""Longer formulas are cut in a line."""
LARGEST_PICTURE = 40_000
"""Bytes; a larger picture is left to the page of the certificate."""
RULES = re.compile(r"^(?::root|\.net)[^{}]*\{[^}]*\}", re.MULTILINE)
DARK_RULES = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{[^}]*\}\s*\}")
MOST_LETTERS = 24
"""Of longer words no attention is drawn."""
STYLE_OF_SQUARES = ".w{fill:#0077bb}.field{fill:none;stroke:#888;stroke-width:.03}.tick{fill:#777;text-anchor:middle;" \
    "font-family:monospace}"
COLOURS = {"certified": "#2c8a4b", "refuted": "#c8372d"}
OTHER = "#9a6700"


class Checked(Accepted):
    """What the independent checker accepted, readable in a line and in a notebook."""

    def __repr__(self) -> str:
        return f"<accepted: {'; '.join(' '.join(line.split()) for line in self.lines[:3])}>"

    def _repr_html_(self) -> str:
        said = "".join(html_text(line, longest=400) + "\n" for line in self.lines)
        return f"<p><b style='color:{COLOURS['certified']}'>accepted</b></p><pre>{said}</pre>"


def describe_outcome(outcome: Outcome) -> str:
    """One line: the verdict, the formula, the lengths.

    >>> from certify import certify
    >>> certify("prev Q_a", alphabet="ab", max_n=4)
    <certified: prev Q_a for every n <= 4 over {a, b}>
    """
    formula = _shortened(format_formula(outcome.formula)) if outcome.formula else "a network"
    line = f"{outcome.verdict}: {formula} for {outcome.lengths.claim} over {show_alphabet(outcome.alphabet)}"
    return line if isinstance(outcome, Certified) else f"{line}; {why_not_certified(outcome)}"


def describe_run(run: WordTrace) -> str:
    """One line: the word, the formula, where it holds.

    >>> from certify import certify
    >>> certify("prev Q_a", alphabet="ab", max_n=4).run("abab")
    <abab: prev Q_a holds at 2, 4>
    """
    if run.formula is None:
        return f"{show_word(run.word)}: {len(run.traces)} directions"
    held = ", ".join(str(i) for i, holds in enumerate(run.truth, 1) if holds)
    where = f"at {held}" if held else "nowhere"
    return f"{show_word(run.word)}: {_shortened(format_formula(run.formula))} holds {where}"


def outcome_to_html(outcome: Outcome) -> str:
    """Verdict, claim, the bound of each head, the greatest error on a word, and a picture of a small network."""
    colour = COLOURS.get(outcome.verdict, OTHER)
    formula = format_formula(outcome.formula) if outcome.formula else "a network"
    said = [f"for {outcome.lengths.claim}, every word of length n over {show_alphabet(outcome.alphabet)} and every "
            "position: exactly 1 where it holds, else exactly 0", why_not_certified(outcome),
            f"note: the formula is {outcome.vacuity}" if outcome.vacuity else "",
            f"on words: {greatest}" if (greatest := describe_greatest(outcome)) else ""]
    heads = [attention_cells(line) for line in outcome.lines if line.kind in APPROXIMATING]
    names = [column.name for column in COLUMNS_OF_ATTENTION]
    rows = [[cells[name] for name in names] for cells in heads]
    parts = [f"<p><b style='color:{colour}'>{outcome.verdict}</b> <code>{html_text(formula)}</code></p>",
             *(f"<p>{html_text(text, longest=400)}</p>" for text in said if text),
             html_table(names, rows) if rows else "",
             draw(outcome.transformer, outcome.formula) if outcome.transformer else ""]
    return "".join(parts)


def run_to_html(run: WordTrace) -> str:
    """A row for each subformula and kind of value, a column for each position; and what every head attends to."""
    names = ("", "", *(f"{symbol} ({i})" for i, symbol in enumerate(run.word, 1)))
    return "".join([f"<p>{html_text(describe_run(run))}</p>", html_table(
        names, [(label, kind, *cells) for label, kind, cells in run_rows(run)]), draw_attention(run)])


def claim_to_html(claim: ClaimResult) -> str:
    """Return the verdict on a claim, a row for each length, and the critical constants that were asked for."""
    rows = [(row.n, row.verdict, "" if row.error is None else decimal_upper(row.error.upper, 6), row.where)
            for row in claim.rows]
    critical = [(one.n, "" if one.gamma is None else decimal_upper(one.gamma.upper, 6), one.note)
                for one in claim.criticals]
    return "".join([f"<p><b style='color:{COLOURS.get(claim.verdict, OTHER)}'>{claim.verdict}</b> "
                    f"<code>{html_text(claim.subject)}</code></p>",
                    f"<p>{html_text(claim.reason, longest=400)}</p>" if claim.reason else "",
                    html_table(("n", "verdict", "worst error", "where"), rows) if rows else "",
                    html_table(("n", "critical constant", ""), critical) if critical else ""])


def describe_claim(claim: ClaimResult) -> str:
    """One line: the verdict, the subject, the lengths."""
    return f"{claim.verdict}: {claim.subject}, n = {claim.lengths}"


def draw(network: Transformer, formula: Formula | None) -> str:
    """Return the network as an image in the text itself; nothing if it is large."""
    from certify.exports.pages.certificate.names import DirectionNames
    from certify.exports.pages.certificate.wiring import draw_network

    drawn = draw_network(network, DirectionNames(network, formula), flat=True)
    if drawn is None or len(drawn) > LARGEST_PICTURE:
        return ""
    return _image(str(drawn), _style(), "the network: blocks, and the directions between them", "max-width:100%")


def draw_attention(run: WordTrace) -> str:
    """The attention of each head on the word, in floating point: squares, whose rows are the positions that read.

    Nothing if there is no network, the word is long, or attention is neither softmax nor hard.
    """
    network = run.network
    if network is None or len(run.word) > MOST_LETTERS:
        return ""
    from certify.exports.pages.certificate.grids import draw_grid
    from certify.exports.pages.certificate.running import DoubleNetwork

    try:
        check_softmax(network, "a picture")
        attention = DoubleNetwork(network, len(run.word)).run([run.word], attention=True).attention
    except (Unsupported, OverflowError):
        return ""
    figures: list[str] = []
    for layer, place, head in network.heads():
        drawn = draw_grid(run.word, attention[layer, place][0], None, "")
        figures.append(_figure(str(drawn), 16 * (len(run.word) + 3), f"head {layer}.{place}: {head.name}"))
        if sum(map(len, figures)) > LARGEST_PICTURE:
            figures[-1] = f"<p>and {len(list(network.heads())) - len(figures) + 1} more heads</p>"
            break
    return f"<div style='display:flex;flex-wrap:wrap;gap:1em'>{''.join(figures)}</div>" if figures else ""


def _figure(svg: str, width: int, text: str) -> str:
    """Return an image of its own, no wider than the page, and what it shows below it."""
    said = html_text(text)
    image = _image(svg, STYLE_OF_SQUARES, said, f"width:{width}px;max-width:100%")
    return f"<figure style='margin:0'>{image}<figcaption>{said}</figcaption></figure>"


def _image(svg: str, rules: str, alt: str, style: str) -> str:
    picture = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    styled = picture.replace(">", f"><style>{rules}</style>", 1).encode()
    return f"<img alt='{alt}' style='{style}' src='data:image/svg+xml;base64,{base64.b64encode(styled).decode()}'>"


def _style() -> str:
    """Return the rules of the certificate's page that colours, and the picture of a network, have."""
    sheets = [(files("certify.exports.pages") / place).read_text(encoding="utf-8")
              for place in ("base/templates/base.css", "certificate/templates/network.css",
                            "certificate/templates/certificate.css")]
    return "".join(rule for pattern in (RULES, DARK_RULES) for sheet in sheets for rule in pattern.findall(sheet))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


SHOWN: Shown = {Outcome: (describe_outcome, outcome_to_html), WordTrace: (describe_run, run_to_html),
                ClaimResult: (describe_claim, claim_to_html)}
