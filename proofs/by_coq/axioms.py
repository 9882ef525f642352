"""The axioms that a theorem rests on, and those that it may rest on."""

from __future__ import annotations

from proofs.by_coq.library import LIBRARY

ALLOW_LIST = LIBRARY / "axioms.txt"
_NONE = "Closed under the global context"


def allowed_axioms() -> frozenset[str]:
    """The axioms of Coq's own real numbers, which ``proofs/coq/axioms.txt`` lists."""
    return frozenset(ALLOW_LIST.read_text(encoding="utf-8").split())


def parse_axioms(printed: str) -> frozenset[str]:
    """The names in an answer of Coq to ``Print Assumptions``; whatever else it reports there counts as a name.

    >>> sorted(parse_axioms("Axioms:\\nClassical_Prop.classic\\n  : forall P : Prop, ...\\nf is assumed guarded.\\n"))
    ['Classical_Prop.classic', 'f']
    >>> parse_axioms("Closed under the global context\\n")
    frozenset()
    """
    lines = [line for line in printed.splitlines() if line[:1].strip() and line not in ("Axioms:", _NONE)]
    return frozenset(line.split()[0] for line in lines)
