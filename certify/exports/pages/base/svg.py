"""SVG as text: elements whose attributes and texts are escaped."""

from markupsafe import Markup, escape

from constructions.text import printable


def element(name: str, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element; underscores in attribute names are hyphens, one at the end is dropped, None omits one.

    >>> print(element("text", "a < b", x=1.50, class_="tick", text_anchor="end", id=None))
    <text x="1.5" class="tick" text-anchor="end">a &lt; b</text>
    """
    opening = "".join(f' {key.rstrip("_").replace("_", "-")}="{_written(value)}"'
                      for key, value in attributes.items() if value is not None)
    inside = "".join(escape(child if isinstance(child, Markup) else printable(child)) for child in children)
    return Markup(f"<{name}{opening}>{inside}</{name}>" if children else f"<{name}{opening}/>")


def join(parts: list[Markup]) -> Markup:
    """Concatenate elements."""
    return Markup("".join(parts))


def number(x: float) -> str:
    """Format with at most two decimals.

    >>> number(3.14159), number(-0.001), number(12)
    ('3.14', '0', '12')
    """
    return f"{round(x, 2) + 0:g}" if abs(x) < 1e4 else f"{x:.0f}"


def _written(value: str | float) -> str:
    return escape(printable(value)) if isinstance(value, str) else number(value)
