"""Certificates of softened transformers, sealed from docs/background/softened_rules.md by brute force: every word,
nothing shared.

No code is shared with the producer or the checker. Exact numbers are Fractions; exp is computed by `decimal`, correctly
rounded to 60 digits, and then widened.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import mpmath

Json = dict[str, Any]
Row = dict[str, Fraction]
ZERO, WIDER, CONTEXT = Fraction(0), Fraction(1, 10**55), Context(prec=60, Emin=-(10**9), Emax=10**9)
EXPRESSIONS: dict[str, Callable[[int, int], Fraction]] = {
    "1": lambda n, i: Fraction(1), "i": lambda n, i: Fraction(i), "i/n": lambda n, i: Fraction(i, n),
    "1/i": lambda n, i: Fraction(1, i), "-i": lambda n, i: Fraction(-i), "1/n": lambda n, i: Fraction(1, n),
    "n": lambda n, i: Fraction(n), "1/20": lambda n, i: Fraction(1, 20), "1/(9*n)": lambda n, i: Fraction(1, 9 * n),
    "1/60": lambda n, i: Fraction(1, 60), "1/(40*n)": lambda n, i: Fraction(1, 40 * n)}


def head(values: Json, queries: Json | None = None, keys: Json | None = None, mask: str = "future",
         weighting: str = "rightmost-hardmax") -> Json:
    """One query and key; without them it is uniform."""
    uniform = queries is None
    return {"name": "head", "source": "by hand", "mask": mask,
            "weighting": "average-hardmax" if uniform and weighting == "rightmost-hardmax" else weighting,
            "temperature": "1", "queries": [] if uniform else [queries], "keys": [] if uniform else [keys],
            "values": values}


def unit(reads: Json, bias: str, writes: Json) -> Json:
    return {"reads": reads, "bias": bias, "writes": writes}


def layer(heads: list[Json], units: list[Json] | None = None, bias: Json | None = None) -> Json:
    return {"heads": heads, "feedforward": {"units": units or [], "bias": bias or {}}}


def transformer(directions: str, tokens: Json, positions: Json, layers: list[Json]) -> Json:
    """Directions are separated by spaces and mean nothing; the last one is the output."""
    names = directions.split()
    return {"format": "certify-transformer", "version": 1, "alphabet": list(tokens), "predicates": [],
            "directions": {name: {"kind": "any"} for name in names}, "token_embedding": tokens,
            "position_embedding": positions, "layers": layers, "output": names[-1]}


def row(form: Json) -> Row:
    return {d: Fraction(c) for d, c in form.items()}


def apply(form: Json, vector: Row) -> Fraction:
    return sum((c * vector.get(d, ZERO) for d, c in row(form).items()), ZERO)


def spread(form: Json, errors: Row) -> Fraction:
    return sum((abs(c) * errors.get(d, ZERO) for d, c in row(form).items()), ZERO)


def visible(mask: str, i: int, n: int) -> range:
    return range(i if mask == "past" else 0, i + 1 if mask == "future" else n)


def is_uniform(one: Json) -> bool:
    scored = any(q and k for q, k in zip(one["queries"], one["keys"], strict=True))
    return not scored and one["weighting"] in ("average-hardmax", "softmax")


def scores_of(one: Json, stream: list[Row], i: int) -> dict[int, Fraction]:
    pairs = list(zip(one["queries"], one["keys"], strict=True))
    return {j: sum((apply(q, stream[i]) * apply(k, stream[j]) for q, k in pairs), ZERO)
            for j in visible(one["mask"], i, len(stream))}


def embed(model: Json, word: tuple[str, ...]) -> list[Row]:
    stream = []
    for i, symbol in enumerate(word, 1):
        vector = row(model["token_embedding"][symbol])
        for d, text in model["position_embedding"].items():
            vector[d] = vector.get(d, ZERO) + EXPRESSIONS[text](len(word), i)
        stream.append(vector)
    return stream


def plus(vector: Row, adds: Row) -> Row:
    return {d: vector.get(d, ZERO) + adds.get(d, ZERO) for d in {**vector, **adds}}


def winners_of(scores: dict[int, Fraction]) -> list[int]:
    return [j for j, score in scores.items() if score == max(scores.values())]


def attend(one: Json, stream: list[Row], i: int) -> Row:
    """Return the output of a head: the mean over the winners; leftmost and rightmost heads have one winner."""
    chosen = winners_of(scores_of(one, stream, i))
    return {t: sum((apply(form, stream[j]) for j in chosen), ZERO) / len(chosen) for t, form in one["values"].items()}


def feed(part: Json, vector: Row) -> Row:
    adds = row(part["bias"])
    for one in part["units"]:
        active = max(apply(one["reads"], vector) + Fraction(one["bias"]), ZERO)
        adds = plus(adds, {t: active * c for t, c in row(one["writes"]).items()})
    return adds


def stages(model: Json, word: tuple[str, ...]) -> Iterator[tuple[Json, str, list[Row], list[Row]]]:
    """Every stage with the vectors before and after it."""
    stream = embed(model, word)
    for one in model["layers"]:
        after = stream
        for part in one["heads"]:
            after = [plus(vector, attend(part, stream, i)) for i, vector in enumerate(after)]
        yield one, "heads", stream, after
        stream = [plus(vector, feed(one["feedforward"], vector)) for vector in after]
        yield one, "feedforward", after, stream


def words(model: Json, n: int) -> Iterator[tuple[str, ...]]:
    return itertools.product(model["alphabet"], repeat=n)


def all_scores(model: Json, n: int) -> Iterator[tuple[Json, list[Fraction]]]:
    """Yield the scores of every head that has some, at every position of every word."""
    for word in words(model, n):
        for one, kind, stream, _ in stages(model, word):
            for part in one["heads"] if kind == "heads" else ():
                if not is_uniform(part):
                    yield from ((part, list(scores_of(part, stream, i).values())) for i in range(n))


def find_gap(model: Json, n: int) -> Fraction | None:
    """Return the gap."""
    return min((max(scores) - x for _, scores in all_scores(model, n) for x in scores if x < max(scores)), default=None)


def find_ties(model: Json, n: int) -> set[str]:
    """Return the weightings of the heads that tie."""
    return {one["weighting"] for one, scores in all_scores(model, n) if scores.count(max(scores)) > 1}


def exp(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return the exponential, enclosed."""
    value = Fraction(CONTEXT.exp(CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))))
    wider = WIDER * (1 + abs(x))
    return value * (1 - wider), value * (1 + wider)


def errors_of_head(one: Json, stream: list[Row], i: int, e: Row, tau: Fraction) -> Row:
    """Return the rules of the page, for one head, word and position."""
    adds = {t: spread(form, e) for t, form in one["values"].items()}
    if is_uniform(one):
        return adds
    found = [misses_of_head(one, stream, i, e, tau, star) for star in winners_of(scores_of(one, stream, i))]
    return {t: adds[t] + CHOOSE_STAR(misses[t] for misses in found) for t in adds}


CHOOSE_STAR: Callable[[Iterator[Fraction]], Fraction] = min
"""Of the bounds that the winners give as *."""


def misses_of_head(one: Json, stream: list[Row], i: int, e: Row, tau: Fraction, star: int) -> Row:
    """Bound the error of softmax relative to the mean over the winners, by the rule with this winner as *."""
    scores, exact = scores_of(one, stream, i), attend(one, stream, i)
    low, high, mass = dict.fromkeys(exact, ZERO), dict.fromkeys(exact, ZERO), Fraction(1)
    for j in scores.keys() - {star}:
        least, most = ends_of_weight(one, stream, i, e, tau, (star, j))
        mass += least
        less = 1 if scores[j] == scores[star] else 0
        for t, form in one["values"].items():
            moves = [(apply(form, stream[j]) - exact[t]) * (x - less) for x in (least, most)]
            low[t] += min(moves)
            high[t] += max(moves)
    return {t: max(high[t], -low[t]) / mass for t in exact}


def ends_of_weight(one: Json, stream: list[Row], i: int, e: Row, tau: Fraction,
                   pair: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Return bounds of the weight of j in the softened head, relative to *."""
    star, j = pair
    distance = remainder = ZERO
    for q, k in zip(one["queries"], one["keys"], strict=True):
        query, apart = apply(q, stream[i]), apply(k, stream[star]) - apply(k, stream[j])
        distance += query * apart
        remainder += spread(q, e) * abs(apart) + (abs(query) + spread(q, e)) * 2 * spread(k, e)
    if not remainder and not distance:
        return Fraction(1), Fraction(1)
    return exp(-(distance + remainder) / tau)[0], exp(-(distance - remainder) / tau)[1]


def errors_of_units(part: Json, vector: Row, e: Row) -> Row:
    groups: dict[tuple[tuple[str, Fraction], ...], list[Json]] = {}
    for one in part["units"]:
        first = next(iter(row(one["reads"]).values()), Fraction(1))
        groups.setdefault(tuple((d, c / first) for d, c in row(one["reads"]).items()), []).append(one)
    adds: Row = {}
    for form, units in groups.items():
        slopes = [next(iter(row(one["reads"]).values()), ZERO) for one in units]
        at = sum((c * vector.get(d, ZERO) for d, c in form), ZERO)
        radius = sum((abs(c) * e.get(d, ZERO) for d, c in form), ZERO)
        breaks = [-Fraction(one["bias"]) / slope for one, slope in zip(units, slopes, strict=True) if slope]
        points = [at, at - radius, at + radius, *(x for x in breaks if abs(x - at) <= radius)]
        for t in {t for one in units for t in one["writes"]}:
            values = [sum((Fraction(one["writes"].get(t, 0)) * max(slope * y + Fraction(one["bias"]), ZERO)
                           for one, slope in zip(units, slopes, strict=True)), ZERO) for y in points]
            adds[t] = adds.get(t, ZERO) + max(abs(x - values[0]) for x in values)
    return adds


def round_up(x: Fraction) -> Fraction:
    """At most 10^-40 more, of x."""
    if x == 0 or x.denominator < 10**30:
        return x
    digits = 45 + len(str(x.denominator)) - len(str(x.numerator))
    return Fraction(-(-x * 10**digits // 1), 10**digits)


def stated_errors(model: Json, n: int, tau: Fraction, widen: Callable[[int, str, Fraction], Fraction]) -> list[Row]:
    """The least bounds that the rules give, stage by stage, each as ``widen`` makes it of stage and direction."""
    stated: list[Row] = [{}]
    runs = [list(stages(model, word)) for word in words(model, n)]
    for number in range(2 * len(model["layers"])):
        e, worst = stated[-1], dict[str, Fraction]()
        for one, kind, before, _ in (run[number] for run in runs):
            for i in range(n):
                found: Row = {}
                for adds in ([errors_of_head(part, before, i, e, tau) for part in one["heads"]] if kind == "heads"
                             else [errors_of_units(one["feedforward"], before[i], e)]):
                    found = plus(found, adds)
                worst = {t: max(worst.get(t, ZERO), found.get(t, ZERO)) for t in {**worst, **found}}
        total = plus(e, worst)
        stated.append({d: x for d in model["directions"] if (x := widen(number, d, round_up(total.get(d, ZERO))))})
    return stated[1:]


def seal(model: Json, max_n: int, temperature: str,
         widen: Callable[[int, str, Fraction], Fraction] = lambda stage, d, x: x) -> Json:
    """Return the certificate."""
    gaps = [find_gap(model, n) for n in range(1, max_n + 1)]
    errors = [stated_errors(model, n, EXPRESSIONS[temperature](n, 1), widen) for n in range(1, max_n + 1)]
    return {"format": "certify-softened", "version": 1,
            "claim": {"alphabet": model["alphabet"], "max_n": max_n, "temperature": temperature},
            "transformer": model, "gaps": [None if gap is None else str(gap) for gap in gaps],
            "errors": [[{d: str(x) for d, x in stage.items()} for stage in of_n] for of_n in errors]}


def seal_sparse(model: Json, max_n: int, temperature: str, weighting: str) -> Json:
    """Return the certificate that sparsemax or entmax-1.5 weighs exactly as the hard heads do."""
    gaps = [find_gap(model, n) for n in range(1, max_n + 1)]
    return {"format": "certify-softened", "version": 1,
            "claim": {"alphabet": model["alphabet"], "max_n": max_n, "temperature": temperature,
                      "weighting": weighting},
            "transformer": model, "gaps": [None if gap is None else str(gap) for gap in gaps],
            "errors": [[{}] * (2 * len(model["layers"]))] * max_n}


def dump(certificate: Json) -> bytes:
    return (json.dumps(certificate, indent=1, ensure_ascii=True) + "\n").encode()


def last_sum(made: Json) -> Fraction:
    """Return the greatest sum of the last stage's bounds."""
    return max(sum(map(Fraction, stages[-1].values()), ZERO) for stages in made["errors"])


# -- the softened transformer itself, to 150 digits --------------------------------------------------------------------


def soft_attend(one: Json, stream: list[dict[str, Any]], i: int, tau: Fraction) -> dict[str, Any]:
    def read(form: Json, j: int) -> Any:
        return mpmath.fsum(mpmath.mpf(c.numerator) / c.denominator * stream[j].get(d, 0) for d, c in row(form).items())

    seen = visible(one["mask"], i, len(stream))
    pairs = list(zip(one["queries"], one["keys"], strict=True))
    scores = [mpmath.fsum(read(q, i) * read(k, j) for q, k in pairs) for j in seen]
    weights = [mpmath.exp((score - max(scores)) * tau.denominator / tau.numerator) for score in scores]
    return {t: mpmath.fsum(w * read(form, j) for w, j in zip(weights, seen, strict=True)) / mpmath.fsum(weights)
            for t, form in one["values"].items()}


def soft_errors(model: Json, n: int, tau: Fraction) -> list[dict[str, Any]]:
    """Bound the errors of the softened transformer after each stage, over all words of length n."""
    worst: list[dict[str, Any]] = [{} for _ in range(2 * len(model["layers"]))]
    with mpmath.workdps(150):
        for word in words(model, n):
            soft: list[dict[str, Any]] = [{d: mpmath.mpf(x.numerator) / x.denominator for d, x in vector.items()}
                                          for vector in embed(model, word)]
            for number, (one, kind, _, exact) in enumerate(stages(model, word)):
                if kind == "heads":
                    changes = [[soft_attend(part, soft, i, tau) for part in one["heads"]] for i in range(n)]
                else:
                    changes = [[soft_feed(one["feedforward"], vector)] for vector in soft]
                soft = [{d: vector.get(d, 0) + mpmath.fsum(add.get(d, 0) for add in adds)
                         for d in model["directions"]} for vector, adds in zip(soft, changes, strict=True)]
                for d in model["directions"]:
                    misses = [abs(vector[d] - mpmath.mpf(u.get(d, ZERO).numerator) / u.get(d, ZERO).denominator)
                              for vector, u in zip(soft, exact, strict=True)]
                    worst[number][d] = max([worst[number].get(d, 0), *misses])
    return worst


def soft_feed(part: Json, vector: dict[str, Any]) -> dict[str, Any]:
    def number(text: str) -> Any:
        return mpmath.mpf(Fraction(text).numerator) / Fraction(text).denominator

    adds = {d: number(c) for d, c in part["bias"].items()}
    for one in part["units"]:
        z = mpmath.fsum(number(c) * vector.get(d, 0) for d, c in one["reads"].items()) + number(one["bias"])
        for t, c in one["writes"].items():
            adds[t] = adds.get(t, mpmath.mpf(0)) + number(c) * max(z, mpmath.mpf(0))
    return adds
