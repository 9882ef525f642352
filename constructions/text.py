"""Text from outside, before anybody sees it."""


def printable(text: str) -> str:
    """The text on one line, with escapes for what a terminal or an editor would act on or cannot show.

    >>> print(printable("red\\x1b[31m\\n"))
    red\\x1b[31m\\n
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
