"""A second opinion: run the transformer of a certificate on every word and look whether its claim holds."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from proofs.check import Language

Values = dict[str, list[mpf]]


def number(x: Fraction | str) -> mpf:
    x = Fraction(x)
    return mpf(x.numerator) / x.denominator


def evaluate(text: str, n: int, i: int) -> Fraction:
    language = Language()
    return language.at(language.read(text, "value"), n, i)


def truths(table: Language, f: int, word: tuple[str, ...]) -> list[bool]:
    """The truth of a formula at every position, by the definitions."""
    op, args, data = table.nodes[f]
    n = len(word)
    if op == "Q":
        return [symbol == data[0] for symbol in word]
    if op == "P":
        return [bool(table.at(f, n, i)) for i in range(1, n + 1)]
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
    pair = {
        "&": lambda x, y: x and y,
        "|": lambda x, y: x or y,
        "->": lambda x, y: y or not x,
        "<->": lambda x, y: x == y,
    }
    return [bool(pair[op](x, y)) for x, y in zip(a, b, strict=True)]


def combine(row: dict[str, str], h: dict[str, mpf]) -> mpf:
    return mp.fsum(number(x) * h[d] for d, x in row.items())


def run(model: dict[str, Any], word: tuple[str, ...]) -> list[dict[str, mpf]]:
    n = len(word)
    stream = [dict.fromkeys(model["directions"], mpf(0)) for _ in word]
    for i, symbol in enumerate(word, 1):
        for d, x in model["token_embedding"][symbol].items():
            stream[i - 1][d] += number(x)
        for d, e in model["position_embedding"].items():
            stream[i - 1][d] += number(evaluate(e, n, i))
    for layer in model["layers"]:
        added: list[dict[str, mpf]] = [{} for _ in word]
        for head in layer["heads"]:
            keys = [[combine(k, h) for k in head["keys"]] for h in stream]
            for i in range(1, n + 1):
                seen = {"none": range(n), "future": range(i), "past": range(i - 1, n)}[head["mask"]]
                query = [combine(q, stream[i - 1]) for q in head["queries"]]
                heat = number(evaluate(head["temperature"], n, i))
                scores = {j: mp.fsum(q * k for q, k in zip(query, keys[j], strict=True)) / heat for j in seen}
                top = max(scores.values())
                weights = {j: mp.exp(s - top) for j, s in scores.items()}
                total = mp.fsum(weights.values())
                for d, row in head["values"].items():
                    mean = mp.fsum(w * combine(row, stream[j]) for j, w in weights.items()) / total
                    added[i - 1][d] = added[i - 1].get(d, mpf(0)) + mean
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


def find_fault(certificate: dict[str, Any]) -> str | None:
    """The first way in which what the certificate claims is not so, for every word of length at most 4."""
    with mp.workdps(40):
        claim, model, table = certificate["claim"], certificate["transformer"], Language()
        tiny = mpf(10) ** -30
        formula = table.read(claim["formula"], "formula")
        bounds = {
            b["direction"]: (number(b["error_if_false"]), number(b["error_if_true"])) for b in certificate["bounds"]
        }
        meanings = {
            d: (m, table.read(m.get("formula", "true"), "formula"), table.read(m.get("when", "true"), "formula"))
            for d, m in model["directions"].items()
        }
        for n in range(1, min(claim["max_n"], 4) + 1):
            for word in itertools.product(claim["alphabet"], repeat=n):
                stream = run(model, word)
                for i, truth in enumerate(truths(table, formula, word)):
                    if abs(stream[i][model["output"]] - truth) > tiny:
                        return f"output at {word}, {i + 1}"
                for d, (meaning, f, when) in meanings.items():
                    for i, (truth, now) in enumerate(
                        zip(truths(table, f, word), truths(table, when, word), strict=True)
                    ):
                        held = stream[i][d]
                        if meaning["kind"] == "near":
                            error = abs(held - truth) - (bounds[d][truth] if now else 1)
                            if error > tiny or not -tiny <= held <= 1 + tiny:
                                return f"{d} at {word}, {i + 1}"
                        else:
                            stated = (
                                number(evaluate(meaning["value"], n, i + 1))
                                if meaning["kind"] == "position"
                                else truth
                            )
                            if abs(held - stated) > tiny:
                                return f"{d} at {word}, {i + 1}"
    return None
