"""Axioms of a theorem, and the axioms that are allowed."""

from proofs.every_n.library import LIBRARY

ALLOW_LIST = LIBRARY / "axioms.txt"
_HEAD = "Axioms:"
_NONE = "Closed under the global context"


class NoAxiomList(Exception):
    """Output of Coq that is not an answer to ``Print Assumptions``."""


def allowed_axioms() -> frozenset[str]:
    """Return the axioms of Coq's own real numbers, listed with their statements in ``proofs/coq/axioms.txt``."""
    return frozenset(ALLOW_LIST.read_text(encoding="utf-8").splitlines())


def parse_axioms(printed: str) -> frozenset[str]:
    r"""Return the axioms in an answer of Coq to ``Print Assumptions``, each with what it states, on one line.

    The statement counts as well as the name, as Coq prints the shortest unambiguous name. Anything else that Coq
    reports there (an unguarded recursion, a section's variable) is an entry too, so that it is not allowed.

    >>> parse_axioms("Axioms:\nClassical_Prop.classic\n  : forall P : Prop,\n    P \\/ ~ P\n")
    frozenset({'Classical_Prop.classic : forall P : Prop, P \\/ ~ P'})
    >>> parse_axioms("Closed under the global context\n")
    frozenset()

    Raises:
        NoAxiomList: if it is not one.
    """
    head, *lines = printed.rstrip().split("\n")
    if (head, lines) == (_NONE, []):
        return frozenset()
    if head != _HEAD or not lines:
        raise NoAxiomList
    entries: list[str] = []
    for line in lines:
        if line.startswith(" ") and entries:
            entries[-1] += line
        else:
            entries.append(line)
    return frozenset(" ".join(entry.split()) for entry in entries)


def name_of(axiom: str) -> str:
    r"""Return the name of an axiom without what it states.

    >>> name_of("Classical_Prop.classic : forall P : Prop, P \\/ ~ P")
    'Classical_Prop.classic'
    """
    return axiom.partition(" ")[0]
