"""A second opinion: run the transformer of a certificate on every word and look whether its claim holds."""

import itertools
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language

Values = dict[str, list[mpf]]
RELATIONS: dict[Any, Callable[[Any, Any], bool]] = {"<=": operator.le, "<": operator.lt, "==": operator.eq}
RELATIONS |= {">=": operator.ge, ">": operator.gt, "!=": operator.ne}


def number(x: Fraction | str) -> mpf:
    x = Fraction(x)
    return mpf(x.numerator) / x.denominator


def evaluate(table: Language, text: str, n: int, i: int) -> Fraction:
    return table.value_at(table.value(text), n, i)


def counts(table: Language, k: int, word: tuple[str, ...]) -> list[int]:
    """Return the count at every position."""
    op, (f,), _ = table.nodes[k]
    held = truths(table, f, word)
    return [sum(held[: i + 1]) if op == "#<" else sum(held[i:]) for i in range(len(word))]


def truths(table: Language, f: int, word: tuple[str, ...]) -> list[bool]:
    """Return the truth of a formula at every position, by the definitions."""
    op, args, data = table.nodes[f]
    n = len(word)
    if op == "Q":
        return [symbol == data[0] for symbol in word]
    if op == "T":
        found = zip(*(counts(table, k, word) for k in args), strict=True) if args else [()] * n
        relation, constant, *terms = data
        return [RELATIONS[relation](constant + sum(map(operator.mul, terms, values)), 0) for values in found]
    if op == "on":
        return [table.value_at(args[0], n, value) == 1 for value in counts(table, args[1], word)]
    if op in ("P", "user"):
        return [bool(table.value_at(f, n, i)) for i in range(1, n + 1)]
    if op in ("true", "false"):
        return [op == "true"] * n
    a = truths(table, args[0], word)
    if op == "!":
        return [not x for x in a]
    if op == "prev":
        return [False, *a[:-1]]
    if op == "next":
        return [*a[1:], False]
    b = truths(table, args[1], word)
    if op == "since":
        return [any(b[j] and all(a[j : i + 1]) for j in range(i + 1)) for i in range(n)]
    if op == "until":
        return [any(b[j] and all(a[i : j + 1]) for j in range(i, n)) for i in range(n)]
    pair: dict[str, Callable[[bool, bool], bool]] = {
        "&": lambda x, y: x and y,
        "|": lambda x, y: x or y,
        "->": lambda x, y: y or not x,
        "<->": lambda x, y: x == y,
    }
    return [bool(pair[op](x, y)) for x, y in zip(a, b, strict=True)]


def combine(row: dict[str, str], h: dict[str, mpf]) -> mpf:
    return mp.fsum(number(x) * h[d] for d, x in row.items())


def weigh(weighting: str, scores: dict[int, mpf], i: int, n: int) -> dict[int, mpf]:
    """Return the weights of the visible positions, by the definitions."""
    if weighting in ("relu", "relu-over-n"):
        return {j: max(z, mpf(0)) / (n if weighting == "relu-over-n" else 1) for j, z in scores.items()}
    logistic = {j: 1 / (1 + mp.exp(-z)) for j, z in scores.items()}
    if weighting == "sigmoid":
        return logistic
    if weighting in ("geometric", "stick-breaking"):
        between = {j: range(min(i, j) + 1, max(i, j)) for j in scores}
        return {j: mp.fprod([logistic[j], *(1 - logistic[k] for k in between[j])]) if j != i else mpf(0)
                for j in scores}
    if weighting in ("sparsemax", "entmax-1.5"):
        return weigh_sparsely(2 if weighting == "entmax-1.5" else 1, scores)
    top = max(*scores.values(), mpf(0)) if weighting == "softmax-plus-one" else max(scores.values())
    weights = {j: mp.exp(z - top) for j, z in scores.items()}
    total = mp.fsum(weights.values()) + (mp.exp(-top) if weighting == "softmax-plus-one" else 0)
    return {j: w / total for j, w in weights.items()}


def weigh_sparsely(power: int, scores: dict[int, mpf]) -> dict[int, mpf]:
    """Return max(z/power - theta, 0)^power, theta by the linear or quadratic sum of the greatest valid support."""
    heights = {j: z / power for j, z in scores.items()}
    ranked = sorted(heights.values(), reverse=True)
    found = mpf(0)
    for size in range(1, len(ranked) + 1):
        mean = mp.fsum(ranked[:size]) / size
        spread = mp.fsum((z - mean) ** 2 for z in ranked[:size])
        theta = mean - mpf(1) / size if power == 1 else mean - mp.sqrt(max((1 - spread) / size, mpf(0)))
        found = theta if ranked[size - 1] > theta and (power == 1 or spread < 1) else found
    return {j: max(z - found, mpf(0)) ** power for j, z in heights.items()}


def run(model: dict[str, Any], word: tuple[str, ...]) -> list[dict[str, mpf]]:
    n, table = len(word), read_predicates(model)
    stream = [dict.fromkeys(model["directions"], mpf(0)) for _ in word]
    for i, symbol in enumerate(word, 1):
        for d, x in model["token_embedding"][symbol].items():
            stream[i - 1][d] += number(x)
        for d, e in model["position_embedding"].items():
            stream[i - 1][d] += number(evaluate(table, e, n, i))
    for layer in model["layers"]:
        added: list[dict[str, mpf]] = [{} for _ in word]
        for head in layer["heads"]:
            keys = [[combine(k, h) for k in head["keys"]] for h in stream]
            for i in range(1, n + 1):
                seen = {"none": range(n), "future": range(i), "past": range(i - 1, n)}[head["mask"]]
                query = [combine(q, stream[i - 1]) for q in head["queries"]]
                tau = number(evaluate(table, head["temperature"], n, i))
                scores = {j: mp.fsum(q * k for q, k in zip(query, keys[j], strict=True)) / tau for j in seen}
                weights = weigh(head["weighting"], scores, i - 1, n)
                for d, row in head["values"].items():
                    written = mp.fsum(w * combine(row, stream[j]) for j, w in weights.items())
                    added[i - 1][d] = added[i - 1].get(d, mpf(0)) + written
        for h, more in zip(stream, added, strict=True):
            for d, x in more.items():
                h[d] += x
        part = layer["feedforward"]
        for h in stream:
            before = dict(h)
            for unit in part["units"]:
                active = max(mpf(0), combine(unit["reads"], before) + number(unit["bias"]))
                for d, x in unit["writes"].items():
                    h[d] += number(x) * active
            for d, x in part["bias"].items():
                h[d] += number(x)
    return stream


def read_predicates(model: dict[str, Any]) -> Language:
    table = Language(Budget())
    for definition in model["predicates"]:
        table.define(definition)
    return table


def allowed(table: Language, meaning: dict[str, Any], word: tuple[str, ...], i: int, errors: list[mpf]) -> list[mpf]:
    """Return the least and the greatest number that a direction may hold at position i; nothing for `any`."""
    n, kind = len(word), meaning["kind"]
    f = table.formula(meaning.get("formula", "true"))
    truth = truths(table, f, word)[i - 1]
    if kind == "near":
        now = truths(table, table.formula(meaning["when"]), word)[i - 1]
        return ([1 - errors[1], mpf(1)] if truth else [mpf(0), errors[0]]) if now else [mpf(0), mpf(1)]
    if kind == "average":
        _, summed, (_, _, *multiples) = table.nodes[table.term(meaning["term"])]
        value = sum(int(c) * counts(table, k, word)[i - 1] for c, k in zip(multiples, summed, strict=True))
        return [mpf(value) / (i if table.nodes[summed[0]].operator == "#<" else n + 1 - i)] * 2
    if kind == "total":
        return [mpf(counts(table, table.count(meaning["count"]), word)[i - 1])] * 2
    if kind in ("mean", "others"):
        k = table.count(meaning["count"])
        op, (f,), _ = table.nodes[k]
        value, here = counts(table, k, word)[i - 1], truths(table, f, word)[i - 1]
        if kind == "others":
            return [value - here - errors[1], value - here + errors[0]]
        return [mpf(value) / (i if op == "#<" else n + 1 - i)] * 2
    if kind == "slack":
        return [mpf(0), mpf(0)] if truth else [mpf(1), mpf("inf")]
    stated = number(evaluate(table, meaning["value"], n, i)) if "value" in meaning and truth else mpf(truth)
    return [] if kind == "any" else [stated] * 2


def find_fault(certificate: dict[str, Any]) -> str | None:
    """Return the first way in which what the certificate claims is not so, for every word of length at most 4."""
    with mp.workdps(40):
        claim, model, tiny = certificate["claim"], certificate["transformer"], mpf(10) ** -30
        table = read_predicates(model)
        formula = table.formula(claim["formula"])
        errors = {
            b["direction"]: [number(b["error_if_false"]), number(b["error_if_true"])] for b in certificate["bounds"]
        }
        for n in range(1, min(claim["max_n"], 4) + 1):
            for word in itertools.product(claim["alphabet"], repeat=n):
                stream = run(model, word)
                for i, truth in enumerate(truths(table, formula, word), 1):
                    held = stream[i - 1]
                    if abs(held[model["output"]] - truth) > tiny:
                        return f"output at {word}, {i}"
                    for d, meaning in model["directions"].items():
                        ends = allowed(table, meaning, word, i, errors.get(d, []))
                        if ends and not ends[0] - tiny <= held[d] <= ends[1] + tiny:
                            return f"{d} at {word}, {i}"
    return None
