"""The axioms that a theorem rests on, and those that it may rest on."""

from proofs.every_n.library import LIBRARY

ALLOW_LIST = LIBRARY / "axioms.txt"
_HEAD = "Axioms:"
_NONE = "Closed under the global context"


class NoAxiomList(Exception):
    """What Coq printed is no answer to ``Print Assumptions``."""


def allowed_axioms() -> frozenset[str]:
    """Return the axioms of Coq's own real numbers, which ``proofs/coq/axioms.txt`` lists with what they state."""
    return frozenset(ALLOW_LIST.read_text(encoding="utf-8").splitlines())


def parse_axioms(printed: str) -> frozenset[str]:
    """Return the axioms in an answer of Coq to ``Print Assumptions``, each with what it states, on one line.

    The statement counts as well as the name: of a name, Coq prints only as much as sets it apart. Whatever else Coq
    reports there (an unguarded recursion, a section's variable) is an entry too, so that it is not allowed.

    >>> parse_axioms("Axioms:\\nClassical_Prop.classic\\n  : forall P : Prop,\\n    P \\\\/ ~ P\\n")
    frozenset({'Classical_Prop.classic : forall P : Prop, P \\\\/ ~ P'})
    >>> parse_axioms("Closed under the global context\\n")
    frozenset()

    Raises:
        NoAxiomList: if it is no such answer.
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
    """Return the name of an axiom without what it states.

    >>> name_of("Classical_Prop.classic : forall P : Prop, P \\\\/ ~ P")
    'Classical_Prop.classic'
    """
    return axiom.partition(" ")[0]
