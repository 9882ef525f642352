"""The numbers of the statements of [SHA] and [Hahn], as the papers have them."""

import re

_NUMBERED = (
    *(("Definition", n) for n in (1, 2, 3, 4, 5, 10, 14, 19)), *(("Theorem", n) for n in (12, 13, 15, 16, 20, 21, 26)),
    *(("Lemma", n) for n in (6, 7, 8, 9, 24, 25, *range(27, 35))), ("Proposition", 11),
    *(("Corollary", n) for n in (17, 18, 22, 23)), *(("Section", n) for n in range(1, 7)),
    *(("Appendix", letter) for letter in "ABCDE"), ("Figure", 1),
)  # fmt: skip

_KINDS = ("Definition", "Lemma", "Theorem", "Proposition", "Corollary")

_NUMBERED_BY_HAHN = (
    ("Theorem", 1), ("Corollary", 2), ("Definition", 3), ("Lemma", 4), ("Lemma", 5), ("Theorem", 6), ("Footnote", 3),
    ("Footnote", 4), ("Section", 5), ("Section", 6),
)  # fmt: skip


def numbered_statements(paper: str = "") -> list[str]:
    """Return the numbered definitions and statements of [SHA] in its order, or of [Hahn] for the paper "Hahn, ".

    >>> numbered_statements("Hahn, ")
    ['Theorem 1', 'Corollary 2', 'Definition 3', 'Lemma 4', 'Lemma 5', 'Theorem 6']
    """
    listed = _NUMBERED_BY_HAHN if paper else _NUMBERED
    numbers = [(number, kind) for kind, number in listed if kind in _KINDS and isinstance(number, int)]
    return [f"{kind} {number}" for number, kind in sorted(numbers)]


def is_statement(name: str) -> bool:
    """Return whether [SHA], or [Hahn] after "Hahn, ", has a statement or section of this name.

    >>> is_statement("Theorem 15 a"), is_statement("Lemma 7, proof"), is_statement("Theorem 14")
    (True, True, False)
    >>> is_statement("Hahn, Lemma 5"), is_statement("Hahn, Lemma 7")
    (True, False)
    """
    found = re.match(r"(Hahn, )?([A-Z][a-z]+) ([0-9]+|[A-E])(?![0-9A-Za-z])", name)
    if found is None:
        return False
    numbered = (found[2], int(found[3]) if found[3].isdigit() else found[3])
    return numbered in (_NUMBERED_BY_HAHN if found[1] else _NUMBERED)
