"""The trusted file for softened transformers: reads a certificate and says yes only if its claim is proved.

Usage    python -I -S proofs/check_softened.py FILE...  (or check.py, which hands files of this format over to this one)
Claim    On ``accepted: FILE``: for every n in 1..max_n and every word of length n over the alphabet, every head of the
         transformer U in FILE is uniform or tieless, with exactly the stated gaps; and U differs from the transformer
         that has softmax at the stated temperature in its heads that are not uniform, at every position and stage, by
         at most the stated bounds, which add up to at most 1/4 over the directions of the last stage.
Why      U is run exactly on every word. The stated bounds before a stage bound what the stage may add, by the rules of
         docs/softened.md, section 3, whose proofs are below; what is added must fit into the stated bounds after it.
         What has been met before is not computed again: by prefixes of words, histories of heads and vectors.
Trusted  This file, check.py from beside it (its reader, its expressions, its exp), Python's integers and Fractions.
Verdict  As check.py: `accepted` 0, `rejected` 1, `malformed` 2 (not in the format, or beyond a limit).
Legend   n length, i row (the position that attends), j position read, d and t directions (t is written). Exact numbers
         are integers over one denominator for each layer and length, its *scale*; errors are Fractions.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, chain, pairwise, product
from math import lcm
from operator import add, mul, sub
from types import ModuleType
from typing import Any

if not __package__:  # run as a script, this file finds check.py beside it
    package = sys.modules["proofs"] = ModuleType("proofs")
    package.__path__ = [__file__.removesuffix("check_softened.py")]

from proofs import check
from proofs.check import ZERO, Certificate, Malformed, Rejected, Row, bounded, expect, quote, require, total, within

MAX_VISITS = 10**10  # visits of a layer or head at a position of a word, if nothing were shared
MAX_CELLS = 1 << 20  # layers times directions
MAX_WORK = 10**10  # steps of a microsecond or so, for what is not shared
MAX_STORED = 1 << 22  # numbers in the tables, which are emptied when they are full
BITS, LEAST, MOST = 4096, -2700, 4096  # weights are integers over 2^BITS; the least and greatest arguments of exp
Word = tuple[str, ...]
Integers = tuple[int, ...]
Form = tuple[tuple[str, int], ...]
Gaps = dict[tuple[int, Word], Fraction | None]

def read_gap(given: Certificate, value: Any) -> Fraction | None:
    """A rational, or null."""
    return None if value is None else given.rational(value)

CLAIM: dict[str, Any] = {"alphabet": ["text"], "max_n": check.COUNTING, "temperature": "number"}
WHOLE: dict[str, Any] = {"format": {"certify-softened"}, "version": {1}, "claim": check.KEEP}
WHOLE |= {"transformer": check.MODEL, "gaps": [read_gap], "errors": [[check.WEIGHTS]]}

class Softened(Certificate):
    """The whole file, read; all that is stated is believed by nobody yet, but it is consistent and says at most 1/4."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data, WHOLE, CLAIM)
        self.gaps, self.stated, layers = self.whole.gaps, self.whole.errors, self.model.layers
        vars(self.claim).update(formula=None, regime=None, causal=None)  # nothing of the kind is claimed
        self.covered = {"words": 0, "situations of heads": 0, "vectors": 0}
        fits = len(self.gaps) == len(self.stated) == self.claim.max_n
        expect(fits, f"gaps, errors: expected {self.claim.max_n} entries, one for every length")
        expect(all(len(stages) == 2 * len(layers) for stages in self.stated), "errors: expected two maps per layer")
        expect(len(layers) * len(self.directions) <= MAX_CELLS, f"limit: more than {MAX_CELLS} layers times directions")
        visits = sum(n * len(self.claim.alphabet) ** n for n in self.lengths) * (1 + len(layers) + len(self.heads))
        expect(visits <= MAX_VISITS, f"limit: more than {MAX_VISITS} visits of layers and heads at positions of words")
        self.language.work = MAX_WORK
        for head in (head for head in self.heads if head.weighting == "softmax"):
            require(is_uniform(head), f"head {quote(head.name)} has scores and softmax, expected a hard weighting")
            positive = all(self.language.at(head.temperature, n, i) > 0 for n, i in self.rows())
            require(positive, f"the temperature of head {quote(head.name)} is not positive")
        require("i" not in self.language.leaves[self.claim.temperature], "the temperature is not in n alone")
        for n in self.lengths:
            require(self.heat(n) > 0, f"the temperature is {self.heat(n)} at n = {n}")
            for stage, (before, after) in enumerate(pairwise(self.bounds(n)), 1):
                shrunk = [d for d in {**before, **after} if after.get(d, ZERO) < before.get(d, ZERO)]
                require(not shrunk, f"n = {n}, stage {stage}: the bound of {quote(shrunk[:1])} is below the one before")
            last = total(self.bounds(n)[-1].values())
            require(last <= check.QUARTER, f"the bounds at n = {n} add up to {last}, expected at most 1/4")

    def bounds(self, n: int) -> list[Row]:
        """The stated bounds at one length, none before the first stage."""
        return [{}, *self.stated[n - 1]]

    def heat(self, n: int) -> Fraction:
        """The temperature."""
        return self.language.at(self.claim.temperature, n, 1)

def is_uniform(head: Any) -> bool:
    """All its scores are 0, since no query meets a key, and then it gives all positions the same weight."""
    scored = any(query and key for query, key in zip(head.queries, head.keys, strict=True))
    return not scored and head.weighting in ("average-hardmax", "softmax")

# ------------------------------------------------------------------------------------------------ forms and integers
def integer_forms(rows: Iterable[Row]) -> tuple[int, list[Form]]:
    """One denominator for all coefficients, and the forms with their numerators."""
    rows = list(rows)
    common = limited(lcm(*(c.denominator for row in rows for c in row.values())))
    return common, [tuple((d, int(c * common)) for d, c in row.items()) for row in rows]

def limited(x: int) -> int:
    """X itself. Raises: Malformed: if a denominator is too long."""
    expect(x.bit_length() <= check.MAX_BITS, f"limit: a denominator of more than {check.MAX_BITS} bits")
    return x

def whole(x: Fraction) -> int:
    """The integer that x is. Raises: ArithmeticError: if it is none, so that a wrong scale is not passed over."""
    if x.denominator != 1:
        raise ArithmeticError(f"{x} is no integer")
    return x.numerator

def apply(forms: Iterable[Form], held: Mapping[str, int]) -> Integers:
    """The forms of the numbers held."""
    return tuple([sum([c * held[d] for d, c in form]) for form in forms])

def size(row: Row, errors: Row) -> Fraction:
    """|R|·e, the sum of |R[d]| e[d]. It bounds |R·u - R·û| if e[d] bounds |u[d] - û[d]| for every d."""
    return total(abs(c) * errors[d] for d, c in row.items() if d in errors)

def show(x: Fraction) -> str:
    """About x (at least x, by at most a millionth), for messages."""
    e = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000 - 1
    return f"{-(-x // Fraction(10) ** (e - 6))}e{e - 6}" if x else "0"

class Vector:
    """What a position holds when a layer begins: the numbers that are still read, and what the heads read of them."""

    __slots__ = ("after", "items", "numbers", "queries")
    def __init__(self, numbers: Integers, queries: list[Integers], items: list[Integers]) -> None:
        self.numbers, self.queries, self.items = numbers, queries, items
        self.after: dict[tuple[Result, ...], Vector] = {}  # what comes out of the layer, by what its heads add

class Result:
    """What a part adds to the directions that it writes, and to the errors of those that other parts write as well."""

    __slots__ = ("carried", "values")
    def __init__(self, values: Integers, carried: tuple[tuple[str, Fraction], ...]) -> None:
        self.values, self.carried = values, carried

class Seen:
    """The positions that a head sees, as a multiset: of each its keys and values."""

    __slots__ = ("after", "found", "items", "spans")
    def __init__(self, items: tuple[Integers, ...]) -> None:
        self.items, self.after, self.found = items, dict[Integers, Seen](), dict[Integers, Result]()
        self.spans = [max(column) - min(column) for column in zip(*items, strict=True)]

class Stage:
    """What a stage (the heads of a layer, or its feed-forward part) may add to the error of every direction."""

    def __init__(self, where: str, before: Row, after: Row) -> None:
        self.where, self.before, self.writers = where, before, Counter[str]()
        self.room = defaultdict(Fraction, {t: x - before.get(t, ZERO) for t, x in after.items()})

    def settle(self, adds: Iterable[tuple[str, Fraction]]) -> tuple[tuple[str, Fraction], ...]:
        """Checks what the only writer of a direction adds to its error; the rest is to be added up, and is returned."""
        carried = []
        for t, error in adds:
            if self.writers[t] == 1:
                self.fit(t, error)
            elif error:
                carried.append((t, error))
        return tuple(carried)

    def settle_sums(self, results: Iterable[Result]) -> None:
        """Checks what all parts together add to the errors of a direction that several write."""
        sums = dict[str, Fraction]()
        for t, error in chain.from_iterable([result.carried for result in results if result.carried]):
            sums[t] = sums.get(t, ZERO) + error
        for t, error in sums.items():
            self.fit(t, error)

    def fit(self, t: str, error: Fraction) -> None:
        """Raises: Rejected: if the error does not fit between the stated bounds before and after."""
        if error > self.room[t]:
            raise Rejected(f"{self.where}, direction {quote(t)}: the error may grow by {show(error)}, and by "
                           f"{show(self.room[t])} between the stated bounds")

# ------------------------------------------------------------------------------------------------------------- parts
class Uniform:
    """A uniform head at one length: the mean over the visible positions of its values.

    Its error is at most |V_t|·e: softened, it takes the same mean of values that differ by at most that.
    """

    def __init__(self, at: Length, head: Any, stage: Stage, scale: int, new: int) -> None:
        self.at, self.mask, self.written, self.queries = at, head.mask, list(head.values), list[Form]()
        common, self.items = integer_forms(head.values.values())
        self.factor = new // (scale * common)
        self.carried = stage.settle((t, size(row, stage.before)) for t, row in head.values.items())
        self.start, self.table = Seen(((0,) * (1 + len(self.items)),)), dict[Integers, Seen]()

    def see(self, seen: Seen, item: Integers) -> Seen:
        """The positions with one more; of all that are seen only their number and the sums of their values are kept."""
        sums = tuple(map(add, seen.items[0], (1, *item)))
        if sums not in self.table:
            self.at.store(len(sums))
            self.table[sums] = grown = Seen((sums,))
            mean = tuple(whole(Fraction(x * self.factor, sums[0])) for x in sums[1:])
            grown.found[()] = Result(mean, self.carried)
        seen.after[item] = self.table[sums]
        return self.table[sums]

    def attend(self, seen: Seen, query: Integers) -> Result:
        """What the head adds, which was found when the last position was seen."""
        return seen.found[query]

class Tieless:
    """Another head at one length, which must have one greatest score at every position of every word.

    Claim. Let * be the winner, D_j the exact difference of its score and that of j, x_j what j weighs in the softened
    transformer relative to *. Direction t gets an error of at most |V_t|·e + |sum_j x_j (v_j - v_*) / (1 + sum_j x_j)|.

    Proof. A query q = Q·u, softened q', and keys k, k' differ by at most eta = |Q|·e and kappa = |K|·e. For each pair,
    q' (k'_* - k'_j) - q (k_* - k_j) = (q' - q)(k_* - k_j) + q' ((k'_* - k_*) - (k'_j - k_j)), which is at most
    eta |k_* - k_j| + (|q| + eta) 2 kappa; their sum d_j is the *doubt*. So x_j is between exp(-(D_j + d_j)/heat) and
    exp(-(D_j - d_j)/heat). The mean, with these weights, of the exact values misses v_* by the second term, and the
    mean of the softened values misses that by at most |V_t|·e, as the weights are positive and add up to 1.

    The second term is at most the greatest |numerator| over all x_j within their bounds, over 1 + the sum of lower
    bounds. A coarser bound, tried first: all |k_* - k_j| and |v_j - v_*| are at most the spans of what is seen.
    """

    def __init__(self, at: Length, head: Any, stage: Stage, scale: int, new: int) -> None:
        self.at, self.mask, self.written, self.stage = at, head.mask, list(head.values), stage
        self.name, self.start = quote(head.name), Seen(())
        by, self.queries = integer_forms(head.queries)
        over, keys = integer_forms(head.keys)
        under, values = integer_forms(head.values.values())
        self.items, self.keys, e = [*keys, *values], len(keys), stage.before
        self.gap: int | None = None
        self.unit, self.value_unit, self.factor = scale * by * scale * over, scale * under, new // (scale * under)
        etas, kappas = [size(row, e) for row in head.queries], [size(row, e) for row in head.keys]
        by_key = [eta * scale * by for eta in etas]  # the doubt in units of scores: for each unit of |k_* - k_j|,
        by_query = [2 * kappa * scale * over for kappa in kappas]  # for each unit of |q|,
        always = total(2 * eta * kappa * self.unit for eta, kappa in zip(etas, kappas, strict=True))
        self.fine = limited(lcm(always.denominator, *(x.denominator for x in [*by_key, *by_query])))
        self.by_key, self.by_query = [whole(x * self.fine) for x in by_key], [whole(x * self.fine) for x in by_query]
        self.always, self.sharpness = whole(always * self.fine), 1 / (self.unit * self.fine * at.heat)
        self.drift = {t: size(row, e) for t, row in head.values.items()}
        self.carry = stage.settle(self.drift.items())  # where only one position is seen
        room = [((stage.room[t] - drift) * self.value_unit).as_integer_ratio() for t, drift in self.drift.items()]
        self.room = room if all(stage.writers[t] == 1 for t in head.values) else None
        self.table, self.weights = dict[tuple[Integers, ...], Seen](), dict[int, tuple[int, int]]()
        self.results, self.sums = dict[tuple[object, ...], Result](), dict[tuple[Integers, int], tuple[int, int]]()

    def see(self, seen: Seen, item: Integers) -> Seen:
        """The positions with one more."""
        items = tuple(sorted([*seen.items, item]))
        if items not in self.table:
            self.at.store(10 + len(items))
            self.table[items] = Seen(items)
        seen.after[item] = self.table[items]
        return self.table[items]

    def attend(self, seen: Seen, query: Integers) -> Result:
        """What the head adds where it meets this query: the values of the winner, if they are near enough softened."""
        self.at.given.covered["situations of heads"] += 1
        self.at.meet(len(seen.items) * (2 + len(query)))
        scores = [sum(map(mul, query, item)) for item in seen.items]
        *others, best = sorted(scores)
        if best in others[-1:]:
            raise Rejected(f"{self.stage.where}, head {self.name} is not tieless: two greatest scores")
        winner = seen.items[scores.index(best)]
        values, carried = tuple([x * self.factor for x in winner[self.keys :]]), self.carry
        if others:
            least = best - others[-1]
            self.gap = least if self.gap is None else min(least, self.gap)
            doubt = self.always + sum([abs(q) * x for q, x in zip(query, self.by_query, strict=True)])
            if self.room is None or not self.is_near(seen, tuple([best - score for score in others]), doubt):
                errors = self.bound(seen, winner, [best - score for score in scores], doubt)
                carried = self.stage.settle(errors.items())
        if (values, carried) not in self.results:
            self.results[values, carried] = Result(values, carried)
        seen.found[query] = self.results[values, carried]
        return seen.found[query]

    def is_near(self, seen: Seen, distances: Integers, always: int) -> bool:
        """Whether the coarser bound fits for every direction that is written; its weights are remembered."""
        spans = seen.spans
        doubt = always + sum(map(mul, self.by_key, spans))
        if distances[-1] * self.fine <= doubt:
            return False
        if (distances, doubt) not in self.sums:
            self.at.store(BITS >> 5)
            ends = [(self.weigh(x * self.fine + doubt)[0], self.weigh(x * self.fine - doubt)[1]) for x in distances]
            self.sums[distances, doubt] = (1 << BITS) + sum(lower for lower, _ in ends), sum(upper for _, upper in ends)
        mass, weight = self.sums[distances, doubt]
        return all(x * weight * q <= p * mass for x, (p, q) in zip(spans[self.keys :], self.room or [], strict=True))

    def bound(self, seen: Seen, winner: Integers, distances: Sequence[int], always: int) -> dict[str, Fraction]:
        """The bound of the claim for every direction that is written, all weights rounded outward."""
        mass, high, low = 0, [0] * len(self.written), [0] * len(self.written)
        self.at.meet(len(seen.items) * (20 + len(winner)))
        for item, distance in zip(seen.items, distances, strict=True):
            if not distance:
                continue
            doubt = always + sum([x * abs(a - b) for x, a, b in zip(self.by_key, winner, item, strict=False)])
            lower, moves = self.weigh(distance * self.fine + doubt)[0], list(map(sub, item, winner))[self.keys :]
            upper = self.weigh(distance * self.fine - doubt)[1] if any(moves) else lower
            mass += lower
            for t, move in enumerate(moves):
                high[t] += move * (upper if move > 0 else lower)
                low[t] += move * (lower if move > 0 else upper)
        unit = self.value_unit * ((1 << BITS) + mass)
        return {t: error + Fraction(max(most, -least), unit)
                for (t, error), most, least in zip(self.drift.items(), high, low, strict=True)}  # fmt: skip

    def weigh(self, distance: int) -> tuple[int, int]:
        """Integers around 2^BITS exp(-distance), a distance in the unit of `sharpness`; it may be negative.

        Below LEAST the lower end is 0, and the upper one that of LEAST. Shifts are to the left: exp(LEAST) > 2^-3896,
        and `enclose_exp` has fewer than 194 bits.
        """
        if distance not in self.weights:
            x = -distance * self.sharpness
            require(x <= MOST, f"{self.stage.where}, head {self.name}: errors of scores are too large")
            lower, upper, e = check.enclose_exp(max(x, Fraction(LEAST)))
            self.at.store(BITS >> 6)
            self.weights[distance] = lower << (BITS + e) if x >= LEAST else 0, upper << (BITS + e)
        return self.weights[distance]

class Group:
    """Units of a feed-forward part that read multiples of one linear form L, with c_k ReLU(s_k L·u + b_k) for each t.

    Claim. It adds to the error of t at most the greatest |f(y) - f(L·u)|, f the sum for t, over |y - L·u| <= |L|·e.
    Proof. L times the softened vector is such a y. f is linear between its breakpoints -b_k / s_k, so |f - constant| is
    convex there: it is greatest at a breakpoint, or at an end of the interval.
    """

    def __init__(self, at: Length, form: Row, units: Sequence[tuple[Fraction, Any]], stage: Stage, scale: int,
                 new: int) -> None:
        self.at, self.units, self.stage, self.new = at, units, stage, new
        self.written = list(dict.fromkeys(t for _, unit in units for t in unit.writes))
        common, (self.form,) = integer_forms([form])
        self.unit, self.radius, self.found = scale * common, size(form, stage.before), dict[int, Result]()
        self.breaks = [-unit.bias / slope for slope, unit in units if slope]

    def meet(self, y: int) -> Result:
        """What the group adds where L·u is y of its units."""
        if y not in self.found:
            middle = Fraction(y, self.unit)
            ends = middle - self.radius, middle + self.radius
            points = [middle, *ends, *(x for x in self.breaks if ends[0] < x < ends[1])]
            self.at.store(4 + len(self.written))
            self.at.meet(5 * len(points) * len(self.units) * (1 + len(self.written)))
            values, *near = map(self.outputs, points)
            worst = [max(abs(x - value) for x in xs) for value, *xs in zip(values, *near, strict=True)]
            errors = list(zip(self.written, worst, strict=True))
            self.found[y] = Result(tuple(whole(x * self.new) for x in values), self.stage.settle(errors))
        return self.found[y]

    def outputs(self, y: Fraction) -> list[Fraction]:
        """What is added to each direction that is written where L·u is y."""
        active = [(max(bounded(slope * y + unit.bias), ZERO), unit.writes) for slope, unit in self.units]
        return [total(x * writes[t] for x, writes in active if t in writes) for t in self.written]

class Layer:
    """A layer at one length: its heads, its groups, the vectors that go in. An empty one follows the last one."""

    def __init__(self, at: Length, number: int, scale: int) -> None:
        self.at, self.following, self.vectors = at, self, dict[Integers, Vector]()
        self.heads, self.groups, self.live = list[Uniform | Tieless](), list[Group](), at.live[number]
        if number < len(at.given.model.layers):
            layer, bounds = at.given.model.layers[number], at.bounds[2 * number : 2 * number + 3]
            scale = self.read_heads(layer.heads, Stage(f"layer {number + 1}, attention", *bounds[:2]), scale)
            scale = self.read_units(layer.feedforward, Stage(f"layer {number + 1}, feed-forward", *bounds[1:]), scale)
        self.scale = scale

    def read_heads(self, heads: Sequence[Any], stage: Stage, scale: int) -> int:
        """Makes the heads. The new scale fits all values, and means of up to n of them."""
        self.attention = stage
        stage.writers.update(chain.from_iterable(head.values for head in heads))
        values = [c.denominator for head in heads for row in head.values.values() for c in row.values()]
        counts = range(1, self.at.n + 1) if any(map(is_uniform, heads)) else ()
        new = limited(scale * lcm(*values) * lcm(*counts))
        for head in heads:
            kind = Uniform if is_uniform(head) else Tieless
            self.heads.append(kind(self.at, head, stage, scale, new))
        self.grow = new // scale
        return new

    def read_units(self, part: Any, stage: Stage, scale: int) -> int:
        """Makes the groups. The new scale fits everything that a unit writes."""
        self.feedforward = stage
        units, forms = part.units, dict[tuple[tuple[str, Fraction], ...], list[tuple[Fraction, Any]]]()
        for unit in units:
            slope = next(iter(unit.reads.values()), ZERO)
            form = tuple((d, bounded(c / slope)) for d, c in unit.reads.items())
            forms.setdefault(form, []).append((slope, unit))
        products = [x * c for u in units for x in (u.bias, *u.reads.values()) for c in u.writes.values()]
        self.stretch = lcm(*(x.denominator for x in [*products, *part.bias.values()]))
        new = limited(scale * self.stretch)
        self.groups = [Group(self.at, dict(form), group, stage, scale, new) for form, group in forms.items()]
        stage.writers.update(chain.from_iterable(group.written for group in self.groups))
        self.bias = {d: whole(x * new) for d, x in part.bias.items()}
        return new

    def receive(self, numbers: Integers) -> Vector:
        """The vector that holds these numbers, in the order of `live`, when the layer begins."""
        if numbers not in self.vectors:
            self.at.given.covered["vectors"] += 1
            self.at.store(len(numbers) + 8 * len(self.heads))
            held = dict(zip(self.live, numbers, strict=True))
            queries, items = ([apply(forms, held) for forms in read] for read in (
                [head.queries for head in self.heads], [head.items for head in self.heads]))  # fmt: skip
            self.vectors[numbers] = Vector(numbers, queries, items)
        return self.vectors[numbers]

    def pass_on(self, vector: Vector, histories: Sequence[Seen]) -> Vector:
        """What comes out at a position that holds the vector, and where the heads see this."""
        results = tuple([seen.found.get(query) or head.attend(seen, query)
                         for head, seen, query in zip(self.heads, histories, vector.queries, strict=True)])  # fmt: skip
        return vector.after.get(results) or self.add(vector, results)

    def add(self, vector: Vector, results: tuple[Result, ...]) -> Vector:
        """The same, from what the heads add; and the errors that several parts add to one direction are added up."""
        self.attention.settle_sums(results)
        held = {d: x * self.grow for d, x in zip(self.live, vector.numbers, strict=True)}
        for head, result in zip(self.heads, results, strict=True):
            held |= {t: held[t] + x for t, x in zip(head.written, result.values, strict=True) if t in held}
        outputs = [group.meet(sum([c * held[d] for d, c in group.form])) for group in self.groups]
        self.feedforward.settle_sums(outputs)
        after = {d: held[d] * self.stretch + self.bias.get(d, 0) for d in self.following.live}
        for group, output in zip(self.groups, outputs, strict=True):
            after |= {t: after[t] + x for t, x in zip(group.written, output.values, strict=True) if t in after}
        vector.after[results] = self.following.receive(tuple(after.values()))
        return vector.after[results]

    def see(self, histories: Sequence[Seen], vector: Vector) -> list[Seen]:
        """What every head has seen, with one more position."""
        return [seen.after.get(item) or head.see(seen, item)
                for head, seen, item in zip(self.heads, histories, vector.items, strict=True)]  # fmt: skip

    def pass_all(self, vectors: list[Vector]) -> list[Vector]:
        """What comes out at the positions of a whole word; each head sees those that its mask lets it see."""
        start, masks, chosen = [head.start for head in self.heads], {head.mask for head in self.heads}, []
        future = list(accumulate(vectors, self.see, initial=start)) if masks - {"past"} else [start]
        past = list(accumulate(reversed(vectors), self.see, initial=start)) if "past" in masks else [start]
        for i, vector in enumerate(vectors):
            self.at.i = i + 1
            sides = {"future": future[(i + 1) % len(future)], "past": past[-1 - i % len(past)], "none": future[-1]}
            chosen.append(self.pass_on(vector, [sides[head.mask][k] for k, head in enumerate(self.heads)]))
        return chosen

def rows_read(layer: Any) -> Iterator[Row]:
    """All linear forms that a layer reads."""
    for head in layer.heads:
        yield from (*head.queries, *head.keys, *head.values.values())
    yield from (unit.reads for unit in layer.feedforward.units)

# -------------------------------------------------------------------------------------------------------- every word
State = tuple[list[list[Seen]], Vector | None]  # at a position: what the heads of the first layers saw; what is left

class Length:
    """The transformer at one length n, with all that was met."""

    def __init__(self, given: Softened, n: int) -> None:
        self.given, self.n, self.i, self.heat, self.stored = given, n, 1, given.heat(n), 0
        self.cost = 1  # of a step, more where numbers are long
        self.bounds, self.live, layers = given.bounds(n), self.find_live(), given.model.layers
        cells = [self.embed(i) for i in range(1, n + 1)]
        scale = limited(lcm(*(x.denominator for cell in cells for row in cell.values() for x in row.values())))
        self.layers = list[Layer]()
        for number in range(len(layers) + 1):
            self.layers.append(Layer(self, number, self.layers[-1].scale if number else scale))
        for one, following in pairwise(self.layers):
            one.following = following
        self.cost += self.layers[-1].scale.bit_length() >> 9
        first, *_ = self.layers
        self.cells = [{symbol: first.receive(tuple(whole(row.get(d, ZERO) * scale) for d in first.live))
                       for symbol, row in cell.items()} for cell in cells]  # fmt: skip
        causal = [all(head.mask == "future" for head in layer.heads) for layer in self.layers[:-1]]
        shared = [*causal, False].index(False)
        self.shared, self.rest = self.layers[:shared], self.layers[shared:-1]
        self.start: State = [[head.start for head in layer.heads] for layer in self.shared], None  # before a word

    def find_live(self) -> list[list[str]]:
        """For each layer, the directions that it or a later one reads."""
        read, live = set[str](), list[list[str]]()
        for layer in [None, *self.given.model.layers[::-1]]:
            rows = [*rows_read(layer)] if layer else []
            self.meet(5 * sum(1 + len(row) for row in rows) + len(self.given.directions))
            read |= {d for row in rows for d in row}
            live.append([d for d in self.given.directions if d in read])
        return live[::-1]

    def embed(self, i: int) -> dict[str, Row]:
        """What position i begins with, for every symbol."""
        placed = {d: self.given.language.at(f, self.n, i) for d, f in self.given.model.position_embedding.items()}
        self.meet(len(self.given.tokens) * len(placed))
        return {symbol: {d: bounded(row.get(d, ZERO) + placed.get(d, ZERO)) for d in {**row, **placed}}
                for symbol, row in self.given.tokens.items()}  # fmt: skip

    def meet(self, steps: int) -> None:
        """Counts work. Raises: Malformed: when the whole check takes too much."""
        self.given.language.spend(steps * self.cost)

    def store(self, numbers: int) -> None:
        """Counts what is stored, and the work to make it."""
        self.stored += numbers
        self.meet(numbers)

    def step(self, state: State, symbol: str) -> State:
        """The first layers at position i; they look to the left only, so that they are the same for all words."""
        vector, grown = self.cells[self.i - 1][symbol], []
        for layer, histories in zip(self.shared, state[0], strict=True):
            grown.append(layer.see(histories, vector))
            vector = layer.pass_on(vector, grown[-1])
        return grown, vector

    def run(self, word: Word, states: list[State], shared: int) -> None:
        """All layers at all positions, the first ones but for the ``shared`` first positions."""
        del states[shared + 1 :]
        for i in range(shared + 1, self.n + 1):
            self.i = i
            states.append(self.step(states[-1], word[i - 1]))
        vectors = [vector for _, vector in states if vector]
        for layer in self.rest:
            vectors = layer.pass_all(vectors)

    def gap(self) -> Fraction | None:
        """The least gap that was met."""
        heads = [head for layer in self.layers for head in layer.heads if isinstance(head, Tieless)]
        return min([Fraction(head.gap, head.unit) for head in heads if head.gap is not None], default=None)

def check_shard(given: Softened, n: int, prefix: Word) -> Fraction | None:
    """The least gap of the words of length n with the prefix, once they are proved to be within the stated bounds.

    Raises: Rejected: if a word ties, or the rules prove no bound as small as a stated one. Malformed: beyond a limit.
    """
    expect_shard(given, n, prefix)
    tables, states, last, gaps = list[Length](), list[State](), Word(), set[Fraction | None]()
    for rest in product(given.claim.alphabet, repeat=n - len(prefix)):
        if not tables or tables[0].stored > MAX_STORED:
            gaps |= {at.gap() for at in tables}
            with within(f"n = {n}"):
                tables[:] = [Length(given, n)]
            states, last = [tables[0].start], ()
        word, at = prefix + rest, tables[0]
        try:
            at.run(word, states, next((k for k, (x, y) in enumerate(zip(word, last, strict=False)) if x != y), 0))
        except Rejected as error:
            raise Rejected(f"n = {n}, word {quote(' '.join(word))}, position {at.i}: {error}") from None
        last = word
        given.covered["words"] += 1
    return min([gap for gap in gaps | {at.gap() for at in tables} if gap is not None], default=None)

def expect_shard(given: Softened, n: int, prefix: Word) -> None:
    """Raises: Malformed: if there are no such words."""
    fits = n in given.lengths and len(prefix) <= n and {*prefix} <= {*given.claim.alphabet}
    expect(fits, f"no shard: n = {n}, prefix {quote(' '.join(prefix))}")

def finish(given: Softened, found: Gaps) -> None:
    """The shards that were checked are all words, each once, and their least gaps are those stated."""
    for shard in found:
        expect_shard(given, *shard)
    for n in given.lengths:
        prefixes, size = sorted(prefix for length, prefix in found if length == n), len(given.claim.alphabet)
        overlap = any(b[: len(a)] == a for a, b in pairwise(prefixes))  # what begins with a follows it at once
        number = sum(size ** (n - len(prefix)) for prefix in prefixes)
        require(not overlap and number == size**n, f"the shards at n = {n} are not all words, each once")
        least = min([gap for (length, _), gap in found.items() if length == n and gap is not None], default=None)
        stated = given.gaps[n - 1]
        require(least == stated, f"the gap at n = {n} is {quote(least)}, not the stated {quote(stated)}")

def check_softened(given: Softened) -> None:
    """Every obligation of the certificate: all the shards, here one for every length."""
    finish(given, {(n, ()): check_shard(given, n, ()) for n in given.lengths})

def describe(given: Softened) -> list[str]:
    """The whole claim of an accepted certificate, in words, and what was covered to accept it."""
    claim, document, n = given.claim, given.document, given.claim.max_n
    return [
        f"alphabet     {', '.join(map(repr, claim.alphabet))}",
        f"claim        for every n in 1..{n} and every word of length n over the alphabet: every head is uniform, or",
        "             tieless with the stated gaps; and with softmax in the heads that are not uniform every residual",
        "             vector is within the stated bounds of the one with hard attention, after the last layer within",
        "             1/4 in the sum over all directions (exact reals, real softmax)",
        f"temperature  {document['claim']['temperature']}",
        f"gap          {document['gaps'][-1]} at n = {n}",
        f"error        at most {show(max(total(given.bounds(m)[-1].values()) for m in given.lengths))} in the sum",
        f"transformer  {len(given.model.layers)} layers, {len(given.heads)} heads",
        f"covered      {', '.join(f'{count} {what}' for what, count in given.covered.items())}",
    ]

def check_text(data: bytes, expected: check.Expected | None = None) -> Softened:
    """The certificate whose bytes these are, its claim proved. Raises: Malformed, Rejected: if it is none."""
    given = check.check_text(data, expected)
    if not isinstance(given, Softened):
        raise Malformed("no certificate of a softened transformer")
    return given

check.CHECKERS[Softened] = (check_softened, describe)

if __name__ == "__main__":
    sys.exit(check.main())
