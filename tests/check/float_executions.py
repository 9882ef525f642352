"""Every float execution of a small network, by docs/reference/floats.md, section 1, and nothing else: sets of all that
numbers may be.

Every order of every sum, fused or not, every result below the least normal number kept or flushed, every exponential
within its units in the last place, both ways to normalise. Results at different places are treated as independent
choices, so a set is a superset of the executions' results.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

Numbers = frozenset[Fraction]
Held = Mapping[str, Numbers]
ZERO = Fraction(0)


class Format(NamedTuple):
    precision: int
    least: int
    greatest: int


class Class(NamedTuple):
    """A float model in which all formats except those of sums, scores and softmax are one."""

    storage: Format
    wide: Format
    normalised: str = "either"
    exp_ulp: Fraction = Fraction(1)
    exp_base: str = "e"

    def claim(self, max_n: int) -> dict[str, Any]:
        """Return the claim that a certificate makes of it."""
        narrow, wide = (f"float({','.join(map(str, form))})" for form in (self.storage, self.wide))
        formats = {"storage": narrow, "inputs": narrow, "sums": wide, "scores": wide, "softmax": wide}
        rest = {"normalised": self.normalised, "exp_ulp": str(self.exp_ulp), "exp_base": self.exp_base}
        return {"name": "runs", **formats, "weights": narrow, **rest, "block": 0, "max_n": max_n}


def exponent(x: Fraction) -> int:
    """Return the k with 2^k <= |x| < 2^(k+1)."""
    k = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return k if abs(x) >= Fraction(2) ** k else k - 1


@cache
def roundings(form: Format, x: Fraction) -> Numbers:
    """All that x may be rounded to."""
    if x == 0:
        return frozenset({ZERO})
    step = Fraction(2) ** (max(exponent(x), form.least) - form.precision + 1)
    found = step * round(x / step)
    assert abs(found) < Fraction(2) ** (form.greatest + 1), "a number is not finite"
    return frozenset({found} | ({ZERO} if abs(found) < Fraction(2) ** form.least else set()))


def each(form: Format, numbers: Iterable[Fraction]) -> Numbers:
    return frozenset(y for x in numbers for y in roundings(form, x))


@cache
def sums(form: Format, terms: tuple[Fraction, ...]) -> Numbers:
    """All that the sum of exact products may be: every tree, each product fused with the sum that it enters or not."""
    if not terms:
        return frozenset({ZERO})
    if len(terms) == 1:
        return roundings(form, terms[0])
    found: set[Fraction] = set()
    places = range(1, len(terms))
    for count in range(len(terms) - 1):
        for chosen in combinations(places, count):
            left = (terms[0], *(terms[k] for k in chosen))
            right = tuple(terms[k] for k in places if k not in chosen)
            lefts = sums(form, left) | (frozenset(left) if len(left) == 1 and len(right) > 1 else frozenset())
            rights = sums(form, right) | (frozenset(right) if len(right) == 1 else frozenset())
            for a, b in product(lefts, rights):
                found |= roundings(form, a + b)
            if len(left) == 1:
                for b in sums(form, right):
                    found |= roundings(form, left[0] + b)
    return frozenset(found)


def add(form: Format, terms: Iterable[Fraction]) -> Numbers:
    return sums(form, tuple(sorted(term for term in terms if term)))


@cache
def true_exp(x: Fraction, base: str) -> Fraction:
    with localcontext() as context:
        context.prec = 60
        power = Decimal(x.numerator) / Decimal(x.denominator)
        return Fraction((power if base == "e" else power * Decimal(2).ln()).exp())


def near_numbers(form: Format, y: Fraction, ulps: Fraction) -> Iterator[Fraction]:
    """Yield all numbers of the format within this many units in the last place of y."""
    step = Fraction(2) ** (max(exponent(y), form.least) - form.precision + 1)
    fine = step / 2 if y - ulps * step < Fraction(2) ** exponent(y) and exponent(y) > form.least else step
    k = -((ulps * step - y) // fine)
    while k * fine <= y + ulps * step:
        if k >= 0:
            yield from roundings(form, k * fine) if k * fine in roundings(form, k * fine) else ()
        k += 1


@cache
def exponentials(runs: Class, d: Fraction) -> Numbers:
    """Return all possible values of the exponential of a difference; exp(0) is 1."""
    if d == 0:
        return frozenset({Fraction(1)})
    found: set[Fraction] = set()
    if runs.exp_base != "2":
        found.update(near_numbers(runs.wide, true_exp(d, "e"), runs.exp_ulp))
    if runs.exp_base != "e":
        log = next(iter(roundings(runs.wide, Fraction(1) / Fraction(Decimal(2).ln()))))
        for x in roundings(runs.wide, d * log):
            found |= {Fraction(1)} if x == 0 else {*near_numbers(runs.wide, true_exp(x, "2"), runs.exp_ulp)}
    return frozenset(found)


@cache
def attend(runs: Class, scores: tuple[Fraction, ...], values: tuple[Fraction, ...]) -> Numbers:
    """All that the weighted sum may be, for scores and values as they are stored."""
    found: set[Fraction] = set()
    top, wide, narrow = max(scores), runs.wide, runs.storage
    options = [frozenset(e for d in roundings(wide, score - top) for e in exponentials(runs, d)) for score in scores]
    for chosen in {tuple(sorted(zip(es, values, strict=True))) for es in product(*options)}:
        wholes = add(wide, (e for e, _ in chosen))
        if runs.normalised != "before":
            kept = [[p * v for p in roundings(narrow, e)] for e, v in chosen]
            parts = {part for some in product(*kept) for part in add(wide, some)}
            found |= each(narrow, each(wide, (part / whole for part in parts for whole in wholes)))
        if runs.normalised != "after":
            for whole in wholes:
                weighed = [[p * v for p in each(narrow, roundings(wide, e / whole))] for e, v in chosen]
                found |= each(narrow, (x for some in product(*weighed) for x in add(wide, some)))
    return frozenset(found)


def form_of(runs: Class, weights: Mapping[str, str], held: Held, bias: str = "0") -> Numbers:
    """Return a linear form, as it is stored."""
    factors = [next(iter(roundings(runs.storage, Fraction(c)))) for c in weights.values()]
    found: set[Fraction] = set()
    for some in product(*(held[name] for name in weights)):
        terms = [c * x for c, x in zip(factors, some, strict=True)]
        found |= each(runs.storage, add(runs.wide, [*terms, Fraction(bias)]))
    return frozenset(found)


def value_at(expression: str, n: int, i: int) -> Fraction:
    """Return an expression of these tests."""
    brackets = {"[ODD]": str(i % 2), "[EVEN]": str(1 - i % 2), "[ODD](i-1)": str(int(i > 1) * (1 - i % 2))}
    return Fraction(eval(brackets.get(expression, expression).replace("^", "**"), {"n": Fraction(n), "i": Fraction(i)}))


class Network:
    """All runs of a network of one class on a word."""

    def __init__(self, model: Mapping[str, Any], runs: Class) -> None:
        self._model, self._runs = model, runs

    def run(self, word: str) -> list[dict[str, Numbers]]:
        """Return the possible values of each direction at each position at the end."""
        n = len(word)
        held = [self._embed(symbol, n, i) for i, symbol in enumerate(word, 1)]
        for layer in self._model["layers"]:
            found = [self._attend(layer["heads"], held, n, i) for i in range(1, n + 1)]
            held = [{**row, **more} for row, more in zip(held, found, strict=True)]
            held = [{**row, **self.feed(layer["feedforward"], row)} for row in held]
        return held

    def _embed(self, symbol: str, n: int, i: int) -> dict[str, Numbers]:
        held = dict.fromkeys(self._model["directions"], frozenset({ZERO}))
        for name, entry in self._model["token_embedding"][symbol].items():
            held[name] = roundings(self._runs.storage, Fraction(entry))
        for name, expression in self._model["position_embedding"].items():
            held[name] = roundings(self._runs.storage, value_at(expression, n, i))
        return held

    def _attend(self, heads: Sequence[Any], held: Sequence[Held], n: int, i: int) -> dict[str, Numbers]:
        runs, found = self._runs, {}
        for head in heads:
            seen = held[i - 1 :] if head["mask"] == "past" else held[:i] if head["mask"] == "future" else held
            scale = 1 / value_at(head["temperature"], n, i)
            scales = roundings(runs.storage, scale)
            queries = [form_of(runs, query, held[i - 1]) for query in head["queries"]]
            if head["temperature"] != "1":
                queries = [each(runs.storage, add_all(runs, q, scales)) for q in queries]
            keys = [[form_of(runs, key, row) for key in head["keys"]] for row in seen]
            for name, value in head["values"].items():
                values = [form_of(runs, value, row) for row in seen]
                found[name] = frozenset(
                    x
                    for query in product(*queries)
                    for scores in product(*(self._scores(query, key) for key in keys))
                    for some in product(*values)
                    for x in attend(runs, scores, some)
                )
        return found

    def _scores(self, query: Sequence[Fraction], keys: Sequence[Numbers]) -> Numbers:
        return frozenset(
            score
            for key in product(*keys)
            for score in add(self._runs.wide, (q * k for q, k in zip(query, key, strict=True)))
        )

    def feed(self, part: Mapping[str, Any], held: Held) -> dict[str, Numbers]:
        """Units read one number of each direction, all of them the same."""
        names = sorted({name for unit in part["units"] for name in unit["reads"]})
        found: dict[str, set[Fraction]] = {}
        for some in product(*(held[name] for name in names)):
            row = {name: frozenset({x}) for name, x in zip(names, some, strict=True)}
            active = [
                frozenset(max(x, ZERO) for x in form_of(self._runs, unit["reads"], row, unit["bias"]))
                for unit in part["units"]
            ]
            for name in {*part["bias"], *(name for unit in part["units"] for name in unit["writes"])}:
                weights = [Fraction(unit["writes"].get(name, "0")) for unit in part["units"]]
                for chosen in product(*(one if w else {ZERO} for one, w in zip(active, weights, strict=True))):
                    terms = [w * a for w, a in zip(weights, chosen, strict=True)]
                    bias = Fraction(part["bias"].get(name, "0"))
                    found.setdefault(name, set()).update(each(self._runs.storage, add(self._runs.wide, [*terms, bias])))
        return {name: frozenset(numbers) for name, numbers in found.items()}


def add_all(runs: Class, left: Numbers, right: Numbers) -> Numbers:
    """All products of two numbers."""
    return frozenset(x for a, b in product(left, right) for x in add(runs.wide, [a * b]))


def wrong_outputs(
    certificate: Mapping[str, Any], runs: Class, max_n: int, wanted: Callable[[str, int], bool]
) -> Iterator[tuple[str, int, Numbers]]:
    """Words and positions where a run may hold another output than exactly 1 or 0, as wanted."""
    network = Network(certificate["transformer"], runs)
    for n in range(1, max_n + 1):
        for symbols in product(certificate["claim"]["alphabet"], repeat=n):
            word = "".join(symbols)
            for i, row in enumerate(network.run(word), 1):
                got = row[certificate["transformer"]["output"]]
                if got != {Fraction(wanted(word, i))}:
                    yield word, i, got
