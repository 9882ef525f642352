"""The trusted file: reads a certificate and says yes only if its claim is proved.

    python -I -S proofs/check.py [--formula F] [--alphabet A] [--max-n N] [--regime R] [--causal] FILE...

Claim       On ``accepted: FILE``: for every n in 1..max_n, every word of length n over the alphabet and every position
            i of it, the transformer written in FILE (exact rational weights, real softmax, exact real arithmetic)
            holds exactly 1 in its output direction if the word satisfies the claimed formula at i, and exactly 0 if
            not; every subformula is held exactly by some direction; every *near* direction stays within its stated
            bounds; and the stated regime holds. The claim is printed in full: accepting says nothing else.
Why         Every direction has one writer and a stated meaning. Going up the layers, each writer is proved right from
            the meanings of what it reads, with everything that depends on the word left free (docs/certificate.md).
Trusted     This file, Python's integers and `fractions.Fraction`, `re`, and `json` for splitting text into strings
            and lists. No floating point, no tolerance, no search, no other file of this project.
Verdicts    `accepted` 0, `rejected` 1 (an obligation cannot be proved, or the claim is not the one asked for),
            `malformed` 2 (not in the format, or beyond a limit). A rejection does not say that the claim is false.
Legend      n length, i row (the position that attends), j position read, r component of queries and keys; a "row" is
            a pair (n, i); a formula is an integer, the place of its node in one table.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, isqrt, lcm
from types import SimpleNamespace
from typing import Any, NoReturn

MAX_BYTES, MAX_ITEMS, MAX_DEPTH = 1 << 26, 1 << 22, 16  # the file: size, strings or commas, nesting
MAX_DIGITS, MAX_BITS = 1000, 1 << 17  # one rational: as written, and as computed
MAX_FORMULA, MAX_EXPRESSION, MAX_NESTING, MAX_NODES = 100_000, 300, 200, 1 << 18
MAX_N, MAX_WORK = 4096, 10**9  # lengths; steps of about a microsecond
MAX_ARGUMENT, MAX_SPREAD = 40, 1 << 24  # |argument of exp| < 2^40; bits of an integer in a sum
HEAD_ATOMS, HEAD_MEMORY, UNIT_ATOMS = 8, 6, 12
QUARTER, ZERO, ONE = Fraction(1, 4), Fraction(0), Fraction(1)
Row = dict[str, Fraction]


class Malformed(Exception):
    """The file is not a certificate of this version, or it is beyond a limit."""


class Rejected(Exception):
    """An obligation could not be proved, or the claim is not the one asked for."""


def quote(name: str) -> str:
    """A name from the file, safe to print and not too long."""
    return ascii(name if len(name) <= 100 else name[:100] + "...")


def bits_of(x: Fraction) -> int:
    """The bits of numerator and denominator together."""
    return x.numerator.bit_length() + x.denominator.bit_length()


def bounded(x: Fraction) -> Fraction:
    """X itself. Raises: Malformed: if it has more than MAX_BITS."""
    if bits_of(x) > MAX_BITS:
        raise Malformed(f"limit: a rational of more than {MAX_BITS} bits")
    return x


def total(terms: Iterable[Fraction]) -> Fraction:
    """The exact sum, bounded all the way."""
    result = ZERO
    for term in terms:
        result = bounded(result + term)
    return result


# ---------------------------------------------------------------------------------------------- operator precedence
def parse_postfix(
    tokens: Iterable[tuple[str, bool, int]], prefix: dict[str, int], binary: dict[str, tuple[int, bool]], where: str
) -> list[tuple[int, str]]:
    """Tokens (text, is it a leaf, column) as postfix code (arity, text): operator precedence without recursion.

    Tables give each operator its strength; a binary one is marked True if it groups to the right.
    """
    output: list[tuple[int, str]] = []
    stack: list[tuple[int, int, str]] = []  # (strength, arity, text); an open parenthesis has strength 0
    operand_next = True
    for text, leaf, column in tokens:
        if operand_next and leaf:
            output.append((0, text))
            operand_next = False
        elif operand_next and text == "(":
            stack.append((0, 0, text))
        elif operand_next and text in prefix:
            stack.append((prefix[text], 1, text))
        elif not operand_next and text in binary:
            strength, right = binary[text]
            while stack and (stack[-1][0] > strength or (stack[-1][0] == strength and not right)):
                output.append(stack.pop()[1:])
            stack.append((strength, 2, text))
            operand_next = True
        elif not operand_next and text == ")":
            while stack and stack[-1][0]:
                output.append(stack.pop()[1:])
            if not stack:
                raise Malformed(f"{where}, column {column}: unmatched )")
            stack.pop()
        else:
            wanted = "an operand" if operand_next else "an operator or the end"
            raise Malformed(f"{where}, column {column}: expected {wanted}, got {quote(text)}")
        if len(stack) > MAX_NESTING:
            raise Malformed(f"{where}, column {column}: limit: nested more than {MAX_NESTING} deep")
    if operand_next or any(strength == 0 for strength, _, _ in stack):
        raise Malformed(f"{where}: ends where {'an operand' if operand_next else ')'} is expected")
    return output + [entry[1:] for entry in reversed(stack)]


# --------------------------------------------------------------------------------------------------------- formulas
CONSTANTS, BOOLEAN, PAST, FUTURE = {"true", "false"}, {"!", "&", "|", "->", "<->"}, {"prev", "since"}, {"next", "until"}
TEMPORAL = PAST | FUTURE
PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "ODD": lambda n, i: i % 2 == 1,
    "EVEN": lambda n, i: i % 2 == 0,
    "FIRST": lambda n, i: i == 1,
    "LAST": lambda n, i: i == n,
    "SQUARE": lambda n, i: isqrt(i) ** 2 == i,
    "POW2": lambda n, i: i & (i - 1) == 0,
    "PRIME": lambda n, i: i > 1 and all(i % d for d in range(2, isqrt(i) + 1)),
}
SPELLINGS = {"~": "!", "not": "!", "¬": "!", "&&": "&", "and": "&", "∧": "&", "||": "|", "or": "|", "∨": "|"}
SPELLINGS |= {"→": "->", "↔": "<->", "Y": "prev", "⊖": "prev", "X": "next", "⊕": "next"}
PREFIX = dict.fromkeys(("!", "prev", "next", "O", "F", "H", "G"), 6)
BINARY = dict.fromkeys(("since", "until", "S", "U"), (5, True))
BINARY |= {"&": (4, False), "|": (3, False), "->": (2, True), "<->": (1, False)}
TOKEN = re.compile(
    r"(?P<leaf>Q_[A-Za-z0-9_]+|Q\['(?:[^'\\]|\\['\\])+'\]|MOD\( *[1-9][0-9]{0,8} *, *(?:0|[1-9][0-9]{0,8}) *\))"
    r"|(?P<sign><->|->|&&?|\|\|?|[!~()¬∧∨→↔⊖⊕])|(?P<word>[A-Za-z][A-Za-z0-9_]*)|(?P<space>[ \t\r\n]+)|(?P<bad>.)",
    re.DOTALL,
)


class Formulas:
    """All formulas met, each once: ``nodes[f]`` is (operator, operands...) and every operand is smaller than f.

    So loops in increasing order take the place of recursion, and ``a S b``, which repeats b, stays small.
    """

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.places: dict[tuple[Any, ...], int] = {}
        self.kinds: list[frozenset[str]] = []  # which of Q (symbol), P (predicate) and T (temporal) occur

    def make(self, *node: Any) -> int:
        """The formula with this operator and these operands (a symbol, a predicate's name and numbers, formulas)."""
        if node not in self.places:
            if len(self.nodes) >= MAX_NODES:
                raise Malformed(f"limit: more than {MAX_NODES} formulas")
            own = {"T"} if node[0] in TEMPORAL else {node[0]} & {"Q", "P"}
            self.places[node] = len(self.nodes)
            self.nodes.append(node)
            self.kinds.append(frozenset(own.union(*(self.kinds[a] for a in self.operands(self.places[node])))))
        return self.places[node]

    def operands(self, f: int) -> tuple[int, ...]:
        """The direct subformulas of f."""
        return self.nodes[f][1:] if self.nodes[f][0] in BOOLEAN | TEMPORAL else ()

    def is_positional(self, f: int) -> bool:
        """Whether f is built from predicates on the position, constants and Boolean connectives."""
        return self.kinds[f] <= {"P"}

    def preorder(self, roots: Iterable[int], stop: Callable[[int], bool] = lambda f: False) -> list[int]:
        """Each formula below ``roots`` once, the left first; what satisfies ``stop`` is listed but not entered."""
        stack, seen = list(roots)[::-1], dict[int, None]()
        while stack:
            f = stack.pop()
            if f not in seen:
                seen[f] = None
                stack.extend(() if stop(f) else reversed(self.operands(f)))
        return list(seen)

    def evaluate(self, order: Iterable[int], truth: dict[int, bool], where: str) -> dict[int, bool]:
        """``truth`` with constants and Boolean connectives added, operands first. Raises: Rejected: at others."""
        for f in order:
            op, *args = self.nodes[f]
            if f in truth:
                continue
            if op in CONSTANTS:
                truth[f] = op == "true"
            elif op == "!":
                truth[f] = not truth[args[0]]
            elif op in BOOLEAN:
                a, b = truth[args[0]], truth[args[1]]
                truth[f] = {"&": a and b, "|": a or b, "->": not a or b, "<->": a == b}[op]
            else:
                raise Rejected(f"{where}: {self.show(f)} is not among what is read and cannot be evaluated")
        return truth

    def parse(self, text: str, where: str, person: bool = False) -> int:
        """The formula written ``text``, abbreviations expanded; only a ``person`` may use the Unicode spellings."""
        if len(text) > MAX_FORMULA:
            raise Malformed(f"{where}: limit: a formula of more than {MAX_FORMULA} characters")
        tokens = []
        for match in TOKEN.finditer(text):
            raw, kind, column = match[0], match.lastgroup, match.start() + 1
            word = SPELLINGS.get(raw, raw)
            leaf = kind == "leaf" or word in CONSTANTS or word in PREDICATES
            if raw in "#←":
                raise Malformed(f"{where}, column {column}: counting is not covered by this version")
            if kind == "bad" or not (raw.isascii() or person or kind == "leaf"):
                raise Malformed(f"{where}, column {column}: unexpected character {quote(raw)}")
            if not (leaf or kind == "space" or word in PREFIX or word in BINARY or word in "()"):
                raise Malformed(f"{where}, column {column}: unknown word {quote(word)}")
            if kind != "space":
                tokens.append((word, leaf, column))
        stack: list[int] = []
        for arity, word in parse_postfix(tokens, PREFIX, BINARY, where):
            args = [stack.pop() for _ in range(arity)][::-1]
            stack.append(self._expand(word, args) if arity else self._leaf(word, where))
        return stack[0]

    def _expand(self, word: str, args: list[int]) -> int:
        if word in ("O", "F"):
            return self.make("since" if word == "O" else "until", self.make("true"), *args)
        if word in ("H", "G"):
            return self.make("!", self._expand("O" if word == "H" else "F", [self.make("!", *args)]))
        if word in ("S", "U"):
            return self.make("since" if word == "S" else "until", self.make("|", *args), args[1])
        return self.make(word, *args)

    def _leaf(self, word: str, where: str) -> int:
        if word in CONSTANTS:
            return self.make(word)
        if word in PREDICATES:
            return self.make("P", word)
        if word.startswith("MOD"):
            m, r = map(int, re.findall("[0-9]+", word))
            if r >= m:
                raise Malformed(f"{where}: MOD(m,r) needs r < m, got {word}")
            return self.make("P", "MOD", m, r)
        return self.make("Q", word[2:] if word[1] == "_" else re.sub(r"\\(.)", r"\1", word[3:-2]))

    def holds_at(self, f: int, n: int, i: int) -> bool:
        """Whether position i of a word of length n has the predicate f."""
        _, name, *numbers = self.nodes[f]
        return i % numbers[0] == numbers[1] if numbers else PREDICATES[name](n, i)

    def show(self, f: int) -> str:
        """The formula in core syntax, fully parenthesised, cut to fit a message."""
        text: dict[int, str] = {}
        for g in sorted(self.preorder([f])):
            op, *args = self.nodes[g]
            if op in ("Q", "P", "atom"):
                numbers = str(tuple(args[1:])) if args[1:] else ""
                text[g] = f"Q[{args[0]!a}]" if op == "Q" else f"{args[0]}{numbers}"
            else:
                parts = [text[a] for a in args]
                text[g] = f"({parts[0]} {op} {parts[1]})" if len(parts) == 2 else " ".join([op, *parts])
            text[g] = text[g] if len(text[g]) <= 120 else text[g][:117] + "..."
        return text[f]


# ------------------------------------------------------------------------------------------------------ expressions
@dataclass(frozen=True)
class Expression:
    """A rational function of i and n, exactly."""

    text: str
    code: tuple[tuple[int, str], ...]

    @classmethod
    def parse(cls, text: str, where: str) -> Expression:
        """Reads an expression. Raises: Malformed: if it is not in the grammar."""
        if len(text) > MAX_EXPRESSION:
            raise Malformed(f"{where}: limit: an expression of more than {MAX_EXPRESSION} characters")
        if not re.fullmatch(r"[-0-9in()+*/^ ]+", text):
            raise Malformed(f"{where}: an expression has only digits, i, n, + - * / ^ and parentheses")
        found = re.finditer(r"[0-9]+|[^ 0-9]", text)
        tokens = [(m[0], m[0] in "in" or m[0].isdigit(), m.start() + 1) for m in found]
        operators = {"+": (1, False), "-": (1, False), "*": (2, False), "/": (2, False), "^": (4, True)}
        return cls(text, tuple(parse_postfix(tokens, {"-": 3}, operators, where)))

    def mentions(self, name: str) -> bool:
        """Whether i, or n, occurs."""
        return (0, name) in self.code

    def value_at(self, n: int, i: int, where: str) -> Fraction:
        """Its value. Raises: Rejected: if it has none at (n, i)."""
        place, stack = f"{where}: {quote(self.text)} at n = {n}, i = {i}", list[Fraction]()
        for arity, word in self.code:
            if arity == 0:
                stack.append(Fraction({"i": i, "n": n}[word] if word in "in" else int(word)))
                continue
            right = stack.pop()
            if arity == 1:
                stack.append(-right)
                continue
            left = stack.pop()
            if word == "/" and right == 0:
                raise Rejected(f"{place}: division by zero")
            if word in "*/":
                stack.append(bounded(left * right if word == "*" else left / right))
            elif word in "+-":
                stack.append(bounded(left + right if word == "+" else left - right))
            else:
                stack.append(_power(left, right, place))
        return stack[0]


def _power(base: Fraction, exponent: Fraction, place: str) -> Fraction:
    if exponent.denominator != 1:
        raise Rejected(f"{place}: the exponent is not an integer")
    e = exponent.numerator
    if base == 0 and e < 0:
        raise Rejected(f"{place}: division by zero")
    if base == 0 or abs(base) == 1:
        return ONE if e == 0 or (base != 0 and e % 2 == 0) else base
    if abs(e) > 64:
        raise Rejected(f"{place}: the exponent is above 64")
    if abs(e) * bits_of(base) > MAX_BITS:
        raise Malformed(f"{place}: limit: a rational of more than {MAX_BITS} bits")
    return Fraction(base**e)


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
    """The JSON value whose one spelling ``data`` is. Raises: Malformed: for anything else."""
    if len(data) > MAX_BYTES:
        raise Malformed(f"limit: more than {MAX_BYTES} bytes")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start} is not ASCII") from None
    if max(map(text.count, '",[{')) > MAX_ITEMS:
        raise Malformed(f"limit: more than {MAX_ITEMS} items")
    depth = 0
    for bracket in re.findall(r"[][{}]", "".join(re.sub(r"\\.", "", text, flags=re.DOTALL).split('"')[::2])):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            raise Malformed(f"limit: nested more than {MAX_DEPTH} deep")
    try:
        document = json.loads(
            text, object_pairs_hook=_read_pairs, parse_int=_read_int, parse_float=_refuse, parse_constant=_refuse
        )
    except json.JSONDecodeError as error:
        raise Malformed(f"not JSON: {error}") from None
    canonical = json.dumps(document, indent=1, ensure_ascii=True) + "\n"
    if canonical != text:
        pairs = zip(canonical.split("\n"), text.split("\n"), strict=False)
        line = next((k for k, (a, b) in enumerate(pairs, 1) if a != b), text.count("\n") + 1)
        raise Malformed(f"line {line}: not the one spelling (json.dumps, indent 1, ASCII, one final newline)")
    return document


def _read_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise Malformed(f"duplicate key {quote(key)}")
        result[key] = value
    return result


def _read_int(text: str) -> int:
    if len(text) > 9:
        raise Malformed("limit: a bare integer of more than 9 characters")
    return int(text)


def _refuse(text: str) -> NoReturn:
    raise Malformed(f"a number that is not an integer: {quote(text)}; rationals are strings")


class Reader:
    """Reads the parts of a certificate; keeps the formulas met and the order of the directions once it is known."""

    def __init__(self) -> None:
        self.formulas = Formulas()
        self.order: dict[str, int] = {}

    def read(self, value: Any, shape: Any, where: str) -> Any:
        """A value of a shape.

        A dict stands for an object with exactly these keys in this order, [shape] for a list, (shape,) for a map from
        directions, in their order and without zero entries, and a function reads the value itself.
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
        if not isinstance(shape, tuple):
            return shape(self, value, where)
        if not isinstance(value, dict):
            raise Malformed(f"{where}: expected an object")
        result, last = {}, -1
        for name, item in value.items():
            if name not in self.order or self.order[name] <= last:
                raise Malformed(f"{where}: {quote(name)} is unknown, or not in the order of `directions`")
            last, result[name] = self.order[name], self.read(item, shape[0], f"{where}, {quote(name)}")
            if not result[name]:
                raise Malformed(f"{where}, {quote(name)}: a zero entry is left out, not written")
        return result

    def string(self, value: object, where: str) -> str:
        """A string without lone surrogates."""
        if not isinstance(value, str) or any("\ud800" <= c <= "\udfff" for c in value):
            raise Malformed(f"{where}: expected a string without lone surrogates")
        return value

    def count(self, value: object, where: str) -> int:
        """A positive integer; true is not 1."""
        if type(value) is not int or value < 1:
            raise Malformed(f"{where}: expected a positive integer, got {quote(str(value))}")
        return value

    def rational(self, value: object, where: str) -> Fraction:
        """The rational with this one spelling."""
        match = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", value) if isinstance(value, str) else None
        if match is None:
            raise Malformed(f"{where}: expected a rational as a string, got {quote(str(value))}")
        sign, top, bottom = match.groups("1")
        if max(len(top), len(bottom)) > MAX_DIGITS:
            raise Malformed(f"{where}: limit: an integer of more than {MAX_DIGITS} digits")
        p, q = int(top), int(bottom)
        if gcd(p, q) != 1 or match[3] == "1" or (p == 0 and sign):
            raise Malformed(f"{where}: not in lowest terms, or -0: {quote(match[0])}")
        return Fraction(-p if sign else p, q)

    def expression(self, value: object, where: str) -> Expression:
        """An expression in i and n."""
        return Expression.parse(self.string(value, where), where)

    def formula(self, value: object, where: str) -> int:
        """A formula."""
        return self.formulas.parse(self.string(value, where), where)

    def tokens(self, value: object, where: str) -> dict[str, Row]:
        """The token embedding."""
        rows = value.items() if isinstance(value, dict) else ()
        return {symbol: self.read(row, WEIGHTS, f"{where}, {quote(symbol)}") for symbol, row in rows}

    def directions(self, value: object, where: str) -> dict[str, SimpleNamespace]:
        """The meanings of the directions: ``value`` for a position, ``formula`` for a truth, ``when`` for a near."""
        meanings, true = dict[str, SimpleNamespace](), self.formulas.make("true")
        for name, item in value.items() if isinstance(value, dict) else ():
            here = f"{where}, {quote(self.string(name, where))}"
            kind = one_of(*MEANINGS)(self, item.get("kind") if isinstance(item, dict) else None, f"{here}, kind")
            found = vars(self.read(item, {"kind": Reader.string, **MEANINGS[kind]}, here))
            meanings[name] = SimpleNamespace(**{"value": None, "formula": true, "when": true} | found)
            if not self.formulas.is_positional(meanings[name].when):
                raise Malformed(f"{here}: `when` speaks of more than the position")
        self.order = {name: place for place, name in enumerate(meanings)}
        return meanings


def one_of(*choices: Any) -> Callable[[Reader, Any, str], Any]:
    """The shape of one of these strings, integers or Booleans; 1 is not true."""

    def read(_: Reader, value: Any, where: str) -> Any:
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            raise Malformed(f"{where}: expected {' or '.join(map(str, choices))}, got {quote(str(value))}")
        return value

    return read


WEIGHTS = (Reader.rational,)
MEANINGS: dict[str, dict[str, Any]] = {
    "position": {"value": Reader.expression},
    "truth": {"formula": Reader.formula},
    "near": {"formula": Reader.formula, "when": Reader.formula},
}
HEAD: dict[str, Any] = {"name": Reader.string, "source": Reader.string, "mask": one_of("none", "future", "past")}
HEAD |= {"weighting": one_of("softmax", "average-hardmax", "leftmost-hardmax", "rightmost-hardmax")}
HEAD |= {"temperature": Reader.expression, "queries": [WEIGHTS], "keys": [WEIGHTS], "values": (WEIGHTS,)}
UNIT = {"reads": WEIGHTS, "bias": Reader.rational, "writes": WEIGHTS}
LAYER = {"heads": [HEAD], "feedforward": {"units": [UNIT], "bias": WEIGHTS}}
TRANSFORMER = {"format": one_of("certify-transformer"), "version": one_of(1), "alphabet": [Reader.string]}
TRANSFORMER |= {"directions": Reader.directions, "token_embedding": Reader.tokens}
TRANSFORMER |= {"position_embedding": (Reader.expression,), "layers": [LAYER], "output": Reader.string}
CLAIM = {"formula": Reader.formula, "alphabet": [Reader.string], "max_n": Reader.count}
CLAIM |= {"regime": one_of("temperature", "position", "unstated"), "causal": one_of(True, False)}
BOUND = {"layer": Reader.count, "head": Reader.count, "direction": Reader.string}
BOUND |= {"error_if_false": Reader.rational, "error_if_true": Reader.rational}
CERTIFICATE = {"format": one_of("certify-certificate"), "version": one_of(1), "claim": CLAIM}
CERTIFICATE |= {"transformer": TRANSFORMER, "bounds": [BOUND]}


class Certificate:
    """The whole file, read and not yet believed, with the numbers that do not depend on the word.

    Raises: Malformed: unless it has the shape the format gives it.
    """

    def __init__(self, data: bytes) -> None:
        document, reader = read_document(data), Reader()
        whole = reader.read(document, CERTIFICATE, "file")
        self.formulas, self.claim, self.model = reader.formulas, whole.claim, whole.transformer
        self.bounds: list[Any] = whole.bounds
        self.text: str = document["claim"]["formula"]
        self.directions: dict[str, Any] = self.model.directions
        self.layers: list[Any] = self.model.layers
        self.heads = [head for layer in self.layers for head in layer.heads]
        self.work, self.numbers = MAX_WORK, dict[Any, Fraction]()
        self.chains, self.proved = dict[tuple[int, Item], int](), set[tuple[object, ...]]()
        self.weights: dict[Fraction, tuple[int, int, int]] = {}
        symbols: list[str] = self.claim.alphabet
        if self.claim.max_n > MAX_N:
            raise Malformed(f"max_n: limit: {self.claim.max_n} is above {MAX_N}")
        if not symbols or "" in symbols or len(set(symbols)) < len(symbols):
            raise Malformed("alphabet: expected at least one symbol, none empty, each listed once")
        if self.model.alphabet != symbols:
            raise Rejected("the alphabet of the transformer is not the alphabet of the claim")
        if list(self.model.token_embedding) != symbols:
            raise Malformed("token_embedding: expected every symbol of the alphabet, in its order")
        if self.model.output not in self.directions:
            raise Malformed(f"output: {quote(self.model.output)} is not a direction")
        if not all(head.values and len(head.queries) == len(head.keys) for head in self.heads):
            raise Malformed("a head writes nothing, or has not as many queries as keys")
        known = set(symbols)
        for op, *args in self.formulas.nodes:
            if op == "Q" and args[0] not in known:
                raise Malformed(f"a formula has the symbol {quote(args[0])}, which is not in the alphabet")

    def rows(self) -> Iterator[tuple[int, int]]:
        """Every (n, i) of the claim."""
        for n in range(1, self.claim.max_n + 1):
            self.spend(n)
            for i in range(1, n + 1):
                yield n, i

    def spend(self, steps: int) -> None:
        """Counts steps. Raises: Malformed: when the whole check would take too many."""
        self.work -= steps
        if self.work < 0:
            raise Malformed(f"limit: more than {MAX_WORK} steps of work")

    def is_known(self, name: str) -> bool:
        """Whether the direction's value does not depend on the word."""
        kind, formula = self.directions[name].kind, self.directions[name].formula
        return kind == "position" or (kind == "truth" and self.formulas.is_positional(formula))

    def number(self, e: Expression, n: int, i: int, where: str) -> Fraction:
        """An expression at (n, i), computed once for each value of what it mentions."""
        key = (e.text, n if e.mentions("n") else 0, i if e.mentions("i") else 0)
        if key not in self.numbers:
            self.spend(10)
            self.numbers[key] = e.value_at(n, i, where)
        return self.numbers[key]

    def truth(self, f: int, n: int, i: int) -> bool:
        """A formula about the position at (n, i)."""
        key = (f, n, i)
        if key not in self.numbers:
            order = sorted(self.formulas.preorder([f]))
            self.spend(len(order))
            held = {g: self.formulas.holds_at(g, n, i) for g in order if self.formulas.nodes[g][0] == "P"}
            self.numbers[key] = Fraction(self.formulas.evaluate(order, held, "position")[f])
        return self.numbers[key] == 1

    def known(self, name: str, n: int, i: int) -> Fraction:
        """A known direction at (n, i), by its meaning."""
        meaning = self.directions[name]
        if meaning.value:
            return self.number(meaning.value, n, i, quote(name))
        return ONE if self.truth(meaning.formula, n, i) else ZERO

    def known_parts(self, rows: Sequence[Row], n: int, i: int) -> tuple[Fraction, ...]:
        """What linear forms take from the known directions at (n, i)."""
        self.spend(1 + sum(map(len, rows)))
        return tuple(total(x * self.known(d, n, i) for d, x in row.items() if self.is_known(d)) for row in rows)

    def exp(self, x: Fraction) -> tuple[int, int, int]:
        """The enclosure of exp(x), computed once."""
        if x not in self.weights:
            self.spend(50 + (x.numerator.bit_length() >> 8))
            self.weights[x] = enclose_exp(x)
        return self.weights[x]


def check_embedding(given: Certificate, name: str, where: str) -> int:
    """The embedding alone makes the direction what it means; a direction that nothing writes is 0 everywhere."""
    model, formulas, meaning = given.model, given.formulas, given.directions[name]
    if name in model.position_embedding:
        if any(name in row for row in model.token_embedding.values()) or not given.is_known(name):
            raise Rejected(f"{where}: a position embedding does not make it what it means")
        for n, i in given.rows():
            got, wanted = given.number(model.position_embedding[name], n, i, where), given.known(name, n, i)
            if got != wanted:
                raise Rejected(f"{where}: it is {got}, expected {wanted}, at n = {n}, i = {i}")
        return len(model.token_embedding)
    if meaning.kind != "truth" or not formulas.kinds[meaning.formula] <= {"Q"}:
        raise Rejected(f"{where}: token embeddings do not make it what it means")
    order = sorted(formulas.preorder([meaning.formula]))
    given.spend(len(order) * len(model.token_embedding))
    for symbol, weights in model.token_embedding.items():
        truth = {f: formulas.nodes[f][1] == symbol for f in order if formulas.nodes[f][0] == "Q"}
        weight, holds = weights.get(name, ZERO), formulas.evaluate(order, truth, where)[meaning.formula]
        if weight != holds:
            raise Rejected(f"{where}: symbol {quote(symbol)} has {weight}, expected {int(holds)}")
    return len(model.token_embedding)


# ------------------------------------------------------------------------------------------------------------ heads
def check_head(given: Certificate, head: Any, name: str, errors: tuple[Fraction, Fraction] | None, where: str) -> int:
    """What the head writes to the direction is what the direction means; returns the number of rows covered."""
    kind = given.directions[name].kind
    if head.weighting != "softmax":
        raise Rejected(f"{where}: the weighting is {head.weighting}, expected softmax")
    for read in (read for query in head.queries for read in query):
        if not given.is_known(read):
            raise Rejected(f"{where}: queries read known directions only, not {quote(read)}")
    for n, i in given.rows():
        if (temperature := given.number(head.temperature, n, i, where)) <= 0:
            raise Rejected(f"{where}: the temperature is {temperature} at n = {n}, i = {i}, expected above 0")
    if kind == "position":
        return check_uniform(given, head, name, where)
    if kind == "near" and errors is not None:
        return check_attention(given, head, name, errors, where)
    raise Rejected(f"{where}: a head cannot write a direction of kind {kind}")


def check_uniform(given: Certificate, head: Any, name: str, where: str) -> int:
    """Equal scores at all visible positions, and the mean of the values there is the stated number."""
    for read in (read for row in (*head.keys, head.values[name]) for read in row):
        if not given.is_known(read):
            raise Rejected(f"{where}: a uniform head reads known directions only, not {quote(read)}")
    covered = 0
    for n in range(1, given.claim.max_n + 1):
        keys = [given.known_parts(head.keys, n, j) for j in range(1, n + 1)]
        sums = [ZERO]
        for j in range(1, n + 1):
            sums.append(bounded(sums[-1] + given.known_parts([head.values[name]], n, j)[0]))
        for i in range(1, n + 1):
            first, last = (i - 1 if head.mask == "past" else 0), (i if head.mask == "future" else n)
            query = given.known_parts(head.queries, n, i)
            given.spend((last - first) * len(query))
            if any(query) and len({total(map(Fraction.__mul__, query, key)) for key in keys[first:last]}) > 1:
                raise Rejected(f"{where}: the scores that can occur are not all equal at n = {n}, i = {i}")
            mean, wanted = (sums[last] - sums[first]) / (last - first), given.known(name, n, i)
            if mean != wanted:
                raise Rejected(f"{where}: the mean is {mean}, expected {wanted}, at n = {n}, i = {i}")
            covered += 1
    return covered


Letter = tuple[tuple[Fraction, ...], tuple[tuple[int, bool], ...]]
"""What a letter adds to the keys and the value; and for each state, the next state and the truth of the target."""
Item = tuple[tuple[Fraction, ...], tuple[Letter, ...]]
"""A position: what the keys and the value take from known directions, and the letters it may have."""


def check_attention(given: Certificate, head: Any, name: str, errors: tuple[Fraction, Fraction], where: str) -> int:
    """The head holds the direction's formula to within ``errors`` wherever its `when` holds; the number of rows.

    Rows of one length with the same scaled query are checked in one pass along the positions. A chain of positions is
    known by its number, so that no pass is made twice, for another length or for another head.
    """
    meaning, forms, covered = given.directions[name], [*head.keys, head.values[name]], 0
    if head.mask == "none" or not all(0 <= error <= QUARTER for error in errors):
        raise Rejected(f"{where}: expected a mask, and errors of 0 to 1/4, not {errors[0]} and {errors[1]}")
    automaton = Automaton(given, meaning.formula, forms, head.mask == "future", where)
    for n in range(given.claim.max_n, 0, -1):
        chain, ends, wanted = list[Item](), [0], dict[tuple[Fraction, ...], list[int]]()
        for length, i in enumerate(range(1, n + 1) if head.mask == "future" else range(n, 0, -1), 1):
            item = (given.known_parts(forms, n, i), automaton.letters(n, i))
            given.spend(len(item[1]) << len(automaton.memory))
            for adds, _ in item[1]:
                if not 0 <= (value := item[0][-1] + adds[-1]) <= 1:
                    raise Rejected(f"{where}: a value can be {value}, expected 0 to 1")
            chain.append(item)
            ends.append(given.chains.setdefault((ends[-1], item), len(given.chains) + 1))
            if given.truth(meaning.when, n, i):
                covered += 1
                temperature = given.number(head.temperature, n, i, where)
                query = tuple(bounded(q / temperature) for q in given.known_parts(head.queries, n, i))
                if (query, ends[length], errors) not in given.proved:
                    wanted.setdefault(query, []).append(length)
        for query, lengths in wanted.items():
            failed = find_violation(given, query, chain[: lengths[-1]], set(lengths), errors)
            if failed is not None:
                side, i = failed[0], failed[1] if head.mask == "future" else n + 1 - failed[1]
                label, bound = ("error_if_false", "error_if_true")[side], show_decimal(errors[side], 9)
                raise Rejected(f"{where}: {label} {bound} is below the worst case at n = {n}, i = {i}")
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
        formulas, nodes = given.formulas, given.formulas.nodes
        reads = [d for d in given.directions if any(d in form for form in forms) and not given.is_known(d)]
        for read in reads:
            if given.directions[read].kind != "truth":
                raise Rejected(f"{where}: keys and values read known and truth directions only, not {quote(read)}")
        self.adds = [(given.directions[d].formula, tuple(form.get(d, ZERO) for form in forms)) for d in reads]
        parts = set(formulas.preorder([f for f, _ in self.adds], lambda f: nodes[f][0] not in BOOLEAN))

        def is_atom(f: int) -> bool:
            return f != target and nodes[f][0] not in CONSTANTS | {"P"} and (f in parts or nodes[f][0] == "Q")

        own = formulas.preorder([target], is_atom)
        atoms = [f for f in own if is_atom(f)]
        for f in own:
            if f not in atoms and nodes[f][0] not in BOOLEAN | CONSTANTS | {"P"} | (PAST if future else FUTURE):
                raise Rejected(f"{where}: {formulas.show(f)} is neither read nor decided by this mask")
        self.memory = [f for f in own if f not in atoms and nodes[f][0] in TEMPORAL]
        if not self.memory:
            raise Rejected(f"{where}: the target has no temporal operator of its own")
        read_too = formulas.preorder([f for f, _ in self.adds], lambda f: f in atoms or nodes[f][0] not in BOOLEAN)
        self.atoms = atoms + [f for f in read_too if f not in atoms and nodes[f][0] in TEMPORAL | {"Q"}]
        self.order = [*sorted({*own, *read_too} - {*self.atoms, target}), target]
        if len(self.atoms) > HEAD_ATOMS or len(self.memory) > HEAD_MEMORY:
            raise Rejected(f"{where}: {len(self.atoms)} atoms, expected at most {HEAD_ATOMS}; or {len(self.memory)} "
                           f"temporal operators, expected at most {HEAD_MEMORY}")  # fmt: skip

    def letters(self, n: int, i: int) -> tuple[Letter, ...]:
        """The letters that position i may have, each once, in one order."""
        formulas = self.given.formulas
        predicates = {f: formulas.holds_at(f, n, i) for f in self.order if formulas.nodes[f][0] == "P"}
        key = tuple(predicates.values())
        if key not in self.tables:
            found = (self.read_letter(predicates, bits) for bits in range(1 << len(self.atoms)))
            self.tables[key] = tuple(sorted(set(found)))
        return self.tables[key]

    def read_letter(self, predicates: dict[int, bool], bits: int) -> Letter:
        """The letter that gives the atoms these truth values."""
        self.given.spend(len(self.order) << len(self.memory))
        held = predicates | {f: bool(bits >> bit & 1) for bit, f in enumerate(self.atoms)}
        moves, truth = [], dict[int, bool]()
        for state in range(1 << len(self.memory)):
            truth, after = dict(held), 0
            for f in self.order:
                op, *args = self.given.formulas.nodes[f]
                if f in self.memory:
                    bit = self.memory.index(f)
                    last, single = bool(state >> bit & 1), op in ("prev", "next")
                    value = last if single else truth[args[0]] and (truth[args[1]] or last)
                    after |= (truth[args[0]] if single else value) << bit
                    truth[f] = value
                else:
                    self.given.formulas.evaluate([f], truth, self.where)
            moves.append((after, truth[self.target]))
        adds = [add for f, add in self.adds if (held if f in held else truth)[f]]
        return tuple(total(add[r] for add in adds) for r in range(self.width)), tuple(moves)


def find_violation(given: Certificate, query: tuple[Fraction, ...], chain: list[Item], wanted: set[int],
                   errors: tuple[Fraction, Fraction]) -> tuple[int, int] | None:  # fmt: skip
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
            given.spend(len(letters) * len(best) * (1 + (bits >> 12)))
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
Box = dict[str, tuple[Fraction, Fraction]]


def check_feedforward(given: Certificate, layer: Any, name: str, where: str) -> int:
    """The feed-forward part makes the direction exactly what it means; returns the number of rows covered."""
    nodes, meaning, covered = given.formulas.nodes, given.directions[name], 0
    if meaning.kind == "near":
        raise Rejected(f"{where}: a near direction is written by a head")
    units = [(unit, unit.writes[name]) for unit in layer.feedforward.units if name in unit.writes]
    given.spend(len(layer.feedforward.units))
    reads = list(dict.fromkeys(read for unit, _ in units for read in unit.reads))
    known, free = [d for d in reads if given.is_known(d)], [d for d in reads if not given.is_known(d)]
    atoms = dict.fromkeys(given.directions[d].formula for d in free)
    if len(atoms) > UNIT_ATOMS:
        raise Rejected(f"{where}: {len(atoms)} atoms, expected at most {UNIT_ATOMS}")
    below = given.formulas.preorder([meaning.formula], lambda f: f in atoms or nodes[f][0] in TEMPORAL)
    order = sorted({*below, *atoms})
    leaves = [f for f in order if nodes[f][0] in ("P", "prev", "next")]
    seen: set[tuple[object, ...]] = set()
    for n, i in given.rows():
        covered += 1
        fixed = {f: given.formulas.holds_at(f, n, i) for f in leaves if nodes[f][0] == "P"}
        fixed |= {f: False for f in leaves if (nodes[f][0], i) in (("prev", 1), ("next", n))}
        box: Box = {d: (number, number) for d in known for number in [given.known(d, n, i)]}
        when = [given.truth(given.directions[d].when, n, i) for d in free]
        wanted = given.known(name, n, i) if meaning.kind == "position" else ZERO
        case = (tuple(fixed.items()), tuple(box.items()), tuple(when), wanted)
        if case in seen:
            continue
        seen.add(case)
        chosen = [f for f in atoms if f not in fixed]
        given.spend((10 * len(units) * (1 + len(reads)) + len(order)) << len(chosen))
        for letter in range(1 << len(chosen)):
            truth = fixed | {f: bool(letter >> bit & 1) for bit, f in enumerate(chosen)}
            for d, guarded in zip(free, when, strict=True):
                box[d] = find_interval(given.directions[d].kind, truth[given.directions[d].formula], guarded)
            place = f"{where}, n = {n}, i = {i}"
            if meaning.kind == "truth":
                wanted = Fraction(given.formulas.evaluate(order, truth, place)[meaning.formula])
            check_box(units, layer.feedforward.bias.get(name, ZERO), box, wanted, place)
    return covered


def find_interval(kind: str, holds: bool, guarded: bool) -> tuple[Fraction, Fraction]:
    """All that a direction may hold whose formula is true or false."""
    if kind == "truth":
        return Fraction(holds), Fraction(holds)
    if not guarded:
        return ZERO, ONE
    return (1 - QUARTER, ONE) if holds else (ZERO, QUARTER)


def check_box(units: list[tuple[Any, Fraction]], bias: Fraction, box: Box, target: Fraction, place: str) -> None:
    """The bias and the units are the target everywhere in the box: they are at one corner, and every slope is zero.

    A unit of constant sign is linear or zero. One that changes sign must depend on one direction only that is not a
    point, where it bends it; so the output is a sum of functions of one direction each, linear between its bends.
    """
    output, slopes, bends = bias, dict[str, Fraction](), dict[str, list[tuple[Fraction, Fraction, Fraction]]]()
    for unit, weight in units:
        corner = low = high = unit.bias
        for read, c in unit.reads.items():
            start, end = c * box[read][0], c * box[read][1]
            corner, low, high = bounded(corner + start), bounded(low + min(start, end)), bounded(high + max(start, end))
        output = bounded(output + weight * max(corner, ZERO))
        wide = [(read, c) for read, c in unit.reads.items() if box[read][0] < box[read][1]]
        if low < 0 < high and len(wide) > 1:
            raise Rejected(f"{place}: a unit changes sign and depends on {len(wide)} directions that are not exact")
        for read, c in wide if high > 0 else []:
            if low >= 0:
                slopes[read] = bounded(slopes.get(read, ZERO) + weight * c)
            else:
                bends.setdefault(read, []).append((bounded(box[read][0] - corner / c), c, weight * c))
    for read, (start, end) in box.items():
        cuts = sorted({start, end, *(at for at, _, _ in bends.get(read, []))})
        for left, right in pairwise(cuts):
            active = (slope for at, c, slope in bends.get(read, []) if (at <= left) == (c > 0))
            if sum(active, slopes.get(read, ZERO)) != 0:
                raise Rejected(f"{place}: the output moves with {quote(read)} between {left} and {right}")
    if output != target:
        raise Rejected(f"{place}: the output is {output}, expected {target}")


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

    later = {name for head in given.heads for name in head.values}
    for layer in given.layers:
        later |= {*layer.feedforward.bias, *(name for unit in layer.feedforward.units for name in unit.writes)}
    embedded = {*given.model.position_embedding, *(d for row in given.model.token_embedding.values() for d in row)}
    write([name for name in given.directions if name in embedded or name not in later], 0, 0)
    for place, layer in enumerate(given.layers, 1):
        units = layer.feedforward.units
        for number, head in enumerate(layer.heads, 1):
            read([*head.queries, *head.keys, *head.values.values()], 2 * place - 1)
            write(head.values, 2 * place - 1, number)
        read([unit.reads for unit in units], 2 * place)
        write([*layer.feedforward.bias, *(name for unit in units for name in unit.writes)], 2 * place, 0)
    return writers


def check_claim(given: Certificate) -> int:
    """Directions mean the claimed formula and its subformulas, whose number is returned; the regime is as claimed."""
    claim, placed = given.claim, given.model.position_embedding
    held = {meaning.formula for meaning in given.directions.values() if meaning.kind == "truth"}
    output = given.directions[given.model.output]
    if output.kind != "truth" or output.formula != claim.formula:
        raise Rejected(f"output {quote(given.model.output)} does not mean the truth of the claimed formula")
    parts = given.formulas.preorder([claim.formula])
    for f in parts:
        if f not in held:
            raise Rejected(f"no direction means the truth of the subformula {given.formulas.show(f)}")
    for n, i in given.rows():
        for name, e in placed.items() if claim.regime == "temperature" else ():
            if abs(given.number(e, n, i, quote(name))) > 1:
                raise Rejected(f"regime: the position embedding of {quote(name)} is above 1 in absolute value")
        for head in given.heads if claim.regime == "position" else ():
            if given.number(head.temperature, n, i, "regime") != 1:
                raise Rejected(f"regime: the temperature {quote(head.temperature.text)} is not 1 everywhere")
    if claim.causal and any(head.mask != "future" for head in given.heads):
        raise Rejected("causal: a head is not future-masked")
    if claim.causal and any(e.mentions("n") for e in [*placed.values(), *(head.temperature for head in given.heads)]):
        raise Rejected("causal: an embedding or a temperature mentions n")
    return len(parts)


def check_certificate(given: Certificate) -> Report:
    """Every obligation of the certificate, and then that nothing was left out."""
    writers, rows = check_composition(given), given.claim.max_n * (given.claim.max_n + 1) // 2
    bounds = {(b.layer, b.head, b.direction): (b.error_if_false, b.error_if_true) for b in given.bounds}
    places = [((stage + 1) // 2, head, name) for name, (stage, head) in writers.items() if head]
    near = [place for place in places if given.directions[place[2]].kind == "near"]
    if [(b.layer, b.head, b.direction) for b in given.bounds] != near:
        raise Rejected("bounds: expected exactly one entry for every near direction, in the order they are written")
    covered = dict.fromkeys(("embedding cells", "head rows", "feed-forward rows", "subformulas"), 0)
    expected = covered | {"subformulas": len(given.formulas.preorder([given.claim.formula]))}
    covered["subformulas"] += check_claim(given)
    for name, (stage, head) in writers.items():
        number, meaning = (stage + 1) // 2, given.directions[name]
        if stage == 0:
            covered["embedding cells"] += rows * check_embedding(given, name, f"embedding, direction {quote(name)}")
            expected["embedding cells"] += rows * len(given.claim.alphabet)
        elif head:
            where = f"layer {number}, head {head}, direction {quote(name)}"
            writer, errors = given.layers[number - 1].heads[head - 1], bounds.get((number, head, name))
            covered["head rows"] += check_head(given, writer, name, errors, where)
            expected["head rows"] += sum(given.truth(meaning.when, n, i) for n, i in given.rows())
        else:
            where = f"layer {number}, feed-forward, direction {quote(name)}"
            covered["feed-forward rows"] += check_feedforward(given, given.layers[number - 1], name, where)
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

    def check(self, given: Certificate) -> None:
        """Raises: Rejected: unless the claim of the certificate is the one asked for."""
        found = vars(given.claim) | {"alphabet": set(given.claim.alphabet)}
        asked = vars(self) | {"alphabet": None if self.alphabet is None else set(self.alphabet)}
        if self.formula is not None:
            asked["formula"] = given.formulas.parse(self.formula, "--formula", person=True)
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
        given, claim = self.given, self.given.claim
        alphabet = ", ".join(f"'{symbol}'" for symbol in claim.alphabet)
        units = [unit for layer in given.layers for unit in layer.feedforward.units]
        rows = [*given.model.token_embedding.values(), *(layer.feedforward.bias for layer in given.layers)]
        rows += [row for head in given.heads for row in (*head.queries, *head.keys, *head.values.values())]
        rows += [row for unit in units for row in (unit.reads, unit.writes)]
        parameters = len(given.model.position_embedding) + len(given.heads) + sum(unit.bias != 0 for unit in units)
        sizes = f"{len(given.layers)} layers, {len(given.heads)} heads, {len(units)} units"
        sides = ("error_if_false", "error_if_true")
        worst = [show_decimal(max((vars(b)[side] for b in given.bounds), default=ZERO), 6) for side in sides]
        regime = {"position": "every temperature is 1", "unstated": "nothing more is claimed"}
        regime["temperature"] = "every position embedding has absolute value at most 1"
        return [
            f"formula      {given.text}",
            f"alphabet     {alphabet}",
            f"claim        for every n in 1..{claim.max_n}, every word of length n over the alphabet and every",
            f"             position of it, direction '{given.model.output}' is exactly 1 where the formula holds, and",
            "             exactly 0 where not; so is some direction for each subformula (exact reals, real softmax)",
            f"regime       {claim.regime}: {regime[claim.regime]}",
            f"causal       {'yes: future masks only, nothing depends on n' if claim.causal else 'not claimed'}",
            f"transformer  {sizes}, {parameters + sum(map(len, rows))} parameters",
            f"covered      {', '.join(f'{count} {what}' for what, count in self.covered.items())}",
            f"worst error  {worst[0]} where false, {worst[1]} where true, before the feed-forward (rounded up)",
        ]


def show_decimal(x: Fraction, digits: int) -> str:
    """A number that is not negative in decimals, rounded up."""
    whole, part = divmod(-(-x.numerator * 10**digits // x.denominator), 10**digits)
    return f"{whole}.{part:0{digits}d}"


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
    parser.add_argument("--alphabet", help="and this alphabet: 01, or symbols separated by commas")
    parser.add_argument("--max-n", type=int, help="and this greatest length")
    parser.add_argument("--regime", choices=("temperature", "position", "unstated"), help="and this regime")
    parser.add_argument("--causal", action="store_true", default=None, help="and causal")
    asked = parser.parse_args(argv)
    if asked.alphabet is not None:
        asked.alphabet = tuple(asked.alphabet.split(",") if "," in asked.alphabet else asked.alphabet)
        if not asked.alphabet or not all(asked.alphabet) or len(set(asked.alphabet)) < len(asked.alphabet):
            raise Malformed("--alphabet: expected at least one symbol, each once")
    if asked.formula is not None:
        Formulas().parse(asked.formula, "--formula", person=True)
    return asked.files, Expected(asked.formula, asked.alphabet, asked.max_n, asked.regime, asked.causal)


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
