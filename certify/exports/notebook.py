"""The notebook display of outcomes and runs: verdict, claim, table, the network as a picture.

Every text is escaped; the picture is a separate image, so that its styles do not affect the page.
"""

import base64
import re
from importlib.resources import files

from certify.auditing.results import ClaimResult
from certify.claims.formula.outcomes import Certified, Outcome
from certify.claims.formula.runs import WordTrace, run_rows
from certify.claims.formula.show import COLUMNS_OF_ATTENTION
from certify.claims.formula.summary import attention_cells, describe_greatest, why_not_certified
from certify.claims.trained.count_show import describe_count, table_of_counts
from certify.claims.trained.counting import TracksCount
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
"""Longer formulas are truncated."""
LARGEST_PICTURE = 40_000
"""Bytes; larger pictures are only on the page of the certificate."""
RULES = re.compile(r"^(?::root|\.net)[^{}]*\{[^}]*\}", re.MULTILINE)
DARK_RULES = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{[^}]*\}\s*\}")
MOST_LETTERS = 24
"""No attention is drawn for longer words."""
STYLE_OF_SQUARES = ".w{fill:#0077bb}.field{fill:none;stroke:#888;stroke-width:.03}.tick{fill:#777;text-anchor:middle;" \
    "font-family:monospace}"
COLOURS = {"certified": "#2c8a4b", "refuted": "#c8372d"}
OTHER = "#9a6700"


class Checked(Accepted):
    """The content that the independent checker accepted, with a one-line and a notebook display."""

    def __repr__(self) -> str:
        return f"<accepted: {'; '.join(' '.join(line.split()) for line in self.lines[:3])}>"

    def _repr_html_(self) -> str:
        text = "".join(html_text(line, longest=400) + "\n" for line in self.lines)
        return f"<p><b style='color:{COLOURS['certified']}'>accepted</b></p><pre>{text}</pre>"


def describe_outcome(outcome: Outcome) -> str:
    """Describe in one line the verdict, the formula, the lengths.

    >>> from certify import certify
    >>> certify("prev Q_a", alphabet="ab", max_n=4)
    <certified: prev Q_a for every n <= 4 over {a, b}>
    """
    formula = _shortened(format_formula(outcome.formula)) if outcome.formula else "a network"
    line = f"{outcome.verdict}: {formula} for {outcome.lengths.claim} over {show_alphabet(outcome.alphabet)}"
    return line if isinstance(outcome, Certified) else f"{line}; {why_not_certified(outcome)}"


def describe_run(run: WordTrace) -> str:
    """Describe in one line the word, the formula, and where it holds.

    >>> from certify import certify
    >>> certify("prev Q_a", alphabet="ab", max_n=4).run("abab")
    <abab: prev Q_a holds at 2, 4>
    """
    if run.formula is None:
        return f"{show_word(run.word)}: {len(run.traces)} directions"
    places = ", ".join(str(i) for i, holds in enumerate(run.truth, 1) if holds)
    where = f"at {places}" if places else "nowhere"
    return f"{show_word(run.word)}: {_shortened(format_formula(run.formula))} holds {where}"


def outcome_to_html(outcome: Outcome) -> str:
    """Return verdict, claim, the bound of each head, the greatest error on a word, and a picture of a small network."""
    colour = COLOURS.get(outcome.verdict, OTHER)
    formula = format_formula(outcome.formula) if outcome.formula else "a network"
    texts = [f"for {outcome.lengths.claim}, every word of length n over {show_alphabet(outcome.alphabet)} and every "
            "position: exactly 1 where it holds, else exactly 0", why_not_certified(outcome),
            f"note: the formula is {outcome.vacuity}" if outcome.vacuity else "",
            f"on words: {greatest}" if (greatest := describe_greatest(outcome)) else ""]
    heads = [attention_cells(line) for line in outcome.lines if line.kind in APPROXIMATING]
    names = [column.name for column in COLUMNS_OF_ATTENTION]
    rows = [[cells[name] for name in names] for cells in heads]
    parts = [f"<p><b style='color:{colour}'>{outcome.verdict}</b> <code>{html_text(formula)}</code></p>",
             *(f"<p>{html_text(text, longest=400)}</p>" for text in texts if text),
             html_table(names, rows) if rows else "",
             draw(outcome.transformer, outcome.formula) if outcome.transformer else ""]
    return "".join(parts)


def run_to_html(run: WordTrace) -> str:
    """Return a row for each subformula and kind of value, a column for each position; and each head's attention."""
    names = ("", "", *(f"{symbol} ({i})" for i, symbol in enumerate(run.word, 1)))
    return "".join([f"<p>{html_text(describe_run(run))}</p>", html_table(
        names, [(label, kind, *cells) for label, kind, cells in run_rows(run)]), draw_attention(run)])


def claim_to_html(claim: ClaimResult) -> str:
    """Return the verdict on a claim, a row for each length, and the critical constants that were requested."""
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
    """Describe in one line the verdict, the subject, the lengths."""
    return f"{claim.verdict}: {claim.subject}, n = {claim.lengths}"


def draw(network: Transformer, formula: Formula | None) -> str:
    """Return the network as an inline image; empty if it is large."""
    from certify.exports.pages.certificate.names import DirectionNames
    from certify.exports.pages.certificate.wiring import draw_network

    drawn = draw_network(network, DirectionNames(network, formula), flat=True)
    if drawn is None or len(drawn) > LARGEST_PICTURE:
        return ""
    return _image(str(drawn), _style(), "the network: blocks, and the directions between them", "max-width:100%")


def draw_attention(run: WordTrace) -> str:
    """Return the attention of each head on the word, in floating point: a square each, with queries as rows.

    Empty if there is no network, the word is long, or attention is neither softmax nor hard.
    """
    network = run.network
    if network is None or len(run.word) > MOST_LETTERS:
        return ""
    from certify.common.doubles import DoubleNetwork
    from certify.exports.pages.certificate.grids import draw_grid

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
    """Return a figure no wider than the page, with a caption."""
    caption = html_text(text)
    image = _image(svg, STYLE_OF_SQUARES, caption, f"width:{width}px;max-width:100%")
    return f"<figure style='margin:0'>{image}<figcaption>{caption}</figcaption></figure>"


def _image(svg: str, rules: str, alt: str, style: str) -> str:
    picture = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    styled = picture.replace(">", f"><style>{rules}</style>", 1).encode()
    return f"<img alt='{alt}' style='{style}' src='data:image/svg+xml;base64,{base64.b64encode(styled).decode()}'>"


def _style() -> str:
    """Return the style rules of the certificate's page for colours and for the picture of a network."""
    sheets = [(files("certify.exports.pages") / place).read_text(encoding="utf-8")
              for place in ("base/templates/base.css", "certificate/templates/network.css",
                            "certificate/templates/certificate.css")]
    return "".join(rule for pattern in (RULES, DARK_RULES) for sheet in sheets for rule in pattern.findall(sheet))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def count_to_html(count: TracksCount) -> str:
    """Return the verdict and the bounds of each number of columns."""
    columns, rows = table_of_counts(count)
    return (f"<p><b style='color:{COLOURS.get(count.verdict, OTHER)}'>{count.verdict}</b> "
            f"{html_text(describe_count(count), longest=400)}</p>"
            + html_table([column.name for column in columns], [[str(cell) for cell in row] for row in rows]))


SHOWN: Shown = {Outcome: (describe_outcome, outcome_to_html), WordTrace: (describe_run, run_to_html),
                ClaimResult: (describe_claim, claim_to_html),
                TracksCount: (lambda count: f"{count.verdict}: {describe_count(count)}", count_to_html)}
