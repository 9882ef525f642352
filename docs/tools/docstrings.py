"""A Sphinx extension: docstrings as reStructuredText.

Docstrings here are plain text with names in backticks, doctests, Google's sections, and fields such as
``Source      [SHA] Theorem 20``. Everything else is escaped, so that ``|x|`` and ``a_i`` stay what they are.
"""

import re
from collections.abc import Iterator
from typing import Any

LITERAL = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
FIELD = re.compile(r"([A-Z][\w ]{0,10}?\S?) {2,}(\S.*)")
SECTION = re.compile(r"(Args|Returns|Raises|Yields|Attributes|Example|Examples|Note):")


def escaped(text: str) -> str:
    r"""Return the text without markup, except names in backticks.

    >>> print(escaped("`a` of |x|_2"))
    ``a`` of \|x\|\_2
    """
    found, place = [], 0
    for literal in LITERAL.finditer(text):
        found += [re.sub(r"([\\*|_`])", r"\\\1", text[place:literal.start()]),
                  f"``{' '.join((literal[1] or literal[2]).split())}``"]
        place = literal.end()
    return "".join([*found, re.sub(r"([\\*|_`])", r"\\\1", text[place:])])


def converted(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a docstring as reStructuredText, paragraph by paragraph."""
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        rows = paragraph.split("\n")
        if rows[0].lstrip().startswith(">>>"):
            yield from rows
        elif SECTION.fullmatch(rows[0].strip()):
            yield from (re.sub(r"([*|])", r"\\\1", row) for row in rows)
        elif FIELD.match(rows[0]):
            text = escaped(paragraph)
            for row in text.split("\n"):
                field = FIELD.match(row)
                yield f":{field[1]}: {field[2]}" if field else f"    {row.strip()}"
        elif rows[0].startswith(" "):
            yield from ["::", "", *(f"    {row}" for row in rows)]
        else:
            yield from (row.strip() for row in escaped(paragraph).split("\n"))
        yield ""


def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Convert one docstring in place, before napoleon reads its sections."""
    lines[:] = list(converted(lines))


def setup(app: Any) -> dict[str, bool]:
    """Register the conversion with Sphinx."""
    app.connect("autodoc-process-docstring", process, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
