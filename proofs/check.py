"""The trusted file: reads a certificate and says yes only if its claim is proved.

Usage    python -I -S proofs/check.py [--formula F] [--predicate D] [--alphabet A] [--min-n N] [--max-n N] ... FILE..
Claim    On ``accepted: FILE``: for every n in min_n..max_n, every word of length n over the alphabet and every position
         i of it, the transformer in FILE (exact rational weights, real softmax, exact real arithmetic) holds exactly 1
         in its output direction if the word satisfies the claimed formula at i, else 0; every subformula is held
         exactly by some direction; *near* and *others* directions are within their stated bounds; the regime holds.
Why      Every direction has one writer and a stated meaning. Going up the layers, each writer is proved right from the
         meanings of what it reads, with everything that depends on the word left free (docs/certificate.md).
Trusted  This file (and check_softened.py beside it, but only for certificates of softened transformers), Python's
         integers and `fractions.Fraction`, `re`, and `json` for splitting text. No floating point, tolerance or search.
Verdict  The claim in full and `accepted` 0; `rejected` 1 (an obligation cannot be proved, or it is not the claim asked
         for; this does not say that it is false); `malformed` 2 (not in the format, or beyond a limit).
Legend   n length, i row (the position that attends), j position read; a formula is the place of its node in a table.
"""

from __future__ import annotations

import argparse
import json
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial, reduce
from importlib import import_module
from itertools import accumulate, pairwise, product, zip_longest
from math import isqrt, lcm
from types import ModuleType, SimpleNamespace
from typing import Any

MAX_BYTES, MAX_ITEMS = 1 << 26, 1 << 22  # the file: size; strings, or commas, or brackets
MAX_FORMULA, MAX_EXPRESSION, MAX_NESTING, MAX_NODES = 100_000, 300, 200, 1 << 18
MAX_N, COUNTING, MAX_WORK = 4096, range(1, 4097), 10**9  # lengths; lengths and places; steps of a microsecond or so
MAX_BITS, MAX_ARGUMENT, MAX_SPREAD = 1 << 17, 40, 1 << 24  # a rational; |argument of exp| < 2^40; an integer in a sum
HEAD_ATOMS, HEAD_MEMORY, UNIT_ATOMS, NEGLIGIBLE = 8, 6, 12, 60  # lookups bound weights below exp(-60), not sum them
QUARTER, ZERO, ONE = Fraction(1, 4), Fraction(0), Fraction(1)
Row = dict[str, Fraction]
Numbers = tuple[Fraction, ...]
Form = tuple[tuple[str, Fraction], ...]
State = tuple[bool, ...]
Letter = tuple[Numbers, tuple[tuple[State, State, bool], ...]]  # adds to keys and value; state, next, truth of target
Item = tuple[Numbers, tuple[Letter, ...]]  # a position: keys and value as far as they are known, its letters

class Malformed(Exception):
    """The file is not a certificate of this version, or it is beyond a limit."""
class Rejected(Exception):
    """An obligation could not be proved, or the claim is not the one asked for."""

def require(condition: object, message: str, kind: type[Exception] = Rejected) -> None:
    """Raises: Rejected, or Malformed by `expect`, which is for the format: unless the condition holds."""
    if not condition:
        raise kind(message)
expect = partial(require, kind=Malformed)

@contextmanager
def within(where: str) -> Iterator[None]:
    """Adds to what goes wrong where it does."""
    try:
        yield
    except (Malformed, Rejected) as error:
        raise type(error)(f"{where}: {error}") from None

def quote(value: object) -> str:
    """What the file has, safe to print and not too long."""
    return ascii(str(value) if len(str(value)) <= 100 else str(value)[:100] + "...")

def bounded(x: Fraction) -> Fraction:
    """X itself. Raises: Malformed: if it has more than MAX_BITS."""
    if x.numerator.bit_length() + x.denominator.bit_length() > MAX_BITS:
        raise Malformed(f"limit: a rational of more than {MAX_BITS} bits")
    return x

def total(terms: Iterable[Fraction]) -> Fraction:
    """The exact sum, bounded all the way."""
    return reduce(lambda a, b: bounded(a + b), terms, ZERO)

def integers(rows: Sequence[Numbers]) -> tuple[int, list[list[int]]]:
    """One denominator for all of the numbers, and their numerators."""
    common = lcm(*(x.denominator for row in rows for x in row))
    return common, [[int(x * common) for x in row] for row in rows]

# ------------------------------------------------------------------------------------------------------ exp and ln
WORKING, UNITS = 192, 10**30  # bits of working precision; ln and sqrt are multiples of 1 / UNITS

def enclose_series(term: int, u: int, bits: int, ratio: Callable[[int], tuple[int, int]]) -> tuple[int, int]:
    """Integers around 2^bits (T_0 + T_1 + ...), T_m = T_(m-1) s a/b, with a, b = ratio(m), 0 <= a <= b, 0 <= s <= 1/2.

    ``term`` and ``u`` are 2^bits T_0 and 2^bits s, rounded down; T_0 <= 1. Proof. Each term is at most 2^bits T_m and
    less than 3 below it: less than 1 at m = 0; after a loss of d, at most d s (from the term) + 2^-m (from u) + 1
    (rounding). So each of the terms 0 to m loses less than 3, and the later ones, which halve after less than 3, too.
    """
    lower, m = term, 0
    while term:
        m += 1
        a, b = ratio(m)
        term = term * u * a // (b << bits)
        lower += term
    return lower, lower + 3 * m + 6

def enclose_exp(x: Fraction) -> tuple[int, int, int]:
    """Integers (lower, upper, e) with lower * 2^e <= exp(x) <= upper * 2^e, equal to within about 2^-140; exp(0) = 1.

    Proof. Let y = |x| = p/q. As p < 2^bits(p) and q >= 2^(bits(q) - 1), t = y / 2^k < 1/2. Squaring is monotone on
    positive numbers; k rounds, rounded outward, give exp(t)^(2^k) = exp(y). For x < 0, exp(x) = 1/exp(y). Width: exp(t)
    loses fewer than 200 units of 2^-192, a squaring doubles the relative error and adds 2^-190, k <= 42; so lower > 0.
    """
    if x == 0:
        return 1, 1, 0
    p, q = abs(x.numerator), x.denominator
    expect(p >> MAX_ARGUMENT < q, f"limit: the argument of exp is above 2^{MAX_ARGUMENT}")
    k, e = max(0, p.bit_length() - q.bit_length() + 2), -WORKING
    lower, upper = enclose_series(1 << WORKING, (p << WORKING) // (q << k), WORKING, lambda m: (1, m))
    for _ in range(k):
        lower, upper, e = lower * lower, upper * upper, 2 * e
        excess = upper.bit_length() - WORKING
        lower, upper, e = lower >> excess, -(-upper >> excess), e + excess
    if x < 0:
        lower, upper, e = (1 << 2 * WORKING) // upper, -(-(1 << 2 * WORKING) // lower), -e - 2 * WORKING
    return lower, upper, e

def log2floor(x: Fraction) -> int:
    """The greatest integer k with 2^k <= x."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    return k - (Fraction(2) ** k > x)

def floor_ln(x: Fraction, spend: Callable[[int], None], bits: int = WORKING) -> Fraction:
    """The greatest multiple of 10^-30 that is at most ln(x), for x > 0.

    Proof. x = 2^k y with 1 <= y < 2, so ln(x) = 2 k atanh(1/3) + 2 atanh(z), where z = (y - 1)/(y + 1) is in [0, 1/3),
    and atanh(z) is the series of the z^(2m+1)/(2m+1). Both ends have one floor at last: ln(1) is enclosed from 0 to
    less than 10^-30, and every other logarithm is irrational (Lindemann).
    """
    spend(bits * (1 + (bits >> 8)))
    k, lower, upper = log2floor(x), 0, 0
    y = x / Fraction(2) ** k
    for times, z in ((k, ONE / 3), (1, (y - 1) / (y + 1))):
        ends = enclose_series(int(z * 2**bits), int(z * z * 2**bits), bits, lambda m: (2 * m - 1, 2 * m + 1))
        lower, upper = lower + min(times * end for end in ends), upper + max(times * end for end in ends)
    floor, other = (2 * UNITS * end >> bits for end in (lower, upper))
    return Fraction(floor, UNITS) if floor == other else floor_ln(x, spend, 2 * bits)

FUNCTIONS: dict[str, Callable[[Fraction, Callable[[int], None]], Fraction]] = {
    "log2ceil": lambda x, _: Fraction(-log2floor(1 / x)), "log2floor": lambda x, _: Fraction(log2floor(x)),
    "sqrt": lambda x, _: Fraction(isqrt(UNITS**2 * x.numerator // x.denominator), UNITS), "ln": floor_ln}  # fmt: skip

# ----------------------------------------- the language: formulas, counts, numbers, and the conditions of predicates
BOOLEAN, PAST, FUTURE = {"true", "false", "!", "&", "|", "->", "<->"}, {"prev", "since"}, {"next", "until"}
COUNTS, TEMPORAL, ARITHMETIC = {"#<", "#>"}, PAST | FUTURE, {"+", "-", "*", "/", "//", "%", "^", *FUNCTIONS}
NUMBERS, POSITIONAL = {*ARITHMETIC, *COUNTS, "int", "i", "n"}, {"i", "n", "%"}
KINDS = dict.fromkeys(TEMPORAL, "T") | {"#<": "#", "#>": "#", "//": "%", "P": "i"} | {op: op for op in "Qin%"}
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {"<=": operator.le, "<": operator.lt, "==": operator.eq}
RELATIONS |= {">=": operator.ge, ">": operator.gt, "!=": operator.ne}
BINARY = {"<->": (1, False), "->": (2, True), "|": (3, False), "&": (4, False)}  # strength; does it group to the right
BINARY |= dict.fromkeys(("since", "until", "S", "U"), (5, True)) | dict.fromkeys(RELATIONS, (7, False))
BINARY |= dict.fromkeys("+-", (8, False)) | dict.fromkeys(("*", "/", "//", "%"), (9, False)) | {"^": (11, True)}
PREFIX = dict.fromkeys(("!", "prev", "next", "O", "F", "H", "G"), 6) | {"-": 10} | dict.fromkeys((*COUNTS, "("), 0)
PREFIX |= dict.fromkeys(FUNCTIONS, 12)
SPELLINGS = {"~": "!", "not": "!", "¬": "!", "&&": "&", "and": "&", "∧": "&", "||": "|", "or": "|", "∨": "|", "=": "=="}
SPELLINGS |= {"→": "->", "↔": "<->", "Y": "prev", "⊖": "prev", "X": "next", "⊕": "next", "**": "^"}
SPELLINGS |= {"≤": "<=", "≥": ">=", "≠": "!=", "#<[": "#<", "←#[": "#<", "#>[": "#>", "→#[": "#>"}
TOKEN = re.compile(
    r"(?P<operand>Q_[A-Za-z0-9_]+|Q\['(?:[^'\\]|\\['\\])+'\]|MOD *\( *[1-9][0-9]{0,8} *, *[0-9]{1,9} *\)|[0-9]{1,1000}|"
    r"[A-Za-z][A-Za-z0-9_]*)(?:(?= *(?P<applied>\()))?|(?P<space>[ \t\r\n]+)|"
    r"#[<>] *\[|[←→] *# *\[|<->|->|&&?|\|\|?|\*\*|//|[<>=!]=|[-+*/%^<>=!~()\]¬∧∨→↔⊖⊕≤≥≠]|(?P<unknown>.)", re.DOTALL)
PREDICATES: dict[str, Callable[..., bool]] = {
    "ODD": lambda n, i: i % 2 == 1, "EVEN": lambda n, i: i % 2 == 0, "MOD": lambda n, i, m, r: i % m == r,
    "FIRST": lambda n, i: i == 1, "LAST": lambda n, i: i == n, "SQUARE": lambda n, i: isqrt(i) ** 2 == i,
    "POW2": lambda n, i: i.bit_count() == 1, "PRIME": lambda n, i: i > 1 and all(i % d for d in range(2, isqrt(i) + 1))}
WORDS = {*PREFIX, *BINARY, *SPELLINGS, *PREDICATES, "true", "false", "Q"}

def power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Base to an integer of absolute value at most 64 (any integer if the base is 0, 1 or -1), or None."""
    e = exponent.numerator
    if exponent.denominator != 1 or (base == 0 and e < 0) or (abs(e) > 64 and base not in (0, 1, -1)):
        return None
    bits = min(abs(e), 64) * (base.numerator.bit_length() + base.denominator.bit_length())
    expect(bits <= MAX_BITS, f"limit: a rational of more than {MAX_BITS} bits")
    return Fraction(base ** (e if abs(e) <= 64 else 2 - e % 2))

OPERATIONS: dict[str, Callable[..., Any]] = RELATIONS | {
    "!": operator.not_, "&": lambda a, b: a and b, "|": lambda a, b: a or b, "->": lambda a, b: not a or b,
    "<->": lambda a, b: bool(a) == bool(b), "+": lambda a, b: bounded(a + b), "-": lambda a, b: bounded(a - b),
    "*": lambda a, b: bounded(a * b), "/": lambda a, b: bounded(a / b) if b else None, "^": power,
    "//": lambda a, b: Fraction(a // b) if b else None, "%": lambda a, b: bounded(a % b) if b else None}  # fmt: skip
LEAVES: dict[str, Callable[..., Any]] = {
    "true": lambda n, i: True, "false": lambda n, i: False, "P": lambda n, i, name, *m: PREDICATES[name](n, i, *m),
    "i": lambda n, i: Fraction(i), "n": lambda n, i: Fraction(n), "int": lambda n, i, c: Fraction(c)}  # fmt: skip
ABBREVIATIONS: dict[str, Callable[..., int]] = {
    "S": lambda make, a, b: make("since", make("|", a, b), b), "O": lambda make, a: make("since", make("true"), a),
    "U": lambda make, a, b: make("until", make("|", a, b), b), "F": lambda make, a: make("until", make("true"), a),
    "H": lambda make, a: make("!", make("since", make("true"), make("!", a))),
    "G": lambda make, a: make("!", make("until", make("true"), make("!", a)))}  # fmt: skip
Node = tuple[str, tuple[int, ...], tuple[Any, ...]]

class Language:
    """All formulas, counts and numbers met, each once: ``nodes[f]`` is (operator, operands, data), operands first.

    Also: Q with a symbol; P, a built-in predicate with name and parameters; user, a condition on this position; on, a
    predicate and the count it is applied to; shift, a formula one position to the left; i, n, int; and T, which
    compares constant + sum of c * count with 0: data (relation, constant, c...).
    """

    def __init__(self) -> None:
        self.nodes, self.places, self.predicates = list[Node](), dict[Node, int](), dict[str, int]()
        self.leaves: list[frozenset[str]] = []  # which of Q (symbols), T (temporal), # (counts), % (and //), i, n occur
        self.values, self.work = dict[tuple[Any, ...], Fraction](), MAX_WORK

    def spend(self, steps: int) -> None:
        """Counts steps. Raises: Malformed: when the whole check would take too many."""
        self.work -= steps
        expect(self.work >= 0, f"limit: more than {MAX_WORK} steps of work")

    def make(self, op: str, *operands: int, data: tuple[Any, ...] = ()) -> int:
        """The place of this node."""
        node = (op, operands, data)
        if node not in self.places:
            expect(len(self.nodes) < MAX_NODES, f"limit: more than {MAX_NODES} formulas")
            own = "in" if (op, data) == ("P", ("LAST",)) else KINDS.get(op, "")
            self.leaves.append(frozenset(own).union(*(self.leaves[a] for a in operands)))
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
        return self.leaves[f] <= POSITIONAL

    def preorder(self, roots: Iterable[int], stop: Callable[[int], bool] = lambda f: False) -> list[int]:
        """Each formula below ``roots`` once, the left first; what satisfies ``stop`` is listed but not entered."""
        stack, seen = [*roots][::-1], dict[int, None]()
        while stack:
            if (f := stack.pop()) not in seen:
                seen[f] = None
                stack += () if stop(f) else self.parts(f)[::-1]
        return list(seen)

    def under(self, symbol: str, roots: Iterable[int]) -> dict[int, Any]:
        """The truths of formulas over symbols alone, and of all below them, where this symbol stands."""
        order = sorted(self.preorder(roots))
        return self.evaluate(order, {f: self.nodes[f][2] == (symbol,) for f in order if self.nodes[f][0] == "Q"}, 0, 0)

    def show(self, f: int, depth: int = 3) -> str:
        """The formula down to some depth, for messages."""
        op, _, data = self.nodes[f]
        parts = [self.show(a, depth - 1) if depth else "..." for a in self.parts(f)] + [quote(x) for x in data]
        return f"{op}({', '.join(parts)})" if parts else op

    def read(self, text: str, kind: str) -> int:
        """What is written: a formula, a count, a number (an expression in i and n), a value (that, or a bracket)."""
        if kind == "definition":
            return self.define(text)
        if kind == "value" and (match := re.fullmatch(r"\[(.*)\](\(i-1\))?", text, re.DOTALL)):
            inner = self.read(match[1], "formula")
            expect(self.is_positional(inner), "a bracket speaks of more than the position")
            return self.make("shift", inner) if match[2] else inner
        f = self.parse(text, {"i": "i", "n": "n"} if kind in ("number", "value") else {})
        op, leaves = self.nodes[f][0], self.leaves[f]
        fits = {"formula": op not in NUMBERS, "count": op in COUNTS}.get(kind, op in NUMBERS and leaves <= {"i", "n"})
        expect(fits, f"expected a {kind}")
        return f

    def define(self, text: str) -> int:
        """Learns a user's predicate."""
        match = re.fullmatch(r" *([A-Za-z]\w*) *\( *([A-Za-z]\w*) *(?:, *([A-Za-z]\w*) *)?\) *:=(.*)", text, re.ASCII)
        new = match and not {*match.groups()[:3]} & (WORDS | self.predicates.keys())
        if not match or not new or match[2] == match[3] or match[1][:2] == "Q_":
            raise Malformed("expected NAME(k) := condition or NAME(k,n) := condition, with new names")
        f = self.parse(match[4], {match[2]: "i", match[3]: "n"})
        expect(self.nodes[f][0] not in NUMBERS and self.is_positional(f), "expected a condition on the variables")
        return self.predicates.setdefault(match[1], self.make("user", f))

    def parse(self, text: str, variables: Mapping[str, str]) -> int:
        """What is written: operator precedence without recursion. A text with variables is an expression."""
        limit = MAX_EXPRESSION if variables else MAX_FORMULA
        expect(len(text) <= limit, f"limit: a text of more than {limit} characters")
        pending, done, operand_next = list[tuple[int, int, str]](), list[int](), True  # strength, arity, operator
        def finish(strength: int) -> None:
            while pending and pending[-1][0] > strength:
                _, arity, op = pending.pop()
                done[-arity:] = [self.build(op, done[-arity:])]

        for match in TOKEN.finditer(text):
            raw, word = match[0], SPELLINGS.get(match[0].replace(" ", ""), match[0])
            name, *numbers = re.findall(r"\w+", raw) if match["operand"] else [""]
            if name.isdigit():
                place: int | None = self.make("int", data=(int(name),))
            elif variables:
                place = self.make(variables[name]) if name in variables else None
            elif match["operand"] and raw[:2] in ("Q[", "Q_") and raw != "Q_":
                place = self.make("Q", data=(raw[2:] if raw[1] == "_" else re.sub(r"\\(.)", r"\1", raw[3:-2]),))
            elif name in PREDICATES and bool(numbers) == (name == "MOD"):
                place = self.make("P", data=(name, *map(int, numbers)))
            else:
                place = self.make(name) if name in ("true", "false") else self.predicates.get(name)
            if operand_next and place is not None:
                done.append(place)
                operand_next = match["applied"] is not None
                pending += [(12, 2, "on")] * operand_next  # a predicate before a count
            elif operand_next and word in PREFIX and (word not in FUNCTIONS or (variables and match["applied"])):
                pending.append((PREFIX[word], 1 + (word == "-"), word))
                done += [self.make("int", data=(0,))] * (word == "-")  # -a is 0 - a
            elif not operand_next and word in BINARY:
                strength, to_the_right = BINARY[word]
                finish(strength - 1 + to_the_right)
                pending.append((strength, 2, word))
                operand_next = True
            elif not operand_next and word in (")", "]"):
                finish(0)
                opened = pending.pop()[2] if pending else ""
                expect(opened and (opened == "(") == (word == ")"), f"unmatched {word}")
                done[-1] = done[-1] if opened == "(" else self.build(opened, done[-1:])
            else:
                wanted = "operand" if operand_next else "operator"
                expect(match["space"], f"column {match.start() + 1}: expected an {wanted}, got {quote(raw)}")
            expect(len(pending) <= MAX_NESTING, f"limit: nested more than {MAX_NESTING} deep")
        finish(0)
        expect(not operand_next and not pending, "ends where an operand or a closing bracket is expected")
        return done[0]

    def build(self, op: str, args: list[int]) -> int:
        """What an operator makes of its operands."""
        ops, leaves = [self.nodes[a][0] for a in args], {leaf for a in args for leaf in self.leaves[a]}
        fits = all((other in NUMBERS) == (op in ARITHMETIC or op in RELATIONS) for other in ops)
        fits = fits if op != "on" else ops[0] in ("P", "user") and ops[1] in COUNTS
        expect(fits, f"{quote(op)} is applied to a number or a truth value wrongly")
        if op in RELATIONS and ("#" in leaves or not leaves):
            return self.compare(op, *args)
        return ABBREVIATIONS[op](self.make, *args) if op in ABBREVIATIONS else self.make(op, *args)

    def compare(self, relation: str, left: int, right: int) -> int:
        """``left R right`` as T R 0, T = left - right: its value where all counts are 0, its growth with each."""
        order = sorted(self.preorder([self.make("-", left, right)], lambda f: self.nodes[f][0] in COUNTS))
        for op, operands, _ in (self.nodes[f] for f in order if self.leaves[f]):
            linear = op in {*COUNTS, "+", "-"} or (op == "*" and not all(self.leaves[a] for a in operands))
            expect(linear, f"counts are added, and multiplied with numbers; not {quote(op)}")
        counts = [f for f in order if self.nodes[f][0] in COUNTS]
        sums = [self.evaluate(order, {k: Fraction(k == c) for k in counts}, 0, 0)[order[-1]] for c in (None, *counts)]
        expect(all(x is not None and x.denominator == 1 for x in sums), "counts are compared with integers")
        growth = {k: int(x - sums[0]) for k, x in zip(counts, sums[1:], strict=True) if x != sums[0]}
        return self.make("T", *growth, data=(relation, int(sums[0]), *growth.values()))

    def at(self, f: int, n: int, i: int) -> Fraction:
        """The value (or truth, 1 or 0) at (n, i) of a number or positional formula. Raises: Rejected: without one."""
        key = (f, n if "n" in self.leaves[f] else 0, i if "i" in self.leaves[f] else 0)
        if key not in self.values:
            value = self.evaluate(sorted(self.preorder([f])), {}, n, i)[f]
            require(value is not None, f"{self.show(f)} has no value at n = {n}, i = {i}")
            self.values[key] = Fraction(value)
        return self.values[key]

    def apply(self, op: str, x: Any) -> Fraction | None:
        """The value of a function of expressions at x, or None without one; values are remembered, as they repeat."""
        fits = x is not None and (x > 0 or (op, x) == ("sqrt", 0)) and max(x.as_integer_ratio()) < 1 << 4096
        if fits and (op, x) not in self.values:
            self.values[op, x] = FUNCTIONS[op](x, self.spend)
        return self.values[op, x] if fits else None

    def settle(self, order: Iterable[int], n: int, i: int) -> dict[int, Any]:
        """The truths at (n, i) of the positional formulas among ``order``."""
        return {f: self.at(f, n, i) == 1 for f in order if self.is_positional(f)}

    def evaluate(self, order: Sequence[int], held: dict[int, Any], n: int, i: int) -> dict[int, Any]:
        """``held`` with the formulas of ``order`` added, operands first. Raises: Rejected: at what is not decided.

        At -1 - f is held the sign of a comparison whose counts are not, and what a temporal operator remembers: its
        own last value (`since`, `until`) or its operand's. What has no value is None.
        """
        self.spend(1 + len(order))
        for f in (f for f in order if f not in held):
            (op, operands, data), more = self.nodes[f], held.get(-1 - f)
            if op in LEAVES:
                held[f] = LEAVES[op](n, i, *data)
            elif op in OPERATIONS:
                args = [held[a] for a in operands]
                held[f] = None if None in args[: 1 if op in ("&", "|") else 2] else OPERATIONS[op](*args)
            elif op in FUNCTIONS:
                held[f] = self.apply(op, held[operands[0]])
            elif op in ("user", "shift", "on") and (op != "on" or operands[1] in held):
                held[f] = self.at(operands[0], n, held[operands[1]] if op == "on" else i - (op == "shift"))
            elif op == "T" and (more is not None or all(k in held for k in operands)):
                terms = (c * held[k] for k, c in zip(operands, data[2:], strict=True))
                held[f] = RELATIONS[data[0]](sum(terms, data[1]) if more is None else more, 0)
            elif op in TEMPORAL and more is not None:
                held[f] = more if len(operands) == 1 else held[operands[0]] and (held[operands[1]] or more)
            else:
                raise Rejected(f"{self.show(f)} is not decided by what is read")
        return held

# --------------------------------------------------------------------------------------------------- strict reading
def read_document(data: bytes) -> Any:
    """The JSON value whose one spelling ``data`` is: repeated keys and other spellings do not survive being written."""
    expect(len(data) <= MAX_BYTES, f"limit: more than {MAX_BYTES} bytes")
    try:
        text = data.decode("ascii")
        expect(max(map(text.count, '",[{')) <= MAX_ITEMS, f"limit: more than {MAX_ITEMS} items")
        document = json.loads(text)
        canonical = json.dumps(document, indent=1, ensure_ascii=True) + "\n"
    except (RecursionError, ValueError) as error:
        raise Malformed(f"limit: nested too deep, or not ASCII, or not JSON: {error}") from None
    line = next((k for k, (a, b) in enumerate(zip_longest(text.split("\n"), canonical.split("\n")), 1) if a != b), 0)
    expect(not line, f"line {line}: not the one spelling (json.dumps, indent 1, ASCII, final newline, no key twice)")
    return document

class Certificate:
    """The whole file, read and not yet believed, with what its directions hold by what they mean."""

    def __init__(self, data: bytes, shape: Any = None, claim: Any = None) -> None:
        self.document, self.language, self.order = read_document(data), Language(), dict[str, int]()
        self.whole = self.parse(self.document, shape or WHOLE, "file")
        self.claim = self.parse(self.whole.claim, claim or CLAIM, "claim")  # after the predicates that it may mention
        self.model = self.whole.transformer
        self.directions, self.heads = self.model.directions, [h for layer in self.model.layers for h in layer.heads]
        self.errors, self.weights = dict[str, Numbers](), dict[tuple[int, int], tuple[int, int, int]]()
        self.chains, self.proved = dict[tuple[int, Item], int](), set[tuple[object, ...]]()
        self.covered = dict.fromkeys(("embedding cells", "head rows", "feed-forward rows"), 0)
        symbols, letters = self.claim.alphabet, {data[0] for op, _, data in self.language.nodes if op == "Q"}
        require(self.model.alphabet == symbols, "the alphabet of the transformer is not the alphabet of the claim")
        self.lengths = range(vars(self.claim).setdefault("min_n", 1), self.claim.max_n + 1)
        expect(self.lengths, "min_n is above max_n")
        expect(all(symbols) and 0 < len({*symbols}) == len(symbols), "alphabet: expected symbols, each once, not empty")
        expect(self.model.output in self.directions, f"output: {quote(self.model.output)} is not a direction")
        fits = all(head.values and len(head.queries) == len(head.keys) for head in self.heads)
        expect(fits, "a head writes nothing, or has not as many queries as keys")
        expect(letters <= {*symbols}, "a formula has a symbol that is not in the alphabet")
        self.counts = any("#" in self.language.leaves[meaning.formula] for meaning in self.directions.values())
        self.tokens = vars(self.parse(self.model.token_embedding, dict.fromkeys(symbols, WEIGHTS), "token_embedding"))

    def parse(self, value: Any, shape: Any, where: str) -> Any:
        """A value of a shape, at a place that messages name.

        {key: shape}: an object, in this order; only `min_n` may be left out. [shape]: a list. (shape,): a map from
        directions, in their order. A set or range: one of its elements. A word: "text", or what it is in the language.
        """
        with within(where):
            if isinstance(shape, dict):
                keys = list(value) if isinstance(value, dict) else "no object"
                wanted = [key for key in shape if key != "min_n" or key in keys]
                expect(keys == wanted, f"expected the keys {', '.join(wanted)}, got {quote(keys)}")
                return SimpleNamespace(**{key: self.parse(value[key], shape[key], key) for key in keys})
            if isinstance(shape, list):
                expect(isinstance(value, list), "expected a list")
                return [self.parse(item, shape[0], str(place)) for place, item in enumerate(value, 1)]
            if isinstance(shape, tuple):
                expect(isinstance(value, dict), "expected an object")
                for last, name in pairwise(["", *value]):
                    expect(self.order.get(last, -1) < self.order.get(name, -1), f"{quote(name)}: unknown or misplaced")
                    expect(value[name] not in ("0", {}), f"{quote(name)}: a zero entry is left out, not written")
                return {name: self.parse(item, shape[0], quote(name)) for name, item in value.items()}
            if isinstance(shape, set | range):
                choices = f"{shape[0]} to {shape[-1]} (limit)" if isinstance(shape, range) else sorted(shape)
                fits = type(value) is type(next(iter(shape))) and value in shape
                expect(fits, f"expected {choices}, got {quote(value)}")
                return value
            if callable(shape):
                return shape(self, value)
            fits = isinstance(value, str) and not re.search("[\ud800-\udfff]", value)
            expect(fits, f"expected a string (no lone surrogates), got {quote(value)}")
            return value if shape == "text" else self.language.read(value, shape)

    def rational(self, x: Any) -> Fraction:
        """The rational with this one spelling."""
        fits = isinstance(x, str) and re.fullmatch("-?[0-9]{1,1000}(/[1-9][0-9]{0,999})?", x) and str(Fraction(x)) == x
        expect(fits, f"expected a string, a rational in lowest terms (limit: 1000 digits), got {quote(x)}")
        return Fraction(x)

    def read_meanings(self, value: Any) -> dict[str, Any]:
        """The meanings: a `position` is its value where true holds, a `truth` is 1 where its formula holds."""
        meanings, true = dict[str, Any](), self.language.make("true")
        defaults = {"when": true, "formula": true, "value": self.language.make("int", data=(1,)), "count": -1}
        for name, item in value.items() if isinstance(value, dict) else ():
            shape = {"kind": set(MEANINGS), **MEANINGS.get(str(item.get("kind")) if isinstance(item, dict) else "", {})}
            found = self.parse(item, shape, quote(self.parse(name, "text", "name")))
            meanings[name] = m = SimpleNamespace(**defaults | vars(found))  # known: does not depend on the word
            m.known = m.kind in ("position", "truth", "product") and self.language.is_positional(m.formula)
        self.order = {name: place for place, name in enumerate(meanings)}
        return meanings

    def rows(self) -> Iterator[tuple[int, int]]:
        """Every (n, i) of the claim; they are ``cells`` many."""
        for n in self.lengths:
            self.language.spend(n)
            yield from ((n, i) for i in range(1, n + 1))

    def box(self, name: str, n: int, i: int, held: Mapping[int, Any]) -> Numbers:
        """All that a direction may hold at (n, i) if formulas and counts are as ``held``; of `others`, the errors."""
        meaning, language = self.directions[name], self.language
        if meaning.kind == "others":
            return -self.errors[name][1], self.errors[name][0]
        if meaning.kind == "near":
            sure = (1 - QUARTER, ONE) if held.get(meaning.formula) else (ZERO, QUARTER)
            return sure if meaning.formula in held and held.get(meaning.when) else (ZERO, ONE)
        if meaning.kind == "mean" and meaning.count in held:
            number = Fraction(held[meaning.count], i if language.nodes[meaning.count][0] == "#<" else n + 1 - i)
        else:
            require(meaning.kind in ("position", "truth", "product"), f"{quote(name)}, of kind {meaning.kind}, is read")
            holds = held[meaning.formula] if meaning.formula in held else language.at(meaning.formula, n, i)
            number = language.at(meaning.value, n, i) if holds else ZERO
        return number, number

    def read(self, rows: Iterable[Row], n: int, i: int, held: Mapping[int, Any], scale: Fraction = ONE) -> Numbers:
        """The linear forms of directions at (n, i), over ``scale``. Raises: Rejected: if one is not known exactly."""
        found = []
        for row in rows:
            self.language.spend(1 + len(row))
            boxes = {d: self.box(d, n, i, held) for d in row}
            vague = [d for d, (low, high) in boxes.items() if low != high or self.directions[d].kind == "others"]
            require(not vague, f"exact directions are read, not {quote(', '.join(vague))}")
            found.append(bounded(total(x * boxes[d][0] for d, x in row.items()) / scale))
        return tuple(found)

    def weigh(self, scores: Mapping[Any, tuple[int, int]], factors: Mapping[Any, int]) -> dict[Any, int]:
        """For each key at most factor * exp(p / q), in one unit for all; weights are rounded to the side that hurts."""
        for p, q in {score for score in scores.values() if score not in self.weights}:
            self.language.spend(50 + (p.bit_length() >> 8))
            self.weights[p, q] = enclose_exp(Fraction(p, q))
        weights = {key: self.weights[score] for key, score in scores.items()}
        least = min(e for _, _, e in weights.values())
        bits = max(e + upper.bit_length() for _, upper, e in weights.values()) - least
        expect(bits <= MAX_SPREAD, f"limit: the spread of the scores makes integers of {bits} bits")
        return {key: (factors[key] * (lower if factors[key] >= 0 else upper)) << (e - least)
                for key, (lower, upper, e) in weights.items()}  # fmt: skip

NUMBER, KEEP, FORMULA, COUNT = Certificate.rational, lambda _, value: value, {"formula": "formula"}, {"count": "count"}
WEIGHTS, WEIGHTINGS = (NUMBER,), {"softmax", "average-hardmax", "leftmost-hardmax", "rightmost-hardmax"}
MEANINGS: dict[str, dict[str, Any]] = {"position": {"value": "value"}, "truth": FORMULA, "mean": COUNT, "others": COUNT}
MEANINGS |= {"near": FORMULA | {"when": "formula"}, "product": {"value": "number"} | FORMULA, "any": {}}
HEAD: dict[str, Any] = {"name": "text", "source": "text", "mask": {"none", "future", "past"}, "weighting": WEIGHTINGS}
HEAD |= {"temperature": "number", "queries": [WEIGHTS], "keys": [WEIGHTS], "values": (WEIGHTS,)}
PART = {"units": [{"reads": WEIGHTS, "bias": NUMBER, "writes": WEIGHTS}], "bias": WEIGHTS}
MODEL: dict[str, Any] = {"format": {"certify-transformer"}, "version": {1}, "alphabet": ["text"]}
MODEL |= {"predicates": ["definition"], "directions": Certificate.read_meanings, "token_embedding": KEEP}
MODEL |= {"position_embedding": ("value",), "layers": [{"heads": [HEAD], "feedforward": PART}], "output": "text"}
CLAIM: dict[str, Any] = {"formula": "formula", "alphabet": ["text"], "min_n": COUNTING[1:], "max_n": COUNTING}
CLAIM |= {"regime": {"temperature", "position", "unstated"}, "causal": {True, False}}
BOUND = {"layer": COUNTING, "head": COUNTING, "direction": "text", "error_if_false": NUMBER, "error_if_true": NUMBER}
WHOLE = {"format": {"certify-certificate"}, "version": {1}, "claim": KEEP, "transformer": MODEL, "bounds": [BOUND]}

def check_embedding(given: Certificate, name: str) -> int:
    """The embedding alone makes the direction what it means (0, if nothing writes it); the cells (symbol, n, i)."""
    placed, language, meaning, covered = given.model.position_embedding, given.language, given.directions[name], 0
    if name in placed:
        fits = given.directions[name].known and not any(name in row for row in given.tokens.values())
        require(fits, "a position embedding does not make it what it means")
        for n, i in given.rows():
            got, (wanted, _) = language.at(placed[name], n, i), given.box(name, n, i, {})
            require(got == wanted, f"it is {got}, expected {wanted}, at n = {n}, i = {i}")
            covered += len(given.tokens)
    else:
        fits = meaning.kind == "truth" and language.leaves[meaning.formula] <= {"Q"}
        require(fits, "token embeddings do not make it what it means")
        for symbol, weights in given.tokens.items():
            got, wanted = weights.get(name, ZERO), language.under(symbol, [meaning.formula])[meaning.formula]
            require(got == wanted, f"symbol {quote(symbol)} has {got}, expected {int(wanted)}")
            covered += sum(given.lengths)
    return covered

def check_head(given: Certificate, head: Any, name: str) -> int:
    """What the head writes to the direction is what the direction means; returns the number of rows covered."""
    kind, errors = given.directions[name].kind, given.errors.get(name, (ZERO, ZERO))
    if kind in ("position", "mean"):
        return check_uniform(given, head, name)
    require(kind in ("near", "others"), f"a head cannot write a direction of kind {kind}")
    fits = min(errors) >= 0 and (kind == "others" or max(errors) <= QUARTER)
    require(fits, f"the errors are {errors[0]} and {errors[1]}, expected 0 to 1/4 (others: 0 or more)")
    attends = kind == "near" and all(given.directions[d].known for query in head.queries for d in query)
    return check_attention(given, head, name) if attends else check_lookup(given, head, name)

def check_uniform(given: Certificate, head: Any, name: str) -> int:
    """Equal scores at all visible positions; so the mean there is exactly the stated number, or the stated count's."""
    meaning, value, covered = given.directions[name], head.values[name], 0
    if counted := meaning.kind == "mean":
        op, (operand,), _ = given.language.nodes[meaning.count]
        held = [(given.directions[d].kind, given.directions[d].formula, weight) for d, weight in value.items()]
        require(held == [("truth", operand, 1)], "the value is not 1 on the truth of what is counted")
        require(head.mask == ("future" if op == "#<" else "past"), f"a {head.mask} mask does not see what {op} counts")
    for n in given.lengths:
        keys = [given.read(head.keys, n, j, {}) for j in range(1, n + 1)]
        values = (ZERO if counted else given.read([value], n, j, {})[0] for j in range(1, n + 1))
        sums = list(accumulate(values, lambda a, b: bounded(a + b), initial=ZERO))
        for i in range(1, n + 1):
            first, last = (i if head.mask == "past" else 1), (i if head.mask == "future" else n)
            query = given.read(head.queries, n, i, {})
            given.language.spend(1 + (last - first) * len(query))
            scores = {total(map(operator.mul, query, key)) for key in keys[first - 1 : last] if any(query)}
            require(len(scores) <= 1, f"the scores are not all equal at n = {n}, i = {i}")
            mean = (sums[last] - sums[first - 1]) / (last - first + 1)
            wanted = mean if counted else given.box(name, n, i, {})[0]
            require(mean == wanted, f"the mean is {mean}, expected {wanted}, at n = {n}, i = {i}")
            covered += 1
    return covered

def check_lookup(given: Certificate, head: Any, name: str) -> int:
    """The head holds the direction's truth, or the number of others, to within its errors; the number of rows.

    Nothing about the word enters but one count, m + b, of m other positions, and b, the truth here of what is counted.
    """
    language, meaning, forms, covered = given.language, given.directions[name], [*head.keys, head.values[name]], 0
    read = [meaning, *(given.directions[d] for query in head.queries for d in query)]
    counts = {m.count for m in read if m.kind in ("mean", "others")}
    require(len(counts) == 1, f"queries read the means of {len(counts)} counts, expected 1")
    side, (counted,), _ = language.nodes[count := counts.pop()]
    both = ((1, given.errors[name][0]), (-1, given.errors[name][1]))
    stop = {counted, *(f for f, (op, _, _) in enumerate(language.nodes) if op in ("T", "on"))}
    order = sorted(language.preorder([counted, meaning.formula, meaning.when], stop.__contains__))
    for n in given.lengths:
        size, rows = integers([given.read(forms, n, j, {}) for j in range(1, n + 1)])  # keys, then the value
        require(meaning.kind == "others" or all(0 <= v <= size for *_, v in rows), f"a value is not in 0..1 at n = {n}")
        for i in range(1, n + 1):
            first, last = (i if head.mask == "past" else 1), (i if head.mask == "future" else n)
            settled, seen = language.settle(order, n, i), rows[first - 1 : last]
            values = [row[-1] for row in seen]
            span, heat = i if side == "#<" else n + 1 - i, language.at(head.temperature, n, i)
            covered += settled.get(meaning.when, True)
            for b in (0, 1) if counted not in settled else (int(settled[counted]),):
                queries = [given.read(head.queries, n, i, {counted: b, count: m + b}, heat) for m in (0, 1)]
                unit, (query, after) = integers(queries)
                starts = [sum(map(operator.mul, query, row)) for row in seen]
                steps = [sum(map(operator.mul, after, row)) - start for row, start in zip(seen, starts, strict=True)]
                language.spend(span * (10 + last - first))
                for m in range(span):
                    held = language.evaluate(order, settled | {counted: b == 1, count: m + b}, n, i)
                    if not held[meaning.when]:
                        continue
                    wanted = m if meaning.kind == "others" else int(held[meaning.formula])
                    scores = [start + m * step for start, step in zip(starts, steps, strict=True)]
                    top, goal = max(scores), wanted * size
                    least = top - NEGLIGIBLE * unit * size
                    near = tuple([(s - top, v - goal) for s, v in zip(scores, values, strict=True) if s >= least])
                    far = max(max(values) - goal, goal - min(values)).bit_length() if len(near) < len(values) else 0
                    case = (unit, size, near, far, both if meaning.kind == "others" else both[wanted : wanted + 1])
                    if case not in given.proved and not is_mean_near(given, *case):
                        raise Rejected(f"the error exceeds its bound at n = {n}, i = {i}, count {m + b}")
                    given.proved.add(case)
    return covered

def is_mean_near(given: Certificate, unit: int, size: int, near: Any, far: int, sides: Any) -> bool:
    """Whether offset / size, weighted with exp(score / unit / size), is small; what is left out is below 2^far."""
    scores = {place: (score, unit * size) for place, (score, _) in enumerate(near)} | {-1: (-NEGLIGIBLE, 1)}
    for sign, error in sides:
        p, q = sign * error.denominator, error.numerator * size
        factors = {place: q - p * offset for place, (_, offset) in enumerate(near)}
        factors[-1] = given.claim.max_n * min(0, q - abs(p) * ((1 << far) - 1))
        if sum(given.weigh(scores, factors).values()) < 0:
            return False
    return True

class Automaton:
    """What a head's target remembers (as in `Language.evaluate`; first, all is false), whatever the atoms' truths."""

    def __init__(self, given: Certificate, target: int, forms: Sequence[Row], future: bool) -> None:
        self.given, self.target, language, nodes = given, target, given.language, given.language.nodes
        self.tables, positional = dict[State, tuple[Letter, ...]](), given.language.is_positional
        self.known = [{d: x for d, x in form.items() if given.directions[d].known} for form in forms]
        free = {d: given.directions[d] for form in forms for d in form if not given.directions[d].known}
        for d, meaning in free.items():
            require(meaning.kind == "truth", f"keys and values read known and truth directions only, not {quote(d)}")
        self.adds = [(m.formula, [form.get(d, ZERO) for form in forms]) for d, m in free.items()]
        read = [f for f, _ in self.adds]
        parts = {*language.preorder(read, lambda f: nodes[f][0] not in BOOLEAN)}
        atomic = {f for f, (op, _, _) in enumerate(nodes) if (op == "Q" or f in parts) and not positional(f)} - {target}
        self.own = sorted(language.preorder([target], lambda f: f in atomic or positional(f)))
        for f in (inner := [f for f in self.own if f not in atomic and not positional(f)]):
            decided = nodes[f][0] in BOOLEAN | (PAST if future else FUTURE)
            require(decided, f"{language.show(f)} is neither read nor decided by this mask")
        self.memory = {-1 - f: f if len(nodes[f][1]) == 2 else nodes[f][1][0] for f in inner if nodes[f][0] in TEMPORAL}
        require(self.memory, "the target has no temporal operator of its own")
        atoms = atomic & {*self.own}
        self.read = sorted(language.preorder(read, lambda f: f in atoms or nodes[f][0] not in BOOLEAN))
        self.atoms = sorted(atoms | {f for f in self.read if not positional(f) and nodes[f][0] not in BOOLEAN})
        require(len(self.atoms) <= HEAD_ATOMS, f"{len(self.atoms)} atoms, expected at most {HEAD_ATOMS}")
        require(len(self.memory) <= HEAD_MEMORY, f"more than {HEAD_MEMORY} temporal operators that are not read")
        symbols = [f for f in self.atoms if language.leaves[f] <= {"Q"}]
        seen = {tuple(truth[f] for f in symbols) for truth in (language.under(s, symbols) for s in given.tokens)}
        every = [dict(zip(self.atoms, bits, strict=True)) for bits in product((False, True), repeat=len(self.atoms))]
        self.choices = [held for held in every if tuple(held[f] for f in symbols) in seen]

    def item(self, n: int, i: int) -> Item:
        """What position i may hold: its letters, each once, in one order."""
        language, settled = self.given.language, self.given.language.settle([*self.own, *self.read], n, i)
        if (key := tuple(settled.values())) not in self.tables:
            found = set[Letter]()
            for choice in self.choices:
                held, moves = language.evaluate(self.read, settled | choice, n, i), []
                added = [add for f, add in self.adds if held[f]]
                held.pop(self.target, None)  # it is free where it is read, and decided here
                for last in product((False, True), repeat=len(self.memory)):
                    truth = language.evaluate(self.own, held | dict(zip(self.memory, last, strict=True)), n, i)
                    moves.append((last, tuple(bool(truth[f]) for f in self.memory.values()), bool(truth[self.target])))
                found.add((tuple(map(total, zip([ZERO] * len(self.known), *added, strict=True))), tuple(moves)))
            self.tables[key] = tuple(sorted(found))
        language.spend(len(self.tables[key]) << len(self.memory))
        return self.given.read(self.known, n, i, {}), self.tables[key]

    def check(self, query: Numbers, items: list[Item], wanted: Mapping[int, str], errors: Numbers) -> None:
        """The error is within its bound wherever the target is false (side 0) and true (side 1), at ``wanted`` lengths.

        It is at most e on all sequences of letters iff the least sum of w (e - error) over them is not negative: a
        shortest path over (position, state). Only weights are rounded, so the sum found is at most the true one.
        """
        pairs = dict.fromkeys((known, adds) for known, letters in items for adds, _ in letters)
        scores = {pair: total(q * (a + b) for q, a, b in zip(query, *pair, strict=False)) for pair in pairs}
        top = max(scores.values())
        falls = {pair: (score - top).as_integer_ratio() for pair, score in scores.items()}
        for side, label, bound in zip((0, 1), ("error_if_false", "error_if_true"), errors, strict=True):
            _, (factors,) = integers([tuple(bound - abs(side - known[-1] - adds[-1]) for known, adds in pairs)])
            terms = self.given.weigh(falls, dict(zip(pairs, factors, strict=True)))
            size, best = 1 + (max(map(int.bit_length, terms.values())) >> 12), {(False,) * len(self.memory): 0}
            for length, (known, letters) in enumerate(items, 1):
                self.given.language.spend(len(letters) * len(best) * size)
                steps = [(best[state] + terms[known, adds], following, truth)
                         for adds, moves in letters for state, following, truth in moves if state in best]  # fmt: skip
                if length in wanted and any(cost < 0 and truth == side for cost, _, truth in steps):
                    raise Rejected(f"{label} {bound} is below the worst case at {wanted[length]}")
                best = {state: cost for cost, state, _ in sorted(steps, reverse=True)}  # the least, which comes last

def check_attention(given: Certificate, head: Any, name: str) -> int:
    """The head holds the direction's formula to within its errors wherever its `when` holds; the number of rows."""
    meaning, forms, errors, covered = given.directions[name], [*head.keys, head.values[name]], given.errors[name], 0
    require(head.mask != "none", "expected a mask")
    require(given.language.is_positional(meaning.when), "expected a `when` that speaks of the position only")
    automaton = Automaton(given, meaning.formula, forms, head.mask == "future")
    for n in reversed(given.lengths):
        # rows with one scaled query are checked in one pass, and a chain of equal positions, known by its number, once
        items, ends, rows = list[Item](), [0], dict[Numbers, dict[int, str]]()
        for length, i in enumerate(range(1, n + 1) if head.mask == "future" else range(n, 0, -1), 1):
            items.append(item := automaton.item(n, i))
            for value in {item[0][-1] + adds[-1] for adds, _ in item[1]}:
                require(0 <= value <= 1, f"a value can be {value}, expected 0 to 1")
            ends.append(given.chains.setdefault((ends[-1], item), len(given.chains) + 1))
            if given.language.at(meaning.when, n, i):
                covered += 1
                query = given.read(head.queries, n, i, {}, given.language.at(head.temperature, n, i))
                if (query, ends[length], errors) not in given.proved:
                    rows.setdefault(query, {})[length] = f"n = {n}, i = {i}"
        for query, wanted in rows.items():
            automaton.check(query, items[: max(wanted)], wanted, errors)
            given.proved.update((query, ends[length], errors) for length in wanted)
    return covered

class FeedForward:
    """One output of a feed-forward part: its units, grouped by the linear form that they read up to a factor."""

    def __init__(self, given: Certificate, part: Any, name: str) -> None:
        language, nodes, self.given = given.language, given.language.nodes, given
        self.bias: Fraction = part.bias.get(name, ZERO)
        self.groups: dict[Form, list[tuple[Fraction, Fraction, Fraction]]] = {}
        for unit in part.units:
            if name in unit.writes:
                scale = next(iter(unit.reads.values()), ONE)
                form = tuple((d, bounded(c / scale)) for d, c in unit.reads.items())
                self.groups.setdefault(form, []).append((scale, unit.bias, unit.writes[name]))
        self.reads = {d: given.directions[d] for form in self.groups for d, _ in form}
        positional = {f for f in range(len(nodes)) if language.is_positional(f)}
        free = {nodes[m.count][1][0] if m.kind == "others" else m.formula for m in self.reads.values()}
        self.atoms, settled = free - positional, free | positional
        below = partial(language.preorder, stop=lambda f: f in settled or nodes[f][0] not in BOOLEAN)
        own = below([given.directions[name].formula])
        self.signs = [f for f in own if nodes[f][0] == "T" and f not in settled]
        require((k := len(self.atoms) + len(self.signs)) <= UNIT_ATOMS, f"{k} atoms, expected at most {UNIT_ATOMS}")
        whens = {m.when for m in self.reads.values()}
        guards = {g for g in whens if all(f in settled or nodes[f][0] in BOOLEAN for f in below([g]))}
        self.order = sorted(below([*own, *free, *guards]))
        language.spend(len(nodes))

    def counts(self, form: Form, truth: dict[int, Any]) -> Numbers | None:
        """The form's counts: a * T less the truths here (counts are 0 to max_n). None if T cannot have its sign."""
        counts, language, n = dict[int, Fraction](), self.given.language, self.given.claim.max_n
        for m, c in ((self.reads[d], c) for d, c in form if self.reads[d].kind == "others"):
            counts[m.count] = counts.get(m.count, ZERO) + c
        for f in self.signs if counts else ():
            _, operands, (_, constant, *coefficients) = language.nodes[f]
            a, sign = counts.get(operands[0], ZERO) / coefficients[0], truth[-1 - f]
            if counts == {k: a * c for k, c in zip(operands, coefficients, strict=True)}:
                least = constant + n * sum(min(c, 0) for c in coefficients) if sign < 0 else sign
                most = constant + n * sum(max(c, 0) for c in coefficients) if sign > 0 else sign
                here = constant + sum(c * truth[g] for g, c in zip(language.parts(f), coefficients, strict=True))
                return (a * (least - here), a * (most - here)) if least <= most else None
        require(not counts, "a unit does not read the counts in the proportions that are compared")
        return ZERO, ZERO

    def output(self, n: int, i: int, truth: dict[int, Any]) -> Fraction | None:
        """The one output under the assignment, or None if it is impossible. Raises: Rejected: if there are several."""
        result = self.bias
        for form, units in self.groups.items():
            if (counts := self.counts(form, truth)) is None:
                return None
            boxes = [counts, *((c * x, c * y) for d, c in form for x, y in [self.given.box(d, n, i, truth)])]
            low, high = total(map(min, boxes)), total(map(max, boxes))
            points = {low, high, *(-bias / scale for scale, bias, _ in units if low < -bias / scale < high)}
            found = {total(w * max(scale * x + bias, ZERO) for scale, bias, w in units) for x in points}
            if len(found) > 1:
                shown = " + ".join(f"{c} {quote(d)}" for d, c in form)
                raise Rejected(f"the output changes while {shown} goes from {low} to {high}")
            result = bounded(result + found.pop())
        return result

def check_feedforward(given: Certificate, layer: Any, name: str) -> int:
    """The feed-forward part makes the direction exactly what it means, whatever is free in what it reads."""
    language, meaning, seen = given.language, given.directions[name], set[tuple[object, ...]]()
    require(meaning.kind in ("position", "truth", "product"), f"a {meaning.kind} direction is written by a head")
    part, written, covered = layer.feedforward, FeedForward(given, layer.feedforward, name), 0
    for n, i in given.rows():
        covered += 1
        fixed = language.settle(written.order, n, i)
        fixed |= {f: False for f in written.order if (language.nodes[f][0], i) in (("prev", 1), ("next", n))}
        known = [fixed.get(m.formula, True) and language.at(m.value, n, i) for m in (meaning, *written.reads.values())]
        if (case := (*fixed.items(), *known)) in seen:
            continue
        seen.add(case)
        choices: dict[int, Sequence[int]] = {f: (False, True) for f in written.atoms if f not in fixed}
        choices |= {-1 - f: (-1, 0, 1) for f in written.signs}
        for chosen in product(*choices.values()):
            language.spend(10 * (1 + len(part.units) + len(written.order)))
            truth = language.evaluate(written.order, fixed | dict(zip(choices, chosen, strict=True)), n, i)
            got, wanted = written.output(n, i, truth), truth[meaning.formula] and known[0]
            require(got in (None, wanted), f"the output is {got}, expected {wanted}, at n = {n}, i = {i}")
    return covered

# ------------------------------------------------------------------------------------------- composition and claim
def find_writers(given: Certificate) -> dict[str, tuple[int, int]]:
    """For each direction its one writer, (stage, head): stage 0 embeds, 2l - 1 is the heads of layer l, 2l the rest."""
    parts = list[tuple[int, int, list[Row], dict[str, Any]]]()  # stage, head, what is read, what is written
    for place, layer in enumerate(given.model.layers):
        for number, head in enumerate(layer.heads, 1):
            parts.append((2 * place + 1, number, [*head.queries, *head.keys, *head.values.values()], head.values))
        units, bias = layer.feedforward.units, layer.feedforward.bias
        parts.append((2 * place + 2, 0, [u.reads for u in units], bias | {d: None for u in units for d in u.writes}))
    later = {name for *_, names in parts for name in names}
    embedded = {*given.model.position_embedding, *(d for row in given.tokens.values() for d in row)}
    writers = {name: (0, 0) for name in given.directions if name in embedded or name not in later}
    for stage, number, rows, names in parts:
        for d in (d for row in rows for d in row):
            require(writers.get(d, (stage, 0)) < (stage, 0), f"layer {(stage + 1) // 2} reads {quote(d)} too early")
        for name in names:
            require(name not in writers, f"direction {quote(name)} is written twice, in layer {(stage + 1) // 2}")
            writers[name] = (stage, number)
    return writers

def check_claim(given: Certificate) -> int:
    """Directions mean the claimed formula and its subformulas, whose number is returned; the regime is as claimed."""
    claim, placed, language, heads = given.claim, given.model.position_embedding, given.language, given.heads
    held = {meaning.formula for meaning in given.directions.values() if meaning.kind == "truth"}
    out, parts = given.directions[given.model.output], language.preorder([claim.formula])
    require((out.kind, out.formula) == ("truth", claim.formula), "the output does not mean the claimed formula")
    for f in parts:
        require(f in held, f"no direction means the truth of the subformula {language.show(f)}")
    require(all(head.weighting == "softmax" for head in heads), "the weighting of a head is not the expected softmax")
    for n, i in given.rows():
        limit = n * n if given.counts else 1
        for name, e in placed.items() if claim.regime == "temperature" else ():
            require(abs(language.at(e, n, i)) <= limit, f"regime: embedding {quote(name)} is not in -{limit}..{limit}")
        for head in heads:
            heat, what = language.at(head.temperature, n, i), f"the temperature of head {quote(head.name)}"
            require(heat > 0, f"{what} is {heat} at n = {n}, i = {i}")
            require(heat == 1 or claim.regime != "position", f"regime: {what} is not 1 everywhere")
    mentioned = set[str]().union(*(language.leaves[e] for e in [*placed.values(), *(h.temperature for h in heads)]))
    require(all(head.mask == "future" for head in heads) or not claim.causal, "causal: a head is not future-masked")
    require("n" not in mentioned or not claim.causal, "causal: an embedding or a temperature mentions n")
    return len(parts)

def check_certificate(given: Certificate) -> None:
    """Every obligation of the certificate, and then that nothing was left out."""
    writers, directions, covered = find_writers(given), given.directions, given.covered
    near = [((s + 1) // 2, k, d) for d, (s, k) in writers.items() if k and directions[d].kind in ("near", "others")]
    found = [(b.layer, b.head, b.direction) for b in given.whole.bounds]
    require(found == near, "bounds: expected exactly one entry for every near direction, in the order they are written")
    given.errors = {b.direction: (b.error_if_false, b.error_if_true) for b in given.whole.bounds}
    covered["subformulas"] = check_claim(given)
    for name, (stage, head) in writers.items():
        what = "embedding cells" if not stage else "head rows" if head else "feed-forward rows"
        place = f"layer {(stage + 1) // 2}, {f'head {head}' if head else 'feed-forward'}" if stage else "embedding"
        if directions[name].kind == "any":
            continue  # it may hold any number, and nothing is proved from it
        with within(f"{place}, direction {quote(name)}"):
            layer, guard = given.model.layers[(stage - 1) // 2] if stage else None, directions[name].when
            done = (check_embedding(given, name) if layer is None else check_feedforward(given, layer, name) if not head
                    else check_head(given, layer.heads[head - 1], name))  # fmt: skip
            rows = (not given.language.is_positional(guard) or given.language.at(guard, *row) for row in given.rows())
            wanted = sum(map(bool, rows)) * (1 if stage else len(given.tokens))
            require(done == wanted, f"covered {done} rows, expected {wanted}")
            covered[what] += done
    require(writers.keys() == directions.keys() and given.lengths, "a direction is not covered")

# ------------------------------------------------------------------------------------------------------ the verdict
Expected = dict[str, Any]  # what a person asks for, of formula, predicates, alphabet, min_n, max_n, regime and causal

def read_asked(expected: Expected, language: Language) -> int | None:
    """The formula asked for, if any, read with the predicates that were given beside it and no others."""
    language.predicates = {}
    with within("--predicate, --formula"):
        for definition in expected.get("predicates") or ():
            language.define(definition)
        return None if expected.get("formula") is None else language.read(expected["formula"], "formula")

def check_asked(given: Certificate, expected: Expected) -> None:
    """The claim of the certificate is the one asked for; who asks for a greatest length only means all up to it."""
    least = 1 if expected.get("max_n") is not None and expected.get("min_n") is None else expected.get("min_n")
    asked = expected | {"min_n": least, "formula": read_asked(expected, given.language), "predicates": None}
    for part in (part for part, value in asked.items() if value is not None):
        found, asks = (({*x} if part == "alphabet" else x) for x in (vars(given.claim)[part], asked[part]))
        require(found == asks, f"claim differs: the file has {part} {quote(given.document['claim'].get(part, found))}")

def describe(given: Certificate) -> list[str]:
    """The whole claim of an accepted certificate, in words, and what was covered to accept it."""
    claim, near = given.claim, [pair for d, pair in given.errors.items() if given.directions[d].kind == "near"]
    worst = -(-max(map(max, near), default=ZERO) * 10**6 // 1)
    regime = {"position": "every temperature is 1", "unstated": "nothing more is claimed",
              "temperature": f"every position embedding has absolute value at most {'n^2' if given.counts else '1'}"}
    units = sum(len(layer.feedforward.units) for layer in given.model.layers)
    return [
        f"formula      {given.document['claim']['formula']}",
        *(f"where        {definition}" for definition in given.document['transformer']['predicates']),
        f"alphabet     {', '.join(map(repr, claim.alphabet))}",
        f"claim        for every n in {claim.min_n}..{claim.max_n}, every word of length n over the alphabet and every",
        f"             position of it, direction '{given.model.output}' is exactly 1 where the formula holds, and",
        "             exactly 0 where not; so is some direction for each subformula (exact reals, real softmax)",
        f"regime       {claim.regime}: {regime[claim.regime]}",
        f"causal       {'yes: future masks only, nothing depends on n' if claim.causal else 'not claimed'}",
        f"transformer  {len(given.model.layers)} layers, {len(given.heads)} heads, {units} units",
        f"covered      {', '.join(f'{count} {what}' for what, count in given.covered.items())}",
        f"worst error  {worst // 10**6}.{worst % 10**6:06d} of a truth, before the feed-forward part (rounded up)"]
CHECKERS: dict[type, Any] = {Certificate: (check_certificate, describe)}

def load_softened() -> Any:
    """Who reads softened transformers: the file beside this one, which builds upon it, also if this is a script."""
    if not __package__:
        package = sys.modules["proofs"] = ModuleType("proofs")
        package.__path__, sys.modules["proofs.check"] = [__file__.removesuffix("check.py")], sys.modules[__name__]
    return import_module("proofs.check_softened").Softened

def check_text(data: bytes, expected: Expected | None = None) -> Certificate:
    """The certificate whose bytes these are, its claim proved. Raises: Malformed, Rejected: if it is none."""
    try:
        given = (load_softened() if data.startswith(b'{\n "format": "certify-softened"') else Certificate)(data)
        check_asked(given, expected or {})
        CHECKERS[type(given)][0](given)
    except (RecursionError, MemoryError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        raise Rejected(f"the check could not be completed: {type(error).__name__}: {error}") from None
    return given

def check_file(path: str, expected: Expected | None = None) -> Certificate:
    """As `check_text`, of a file, read once; `-` is standard input."""
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            return check_text(file.read(MAX_BYTES + 1), expected)
    except (OSError, ValueError, ImportError) as error:
        raise Malformed(f"cannot be read: {error}") from None

def read_arguments(argv: Sequence[str] | None) -> tuple[list[str], Expected]:
    """The files and the claim of a command line. Raises: Malformed, SystemExit: for bad usage."""
    parser = argparse.ArgumentParser(prog="check.py", allow_abbrev=False, description="Checks certificates.")
    parser.add_argument("files", metavar="FILE", nargs="+", help="a certificate; - is standard input")
    parser.add_argument("--formula", help="the claim must be about this formula")
    parser.add_argument("--predicate", action="append", default=[], dest="predicates", help="using NAME(k,n) := ...")
    parser.add_argument("--alphabet", help="and this alphabet: 01, or symbols separated by commas")
    parser.add_argument("--min-n", type=int, help="and this least length (with --max-n: 1, if it is not given)")
    parser.add_argument("--max-n", type=int, help="and this greatest length")
    parser.add_argument("--regime", choices=("temperature", "position", "unstated"), help="and this regime")
    parser.add_argument("--causal", action="store_true", default=None, help="and causal")
    expected = vars(parser.parse_args(argv))
    if (symbols := expected["alphabet"]) is not None:
        expected["alphabet"] = symbols = tuple(symbols.split(",") if "," in symbols else symbols)
        expect(all(symbols) and 0 < len(set(symbols)) == len(symbols), "--alphabet: expected symbols, each once")
    read_asked(expected, Language())
    return expected.pop("files"), expected

def main(argv: Sequence[str] | None = None) -> int:
    """Checks every file and prints the verdicts, once: 0 if all are accepted, else 1 if any is rejected, else 2."""
    lines, verdicts = list[str](), {"accepted"}
    try:
        files, expected = read_arguments(argv)
    except Malformed as error:
        files, lines, verdicts = [], [f"malformed: {error}"], {"malformed"}
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    for path in files:
        try:
            lines += [*CHECKERS[type(given := check_file(path, expected))][1](given), f"accepted: {path}"]
        except (Rejected, Malformed) as error:
            verdicts.add(verdict := type(error).__name__.lower())
            lines.append(f"{verdict}: {path}: {error}")
    try:
        print(*(line.encode("unicode_escape").decode("ascii") for line in lines), sep="\n", flush=True)
    except OSError:
        return 2
    return 1 if "rejected" in verdicts else 2 if "malformed" in verdicts else 0

if __name__ == "__main__":
    sys.exit(main())
