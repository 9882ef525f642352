"""Random C-RASP programs, each beside a function that says what it computes without parsing or running it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

Meaning = Callable[[Sequence[str], int], int]
"""The value on a word at a position counted from 0."""

RELATIONS: list[tuple[str, Callable[[int, int], bool]]] = [
    ("==", lambda x, y: x == y), ("!=", lambda x, y: x != y), ("<", lambda x, y: x < y),
    ("<=", lambda x, y: x <= y), (">", lambda x, y: x > y), (">=", lambda x, y: x >= y),
]  # fmt: skip
OPERATIONS: list[tuple[str, Callable[[int, int], int]]] = [
    ("({} + {})", lambda x, y: x + y), ("({} - {})", lambda x, y: x - y), ("min({}, {})", min), ("max({}, {})", max),
]  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """A text in brackets or without operators, and what it means."""

    text: str
    meaning: Meaning


@dataclass
class Writer:
    """The definitions so far, and the source of choices."""

    random: Random
    truths: list[Piece] = field(default_factory=list)
    numbers: list[Piece] = field(default_factory=list)

    def truth(self, depth: int) -> Piece:
        kind = self.random.randrange(3) if depth == 0 else self.random.randrange(3, 7)
        match kind:
            case 0 | 1:
                return self.letter()
            case 2:
                known = [Piece("pos_even", lambda w, i: i % 2 == 0), Piece("true", lambda w, i: 1), *self.truths]
                return self.random.choice(known)
            case 3:
                part = self.truth(depth - 1)
                return Piece(f"(!{part.text})", lambda w, i: not part.meaning(w, i))
            case 4:
                return self.comparison(depth)
        left, right = self.truth(depth - 1), self.truth(depth - 1)
        if kind == 5:
            return Piece(f"({left.text} && {right.text})", lambda w, i: left.meaning(w, i) and right.meaning(w, i))
        return Piece(f"({left.text} || {right.text})", lambda w, i: left.meaning(w, i) or right.meaning(w, i))

    def letter(self) -> Piece:
        symbol = self.random.choice("ab")
        return Piece(f'"{symbol}"', lambda w, i: w[i] == symbol)

    def comparison(self, depth: int) -> Piece:
        left, right = self.number(depth - 1), self.number(depth - 1)
        relation, holds = self.random.choice(RELATIONS)
        return Piece(f"({left.text} {relation} {right.text})",
                     lambda w, i: holds(left.meaning(w, i), right.meaning(w, i)))

    def number(self, depth: int) -> Piece:
        if depth == 0:
            constant = self.random.randrange(4)
            return self.random.choice([Piece(str(constant), lambda w, i: constant), self.count(0), *self.numbers])
        match self.random.randrange(7):
            case 0:
                return self.count(depth - 1)
            case 1:
                return self.neighbour(depth - 1)
            case 2:
                condition, left, right = self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1)
                return Piece(f"({left.text} if {condition.text} else {right.text})",
                             lambda w, i: left.meaning(w, i) if condition.meaning(w, i) else right.meaning(w, i))
            case 3:
                factor, part = self.random.randrange(4), self.number(depth - 1)
                return Piece(f"({factor} * {part.text})", lambda w, i: factor * part.meaning(w, i))
        left, right = self.number(depth - 1), self.number(depth - 1)
        operation, combine = self.random.choice(OPERATIONS)
        return Piece(operation.format(left.text, right.text),
                     lambda w, i: combine(left.meaning(w, i), right.meaning(w, i)))

    def count(self, depth: int) -> Piece:
        part = self.truth(depth)
        return Piece(f"(# {part.text})", lambda w, i: sum(1 for j in range(i + 1) if part.meaning(w, j)))

    def neighbour(self, depth: int) -> Piece:
        part, distance = self.truth(depth), self.random.choice([1, 2])
        name = "pred" if distance == 1 else "pred2"
        return Piece(f"(#[{name}] {part.text})",
                     lambda w, i: sum(1 for j in range(i + 1) if j == i - distance and part.meaning(w, j)))


def random_program(seed: int, depth: int = 2) -> tuple[str, dict[str, Meaning]]:
    """Return some definitions, the last a truth value, and what each of them means."""
    writer = Writer(Random(seed))
    lines, meanings = ["#import pred", "#import pred2", "#import pos_even"], {}
    for place in range(writer.random.randrange(1, 4)):
        number, truth = writer.number(depth), writer.truth(depth)
        for name, piece, known in ((f"n{place}", number, writer.numbers), (f"t{place}", truth, writer.truths)):
            lines.append(f"{name} = {piece.text}")
            meanings[name] = piece.meaning
            known.append(Piece(name, piece.meaning))
    return "\n".join(lines), meanings
