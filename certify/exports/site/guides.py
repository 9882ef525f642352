"""The guides as pages of the site: rendered Markdown; links to files outside the site become text."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

PICTURES = (".svg",)


def guide_html(text: str, page: str, links: Mapping[str, str]) -> str:
    """Return the HTML of a page; ``links`` maps files, relative to the top, to their pages.

    >>> print(guide_html("see [b](b.md#some-part)", "docs/a.md", {"docs/b.md": "b.html"}), end="")
    <p>see <a href="b.html#some-part">b</a></p>
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug_of(tokens[place + 1].content))
        if token.type in ("fence", "code_block", "table_open"):
            token.attrSet("tabindex", "0")  # it may scroll, and must be focusable by keyboard
        if token.type == "th_open" and not tokens[place + 1].content:
            token.tag = tokens[place + 2].tag = "td"  # an empty header cell is not a header
        for part in token.children or ():
            _relink(part, page, links)
    for token in tokens:
        token.children = _without_dead_links(token.children or [])
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def sections_of(text: str) -> list[tuple[str, str, str]]:
    r"""Return the heading, the anchor and the text of each section of a page.

    >>> sections_of("# A `b`\n\nc *d*\n\n## E")
    [('A b', 'a-b', 'c *d*'), ('E', 'e', '')]
    """
    found: list[tuple[str, str, list[str]]] = []
    heads = False
    for token in MarkdownIt("commonmark", {"html": False}).enable("table").parse(text):
        heads = token.type == "heading_open" or (heads and token.type == "inline")
        if heads and token.type == "inline":
            found.append((token.content.replace("`", ""), slug_of(token.content), []))
            heads = False
        elif found and token.content:
            found[-1][2].append(token.content)
    return [(heading, anchor, " ".join(parts)) for heading, anchor, parts in found]


def slug_of(heading: str) -> str:
    """Return the anchor of a heading, as code hosts do.

    >>> slug_of("`certify/`: what a user touches"), slug_of("5. Sums, & more")
    ('certify-what-a-user-touches', '5-sums--more')
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


DEAD = "dead"


def _relink(token: Token, page: str, links: Mapping[str, str]) -> None:
    attribute = {"link_open": "href", "image": "src"}.get(token.type)
    if attribute is None:
        return
    target, mark, part = str(token.attrGet(attribute)).partition("#")
    if re.match("[a-z]+:", target) or not target:
        return
    found = links.get(posixpath.normpath(posixpath.join(posixpath.dirname(page), target)))
    token.attrSet(attribute, f"{found}{mark}{part}" if found else DEAD)


def _without_dead_links(tokens: Sequence[Token]) -> list[Token]:
    """Replace links to missing targets by their text."""
    kept: list[Token] = []
    skipping = 0
    for token in tokens:
        if token.type == "link_open" and token.attrGet("href") == DEAD:
            skipping += 1
        elif token.type == "link_close" and skipping:
            skipping -= 1
        elif not (token.type == "image" and token.attrGet("src") == DEAD):
            kept.append(token)
    return kept


def pictures_of(pages: Mapping[str, Path]) -> dict[str, Path]:
    """Return the pictures beside the guides, by their places in docs/."""
    folder = pages["map"].parents[1]
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.suffix in PICTURES}
