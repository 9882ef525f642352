"""One execution under a float model on one word, number by number.

See docs/background/floats_rules.md, section 7, Wrong executions.

The choices that a model leaves open are an `ExecutionChoices`. Functions and roots are within one unit in the last
place, intermediate roundings are all made, subnormal numbers are kept, no partial sum is rescaled.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ....kernel.budget import ENTRY_BITS, Budget
from ....kernel.verdicts import require
from ...float_models.choices import ExecutionChoices
from ...float_models.reading import FloatClaim, Format
from ..balls.sigmoids import CONSTANT, CONSTANT_BITS, CUBE
from ..reading.dyadics import Matrix, Vector
from ..reading.network import (
    Affine,
    AttentionStep,
    Network,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    Scale,
    Step,
    UnitsStep,
)
from .dyadics import Dyadic, add, multiply, nearest, negated, quotient, root, rounded, value
from .functions import computed, log2_of_e

Numbers = list[Dyadic]
ZERO, ONE = (0, 0), (1, 0)
TERM_STEPS = 4  # work of a product and a sum
ROOT_STEPS = 64  # work of a root, and more where exponents are long


class NetworkExecution:
    """A network with rounded weights, in one execution."""

    def __init__(self, budget: Budget, network: Network, model: FloatClaim, choices: ExecutionChoices) -> None:
        self._budget, self._network, self._model, self._choices = budget, network, model, choices

    def logits(self, tokens: Sequence[int], offset: int, place: int) -> list[Fraction]:
        """Return the stored logits at a place of the input.

        Raises:
            Rejected: if a number is too large for its format.
        """
        network = self._network
        if network.causal:
            tokens = tokens[:place + 1]
        numbers = network.width * len(tokens)
        self._budget.hold(2 * ENTRY_BITS * numbers)
        streams = [self._embed(token, offset + number) for number, token in enumerate(tokens)]
        for step in network.steps:
            self._budget.spend(TERM_STEPS * numbers)
            streams = self._after(step, streams, offset)
        return list(map(value, self._linear([network.unembedding.weight], network.unembedding.bias, streams[place])))

    def _embed(self, token: int, position: int) -> Numbers:
        row = exactly(self._network.tokens.rows[token], self._network.tokens.power)
        if (positions := self._network.positions) is not None:
            row = list(map(add, row, exactly(positions.rows[position], positions.power)))
        return self._all(row, self._model.storage)

    def _after(self, step: Step, streams: list[Numbers], offset: int) -> list[Numbers]:
        if isinstance(step, NormStep):
            return [self._normed(step.norm, x) for x in streams]
        read = [self._normed(step.norm, x) for x in streams]
        written = self._attention(step, read, offset) if isinstance(step, AttentionStep) else self._written(step, read)
        model = self._model
        return [self._all(self._all(map(add, x, y), model.sums), model.storage)
                for x, y in zip(streams, written, strict=True)]

    # -- sums ----------------------------------------------------------------------------------------------------------

    def _all(self, numbers: Iterable[Dyadic], form: Format) -> Numbers:
        return [rounded(x, form) for x in numbers]

    def _sum(self, terms: Numbers, form: Format) -> Dyadic:
        """Return the sum of exact terms, each rounded unless it is fused with the sum that it enters."""
        self._budget.spend(TERM_STEPS * len(terms))
        if self._choices.order == "in pairs":
            terms = self._all(terms, form)
            while len(terms) > 1:
                last = terms[len(terms) & ~1:]
                terms = [rounded(add(x, y), form) for x, y in zip(terms[::2], terms[1::2], strict=False)] + last
            return terms[0]
        terms = terms[::-1] if self._choices.order == "backwards" else terms
        found = rounded(terms[0], form)
        for term in terms[1:]:
            found = rounded(add(found, term if self._choices.fused else rounded(term, form)), form)
        return found

    def _dot(self, x: Numbers, y: Numbers, bias: Numbers) -> Dyadic:
        return self._sum([*map(multiply, x, y), *bias], self._model.sums)

    def _linear(self, weights: Sequence[Matrix], bias: Vector | None, x: Numbers) -> Numbers:
        """Return the stored product with concatenated matrices, and a bias."""
        x = self._all(x, self._model.inputs)
        rows = [exactly(row, weight.power) for weight in weights for row in weight.rows]
        last = [[one] for one in exactly(bias.entries, bias.power)] if bias else [[]] * len(rows[0])
        return [rounded(self._dot(x, [row[j] for row in rows], last[j]), self._model.storage) for j in range(len(last))]

    def _affine(self, affine: Affine, x: Numbers) -> Numbers:
        return self._linear([affine.weight], affine.bias, x)

    def _entering(self, x: Numbers) -> Numbers:
        return self._all(x, self._model.inputs)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _normed(self, norm: Norm | None, x: Numbers) -> Numbers:
        if norm is None:
            return x
        x = x if norm.of is None else self._affine(norm.of, x)
        form, width = self._model.softmax, (len(x), 0)
        self._budget.spend(ROOT_STEPS + (form.greatest - form.least >> 6))
        if norm.kind == "layer":
            mean = negated(quotient(self._sum(x, form), width, form))
            x = [rounded(add(one, mean), form) for one in x]
        variance = quotient(self._sum([multiply(one, one) for one in x], form), width, form)
        square = rounded(add(variance, nearest(norm.epsilon, form)), form)
        require(square[0], "a norm divides by 0")
        deviation = root(value(square), form)
        x = [quotient(one, deviation, form) for one in x]
        if norm.gain is not None:
            x = self._all(map(multiply, x, exactly(norm.gain.entries, norm.gain.power)), form)
        if norm.bias is not None:
            x = self._all(map(add, x, exactly(norm.bias.entries, norm.bias.power)), form)
        return self._all(x, self._model.storage)

    def _written(self, step: UnitsStep, read: list[Numbers]) -> list[Numbers]:
        """Return what a block of units writes, token by token."""
        how = step.activation
        if isinstance(how, str):
            return [self._units(step, how, x) for x in read]
        inside = [self._affine(step.inward, x) for x in read]
        groups = [inside] if how.of_input else [[x] for x in inside]
        return [self._affine(step.outward, x) for group in groups for x in self._rounded(how, group)]

    def _rounded(self, how: Rounding, group: list[Numbers]) -> list[Numbers]:
        """Return numbers of tokens rounded by a scale, or by the range of all of them."""
        form, zero = self._model.softmax, how.zero
        if how.scale is not None:
            scale = nearest(how.scale, form)
        else:
            every = [ZERO, *(x for one in group for x in one)]
            least, greatest = min(every, key=value), max(every, key=value)
            scale = quotient(rounded(add(greatest, negated(least)), form), (how.greatest, 0), form)
            scale = scale if greatest[0] or least[0] else ONE
            require(scale[0], "a scale of roundings is 0 in its format")
            zero = min(round(value(quotient(negated(least), scale, form))), how.greatest)
        most = [limit - zero for limit in (how.least, how.greatest)]
        return [[rounded(rounded(multiply(rounded((k, 0), form), scale), form), self._model.storage)
                 for x in one for k in [min(max(round(value(quotient(x, scale, form))), most[0]), most[1])]]
                for one in group]

    def _units(self, step: UnitsStep, name: str, read: Numbers) -> Numbers:
        inside, model = self._affine(step.inward, read), self._model
        opened = inside if step.gate is None else self._affine(step.gate, read)
        units = self._all([self._activation(name, x) for x in opened], model.storage)
        if step.gate is not None:
            units = self._all(self._all(map(multiply, units, inside), model.softmax), model.storage)
        return self._affine(step.outward, units)

    def _activation(self, name: str, x: Dyadic) -> Dyadic:
        form = self._model.softmax
        if name in ("relu", "identity"):
            return x if x[0] > 0 or name == "identity" else ZERO
        if name == "tanh":
            return self._odd(name, x)
        if name in ("sigmoid", "silu"):
            found = computed("sigmoid", value(x), form, self._budget)
            return found if name == "sigmoid" else rounded(multiply(x, found), form)
        if name == "gelu":
            odd = self._odd("erf", rounded(multiply(x, root(Fraction(1, 2), form)), form))
        else:
            slope, cube = nearest(Fraction(CONSTANT, 1 << CONSTANT_BITS), form), nearest(Fraction(CUBE, 10**6), form)
            third = rounded(multiply(x, rounded(multiply(x, x), form)), form)
            inside = rounded(add(x, rounded(multiply(cube, third), form)), form)
            odd = self._odd("tanh", rounded(multiply(slope, inside), form))
        doubled = rounded(multiply(x, rounded(add(ONE, odd), form)), form)
        return rounded((doubled[0], doubled[1] - 1), form)

    def _odd(self, name: str, x: Dyadic) -> Dyadic:
        found = computed(name, abs(value(x)), self._model.softmax, self._budget)
        return found if x[0] > 0 else negated(found)

    def _attention(self, step: AttentionStep, read: list[Numbers], offset: int) -> list[Numbers]:
        averages: list[Numbers] = [[] for _ in read]
        for head in step.heads:
            self._budget.hold(3 * ENTRY_BITS * len(read) * max(head.query.weight.width, head.value.weight.width))
            queries, keys = ([self._entering(self._rotated(step.rotary, self._affine(affine, x), offset + place))
                              for place, x in enumerate(read)] for affine in (head.query, head.key))
            values = [self._entering(self._affine(head.value, x)) for x in read]
            for place, query in enumerate(queries):
                seen = place + 1 if self._network.masked else len(read)
                scores = self._scores(step, head.slope, place, query, keys[:seen])
                averages[place] += self._average(scores, values[:seen])
        return [self._linear([head.out for head in step.heads], step.bias, x) for x in averages]

    def _rotated(self, rotary: Rotary | None, x: Numbers, position: int) -> Numbers:
        """Return a query or a key with rotary positions, stored."""
        if rotary is None:
            return x
        form, found, pairs = self._model.softmax, list(x), rotary.cosines.width
        cosines, sines = (exactly(table.rows[position], table.power) for table in (rotary.cosines, rotary.sines))
        for r, (c, s) in enumerate(zip(cosines, sines, strict=True)):
            first, second = (r, r + pairs) if rotary.halves else (2 * r, 2 * r + 1)
            for place, terms in ((first, (multiply(x[first], c), negated(multiply(x[second], s)))),
                                 (second, (multiply(x[second], c), multiply(x[first], s)))):
                found[place] = rounded(rounded(add(*self._all(terms, form)), form), self._model.storage)
        return found

    def _scores(self, step: AttentionStep, slope: Fraction | None, place: int, query: Numbers,
                keys: list[Numbers]) -> Numbers:
        """Return the scores of a query at a place, stored."""
        sums, scale = self._model.sums, step.scale
        times = nearest(scale.times, sums) if scale.times is not None else self._root(scale)
        scores = [rounded(multiply(self._dot(query, key, []), times), sums) for key in keys]
        if step.cap is not None:
            cap = nearest(step.cap, sums)
            opened = [self._activation("tanh", quotient(x, cap, sums)) for x in scores]
            scores = self._all([multiply(cap, x) for x in opened], sums)
        if slope is not None:
            scores = [rounded(add(x, nearest(slope * (j - place), sums)), sums) for j, x in enumerate(scores)]
        return self._all(scores, self._model.scores)

    def _average(self, scores: Numbers, values: list[Numbers]) -> Numbers:
        model, inner = self._model, self._model.softmax
        weights = self._exponentials(scores)
        total = self._sum(weights, inner)
        if self._choices.before:
            weights = [quotient(one, total, inner) for one in weights]
        weights = self._all(weights, model.weights)
        sums = [self._dot(weights, list(column), []) for column in zip(*values, strict=True)]
        if not self._choices.before:
            sums = [quotient(rounded(one, inner), total, inner) for one in sums]
        return self._all(sums, model.storage)

    def _root(self, scale: Scale) -> Dyadic:
        assert scale.root is not None
        return root(Fraction(1, scale.root), self._model.sums)

    def _exponentials(self, scores: Numbers) -> Numbers:
        form, name = self._model.softmax, "exp"
        if self._choices.base == "2":
            constant, name = log2_of_e(form, self._budget), "exp2"
            scores = [rounded(multiply(score, constant), form) for score in scores]
        top = negated(max(scores, key=value))
        apart = [rounded(add(score, top), form) for score in scores]
        return [computed(name, value(x), form, self._budget) for x in apart]


def exactly(entries: Sequence[int], power: int) -> Numbers:
    """Return numbers of a network."""
    return [(entry, power) for entry in entries]
