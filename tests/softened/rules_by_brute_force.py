"""The rules of docs/background/softened_rules.md, section 3, followed word by word in floating decimals of 60 digits;
nothing shared.

A part of a stage contributes its maximum over all words and positions; the parts are added up.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from mpmath import mp, mpf

from constructions.network.run import Residual, run_hard
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer
from constructions.network.weightings import Weighting

mp.dps = 60
Errors = Mapping[str, Fraction]


def decimal(x: Fraction) -> mpf:
    return mpf(x.numerator) / mpf(x.denominator)


def form(row: Coefficients, vector: Residual) -> Fraction:
    return sum((c * vector.get(name, Fraction(0)) for name, c in row.items()), Fraction(0))


def reach(row: Coefficients, errors: Errors) -> Fraction:
    return sum((abs(c) * errors.get(name, Fraction(0)) for name, c in row.items()), Fraction(0))


def streams(transformer: Transformer, n: int, layers: int, attended: bool) -> Iterator[list[Residual]]:
    """Yield, for every word, the vectors after this many layers, and after the attention of the next one."""
    kept = list(transformer.layers[: layers + attended])
    if attended:
        kept[-1] = replace(kept[-1], feedforward=FeedForward())
    for word in itertools.product(transformer.alphabet, repeat=n):
        yield run_hard(replace(transformer, layers=tuple(kept)), word)


def is_uniform(head: Head) -> bool:
    return head.weighting in (Weighting.SOFTMAX, Weighting.AVERAGE_HARDMAX) and not any(
        any(q.values()) and any(k.values()) for q, k in zip(head.queries, head.keys, strict=True))


def strayed(head: Head, value: Coefficients, errors: Errors, temperature: Fraction, stream: list[Residual],
            i: int) -> mpf:
    """Bound the distance of the head's mean from that of the winners, at one position of one word.

    Any of several winners may be the reference: the greatest of their bounds.
    """
    queries = [form(row, stream[i - 1]) for row in head.queries]
    seen = list(head.mask.visible(i, len(stream)))
    keys = {j: [form(row, stream[j - 1]) for row in head.keys] for j in seen}
    scores = {j: sum((q * k for q, k in zip(queries, keys[j], strict=True)), Fraction(0)) for j in seen}
    winners = [j for j in seen if scores[j] == max(scores.values())]
    values = {j: form(value, stream[j - 1]) for j in seen}
    return max(strayed_from(head, errors, temperature, queries, winner, winners, keys, scores, values)
               for winner in winners)


def strayed_from(head: Head, errors: Errors, temperature: Fraction, queries: list[Fraction], winner: int,
                 winners: list[int], keys: Mapping[int, list[Fraction]], scores: Mapping[int, Fraction],
                 values: Mapping[int, Fraction]) -> mpf:
    """Return the same with one winner as the reference."""
    mean = sum((values[j] for j in winners), Fraction(0)) / len(winners)
    above, below, total = mpf(0), mpf(0), mpf(1)
    for j in keys:
        if j == winner:
            continue
        off = sum((reach(query_row, errors) * abs(k - o)
                   + (abs(q) + reach(query_row, errors)) * 2 * reach(key_row, errors)
                   for query_row, key_row, q, k, o in zip(head.queries, head.keys, queries, keys[winner], keys[j],
                                                          strict=True)), Fraction(0))
        lead = scores[winner] - scores[j]
        low = mp.exp(-decimal((lead + off) / temperature))
        high = mp.exp(-decimal((lead - off) / temperature))
        differs = decimal(values[j] - mean)
        kept = 1 if j in winners else 0
        above += max(differs * (low - kept), differs * (high - kept))
        below += max(-differs * (low - kept), -differs * (high - kept))
        total += low
    return max(above, below, mpf(0)) / total


class Rules:
    """A transformer at one length, with the residual vectors of every word before and inside of each layer."""

    def __init__(self, transformer: Transformer, n: int):
        self.transformer, self.n = transformer, n
        layers = range(len(transformer.layers))
        self.before = [list(streams(transformer, n, layer, attended=False)) for layer in layers]
        self.inside = [{tuple(sorted(vector.items())) for stream in streams(transformer, n, layer, attended=True)
                        for vector in stream} for layer in layers]


def heads_add(rules: Rules, number: int, errors: Errors, temperature: Fraction, direction: str) -> mpf:
    """Bound the error that the heads of a layer (from 1) add to a direction."""
    added = mpf(0)
    for head in rules.transformer.layers[number - 1].heads:
        if direction in head.values:
            value = head.values[direction]
            added += decimal(reach(value, errors))
            if not is_uniform(head):
                added += max(strayed(head, value, errors, temperature, stream, i)
                             for stream in rules.before[number - 1] for i in range(1, rules.n + 1))
    return added


def grouped(feedforward: FeedForward,
            direction: str) -> list[tuple[Coefficients, list[tuple[Fraction, Fraction, Fraction]]]]:
    """Groups of units that write a direction: a row, and for each unit its multiple of the row, bias and weight."""
    groups: list[tuple[Coefficients, list[tuple[Fraction, Fraction, Fraction]]]] = []
    for unit in feedforward.units_writing(direction):
        for row, members in groups:
            name = next(iter(row))
            factor = unit.reads.get(name, Fraction(0)) / row[name]
            if factor and {k: x / factor for k, x in unit.reads.items()} == row:
                members.append((factor, unit.bias, unit.writes[direction]))
                break
        else:
            groups.append((unit.reads, [(Fraction(1), unit.bias, unit.writes[direction])]))
    return groups


def units_add(rules: Rules, number: int, errors: Errors, direction: str) -> Fraction:
    """Bound the error that the feed-forward block of a layer (from 1) adds to a direction."""
    added = Fraction(0)
    for row, members in grouped(rules.transformer.layers[number - 1].feedforward, direction):
        off = reach(row, errors)

        def function(y: Fraction, members: list[tuple[Fraction, Fraction, Fraction]] = members) -> Fraction:
            return sum((c * max(f * y + b, Fraction(0)) for f, b, c in members), Fraction(0))

        greatest = Fraction(0)
        for x in {form(row, dict(vector)) for vector in rules.inside[number - 1]}:
            knees = [-b / f for f, b, _ in members if abs(-b / f - x) < off]
            greatest = max([greatest, *(abs(function(y) - function(x)) for y in (x - off, x + off, *knees))])
        added += greatest
    return added
