"""The trusted file: reads a certificate and says yes only if its claim is proved.

    python -I -S proofs/check.py [--formula F] [--predicate D] [--alphabet A] [--max-n N] [--regime R] [--causal] FILE...

Claim       On ``accepted: FILE``: for every n in 1..max_n, every word of length n over the alphabet and every position i
            of it, the transformer written in FILE (exact rational weights, real softmax, exact real arithmetic)
            holds exactly 1 in its output direction if the word satisfies the claimed formula at i, and exactly 0 if
            not; every subformula is held exactly by some direction; every *near* and *others* direction stays within
            its stated bounds; and the stated regime holds. The claim is printed in full: accepting says nothing else.
Why         Every direction has one writer and a stated meaning. Going up the layers, each writer is proved right from
            the meanings of what it reads, with everything that depends on the word left free (docs/certificate.md).
Trusted     This file, Python's integers and `fractions.Fraction`, `re`, and `json` for splitting text into strings
            and lists. No floating point, no tolerance, no search, no other file of this project.
Verdicts    `accepted` 0, `rejected` 1 (an obligation cannot be proved, or the claim is not the one asked for),
            `malformed` 2 (not in the format, or beyond a limit). A rejection does not say that the claim is false.
Legend      n length, i row (the position that attends), j position read, r component of queries and keys; a "row" is
            a pair (n, i); formulas, counts and numbers are integers, the places of their nodes in one table.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt, lcm
from types import SimpleNamespace
from typing import Any

MAX_BYTES, MAX_ITEMS, MAX_DEPTH = 1 << 26, 1 << 22, 16  # the file: size, strings or commas, nesting
MAX_DIGITS, MAX_BITS = 1000, 1 << 17  # one rational: as written, and as computed
MAX_FORMULA, MAX_EXPRESSION, MAX_NESTING, MAX_NODES = 100_000, 300, 200, 1 << 18
MAX_N, MAX_WORK = 4096, 10**9  # lengths; steps of about a microsecond
MAX_ARGUMENT, MAX_SPREAD = 40, 1 << 24  # |argument of exp| < 2^40; bits of an integer in a sum
HEAD_ATOMS, HEAD_MEMORY, UNIT_ATOMS = 8, 6, 12
NEGLIGIBLE = 60  # a lookup head's weights below exp(-60) of its greatest are bounded, not summed
QUARTER, ZERO, ONE = Fraction(1, 4), Fraction(0), Fraction(1)
Row = dict[str, Fraction]
Box = tuple[Fraction, Fraction]


class Malformed(Exception):
    """The file is not a certificate of this version, or it is beyond a limit."""


class Rejected(Exception):
    """An obligation could not be proved, or the claim is not the one asked for."""


def quote(name: str) -> str:
    """A name from the file, safe to print and not too long."""
    return ascii(name if len(name) <= 100 else name[:100] + "...")


def bounded(x: Fraction) -> Fraction:
    """X itself. Raises: Malformed: if it has more than MAX_BITS."""
    if x.numerator.bit_length() + x.denominator.bit_length() > MAX_BITS:
        raise Malformed(f"limit: a rational of more than {MAX_BITS} bits")
    return x


def total(terms: Iterable[Fraction]) -> Fraction:
    """The exact sum, bounded all the way."""
    result = ZERO
    for term in terms:
        result = bounded(result + term)
    return result


# --------------------------------------------------------------------------------------------------------- language
# Formulas, counts, numbers and the conditions of predicates share one table of operators, from loosest to tightest.
BOOLEAN, PAST, FUTURE = {"true", "false", "!", "&", "|", "->", "<->"}, {"prev", "since"}, {"next", "until"}
COUNTS, TEMPORAL = {"#<", "#>"}, PAST | FUTURE
BINARY = {"<->": (1, False), "->": (2, True), "|": (3, False), "&": (4, False)}  # strength; does it group to the right
BINARY |= dict.fromkeys(("since", "until", "S", "U"), (5, True))
RELATIONS: dict[str, Callable[[Fraction], bool]] = {"<=": lambda t: t <= 0, "<": lambda t: t < 0, "==": lambda t: t == 0}
RELATIONS |= {">=": lambda t: t >= 0, ">": lambda t: t > 0, "!=": lambda t: t != 0}
BINARY |= dict.fromkeys(RELATIONS, (7, False)) | dict.fromkeys("+-", (8, False))
BINARY |= dict.fromkeys(("*", "/", "//", "%"), (9, False)) | {"^": (11, True)}
PREFIX = dict.fromkeys(("!", "prev", "next", "O", "F", "H", "G"), 6) | {"-": 10} | dict.fromkeys((*COUNTS, "on"), 12)
ARITHMETIC = {"+", "-", "*", "/", "^"}
CONDITION = ARITHMETIC | {"//", "%", "!", "&", "|", *RELATIONS}
FORMULA = {*PREFIX, *BINARY} - {"/", "//", "%", "^"}
SPELLINGS = {"~": "!", "not": "!", "¬": "!", "&&": "&", "and": "&", "∧": "&", "||": "|", "or": "|", "∨": "|", "=": "=="}
SPELLINGS |= {"→": "->", "↔": "<->", "Y": "prev", "⊖": "prev", "X": "next", "⊕": "next", "**": "^"}
SPELLINGS |= {"≤": "<=", "≥": ">=", "≠": "!="}
PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "ODD": lambda n, i: i % 2 == 1,
    "EVEN": lambda n, i: i % 2 == 0,
    "FIRST": lambda n, i: i == 1,
    "LAST": lambda n, i: i == n,
    "SQUARE": lambda n, i: isqrt(i) ** 2 == i,
    "POW2": lambda n, i: i > 0 and i & (i - 1) == 0,
    "PRIME": lambda n, i: i > 1 and all(i % d for d in range(2, isqrt(i) + 1)),
}
WORDS = {*PREFIX, *BINARY, *SPELLINGS, *PREDICATES, "true", "false", "MOD", "Q"}
TOKEN = re.compile(
    r"(?P<leaf>Q_[A-Za-z0-9_]+|Q\['(?:[^'\\]|\\['\\])+'\]|MOD *\( *[1-9][0-9]{0,8} *, *[0-9]{1,9} *\))"
    r"|(?P<count>#[<>] *\[|[←→] *# *\[)|(?P<number>[0-9]{1,1000})|(?P<word>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<sign><->|->|&&?|\|\|?|\*\*|//|[<>=!]=|[-+*/%^<>=!~()\]¬∧∨→↔⊖⊕≤≥≠])|(?P<space>[ \t\r\n]+)|(?P<bad>.)",
    re.DOTALL,
)
Token = tuple[str, Any, int]
"""Text, value, column: a leaf has a value; so has "on", which applies a predicate (the value) to a count."""


def parse_postfix(tokens: Iterable[Token], where: str) -> Iterator[tuple[int, str, Any]]:
    """The tokens as postfix code (arity, text, value): operator precedence without recursion."""
    stack: list[tuple[int, int, str, Any]] = []  # (strength, arity, text, value); an open bracket has strength 0
    operand_next = True
    for text, value, column in tokens:
        if operand_next and value is not None and text != "on":
            yield 0, text, value
            operand_next = False
        elif operand_next and text in ("(", "["):
            stack.append((0, 0, text, None))
        elif operand_next and text in PREFIX:
            stack.append((PREFIX[text], 1, text, value))
        elif not operand_next and text in BINARY:
            strength, right = BINARY[text]
            while stack and (stack[-1][0] > strength or (stack[-1][0] == strength and not right)):
                yield stack.pop()[1:]
            stack.append((strength, 2, text, None))
            operand_next = True
        elif not operand_next and text in (")", "]"):
            while stack and stack[-1][0]:
                yield stack.pop()[1:]
            if not stack or stack.pop()[2] + text not in ("()", "[]"):
                raise Malformed(f"{where}, column {column}: unmatched {text}")
        else:
            wanted = "an operand" if operand_next else "an operator or the end"
            raise Malformed(f"{where}, column {column}: expected {wanted}, got {quote(text)}")
        if len(stack) > MAX_NESTING:
            raise Malformed(f"{where}, column {column}: limit: nested more than {MAX_NESTING} deep")
    if operand_next or any(strength == 0 for strength, *_ in stack):
        raise Malformed(f"{where}: ends where {'an operand' if operand_next else 'a closing bracket'} is expected")
    yield from (entry[1:] for entry in reversed(stack))


def power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Base to an integer of absolute value at most 64 (any integer if the base is 0, 1 or -1), or None."""
    e = exponent.numerator
    if exponent.denominator != 1 or (base == 0 and e < 0) or (abs(e) > 64 and base not in (0, 1, -1)):
        return None
    if base in (0, 1, -1):
        return ONE if e == 0 else base ** (2 - e % 2)
    if abs(e) * (base.numerator.bit_length() + base.denominator.bit_length()) > MAX_BITS:
        raise Malformed(f"limit: a rational of more than {MAX_BITS} bits")
    return Fraction(base**e)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "!": lambda a: not a, "->": lambda a, b: not a or b, "<->": lambda a, b: bool(a) == bool(b),
    "neg": lambda a: -a, "+": lambda a, b: bounded(a + b), "-": lambda a, b: bounded(a - b),
    "*": lambda a, b: bounded(a * b), "/": lambda a, b: bounded(a / b) if b else None, "^": power,
    "//": lambda a, b: Fraction(a // b) if b else None, "%": lambda a, b: bounded(a % b) if b else None,
}  # fmt: skip


def operate(op: str, args: list[Any]) -> Any:
    """An operation on values; None is the value of what has none. Conjunction and disjunction may stop early."""
    if op in ("&", "|"):
        return args[0] if args[0] is None or bool(args[0]) == (op == "|") else args[1]
    if None in args:
        return None
    return RELATIONS[op](args[0] - args[1]) if op in RELATIONS else OPERATIONS[op](*args)


Node = tuple[str, tuple[int, ...], tuple[Any, ...]]


class Language:
    """All formulas, counts and numbers met, each once: ``nodes[f]`` is (operator, operands, data), operands first.

    So loops in increasing order take the place of recursion, and ``a S b``, which repeats b, stays small. Beside the
    operators there are: Q with a symbol; P, a built-in predicate of this position, with its name and parameters; user,
    a condition on this position; on, a predicate and the count it is applied to; shift, a formula one position to the
    left; int; and T, which compares constant + sum of c * count with 0, with the data (relation, constant, c...).
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.places: dict[Node, int] = {}
        self.leaves: list[frozenset[str]] = []  # which of Q (symbols), T (temporal), # (counts), i and n occur
        self.predicates: dict[str, int] = {}  # the user's
        self.below: dict[int, list[int]] = {}
        self.values: dict[tuple[int, int, int], Fraction] = {}
        self.work = MAX_WORK

    def spend(self, steps: int) -> None:
        """Counts steps. Raises: Malformed: when the whole check would take too many."""
        self.work -= steps
        if self.work < 0:
            raise Malformed(f"limit: more than {MAX_WORK} steps of work")

    def make(self, op: str, *operands: int, data: tuple[Any, ...] = ()) -> int:
        """The place of this node."""
        node = (op, operands, data)
        if node not in self.places:
            if len(self.nodes) >= MAX_NODES:
                raise Malformed(f"limit: more than {MAX_NODES} formulas")
            own = "T" if op in TEMPORAL else "#" if op in COUNTS else op if op in "Qin" else "i" if op == "P" else ""
            names = {*own, "n"} if data[:1] == ("LAST",) and op == "P" else {*own}
            self.leaves.append(frozenset(names.union(*(self.leaves[a] for a in operands))))
            self.places[node] = len(self.nodes)
            self.nodes.append(node)
        return self.places[node]

    def parts(self, f: int) -> tuple[int, ...]:
        """The direct parts of f; those of a comparison or of a predicate on a count are what the counts count."""
        op, operands, _ = self.nodes[f]
        if op in ("T", "on"):
            return tuple(self.nodes[k][1][0] for k in operands[op == "on" :])
        return () if op in ("user", "shift") else operands

    def is_positional(self, f: int) -> bool:
        """Whether f depends on the position and the length alone."""
        return self.leaves[f] <= {"i", "n"}

    def preorder(self, roots: Iterable[int], stop: Callable[[int], bool] = lambda f: False) -> list[int]:
        """Each formula below ``roots`` once, the left first; what satisfies ``stop`` is listed but not entered."""
        stack, seen = list(roots)[::-1], dict[int, None]()
        while stack:
            f = stack.pop()
            if f not in seen:
                seen[f] = None
                stack.extend(() if stop(f) else reversed(self.parts(f)))
        return list(seen)

    def show(self, f: int, depth: int = 3) -> str:
        """The formula down to some depth, for messages."""
        op, _, data = self.nodes[f]
        parts = [self.show(a, depth - 1) if depth else "..." for a in self.parts(f)] + [quote(str(x)) for x in data]
        return f"{op}({', '.join(parts)})" if parts else op

    def formula(self, text: str, where: str) -> int:
        """The formula written ``text``, abbreviations expanded."""
        result = self._parse(text, where, MAX_FORMULA, FORMULA, self._read_leaf, self._make_formula)
        if isinstance(result, dict):
            raise Malformed(f"{where}: expected a formula, got a number")
        return int(result)

    def count(self, text: str, where: str) -> int:
        """The count written ``text``."""
        sums = self._parse(text, where, MAX_FORMULA, FORMULA, self._read_leaf, self._make_formula)
        if not isinstance(sums, dict) or list(sums.values()) != [1] or -1 in sums:
            raise Malformed(f"{where}: expected a count")
        return int(next(iter(sums)))

    def number(self, text: str, where: str) -> int:
        """The expression in i and n."""
        return self._parse_condition(text, where, {"i": "i", "n": "n"}, ARITHMETIC)

    def value(self, text: str, where: str) -> int:
        """An expression, or a bracket: ``[formula]`` or ``[formula](i-1)``."""
        match = re.fullmatch(r"\[(.*)\](\(i-1\))?", text, re.DOTALL)
        if match is None:
            return self.number(text, where)
        inner = self.formula(match[1], where)
        if not self.is_positional(inner):
            raise Malformed(f"{where}: a bracket speaks of more than the position")
        return self.make("shift", inner) if match[2] else inner

    def define(self, text: str, where: str) -> None:
        """Learns a user's predicate."""
        match = re.fullmatch(r" *([A-Za-z]\w*) *\( *([A-Za-z]\w*) *(?:, *([A-Za-z]\w*) *)?\) *:=(.*)", text, re.ASCII)
        if not match or match[1] in WORDS | self.predicates.keys() or match[1][:2] == "Q_" or match[2] == match[3]:
            raise Malformed(f"{where}: expected NAME(k) := condition or NAME(k,n) := condition, with a new name")
        condition = self._parse_condition(match[4], where, {match[2]: "i", match[3]: "n"}, CONDITION)
        self.predicates[match[1]] = self.make("user", condition)

    def _parse_condition(self, text: str, where: str, variables: dict[str, str], operators: set[str]) -> int:
        def leaf(word: str) -> int | None:
            return self.make(variables[word]) if word in variables else (
                self.make("int", data=(int(word),)) if word.isdigit() else None)  # fmt: skip

        result = int(self._parse(text, where, MAX_EXPRESSION, operators, leaf, self._make_condition))
        if self._is_number(result) != (operators is ARITHMETIC):
            raise Malformed(f"{where}: expected a {'number' if operators is ARITHMETIC else 'condition'}")
        return result

    def _parse(self, text: str, where: str, limit: int, operators: set[str], leaf: Callable[[str], Any],
               make: Callable[[str, list[Any], Any], Any]) -> Any:  # fmt: skip
        if len(text) > limit:
            raise Malformed(f"{where}: limit: a text of more than {limit} characters")

        def tokens() -> Iterator[Token]:
            for match in TOKEN.finditer(text):
                raw, column = match[0], match.start() + 1
                value = leaf(raw) if match.lastgroup in ("leaf", "number", "word") else None
                word, applied = SPELLINGS.get(raw, raw), re.match(" {0,9}[(]", text[match.end() : match.end() + 10])
                if match.lastgroup == "count" and "#<" in operators:
                    yield from ((part, None, column) for part in ("#<" if raw[0] == "←" or raw[1] == "<" else "#>", "["))
                elif value is not None or word in operators or word in ("(", ")", "]"):
                    yield "on" if applied and type(value) is int else word, value, column
                elif match.lastgroup != "space":
                    raise Malformed(f"{where}, column {column}: unknown {match.lastgroup} {quote(raw)}")

        stack: list[Any] = []
        for arity, word, value in parse_postfix(tokens(), where):
            args = [stack.pop() for _ in range(arity)][::-1]
            try:
                stack.append(make(word, args, value) if arity else value)
            except TypeError:
                raise Malformed(f"{where}: {quote(word)} is applied to a number or a truth value wrongly") from None
        return stack[0]

    def _read_leaf(self, word: str) -> Any:
        """What a word of a formula denotes if it is a leaf, else None; an integer is the sum {-1: it}."""
        if word.isdigit():
            return {-1: int(word)}
        if word in ("true", "false"):
            return self.make(word)
        if word in PREDICATES:
            return self.make("P", data=(word,))
        if word[:3] == "MOD" and word[-1] == ")":
            return self.make("P", data=("MOD", *map(int, re.findall("[0-9]+", word))))
        if word[:2] in ("Q_", "Q[") and len(word) > 2:
            return self.make("Q", data=(word[2:] if word[1] == "_" else re.sub(r"\\(.)", r"\1", word[3:-2]),))
        return self.predicates.get(word)

    def _make_formula(self, word: str, args: list[Any], value: Any) -> Any:
        """What an operator makes of formulas (places) and sums ({count: c, -1: constant}, mutable)."""
        if word in RELATIONS or word in ("+", "-", "*"):
            if not all(isinstance(a, dict) for a in args):
                raise TypeError
            if word == "*":
                constant, other = args if args[0].keys() <= {-1} else args[::-1]
                if not constant.keys() <= {-1}:
                    raise TypeError
                return {k: c * constant.get(-1, 0) for k, c in other.items()}
            left, right = args if len(args) == 2 else ({}, args[0])
            for k, c in right.items():
                left[k] = left.get(k, 0) + (c if word == "+" else -c)
            if word in ("+", "-"):
                return left
            counts = sorted(k for k, c in left.items() if c and k >= 0)
            return self.make("T", *counts, data=(word, left.get(-1, 0), *(left[k] for k in counts)))
        if word == "on":
            if not isinstance(args[0], dict) or list(args[0].values()) != [1] or -1 in args[0]:
                raise TypeError
            if self.nodes[value][0] not in ("P", "user"):
                raise TypeError
            return self.make("on", value, *args[0])
        if any(isinstance(a, dict) for a in args):
            raise TypeError
        if word in COUNTS:
            return {self.make(word, *args): 1}
        if word in ("O", "F"):
            return self.make("since" if word == "O" else "until", self.make("true"), *args)
        if word in ("H", "G"):
            return self.make("!", self._make_formula("O" if word == "H" else "F", [self.make("!", *args)], None))
        if word in ("S", "U"):
            return self.make("since" if word == "S" else "until", self.make("|", *args), args[1])
        return self.make(word, *args)

    def _is_number(self, f: int) -> bool:
        return self.nodes[f][0] in ARITHMETIC | {"neg", "//", "%", "int", "i", "n"}

    def _make_condition(self, word: str, args: list[int], _: Any) -> int:
        """What an operator makes of numbers and conditions."""
        if any(self._is_number(a) == (word in ("!", "&", "|")) for a in args) or word == "on":
            raise TypeError
        return self.make("neg" if word == "-" and len(args) == 1 else word, *args)

    def at(self, f: int, n: int, i: int, where: str) -> Fraction:
        """The value (or truth, 1 or 0) at (n, i) of a number or positional formula. Raises: Rejected: without one."""
        key = (f, n if "n" in self.leaves[f] else 0, i if "i" in self.leaves[f] else 0)
        if key not in self.values:
            if f not in self.below:
                self.below[f] = sorted(self.preorder([f]))
            self.spend(len(self.below[f]))
            value = self.evaluate(self.below[f], {}, n, i, where)[f]
            if value is None:
                raise Rejected(f"{where}: {self.show(f)} has no value at n = {n}, i = {i}")
            self.values[key] = Fraction(value)
        return self.values[key]

    def evaluate(self, order: Iterable[int], held: dict[int, Any], n: int, i: int, where: str) -> dict[int, Any]:
        """``held`` with the formulas of ``order`` added, operands first. Raises: Rejected: at what is not decided.

        A comparison is decided by the counts that are held, or by its sign, held at -1 - (its place).
        """
        for f in order:
            if f in held:
                continue
            op, operands, data = self.nodes[f]
            if op in OPERATIONS or op in RELATIONS or op in ("&", "|"):
                held[f] = operate(op, [held[a] for a in operands])
            elif op == "T" and (-1 - f in held or all(k in held for k in operands)):
                terms = (c * held[k] for k, c in zip(operands, data[2:], strict=True))
                held[f] = RELATIONS[data[0]](held[-1 - f] if -1 - f in held else sum(terms, data[1]))
            elif op in ("on", "shift") and all(k in held for k in operands[1:]):
                held[f] = self.at(operands[0], n, int(held[operands[1]]) if op == "on" else i - 1, where)
            elif op in ("i", "n", "int"):
                held[f] = Fraction(i if op == "i" else n if op == "n" else data[0])
            elif op in ("true", "false"):
                held[f] = op == "true"
            elif op == "user":
                held[f] = self.at(operands[0], n, i, where)
            elif op == "P":
                held[f] = i % data[1] == data[2] if data[0] == "MOD" else PREDICATES[data[0]](n, i)
            else:
                raise Rejected(f"{where}: {self.show(f)} is not decided by what is read")
        return held


# ------------------------------------------------------------------------------------------------------------- exp
WORKING = 192  # bits of working precision


def enclose_exp(x: Fraction) -> tuple[int, int, int]:
    """Integers (lower, upper, e) with lower * 2^e <= exp(x) <= upper * 2^e, equal to within about 2^-140; exp(0) = 1.

    Proof. Let y = |x| = p/q and U = 2^WORKING. As p < 2^bits(p) and q >= 2^(bits(q) - 1), t = y / 2^k < 1/2.
    t_lower <= t U <= t_upper by floor and ceiling. By induction on m, term_lower <= U t^m/m! <= term_upper: both
    start at U and are multiplied by a bound of t on their own side, divided by m, and rounded to their own side.
    Every term of exp's series is positive, so the sum of the lower terms is at most U exp(t). The loop ends after a
    term m >= 1 whose true value is at most 1; the later terms shrink by t/(m + 1) <= 1/4 at least and add up to
    less than 1/3, for which ``upper`` gains 1. It ends: an upper term above 1 at least halves, up to rounding.
    Squaring is monotone on positive numbers; its k rounds, rounded outward, give exp(t)^(2^k) = exp(y). For x < 0,
    exp(x) = 1/exp(y), and dividing by the upper bound gives the lower one. Width: the series loses fewer than 200
    units of 2^-192, each squaring doubles the relative error and adds 2^-190, and k <= 42; so lower is never 0.
    """
    if x == 0:
        return 1, 1, 0
    p, q = abs(x.numerator), x.denominator
    if p >> MAX_ARGUMENT >= q:
        raise Malformed(f"limit: the argument of exp is above 2^{MAX_ARGUMENT}")
    k = max(0, p.bit_length() - q.bit_length() + 2)
    t_lower, t_upper = (p << WORKING) // (q << k), -((-p << WORKING) // (q << k))
    lower = upper = term_lower = term_upper = 1 << WORKING
    m = 0
    while term_upper > 1:
        m += 1
        term_lower = term_lower * t_lower // (m << WORKING)
        term_upper = -(-term_upper * t_upper // (m << WORKING))
        lower, upper = lower + term_lower, upper + term_upper
    upper, e = upper + 1, -WORKING
    for _ in range(k):
        lower, upper, e = lower * lower, upper * upper, 2 * e
        excess = upper.bit_length() - WORKING
        lower, upper, e = lower >> excess, -(-upper >> excess), e + excess
    if x < 0:
        lower, upper, e = (1 << 2 * WORKING) // upper, -(-(1 << 2 * WORKING) // lower), -e - 2 * WORKING
    return lower, upper, e


# --------------------------------------------------------------------------------------------------- strict reading
def read_document(data: bytes) -> Any:
    """The JSON value whose one spelling ``data`` is. Raises: Malformed: for anything else.

    Repeated keys and other spellings of numbers and strings do not survive being written again.
    """
    if len(data) > MAX_BYTES:
        raise Malformed(f"limit: more than {MAX_BYTES} bytes")
    if not data.isascii():
        raise Malformed("a byte is not ASCII")
    text = data.decode("ascii")
    if max(map(text.count, '",[{')) > MAX_ITEMS:
        raise Malformed(f"limit: more than {MAX_ITEMS} items")
    depth = 0
    for bracket in re.findall(r"[][{}]", "".join(re.sub(r"\\.", "", text, flags=re.DOTALL).split('"')[::2])):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            raise Malformed(f"limit: nested more than {MAX_DEPTH} deep")
    try:
        document = json.loads(text)
        canonical = json.dumps(document, indent=1, ensure_ascii=True) + "\n"
    except ValueError as error:
        raise Malformed(f"not JSON: {error}") from None
    if canonical != text:
        pairs = zip(canonical.split("\n"), text.split("\n"), strict=False)
        line = next((k for k, (a, b) in enumerate(pairs, 1) if a != b), text.count("\n") + 1)
        raise Malformed(f"line {line}: not the one spelling (json.dumps, indent 1, ASCII, one final newline, no key twice)")
    return document


class Reader:
    """Reads the parts of a certificate; keeps the language and the order of the directions once they are known."""

    def __init__(self) -> None:
        self.language = Language()
        self.order: dict[str, int] = {}

    def read(self, value: Any, shape: Any, where: str) -> Any:
        """A value of a shape.

        A dict stands for an object with exactly these keys in this order, [shape] for a list, (shape,) for a map from
        directions in their order, a set for one of its elements, and a function reads the value itself.
        """
        if isinstance(shape, dict):
            if not isinstance(value, dict) or list(value) != list(shape):
                got = f"the keys {quote(', '.join(value))}" if isinstance(value, dict) else "no object"
                raise Malformed(f"{where}: expected the keys {', '.join(shape)}, got {got}")
            return SimpleNamespace(**{k: self.read(value[k], part, f"{where}, {k}") for k, part in shape.items()})
        if isinstance(shape, list):
            if not isinstance(value, list):
                raise Malformed(f"{where}: expected a list")
            return [self.read(item, shape[0], f"{where} {k}") for k, item in enumerate(value, 1)]
        if isinstance(shape, set):
            if not any(type(value) is type(choice) and value == choice for choice in shape):
                raise Malformed(f"{where}: expected {' or '.join(sorted(map(str, shape)))}, got {quote(str(value))}")
            return value
        if shape is object:
            return value
        if isinstance(shape, tuple):
            return self._read_map(value, shape[0], where)
        if shape is int:
            if type(value) is not int or not 0 < value < 10**9:
                raise Malformed(f"{where}: expected a positive integer, got {quote(str(value))}")
            return value
        if shape is not str:
            return shape(self, value, where)
        if not isinstance(value, str) or any("\ud800" <= c <= "\udfff" for c in value):
            raise Malformed(f"{where}: expected a string (rationals are strings; no lone surrogates), got {quote(str(value))}")
        return value

    def _read_map(self, value: Any, shape: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Malformed(f"{where}: expected an object")
        result, last = {}, -1
        for name, item in value.items():
            if self.order.get(name, -1) <= last:
                raise Malformed(f"{where}: {quote(name)} is unknown, or not in the order of `directions`")
            last, result[name] = self.order[name], self.read(item, shape, f"{where}, {quote(name)}")
            if item == "0" or not item:
                raise Malformed(f"{where}, {quote(name)}: a zero entry is left out, not written")
        return result

    def rational(self, value: object, where: str) -> Fraction:
        """The rational with this one spelling."""
        text = self.read(value, str, where)
        if not re.fullmatch(rf"-?[0-9]{{1,{MAX_DIGITS}}}(/[1-9][0-9]{{0,{MAX_DIGITS - 1}}})?", text):
            raise Malformed(f"{where}: expected a rational (limit: integers of {MAX_DIGITS} digits), got {quote(text)}")
        if str(result := Fraction(text)) != text:
            raise Malformed(f"{where}: not in lowest terms, or -0: {quote(text)}")
        return result

    def tokens(self, value: object, where: str) -> dict[str, Row]:
        """The token embedding."""
        rows = value.items() if isinstance(value, dict) else ()
        return {symbol: self.read(row, (Reader.rational,), f"{where}, {quote(symbol)}") for symbol, row in rows}

    def directions(self, value: object, where: str) -> dict[str, SimpleNamespace]:
        """The meanings: a `position` is its value where true holds, a `truth` is 1 where its formula holds."""
        meanings, true = dict[str, SimpleNamespace](), self.language.make("true")
        defaults = {"when": true, "formula": true, "value": self.language.make("int", data=(1,)), "count": -1}
        for name, item in value.items() if isinstance(value, dict) else ():
            here = f"{where}, {quote(self.read(name, str, where))}"
            kind = item.get("kind") if isinstance(item, dict) else None
            shape = {"kind": set(MEANINGS), **(MEANINGS.get(kind, {}) if isinstance(kind, str) else {})}
            meanings[name] = SimpleNamespace(**defaults | vars(self.read(item, shape, here)))
        self.order = {name: place for place, name in enumerate(meanings)}
        return meanings


def parsed(parse: Callable[[Language, str, str], Any]) -> Callable[[Reader, object, str], Any]:
    """The shape of a text in the language."""
    return lambda reader, value, where: parse(reader.language, reader.read(value, str, where), where)


WEIGHTS, FORMULA_TEXT, NUMBER_TEXT = (Reader.rational,), parsed(Language.formula), parsed(Language.number)
MEANINGS: dict[str, dict[str, Any]] = {
    "position": {"value": parsed(Language.value)},
    "truth": {"formula": FORMULA_TEXT},
    "near": {"formula": FORMULA_TEXT, "when": FORMULA_TEXT},
    "product": {"value": NUMBER_TEXT, "formula": FORMULA_TEXT},
    "mean": {"count": parsed(Language.count)},
    "others": {"count": parsed(Language.count)},
    "any": {},
}
HEAD: dict[str, Any] = {"name": str, "source": str, "mask": {"none", "future", "past"}}
HEAD |= {"weighting": {"softmax", "average-hardmax", "leftmost-hardmax", "rightmost-hardmax"}}
HEAD |= {"temperature": NUMBER_TEXT, "queries": [WEIGHTS], "keys": [WEIGHTS], "values": (WEIGHTS,)}
UNIT: dict[str, Any] = {"reads": WEIGHTS, "bias": Reader.rational, "writes": WEIGHTS}
LAYER: dict[str, Any] = {"heads": [HEAD], "feedforward": {"units": [UNIT], "bias": WEIGHTS}}
TRANSFORMER: dict[str, Any] = {"format": {"certify-transformer"}, "version": {1}, "alphabet": [str]}
TRANSFORMER |= {"predicates": [parsed(Language.define)], "directions": Reader.directions}
TRANSFORMER |= {"token_embedding": Reader.tokens, "position_embedding": (parsed(Language.value),)}
TRANSFORMER |= {"layers": [LAYER], "output": str}
CLAIM: dict[str, Any] = {"formula": FORMULA_TEXT, "alphabet": [str], "max_n": int}
CLAIM |= {"regime": {"temperature", "position", "unstated"}, "causal": {True, False}}
BOUND: dict[str, Any] = {"layer": int, "head": int, "direction": str}
BOUND |= {"error_if_false": Reader.rational, "error_if_true": Reader.rational}
CERTIFICATE: dict[str, Any] = {"format": {"certify-certificate"}, "version": {1}, "claim": object, "transformer": TRANSFORMER}
CERTIFICATE |= {"bounds": [BOUND]}


class Certificate:
    """The whole file, read and not yet believed, with the numbers that do not depend on the word.

    Raises: Malformed: unless it has the shape the format gives it.
    """

    def __init__(self, data: bytes) -> None:
        document, reader = read_document(data), Reader()
        whole = reader.read(document, CERTIFICATE, "file")
        self.claim = reader.read(whole.claim, CLAIM, "claim")  # after the predicates that it may mention
        self.language, self.model, self.bounds = reader.language, whole.transformer, whole.bounds
        self.text: str = whole.claim["formula"]
        self.defined: list[str] = document["transformer"]["predicates"]
        self.directions: dict[str, Any] = self.model.directions
        self.layers: list[Any] = self.model.layers
        self.heads = [head for layer in self.layers for head in layer.heads]
        self.chains, self.proved = dict[tuple[int, Item], int](), set[tuple[object, ...]]()
        self.weights: dict[Fraction, tuple[int, int, int]] = {}
        symbols: list[str] = self.claim.alphabet
        letters = {data[0] for op, _, data in self.language.nodes if op == "Q"}
        if self.model.alphabet != symbols:
            raise Rejected("the alphabet of the transformer is not the alphabet of the claim")
        for wrong, why in (
            (self.claim.max_n > MAX_N, f"max_n: limit: {self.claim.max_n} is above {MAX_N}"),
            (not symbols or "" in symbols, "alphabet: expected at least one symbol, none empty"),
            (len(set(symbols)) < len(symbols), "alphabet: expected each symbol once"),
            (list(self.model.token_embedding) != self.model.alphabet, "token_embedding: expected the alphabet, in order"),
            (self.model.output not in self.directions, f"output: {quote(self.model.output)} is not a direction"),
            (any(len(head.queries) != len(head.keys) for head in self.heads), "a head has not as many queries as keys"),
            (not all(head.values for head in self.heads), "a head writes nothing"),
            (not letters <= set(symbols), "a formula has a symbol that is not in the alphabet"),
        ):
            if wrong:
                raise Malformed(why)

    def rows(self) -> Iterator[tuple[int, int]]:
        """Every (n, i) of the claim."""
        for n in range(1, self.claim.max_n + 1):
            self.language.spend(n)
            for i in range(1, n + 1):
                yield n, i

    def is_known(self, name: str) -> bool:
        """Whether the direction's value does not depend on the word."""
        meaning = self.directions[name]
        return meaning.kind in ("position", "truth", "product") and self.language.is_positional(meaning.formula)

    def known(self, name: str, n: int, i: int) -> Fraction:
        """A known direction at (n, i), by its meaning."""
        meaning = self.directions[name]
        holds = self.language.at(meaning.formula, n, i, quote(name))
        return holds and self.language.at(meaning.value, n, i, quote(name))

    def known_parts(self, rows: Sequence[Row], n: int, i: int) -> tuple[Fraction, ...]:
        """What linear forms take from the known directions at (n, i)."""
        self.language.spend(1 + sum(map(len, rows)))
        return tuple(total(x * self.known(d, n, i) for d, x in row.items() if self.is_known(d)) for row in rows)

    def scaled_query(self, head: Any, n: int, i: int, where: str) -> tuple[Fraction, ...]:
        """The known part of the queries over the temperature at (n, i)."""
        temperature = self.language.at(head.temperature, n, i, where)
        return tuple(bounded(q / temperature) for q in self.known_parts(head.queries, n, i))

    def exp(self, x: Fraction) -> tuple[int, int, int]:
        """The enclosure of exp(x), computed once."""
        if x not in self.weights:
            self.language.spend(50 + (x.numerator.bit_length() >> 8))
            self.weights[x] = enclose_exp(x)
        return self.weights[x]


def check_embedding(given: Certificate, name: str, where: str) -> int:
    """The embedding alone makes the direction what it means; a direction that nothing writes is 0 everywhere."""
    model, language, meaning = given.model, given.language, given.directions[name]
    if meaning.kind == "any":
        return len(model.token_embedding)
    if name in model.position_embedding:
        if any(name in row for row in model.token_embedding.values()) or not given.is_known(name):
            raise Rejected(f"{where}: a position embedding does not make it what it means")
        for n, i in given.rows():
            got, wanted = language.at(model.position_embedding[name], n, i, where), given.known(name, n, i)
            if got != wanted:
                raise Rejected(f"{where}: it is {got}, expected {wanted}, at n = {n}, i = {i}")
        return len(model.token_embedding)
    if meaning.kind != "truth" or not language.leaves[meaning.formula] <= {"Q"}:
        raise Rejected(f"{where}: token embeddings do not make it what it means")
    order = sorted(language.preorder([meaning.formula]))
    language.spend(len(order) * len(model.token_embedding))
    for symbol, weights in model.token_embedding.items():
        truth = {f: language.nodes[f][2] == (symbol,) for f in order if language.nodes[f][0] == "Q"}
        weight, holds = weights.get(name, ZERO), language.evaluate(order, truth, 1, 1, where)[meaning.formula]
        if weight != holds:
            raise Rejected(f"{where}: symbol {quote(symbol)} has {weight}, expected {int(holds)}")
    return len(model.token_embedding)


# ------------------------------------------------------------------------------------------------------------ heads
def check_head(given: Certificate, head: Any, name: str, errors: Box | None, where: str) -> int:
    """What the head writes to the direction is what the direction means; returns the number of rows covered."""
    meaning, queried = given.directions[name], [d for query in head.queries for d in query]
    if head.weighting != "softmax":
        raise Rejected(f"{where}: the weighting is {head.weighting}, expected softmax")
    for n, i in given.rows():
        if (temperature := given.language.at(head.temperature, n, i, where)) <= 0:
            raise Rejected(f"{where}: the temperature is {temperature} at n = {n}, i = {i}, expected above 0")
    if meaning.kind == "any":
        return given.claim.max_n * (given.claim.max_n + 1) // 2
    if errors is not None and (min(errors) < 0 or (meaning.kind == "near" and max(errors) > QUARTER)):
        raise Rejected(f"{where}: the errors are {errors[0]} and {errors[1]}, expected 0 to 1/4 (others: 0 or more)")
    if errors is not None and (meaning.kind == "others" or not all(map(given.is_known, queried))):
        return check_lookup(given, head, name, errors, where)
    for d in queried:
        if not given.is_known(d):
            raise Rejected(f"{where}: queries read known directions only, not {quote(d)}")
    if meaning.kind in ("position", "mean"):
        return check_uniform(given, head, name, where)
    if errors is None:
        raise Rejected(f"{where}: a head cannot write a direction of kind {meaning.kind}")
    return check_attention(given, head, name, errors, where)


def visible(mask: str, n: int, i: int) -> tuple[int, int]:
    """The first and the last position that position i sees."""
    return (i if mask == "past" else 1), (i if mask == "future" else n)


def check_known(given: Certificate, rows: Iterable[Row], where: str) -> None:
    """Raises: Rejected: if some row reads a direction that depends on the word."""
    for d in (d for row in rows for d in row):
        if not given.is_known(d):
            raise Rejected(f"{where}: its keys and values read known directions only, not {quote(d)}")


def check_uniform(given: Certificate, head: Any, name: str, where: str) -> int:
    """Equal scores at all visible positions; so the mean there is exactly the stated number, or the stated count's."""
    meaning, value, covered, counted = given.directions[name], head.values[name], 0, given.directions[name].kind == "mean"
    check_known(given, head.keys, where)
    if counted:
        (read, weight), *more = value.items() or [("", ZERO)]
        op, (operand,), _ = given.language.nodes[meaning.count]
        truth = given.directions.get(read)
        if more or weight != 1 or truth is None or (truth.kind, truth.formula) != ("truth", operand):
            raise Rejected(f"{where}: the value is not 1 on the truth of what is counted")
        if head.mask != {"#<": "future", "#>": "past"}[op]:
            raise Rejected(f"{where}: the mask is {head.mask}, which does not see what {op} counts")
    else:
        check_known(given, [value], where)
    for n in range(1, given.claim.max_n + 1):
        keys = [given.known_parts(head.keys, n, j) for j in range(1, n + 1)]
        sums = [ZERO]
        for j in range(1, n + 1) if not counted else ():
            sums.append(bounded(sums[-1] + given.known_parts([value], n, j)[0]))
        for i in range(1, n + 1):
            first, last = visible(head.mask, n, i)
            query = given.known_parts(head.queries, n, i)
            given.language.spend(1 + (last - first) * len(query))
            if any(query) and len({total(map(Fraction.__mul__, query, key)) for key in keys[first - 1 : last]}) > 1:
                raise Rejected(f"{where}: the scores are not all equal at n = {n}, i = {i}")
            if not counted:
                mean, wanted = (sums[last] - sums[first - 1]) / (last - first + 1), given.known(name, n, i)
                if mean != wanted:
                    raise Rejected(f"{where}: the mean is {mean}, expected {wanted}, at n = {n}, i = {i}")
            covered += 1
    return covered


# ----------------------------------------------------------------------------------------- heads that look up a count
class Lookup:
    """A head whose scores depend on one count: on c = m + b, where b is the truth here of the formula counted.

    Nothing else about the word enters, so all words are covered by b = 0, 1 and every number m of other positions.
    """

    def __init__(self, given: Certificate, head: Any, name: str, where: str) -> None:
        language, self.given, self.where, self.meaning = given.language, given, where, given.directions[name]
        self.head, self.forms = head, [*head.keys, head.values[name]]
        read = [given.directions[d] for query in head.queries for d in query if not given.is_known(d)]
        counts = {m.count for m in [*read, self.meaning] if m.kind in ("mean", "others")}
        if len(counts) != 1:
            raise Rejected(f"{where}: queries read the means of {len(counts)} counts, expected 1")
        (self.count,) = counts
        self.left, (self.counted,) = language.nodes[self.count][0] == "#<", language.nodes[self.count][1]
        allowed = [("mean", self.counted), ("truth", self.counted), ("product", self.counted)]
        for m in read:
            if (m.kind, self.counted if m.count == self.count else m.formula) not in allowed:
                raise Rejected(f"{where}: queries read a {m.kind} that is neither known nor about the count")
        check_known(given, self.forms, where)

        def stop(f: int) -> bool:
            return f == self.counted or language.nodes[f][0] in ("T", "on")

        roots = [self.meaning.formula, self.meaning.when] if self.meaning.kind == "near" else []
        self.order = sorted(language.preorder(roots, stop))
        self.is_guarded = language.is_positional(self.meaning.when)

    def truths(self, n: int, i: int) -> tuple[int, ...]:
        """What b may be."""
        language = self.given.language
        return (int(language.at(self.counted, n, i, self.where)),) if language.is_positional(self.counted) else (0, 1)

    def queries(self, n: int, i: int, b: int) -> tuple[list[Fraction], list[Fraction]]:
        """The scaled queries for m = 0, and what each further position counted adds."""
        given, length = self.given, i if self.left else n + 1 - i
        temperature = given.language.at(self.head.temperature, n, i, self.where)
        start, step = list(given.scaled_query(self.head, n, i, self.where)), []
        for r, query in enumerate(self.head.queries):
            mean = total(x for d, x in query.items() if given.directions[d].kind == "mean")
            step.append(bounded(mean / length / temperature))
            here = (x * given.language.at(given.directions[d].value, n, i, self.where) for d, x in query.items()
                    if given.directions[d].kind in ("truth", "product") and not given.is_known(d))  # fmt: skip
            start[r] = bounded(start[r] + b * (step[r] + total(here) / temperature))
        return start, step

    def target(self, n: int, i: int, b: int, m: int) -> Fraction | None:
        """The number that the head must be near, if any."""
        if self.meaning.kind == "others":
            return Fraction(m)
        held = self.given.language.evaluate(self.order, {self.counted: b == 1, self.count: m + b}, n, i, self.where)
        return Fraction(held[self.meaning.formula]) if held[self.meaning.when] else None


def check_lookup(given: Certificate, head: Any, name: str, errors: Box, where: str) -> int:
    """The head holds the direction's truth, or the number of others, to within ``errors``; the number of rows.

    Keys are quadratic in j, so scores fall from the greatest by l or r at the first step and by s more at each
    further one. Cases that agree in these, in the values near the greatest and in the ends are proved once.
    """
    lookup, covered, language = Lookup(given, head, name, where), 0, given.language
    for n in range(1, given.claim.max_n + 1):
        parts = [given.known_parts(lookup.forms, n, j) for j in range(1, n + 1)]
        values = [part[-1] for part in parts]
        firsts = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(parts, parts[1:], strict=False)]
        seconds = [[b - a for a, b in zip(*pair, strict=True)][:-1] for pair in zip(firsts, firsts[1:], strict=False)]
        if any(second != seconds[0] for second in seconds):
            raise Rejected(f"{where}: keys are not quadratic in j at n = {n}")
        if lookup.meaning.kind == "near" and not (0 <= min(values) and max(values) <= 1):
            raise Rejected(f"{where}: a value is outside 0 to 1 at n = {n}")
        zeros = [ZERO] * len(head.keys)
        greatest = max(map(abs, values)) + n + max(errors)
        for i in range(1, n + 1):
            first, last = visible(head.mask, n, i)
            covered += not lookup.is_guarded or language.at(lookup.meaning.when, n, i, where) == 1
            for b in lookup.truths(n, i):
                start, step = lookup.queries(n, i, b)
                first_difference = firsts[first - 1] if first < last else zeros
                pieces = [total(map(Fraction.__mul__, q, k)) for q in (start, step)
                          for k in (first_difference, seconds[0] if seconds else zeros)]  # fmt: skip
                unit = lcm(*(piece.denominator for piece in pieces))
                d0, s0, d1, s1 = (int(piece * unit) for piece in pieces)
                language.spend(20 * (i if lookup.left else n + 1 - i))
                for m in range(i if lookup.left else n + 1 - i):
                    wanted = lookup.target(n, i, b, m)
                    if wanted is None:
                        continue
                    d, s = d0 + m * d1, -(s0 + m * s1)
                    if s < 0:
                        raise Rejected(f"{where}: scores are not concave at n = {n}, i = {i}, count {m + b}")
                    top = first if d <= 0 else last if s == 0 else min(last, first - (-d // s))
                    r, l = (top - first) * s - d, d - (top - 1 - first) * s
                    near = [(0, values[top - 1] - wanted)]
                    ends = []
                    for sign, fall, room in ((1, r, last - top), (-1, l, top - first)):
                        k = 1
                        while k <= room and (drop := k * fall + s * (k * (k - 1) // 2)) <= NEGLIGIBLE * unit:
                            near.append((drop, values[top - 1 + sign * k] - wanted))
                            k += 1
                        ends.append(k <= room)
                    key = (unit, tuple(near), any(ends), greatest, errors)
                    if key not in given.proved and not is_mean_within(given, unit, near, errors, greatest * n * any(ends)):
                        raise Rejected(f"{where}: the error exceeds its bound at n = {n}, i = {i}, count {m + b}")
                    given.proved.add(key)
    return covered


def is_mean_within(given: Certificate, unit: int, near: list[tuple[int, Fraction]], errors: Box, rest: Fraction) -> bool:
    """Whether the mean of offsets weighted with exp(-drop / unit) is at most errors[0] and at least -errors[1].

    ``rest`` bounds what is left out, in units of exp(-NEGLIGIBLE): the sum of |error - offset| there.
    """
    for sign, error in zip((1, -1), errors, strict=True):
        least = ZERO
        for drop, offset in near:
            lower, upper, e = given.exp(Fraction(-drop, unit))
            factor = error - sign * offset
            least += factor * Fraction(lower if factor >= 0 else upper) * Fraction(2) ** e
        _, upper, e = given.exp(Fraction(-NEGLIGIBLE))
        if least < rest * upper * Fraction(2) ** e:
            return False
    return True


# ------------------------------------------------------------------------------------- heads for temporal operators
Letter = tuple[tuple[Fraction, ...], tuple[tuple[int, bool], ...]]
"""What a letter adds to the keys and the value; and for each state, the next state and the truth of the target."""
Item = tuple[tuple[Fraction, ...], tuple[Letter, ...]]
"""A position: what the keys and the value take from known directions, and the letters it may have."""


def check_attention(given: Certificate, head: Any, name: str, errors: Box, where: str) -> int:
    """The head holds the direction's formula to within ``errors`` wherever its `when` holds; the number of rows.

    Rows of one length with the same scaled query are checked in one pass along the positions. A chain of positions is
    known by its number, so that no pass is made twice, for another length or for another head.
    """
    meaning, forms, covered = given.directions[name], [*head.keys, head.values[name]], 0
    if head.mask == "none" or not given.language.is_positional(meaning.when):
        raise Rejected(f"{where}: expected a mask, and a `when` that speaks of the position only")
    automaton = Automaton(given, meaning.formula, forms, head.mask == "future", where)
    for n in range(given.claim.max_n, 0, -1):
        chain, ends, wanted = list[Item](), [0], dict[tuple[Fraction, ...], list[int]]()
        for length, i in enumerate(range(1, n + 1) if head.mask == "future" else range(n, 0, -1), 1):
            item = (given.known_parts(forms, n, i), automaton.letters(n, i))
            given.language.spend(len(item[1]) << len(automaton.memory))
            for adds, _ in item[1]:
                if not 0 <= (value := item[0][-1] + adds[-1]) <= 1:
                    raise Rejected(f"{where}: a value can be {value}, expected 0 to 1")
            chain.append(item)
            ends.append(given.chains.setdefault((ends[-1], item), len(given.chains) + 1))
            if given.language.at(meaning.when, n, i, where):
                covered += 1
                query = given.scaled_query(head, n, i, where)
                if (query, ends[length], errors) not in given.proved:
                    wanted.setdefault(query, []).append(length)
        for query, lengths in wanted.items():
            failed = find_violation(given, query, chain[: lengths[-1]], set(lengths), errors)
            if failed is not None:
                side, i = failed[0], failed[1] if head.mask == "future" else n + 1 - failed[1]
                label = ("error_if_false", "error_if_true")[side]
                raise Rejected(f"{where}: {label} {errors[side]} is below the worst case at n = {n}, i = {i}")
            given.proved.update((query, ends[length], errors) for length in lengths)
    return covered


class Automaton:
    """What a head's target remembers from position to position, over letters that give each atom any truth.

    The state has one bit for each temporal operator of the target: the last value of `since` and `until`, and of the
    operand of `prev` and `next`. It is 0 before the first position that is read.
    """

    def __init__(self, given: Certificate, target: int, forms: Sequence[Row], future: bool, where: str) -> None:
        self.given, self.target, self.where, self.width = given, target, where, len(forms)
        self.tables: dict[tuple[bool, ...], tuple[Letter, ...]] = {}
        language, nodes = given.language, given.language.nodes
        reads = [d for d in given.directions if any(d in form for form in forms) and not given.is_known(d)]
        for read in reads:
            if given.directions[read].kind != "truth":
                raise Rejected(f"{where}: keys and values read known and truth directions only, not {quote(read)}")
        self.adds = [(given.directions[d].formula, tuple(form.get(d, ZERO) for form in forms)) for d in reads]
        parts = set(language.preorder([f for f, _ in self.adds], lambda f: nodes[f][0] not in BOOLEAN))

        def is_atom(f: int) -> bool:
            return f != target and not language.is_positional(f) and (f in parts or nodes[f][0] == "Q")

        own = language.preorder([target], lambda f: is_atom(f) or language.is_positional(f))
        for f in own:
            if not (is_atom(f) or language.is_positional(f) or nodes[f][0] in BOOLEAN | (PAST if future else FUTURE)):
                raise Rejected(f"{where}: {language.show(f)} is neither read nor decided by this mask")
        atoms = [f for f in own if is_atom(f)]
        self.memory = [f for f in own if f not in atoms and nodes[f][0] in TEMPORAL]
        if not self.memory:
            raise Rejected(f"{where}: the target has no temporal operator of its own")
        below = language.preorder([f for f, _ in self.adds], lambda f: f in atoms or nodes[f][0] not in BOOLEAN)
        free = [f for f in below if not language.is_positional(f) and nodes[f][0] not in BOOLEAN]
        self.atoms = list(dict.fromkeys([*atoms, *free]))
        self.order = [*sorted({*own, *below} - {*self.atoms, target}), target]
        self.fixed = [f for f in self.order if language.is_positional(f)]
        if len(self.atoms) > HEAD_ATOMS or len(self.memory) > HEAD_MEMORY:
            raise Rejected(f"{where}: {len(self.atoms)} atoms, expected at most {HEAD_ATOMS}; or {len(self.memory)} "
                           f"temporal operators, expected at most {HEAD_MEMORY}")  # fmt: skip

    def letters(self, n: int, i: int) -> tuple[Letter, ...]:
        """The letters that position i may have, each once, in one order."""
        key = tuple(bool(self.given.language.at(f, n, i, self.where)) for f in self.fixed)
        if key not in self.tables:
            fixed = dict(zip(self.fixed, key, strict=True))
            found = (self.read_letter(fixed, bits) for bits in range(1 << len(self.atoms)))
            self.tables[key] = tuple(sorted(set(found)))
        return self.tables[key]

    def read_letter(self, fixed: dict[int, bool], bits: int) -> Letter:
        """The letter that gives the atoms these truth values."""
        self.given.language.spend(len(self.order) << len(self.memory))
        held = fixed | {f: bool(bits >> bit & 1) for bit, f in enumerate(self.atoms)}
        moves, truth = [], dict[int, bool]()
        for state in range(1 << len(self.memory)):
            truth, after = dict(held), 0
            for f in self.order:
                op, args, _ = self.given.language.nodes[f]
                if f in self.memory:
                    bit = self.memory.index(f)
                    last, single = bool(state >> bit & 1), op in ("prev", "next")
                    value = last if single else truth[args[0]] and (truth[args[1]] or last)
                    after |= (truth[args[0]] if single else value) << bit
                    truth[f] = value
                else:
                    self.given.language.evaluate([f], truth, 1, 1, self.where)
            moves.append((after, truth[self.target]))
        adds = [add for f, add in self.adds if (held if f in held else truth)[f]]
        return tuple(total(add[r] for add in adds) for r in range(self.width)), tuple(moves)


def find_violation(given: Certificate, query: tuple[Fraction, ...], chain: list[Item], wanted: set[int],
                   errors: Box) -> tuple[int, int] | None:  # fmt: skip
    """A side (0: target false, 1: true) and a wanted length at which the error may exceed its bound, if there are any.

    The error is at most e on all sequences of letters iff the least sum of w (e - error) over them is not negative:
    a shortest path over (position, state). The sum is in units of the smallest exponent of the pass, so that only the
    weights are rounded: down where the factor is positive, up where it is negative. The least sum found is at most
    the true one.
    """
    pairs = dict.fromkeys((known, adds) for known, letters in chain for adds, _ in letters)
    scores = {pair: total(q * (a + b) for q, a, b in zip(query, *pair, strict=False)) for pair in pairs}
    top = max(scores.values())
    weights = {pair: given.exp(score - top) for pair, score in scores.items()}
    least = min(e for _, _, e in weights.values())
    bits = max(e + upper.bit_length() for _, upper, e in weights.values()) - least
    if bits > MAX_SPREAD:
        raise Malformed(f"limit: the spread of the scores makes integers of {bits} bits")
    for side, bound in enumerate(errors):
        factors = {pair: bound - abs(side - (pair[0][-1] + pair[1][-1])) for pair in pairs}
        common = lcm(*(factor.denominator for factor in factors.values()))
        terms = {}
        for pair, (lower, upper, e) in weights.items():
            factor = int(factors[pair] * common)
            terms[pair] = (factor * (lower if factor >= 0 else upper)) << (e - least)
        best = {0: 0}
        for length, (known, letters) in enumerate(chain, 1):
            after, finals = dict[int, int](), list[int]()
            given.language.spend(len(letters) * len(best) * (1 + (bits >> 12)))
            for adds, moves in letters:
                for state, before in best.items():
                    following, truth = moves[state]
                    cost = before + terms[known, adds]
                    after[following] = min(after.get(following, cost), cost)
                    if truth == side:
                        finals.append(cost)
            if length in wanted and finals and min(finals) < 0:
                return side, length
            best = after
    return None


# ----------------------------------------------------------------------------------------------------- feed-forward
Form = tuple[tuple[str, Fraction], ...]


class FeedForward:
    """One output of a feed-forward part: the units that write it, grouped by the linear form they read up to a factor.

    Over each assignment of truths to what is read, and of signs to comparisons, each form ranges over an interval.
    """

    def __init__(self, given: Certificate, layer: Any, name: str, bounds: dict[str, Box], where: str) -> None:
        self.given, self.where, self.meaning, self.bounds = given, where, given.directions[name], bounds
        language, nodes = given.language, given.language.nodes
        self.bias = layer.feedforward.bias.get(name, ZERO)
        self.groups: dict[Form, list[tuple[Fraction, Fraction, Fraction]]] = {}
        for unit in layer.feedforward.units:
            if name in unit.writes:
                scale = next(iter(unit.reads.values()), ONE)
                form = tuple((d, bounded(c / scale)) for d, c in unit.reads.items())
                self.groups.setdefault(form, []).append((scale, unit.bias, unit.writes[name]))
        reads = dict.fromkeys(d for form in self.groups for d, _ in form)
        self.known = [d for d in reads if given.is_known(d)]
        self.free = {d: given.directions[d] for d in reads if d not in self.known}
        for d, m in self.free.items():
            if m.kind in ("mean", "any"):
                raise Rejected(f"{where}: a unit reads {quote(d)}, of kind {m.kind}")
        self.atoms = list(dict.fromkeys(m.formula for m in self.free.values() if m.kind != "others"))

        def stop(f: int) -> bool:
            return f in self.atoms or language.is_positional(f) or nodes[f][0] not in BOOLEAN

        own = language.preorder([self.meaning.formula], stop)
        self.signs = [f for f in own if nodes[f][0] == "T" and f not in self.atoms and not language.is_positional(f)]
        roots = [*own, *self.atoms, *(a for f in self.signs for a in language.parts(f))]
        guards = [m.when for m in self.free.values()]
        self.guards = {g for g in guards if not any(nodes[f][0] not in BOOLEAN and f not in self.atoms and
                       not language.is_positional(f) for f in language.preorder([g], stop))}  # fmt: skip
        self.order = sorted(language.preorder([*roots, *self.guards], stop))
        self.multiples = {form: self.match(form) for form in self.groups}
        if len(self.atoms) + len(self.signs) > UNIT_ATOMS:
            raise Rejected(f"{where}: {len(self.atoms) + len(self.signs)} atoms, expected at most {UNIT_ATOMS}")

    def match(self, form: Form) -> tuple[int, Fraction] | None:
        """The comparison f, and a, such that the form is a * T plus a form without counts; None if it reads none."""
        counts: dict[int, Fraction] = {}
        for d, c in form:
            if d in self.free and self.free[d].kind == "others":
                counts[self.free[d].count] = counts.get(self.free[d].count, ZERO) + c
        for f in self.signs if counts else ():
            _, operands, (_, _, *coefficients) = self.given.language.nodes[f]
            a = counts.get(operands[0], ZERO) / coefficients[0]
            if counts == {k: a * c for k, c in zip(operands, coefficients, strict=True)}:
                return f, a
        if counts:
            raise Rejected(f"{self.where}: a unit does not read the counts in the proportions that are compared")
        return None

    def interval(self, form: Form, numbers: Row, truth: dict[int, Any]) -> Box | None:
        """All that the form may hold under the assignment, or None if the assignment is impossible."""
        low = high = ZERO
        for d, c in form:
            start, end = self.held(d, numbers, truth) if d in self.free else (numbers[d], numbers[d])
            low, high = bounded(low + min(c * start, c * end)), bounded(high + max(c * start, c * end))
        if (matched := self.multiples[form]) is not None:
            (f, a), language = matched, self.given.language
            _, constant, *coefficients = language.nodes[f][2]
            n, sign = self.given.claim.max_n, truth[-1 - f]
            least = constant + n * sum(min(c, 0) for c in coefficients) if sign < 0 else sign
            most = constant + n * sum(max(c, 0) for c in coefficients) if sign > 0 else sign
            if least > most:
                return None
            here = sum(c * truth[k] for k, c in zip(language.parts(f), coefficients, strict=True))
            offsets = [a * (least - constant - here), a * (most - constant - here)]
            low, high = bounded(low + min(offsets)), bounded(high + max(offsets))
        return low, high

    def held(self, d: str, numbers: Row, truth: dict[int, Any]) -> Box:
        """All that a direction may hold; of `others`, the errors alone."""
        meaning = self.free[d]
        if meaning.kind == "others":
            return -self.bounds[d][1], self.bounds[d][0]
        if meaning.kind != "near":
            return truth[meaning.formula] * numbers[d], truth[meaning.formula] * numbers[d]
        if meaning.when not in self.guards or not truth[meaning.when]:
            return ZERO, ONE
        return (1 - QUARTER, ONE) if truth[meaning.formula] else (ZERO, QUARTER)

    def output(self, numbers: Row, truth: dict[int, Any]) -> Fraction | None:
        """The one output under the assignment, or None if it is impossible. Raises: Rejected: if there are several."""
        result = self.bias
        for form, units in self.groups.items():
            if (interval := self.interval(form, numbers, truth)) is None:
                return None
            low, high = interval
            bends = (-bias / scale for scale, bias, _ in units)
            points = {low, high, *(bend for bend in bends if low < bend < high)}
            found = {total(w * max(scale * x + bias, ZERO) for scale, bias, w in units) for x in points}
            if len(found) > 1:
                shown = " + ".join(f"{c} {quote(d)}" for d, c in form)
                raise Rejected(f"{self.where}: the output changes while {shown} goes from {low} to {high}")
            result = bounded(result + found.pop())
        return result


def check_feedforward(given: Certificate, layer: Any, name: str, bounds: dict[str, Box], where: str) -> int:
    """The feed-forward part makes the direction exactly what it means; returns the number of rows covered."""
    language, meaning = given.language, given.directions[name]
    if meaning.kind not in ("position", "truth", "product", "any"):
        raise Rejected(f"{where}: a {meaning.kind} direction is written by a head")
    if meaning.kind == "any":
        return given.claim.max_n * (given.claim.max_n + 1) // 2
    language.spend(len(layer.feedforward.units))
    part, covered, seen = FeedForward(given, layer, name, bounds, where), 0, set[tuple[object, ...]]()
    positional = [f for f in part.order if language.is_positional(f)]
    edges = [(f, language.nodes[f][0]) for f in part.order if language.nodes[f][0] in ("prev", "next")]
    scaled = [d for d, m in part.free.items() if m.kind in ("truth", "product")]
    for n, i in given.rows():
        covered += 1
        fixed = {f: bool(language.at(f, n, i, where)) for f in positional}
        fixed |= {f: False for f, op in edges if i == (1 if op == "prev" else n)}
        numbers = {d: given.known(d, n, i) for d in part.known}
        numbers |= {d: language.at(part.free[d].value, n, i, where) for d in scaled}
        wanted = language.at(meaning.value, n, i, where)
        case = (tuple(fixed.items()), tuple(numbers.items()), wanted)
        if case in seen:
            continue
        seen.add(case)
        choices = [(f, (False, True)) for f in part.atoms if f not in fixed] + [(-1 - f, (-1, 0, 1)) for f in part.signs]
        for chosen in product(*(options for _, options in choices)):
            language.spend(10 * (1 + len(layer.feedforward.units) + len(part.order)))
            truth = fixed | {f: value for (f, _), value in zip(choices, chosen, strict=True)}
            place = f"{where}, n = {n}, i = {i}"
            language.evaluate(part.order, truth, n, i, place)
            got, expected = part.output(numbers, truth), wanted * truth[meaning.formula]
            if got is not None and got != expected:
                raise Rejected(f"{place}: the output is {got}, expected {expected}")
    return covered


# ------------------------------------------------------------------------------------------- composition and claim
def check_composition(given: Certificate) -> dict[str, tuple[int, int]]:
    """For each direction its one writer, (stage, head): stage 0 embeds, 2l - 1 is the heads of layer l, 2l the rest."""
    writers: dict[str, tuple[int, int]] = {}

    def write(names: Iterable[str], stage: int, head: int) -> None:
        for name in dict.fromkeys(names):
            if name in writers:
                raise Rejected(f"direction {quote(name)} is written twice, the second time in layer {(stage + 1) // 2}")
            writers[name] = (stage, head)

    def read(rows: Iterable[Row], stage: int) -> None:
        for name in (name for row in rows for name in row):
            if name not in writers or writers[name][0] >= stage:
                raise Rejected(f"layer {(stage + 1) // 2} reads {quote(name)}, which is not established before")

    parts = [layer.feedforward for layer in given.layers]
    made = [[*part.bias, *(name for unit in part.units for name in unit.writes)] for part in parts]
    later = {*(name for names in made for name in names), *(name for head in given.heads for name in head.values)}
    embedded = {*given.model.position_embedding, *(d for row in given.model.token_embedding.values() for d in row)}
    write([name for name in given.directions if name in embedded or name not in later], 0, 0)
    for place, layer in enumerate(given.layers, 1):
        for number, head in enumerate(layer.heads, 1):
            read([*head.queries, *head.keys, *head.values.values()], 2 * place - 1)
            write(head.values, 2 * place - 1, number)
        read([unit.reads for unit in layer.feedforward.units], 2 * place)
        write(made[place - 1], 2 * place, 0)
    return writers


def check_claim(given: Certificate) -> int:
    """Directions mean the claimed formula and its subformulas, whose number is returned; the regime is as claimed."""
    claim, placed, language = given.claim, given.model.position_embedding, given.language
    held = {meaning.formula for meaning in given.directions.values() if meaning.kind == "truth"}
    output = given.directions[given.model.output]
    if output.kind != "truth" or output.formula != claim.formula:
        raise Rejected(f"output {quote(given.model.output)} does not mean the truth of the claimed formula")
    parts = language.preorder([claim.formula])
    for f in parts:
        if f not in held:
            raise Rejected(f"no direction means the truth of the subformula {language.show(f)}")
    for n, i in given.rows():
        for name, e in placed.items() if claim.regime == "temperature" else ():
            limit = n * n if "#" in language.leaves[claim.formula] else 1
            if abs(language.at(e, n, i, quote(name))) > limit:
                raise Rejected(f"regime: the position embedding of {quote(name)} is above {limit} in absolute value")
        for head in given.heads if claim.regime == "position" else ():
            if language.at(head.temperature, n, i, "regime") != 1:
                raise Rejected(f"regime: the temperature of head {quote(head.name)} is not 1 everywhere")
    if claim.causal and any(head.mask != "future" for head in given.heads):
        raise Rejected("causal: a head is not future-masked")
    if claim.causal and any("n" in language.leaves[e] for e in [*placed.values(), *(h.temperature for h in given.heads)]):
        raise Rejected("causal: an embedding or a temperature mentions n")
    return len(parts)


def check_certificate(given: Certificate) -> Report:
    """Every obligation of the certificate, and then that nothing was left out."""
    writers, rows = check_composition(given), given.claim.max_n * (given.claim.max_n + 1) // 2
    places = [((stage + 1) // 2, head, name) for name, (stage, head) in writers.items() if head]
    near = [place for place in places if given.directions[place[2]].kind in ("near", "others")]
    if [(b.layer, b.head, b.direction) for b in given.bounds] != near:
        raise Rejected("bounds: expected exactly one entry for every near direction, in the order they are written")
    bounds = {b.direction: (b.error_if_false, b.error_if_true) for b in given.bounds}
    covered = dict.fromkeys(("embedding cells", "head rows", "feed-forward rows", "subformulas"), 0)
    expected = covered | {"subformulas": len(given.language.preorder([given.claim.formula]))}
    covered["subformulas"] += check_claim(given)
    for name, (stage, head) in writers.items():
        number, meaning = (stage + 1) // 2, given.directions[name]
        if stage == 0:
            covered["embedding cells"] += rows * check_embedding(given, name, f"embedding, direction {quote(name)}")
            expected["embedding cells"] += rows * len(given.claim.alphabet)
        elif head:
            where = f"layer {number}, head {head}, direction {quote(name)}"
            covered["head rows"] += check_head(given, given.layers[number - 1].heads[head - 1], name, bounds.get(name), where)
            guarded = given.language.is_positional(meaning.when)
            cells = (given.language.at(meaning.when, n, i, where) if guarded else ONE for n, i in given.rows())
            expected["head rows"] += int(sum(cells))
        else:
            where = f"layer {number}, feed-forward, direction {quote(name)}"
            covered["feed-forward rows"] += check_feedforward(given, given.layers[number - 1], name, bounds, where)
            expected["feed-forward rows"] += rows
    if covered != expected or writers.keys() != given.directions.keys() or not rows:
        raise Rejected(f"covered {covered}, expected {expected}")
    return Report(given, covered)


# ------------------------------------------------------------------------------------------------------ the verdict
@dataclass(frozen=True)
class Expected:
    """The claim a person asked for; None leaves a part open."""

    formula: str | None = None
    alphabet: tuple[str, ...] | None = None
    max_n: int | None = None
    regime: str | None = None
    causal: bool | None = None
    predicates: tuple[str, ...] = ()

    def formula_in(self, language: Language) -> int | None:
        """The formula asked for, read with the predicates that were given beside it and no others."""
        language.predicates = {}
        for definition in self.predicates:
            language.define(definition, "--predicate")
        return None if self.formula is None else language.formula(self.formula, "--formula")

    def check(self, given: Certificate) -> None:
        """Raises: Rejected: unless the claim of the certificate is the one asked for."""
        found = vars(given.claim) | {"alphabet": set(given.claim.alphabet)}
        asked = vars(self) | {"formula": self.formula_in(given.language), "predicates": None}
        asked["alphabet"] = None if self.alphabet is None else set(self.alphabet)
        for part, value in asked.items():
            if value is not None and value != found[part]:
                shown = {"formula": given.text, "alphabet": ", ".join(given.claim.alphabet)}.get(part, str(found[part]))
                raise Rejected(f"claim differs: the certificate has {part} {quote(shown)}")


@dataclass(frozen=True)
class Report:
    """An accepted claim, and what was covered to accept it."""

    given: Certificate
    covered: dict[str, int]

    def describe(self) -> list[str]:
        """The whole claim, in words."""
        given, claim, counts = self.given, self.given.claim, "#" in self.given.language.leaves[self.given.claim.formula]
        near = [b for b in given.bounds if given.directions[b.direction].kind == "near"]
        worst = -(-max((max(b.error_if_false, b.error_if_true) for b in near), default=ZERO) * 10**6 // 1)
        regime = {"position": "every temperature is 1", "unstated": "nothing more is claimed"}
        regime["temperature"] = f"every position embedding has absolute value at most {'n^2' if counts else '1'}"
        units = sum(len(layer.feedforward.units) for layer in given.layers)
        return [
            f"formula      {given.text}",
            *(f"where        {definition}" for definition in given.defined),
            f"alphabet     {', '.join(map(repr, claim.alphabet))}",
            f"claim        for every n in 1..{claim.max_n}, every word of length n over the alphabet and every",
            f"             position of it, direction '{given.model.output}' is exactly 1 where the formula holds, and",
            "             exactly 0 where not; so is some direction for each subformula (exact reals, real softmax)",
            f"regime       {claim.regime}: {regime[claim.regime]}",
            f"causal       {'yes: future masks only, nothing depends on n' if claim.causal else 'not claimed'}",
            f"transformer  {len(given.layers)} layers, {len(given.heads)} heads, {units} units",
            f"covered      {', '.join(f'{count} {what}' for what, count in self.covered.items())}",
            f"worst error  {worst // 10**6}.{worst % 10**6:06d} of a truth, before the feed-forward part (rounded up)",
        ]


def check_text(data: bytes, expected: Expected | None = None) -> Report:
    """The claim proved by the certificate whose bytes these are.

    Raises:
        Malformed: if they are not a certificate of this version, or are beyond a limit.
        Rejected: if the proof or the claim does not hold up, or the check could not be completed.
    """
    try:
        given = Certificate(data)
        (expected or Expected()).check(given)
        return check_certificate(given)
    except (RecursionError, MemoryError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        why = f"the check could not be completed: {type(error).__name__}: {error}"
    raise Rejected(why)


def check_file(path: str, expected: Expected | None = None) -> Report:
    """As `check_text`, of a file, read once; `-` is standard input."""
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Malformed(f"cannot be read: {error}") from None
    return check_text(data, expected)


def read_arguments(argv: Sequence[str] | None) -> tuple[list[str], Expected]:
    """The files and the claim of a command line. Raises: Malformed, SystemExit: for bad usage."""
    parser = argparse.ArgumentParser(prog="check.py", allow_abbrev=False, description="Checks certificates.")
    parser.add_argument("files", metavar="FILE", nargs="+", help="a certificate; - is standard input")
    parser.add_argument("--formula", help="the claim must be about this formula")
    parser.add_argument("--predicate", action="append", default=[], help="which uses this one, NAME(k,n) := condition")
    parser.add_argument("--alphabet", help="and this alphabet: 01, or symbols separated by commas")
    parser.add_argument("--max-n", type=int, help="and this greatest length")
    parser.add_argument("--regime", choices=("temperature", "position", "unstated"), help="and this regime")
    parser.add_argument("--causal", action="store_true", default=None, help="and causal")
    asked = parser.parse_args(argv)
    if asked.alphabet is not None:
        asked.alphabet = tuple(asked.alphabet.split(",") if "," in asked.alphabet else asked.alphabet)
        if not asked.alphabet or not all(asked.alphabet) or len(set(asked.alphabet)) < len(asked.alphabet):
            raise Malformed("--alphabet: expected at least one symbol, each once")
    claim = (asked.formula, asked.alphabet, asked.max_n, asked.regime, asked.causal)
    expected = Expected(*claim, predicates=tuple(asked.predicate))
    expected.formula_in(Language())
    return asked.files, expected


def main(argv: Sequence[str] | None = None) -> int:
    """Checks every file and prints the verdicts, once: 0 if all are accepted, else 1 if any is rejected, else 2."""
    lines: list[str] = []
    statuses = {0}
    try:
        files, expected = read_arguments(argv)
    except Malformed as error:
        files, expected, lines, statuses = [], Expected(), [f"malformed: {error}"], {2}
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    for path in files:
        try:
            report = check_file(path, expected)
        except (Rejected, Malformed) as error:
            rejected = isinstance(error, Rejected)
            lines.append(f"{'rejected' if rejected else 'malformed'}: {path}: {error}")
            statuses.add(1 if rejected else 2)
        else:
            lines += [*report.describe(), f"accepted: {path}"]
    try:
        sys.stdout.write("".join(line.encode("unicode_escape").decode("ascii") + "\n" for line in lines))
        sys.stdout.flush()
    except OSError:
        return 2
    return 1 if 1 in statuses else max(statuses)


if __name__ == "__main__":
    sys.exit(main())
