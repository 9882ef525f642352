"""Is an accepted certificate of a softened transformer true? By the producer's loader and a run of all short words.

The hard transformer is run in rationals, the softened one to 60 digits, stage by stage; docs/reference/softened.md,
sections 1 and 2, says what is claimed of the two.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from mpmath import mp, mpf

from constructions.errors import InputError
from constructions.language.expressions import Expression, parse_expression
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.run import embed
from constructions.network.transformer import FeedForward, Head, Transformer
from constructions.network.weightings import Weighting
from tests.network.second_forward import number
from tests.sabotage.certificates.truth import short_words
from tests.sabotage.ground_truth import DIGITS, TOLERANCE

Vector = dict[str, Any]
Choose = Callable[[Head, list[Any]], list[Any]]
"""The weights of a head for its scores, in rationals or in numbers of mpmath."""


@dataclass(frozen=True)
class Softened:
    """A certificate as the producer's own readers see it."""

    transformer: Transformer
    max_n: int
    temperature: Expression
    weighting: str
    gaps: tuple[Fraction | None, ...]
    errors: tuple[tuple[dict[str, Fraction], ...], ...]


def load_softened(data: bytes) -> Softened:
    """Return the certificate, read strictly.

    Raises:
        InputError: where it is not what the producer writes.
    """
    document = read_json(data.decode("ascii"), "certificate")
    claim, model = document["claim"], transformer_from_json(document["transformer"])
    weighting = claim.pop("weighting", "softmax")
    if set(document) != {"format", "version", "claim", "transformer", "gaps", "errors"} or set(claim) != {
            "alphabet", "max_n", "temperature"} or claim["alphabet"] != list(model.alphabet):
        raise InputError("other keys, or another alphabet")
    if weighting not in POWERS:
        raise InputError("another weighting")
    gaps = tuple(None if gap is None else Fraction(gap) for gap in document["gaps"])
    errors = tuple(tuple({name: Fraction(x) for name, x in stage.items()} for stage in stages)
                   for stages in document["errors"])
    fits = type(claim["max_n"]) is int and claim["max_n"] == len(gaps) == len(errors) and all(
        len(stages) == 2 * len(model.layers) for stages in errors)
    if not fits or any(name not in model.directions for stages in errors for stage in stages for name in stage):
        raise InputError("gaps or errors: other lengths, or other directions")
    temperature = parse_expression(claim["temperature"])
    if "i" in temperature.variables:
        raise InputError("the temperature is not in n only")
    return Softened(model, claim["max_n"], temperature, weighting, gaps, errors)


def find_untruth_of_softened(data: bytes) -> str | None:
    """Find the first way in which the claim is false on short words, or None."""
    try:
        given = load_softened(data)
        for n in range(1, given.max_n + 1):
            if sum(given.errors[n - 1][-1].values() if given.errors[n - 1] else ()) > Fraction(1, 4):
                return f"the bounds at n = {n} add up to more than 1/4"
        return find_wrong_stage(given) or find_wrong_gap(given)
    except InputError as error:
        return f"the producer does not load it: {error}"
    except ArithmeticError as error:
        return f"something has no value: {error}"


def find_wrong_gap(given: Softened) -> str | None:
    """Return a length, of which all words can be run, whose gap is another one."""
    for n in range(1, given.max_n + 1):
        words = list(short_words(given.transformer.alphabet, range(n, n + 1)))
        if len(words) == len(given.transformer.alphabet) ** n:
            found = [gap for word in words for gap in gaps_of(given.transformer, word)]
            if min(found, default=None) != given.gaps[n - 1]:
                return f"the gap at n = {n} is {min(found, default=None)}, stated is {given.gaps[n - 1]}"
    return None


def find_wrong_stage(given: Softened) -> str | None:
    """Return a word after whose stage the softened transformer is farther off than is stated."""
    with mp.workdps(DIGITS):
        for word in short_words(given.transformer.alphabet, range(1, given.max_n + 1)):
            tau = given.temperature.evaluate(n=len(word))
            if tau <= 0:
                return f"the temperature is {tau} at n = {len(word)}"
            hard = run(given.transformer, word, choose_winners, Fraction)
            soft = run(given.transformer, word, partial(choose_softly, tau=tau, weighting=given.weighting), number)
            for stage, (exact, near) in enumerate(zip(hard, soft, strict=True), 1):
                stated = given.errors[len(word) - 1][stage - 1]
                for i, (u, v) in enumerate(zip(exact, near, strict=True), 1):
                    for name in given.transformer.directions:
                        hard_value = number(u.get(name, Fraction(0)))
                        miss = abs(v.get(name, mpf(0)) - hard_value)
                        if miss > number(stated.get(name, Fraction(0))) + number(TOLERANCE) * (1 + abs(hard_value)):
                            return f"{name!r} on {word} at {i} after stage {stage} is off by {float(miss)}"
    return None


def is_uniform(head: Head) -> bool:
    """Return whether no product of a query and a key has terms."""
    return not any(q and k for q, k in zip(head.queries, head.keys, strict=True)) and head.weighting in (
        Weighting.AVERAGE_HARDMAX, Weighting.SOFTMAX)


def choose_winners(head: Head, scores: list[Fraction]) -> list[Fraction]:
    """Equal weights to the greatest scores; of a uniform head, to all.

    Raises:
        InputError: if a leftmost or rightmost head ties, or one with scores has softmax.
    """
    if is_uniform(head):
        return [Fraction(1, len(scores))] * len(scores)
    winners = scores.count(max(scores))
    if head.weighting is not Weighting.AVERAGE_HARDMAX and (head.weighting is Weighting.SOFTMAX or winners > 1):
        raise InputError(f"head {head.name!r} has softmax and scores, or a tie")
    return [Fraction(score == max(scores), winners) for score in scores]


def choose_softly(head: Head, scores: list[Any], tau: Fraction, weighting: str) -> list[Any]:
    """Return the weighting at the temperature; of a uniform head, equal weights."""
    if is_uniform(head):
        return [mpf(1) / len(scores)] * len(scores)
    scaled, power = [(score - max(scores)) / number(tau) for score in scores], POWERS[weighting]
    if power is None:
        weights = [mp.exp(score) for score in scaled]
        return [weight / mp.fsum(weights) for weight in weights]
    return choose_sparsely(scaled, power)


def choose_sparsely(scaled: list[Any], power: int) -> list[Any]:
    """max(s / power - theta, 0)^power with the theta, between -1 and 0 for a greatest score of 0, that gives 1."""
    least, most = mpf(-1), mpf(0)
    for _ in range(4 * DIGITS):
        theta = (least + most) / 2
        weights = [max(score / power - theta, mpf(0)) ** power for score in scaled]
        least, most = (theta, most) if mp.fsum(weights) > 1 else (least, theta)
    return weights


POWERS = {"softmax": None, "sparsemax": 1, "entmax-1.5": 2}
"""1 / (alpha - 1) of the sparse ones."""


def run(transformer: Transformer, word: Sequence[str], choose: Choose,
        convert: Callable[[Fraction], Any]) -> Iterator[list[Vector]]:
    """Yield the vectors after each stage, in the arithmetic that ``convert`` goes to."""
    stream = [{name: convert(x) for name, x in vector.items()} for vector in embed(transformer, word)]
    for layer in transformer.layers:
        changes = [attend(head, stream, choose, convert) for head in layer.heads]
        stream = [plus(vector, *(change[i] for change in changes)) for i, vector in enumerate(stream)]
        yield stream
        stream = [plus(vector, feed(layer.feedforward, vector, convert)) for vector in stream]
        yield stream


def scores_of(head: Head, stream: Sequence[Vector], i: int, convert: Callable[[Fraction], Any]) -> list[Any]:
    """Return the scores of position i at the visible positions, not divided by any temperature."""
    query = [apply(row, stream[i - 1], convert) for row in head.queries]
    return [sum((q * apply(row, stream[j - 1], convert) for q, row in zip(query, head.keys, strict=True)),
                convert(Fraction(0))) for j in head.mask.visible(i, len(stream))]


def attend(head: Head, stream: Sequence[Vector], choose: Choose, convert: Callable[[Fraction], Any]) -> list[Vector]:
    """Return the output of a head at each position."""
    changes = []
    for i in range(1, len(stream) + 1):
        weights = choose(head, scores_of(head, stream, i, convert))
        seen = list(zip(weights, head.mask.visible(i, len(stream)), strict=True))
        changes.append({name: sum((w * apply(row, stream[j - 1], convert) for w, j in seen), convert(Fraction(0)))
                        for name, row in head.values.items()})
    return changes


def feed(part: FeedForward, vector: Vector, convert: Callable[[Fraction], Any]) -> Vector:
    """Return the output of a feed-forward block."""
    zero = convert(Fraction(0))
    change = {name: convert(x) for name, x in part.bias.items()}
    for unit in part.units:
        active = max(apply(unit.reads, vector, convert) + convert(unit.bias), zero)
        change = plus(change, {name: convert(x) * active for name, x in unit.writes.items()})
    return change


def apply(row: Any, vector: Vector, convert: Callable[[Fraction], Any]) -> Any:
    """Return a linear form."""
    return sum((convert(x) * vector[name] for name, x in row.items() if name in vector), convert(Fraction(0)))


def plus(vector: Vector, *changes: Vector) -> Vector:
    """Return the sum, direction by direction."""
    result = dict(vector)
    for change in changes:
        for name, x in change.items():
            result[name] = result[name] + x if name in result else x
    return result


def gaps_of(transformer: Transformer, word: Sequence[str]) -> Iterator[Fraction]:
    """Yield the positive differences of the greatest score and others, of every head with scores."""
    before = [embed(transformer, word), *run(transformer, word, choose_winners, Fraction)]
    for layer, stream in zip(transformer.layers, before[::2], strict=False):
        for head in (head for head in layer.heads if not is_uniform(head)):
            for i in range(1, len(word) + 1):
                scores = scores_of(head, stream, i, Fraction)
                yield from (max(scores) - score for score in scores if score < max(scores))
