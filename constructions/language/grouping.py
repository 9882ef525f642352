"""Check for adjacent operators that tools group differently: brackets are required, as in C-RASP.

Claim       In a dialect other than [SHA]'s, a text is read only if the tools of the dialect group its binary operators
            as grammar.lark does, or where the grouping does not matter (``a & b & c``). Unary operators bind tightest.
Sources     The grammars of Spot (parsetl.yy), Lydia (ltlf/parser.yy) and pylogics. Operators that they lack, operators
            that differ between the tools of a dialect, and those of BLACK except & and | (its -> binds tighter than &)
            count as grouped differently.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lark import ParseTree, Token, Tree

from constructions.errors import FormulaError
from constructions.language.diagnosis import place_of, quote
from constructions.language.spellings import Dialect

ASSOCIATIVE = frozenset({"AND", "OR", "XOR", "IFF"})
TEMPORAL = "temporal"
BOOLEAN = (*ASSOCIATIVE, "IMPLIES")


@dataclass(frozen=True)
class Strengths:
    """Binding strengths of a tool, tightest highest, and its right-associative operators; others are unknown."""

    of: Mapping[str, int]
    to_the_right: frozenset[str] = frozenset()

    def groups_left(self, first: str, second: str) -> bool | None:
        """Return whether ``a first b second c`` is ``(a first b) second c``; None if unknown."""
        if first not in self.of or second not in self.of:
            return None
        if self.of[first] != self.of[second]:
            return self.of[first] > self.of[second]
        return False if {first, second} <= self.to_the_right else None


TOOLS: Mapping[Dialect, tuple[Strengths, ...]] = {
    Dialect.SHA: (),
    Dialect.SPOT: (Strengths({"IMPLIES": 1, "IFF": 1, "OR": 2, "XOR": 3, "AND": 4, TEMPORAL: 5},
                             frozenset({"IMPLIES", "IFF", TEMPORAL})),),
    Dialect.BLACK: (Strengths({"OR": 1, "AND": 2}),),
    Dialect.LYDIA: (Strengths({"IFF": 1, "IMPLIES": 2, TEMPORAL: 3, "OR": 5, "AND": 6}),
                    Strengths({"IFF": 1, "IMPLIES": 2, "OR": 3, "AND": 4, TEMPORAL: 5})),
}
"""The tools of each dialect. Lydia binds U and R looser than | and pylogics tighter than &."""


def check_grouping(tree: ParseTree, text: str, dialect: Dialect) -> None:
    """Raise FormulaError where tools of the dialect group two operators without brackets differently."""
    for node in tree.iter_subtrees() if TOOLS[dialect] else ():
        if (operator := _operator(node)) is None:
            continue
        for other in _spine(node.children[0], 2):
            _check_pair(text, dialect, other, operator, True)
        for other in _spine(node.children[2], 0):
            _check_pair(text, dialect, operator, other, False)


def _check_pair(text: str, dialect: Dialect, first: Token, second: Token, left: bool) -> None:
    kinds = _kind(first), _kind(second)
    if kinds[0] == kinds[1] and kinds[0] in ASSOCIATIVE:
        return
    if any(tool.groups_left(*kinds) is not left for tool in TOOLS[dialect]):
        raise FormulaError(f"found {quote(first)} and {quote(second)} without brackets, which tools group differently, "
                           f"expected (a {first} b) {second} c or a {first} (b {second} c)",
                           *place_of(text, second.start_pos or 0), text)


def _kind(operator: Token) -> str:
    return operator.type if operator.type in BOOLEAN else TEMPORAL


def _spine(node: object, side: int) -> Iterator[Token]:
    """Yield the operators that compete for the operand at one end of a part without brackets."""
    while (operator := _operator(node)) is not None and isinstance(node, Tree):
        yield operator
        node = node.children[side]


def _operator(node: object) -> Token | None:
    if isinstance(node, Tree) and node.data in ("binary", "bounded_binary") and isinstance(node.children[1], Token):
        return node.children[1]
    return None
