"""Float executions whose every choice is drawn, call by call: they must stay within what is certified."""

from fractions import Fraction

import numpy as np

from constructions.network.float_formats import FORMATS, Format
from constructions.trained.network import Norm, Rotary, Scale, TrainedNetwork
from proofs.enclosures.float_models.exponentials import LEAST_ULP
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.float_executions.emulation import Array, Emulation, Indices
from proofs.trained.float_executions.execution import Execution


class DrawnRun(Emulation):
    """A cast network in runs of a class: orders of sums, what is fused, what is cut off where sums of products are,
    errors of functions, and what its field ``also`` allows are drawn."""

    def __init__(self, network: TrainedNetwork, run: FloatModel, execution: Execution,
                 draw: np.random.Generator) -> None:
        super().__init__(network, run, execution)
        self.draw, self._stores = draw, False

    def total(self, terms: Array, target: Format) -> Array:
        """Return the sum of the terms in a drawn order."""
        terms = self._shuffled(terms)
        order = self.draw.choice(["forwards", "in pairs"])
        return self.added(terms, target, order, fused=bool(self.draw.integers(2)))

    def of_products(self, terms: Array) -> Array:
        """Return the sum of exact products, node by node where the class lets them be cut off."""
        if "integers" in self.run.also:
            near = 5 * np.float64(self.run.sums.roundoff) * self.draw.choice([-1, 0, 1], terms.shape)
            return self.rounded((terms * (1 + near)).sum(-2), self.run.sums)
        if self.run.sum_ulp == 1 or self.draw.integers(4) == 0:
            return self.total(terms, self.run.sums)
        terms = self._shuffled(terms)
        block, total = int(self.draw.choice([1, 2, 4, 8, 16])), np.zeros_like(terms[..., :1, :])
        kind = self.draw.choice(["tensor cores", "farthest"])
        for k in range(0, terms.shape[-2], block):
            node = np.concatenate([total, terms[..., k : k + block, :]], -2)
            found = self._cut_off(node) if kind == "tensor cores" else self._farthest(node)
            total = found[..., np.newaxis, :]
        return total[..., 0, :]

    def function(self, name: str, x: Array, target: Format) -> Array:
        """Return rounded values of a function, with errors up to those that the model allows."""
        most = np.float64(max(self.run.exp_ulp - LEAST_ULP, Fraction(0)) * target.roundoff)
        value = self.value(name, x, target)
        return self.rounded(value * (1 + most * self.draw.choice([-1, 0, 1], value.shape)), target)

    def moments(self, norm: Norm, x: Array) -> tuple[Array, Array]:
        """Return differences to the mean and the variance: in two passes, merged from parts, or in one pass."""
        ways = [one for one in ("merged", "one pass") if one in self.run.also and norm.kind == "layer"]
        way, target, d = self.draw.choice(["two passes", *ways]), self.run.softmax, x.shape[-1]
        if way == "two passes":
            return super().moments(norm, x)
        if way == "merged":
            mean, variance = self._merged(x)
        else:
            mean = self.rounded(self.total(x[..., np.newaxis], target) / d, target)
            squares = self.rounded(self.total((x * x)[..., np.newaxis], target) / d, target)
            variance = self.rounded(squares - self.rounded(mean * mean, target), target)
        return self.rounded(x - mean, target), variance

    def _merged(self, x: Array) -> tuple[Array, Array]:
        """Return mean and variance from parts that are merged in a drawn order, or one number after another."""
        def fl(y: Array) -> Array:
            return self.rounded(y, self.run.softmax)

        order, one_by_one, d = self.draw.permutation(x.shape[-1]), self.draw.integers(2), x.shape[-1]
        parts = [(1, x[..., [k]], 0 * x[..., [k]]) for k in order]
        while len(parts) > 1:
            k = 1 if one_by_one else int(self.draw.integers(1, len(parts)))
            (n, mean, square), (m, other, more) = parts[k - 1], parts.pop(k)
            apart, share, rest = fl(other - mean), fl(np.array(m / (n + m))), fl(np.array(n / (n + m)))
            convex = fl(fl(rest * mean) + fl(share * other))
            new = convex if self.draw.integers(2) else fl(mean + fl(apart * share))
            added = fl(apart * fl(other - new)) if m == 1 and self.draw.integers(2) else fl(
                fl(fl(apart * apart) * share) * n)
            parts[k - 1] = n + m, new, fl(fl(square + more) + added)
        return parts[0][1], fl(parts[0][2] / d)

    def reading(self, x: Array) -> Array:
        """Return numbers that enter a product with weights: rounded to 8 bits in blocks, the scale to binary16."""
        if "eights" not in self.run.also or self.draw.integers(4) == 0:
            return x if "eights" in self.run.also else super().reading(x)
        size, found = int(self.draw.choice([2, 4, 32])), []
        for start in range(0, x.shape[-1], size):
            block = x[..., start : start + size]
            step = self.rounded(np.abs(block).max(-1, keepdims=True) / 127, self.run.softmax)
            whole = np.rint(np.divide(block, step, out=np.zeros_like(block), where=step > 0))
            found.append(whole * self.rounded(step, FORMATS["binary16"]))
        return np.concatenate(found, -1)

    def _entering(self, x: Array) -> Array:
        x = super()._entering(x)
        return self.rounded(x, FORMATS["binary16"]) if "eights" in self.run.also and self.draw.integers(2) else x

    def before_gain(self, norm: Norm, x: Array) -> Array:
        """Return an RMS norm, which may be stored before its gain."""
        stores = "gains" in self.run.also and norm.kind == "rms" and self.draw.integers(2)
        return self.rounded(x, self.run.storage) if stores else x

    def scaled(self, scale: Scale, query: Array, key: Array) -> Array:
        """Return scores, which may be stored before their scale, or have its root in queries and keys."""
        way, sums = int(self.draw.integers(3)) if "scales" in self.run.also and scale.times != 1 else 0, self.run.sums
        if way == 0:
            return super().scaled(scale, query, key)
        if way == 1:
            return self.rounded(self.rounded(self.products(query, key), self.run.scores) * self.factor(scale), sums)
        exact = 1 / np.sqrt(scale.root) if scale.root else np.float64(scale.times or 0)
        root = self.rounded(np.sqrt(np.abs(exact)), sums)
        return self.products(self.rounded(query * root, sums), self.rounded(np.sign(exact) * key * root, sums))

    def _turned(self, rotary: Rotary | None, x: Array, positions: Indices) -> Array:
        """Products with cosines and sines may be stored."""
        if rotary is not None:
            self._stores = bool(self.draw.integers(2))
        return super()._turned(rotary, x, positions)

    def of_pair(self, product: Array) -> Array:
        """Return a product of a coordinate and a cosine or a sine."""
        found = super().of_pair(product)
        return self.rounded(found, self.run.storage) if self._stores else found

    def capped(self, scores: Array, cap: Array) -> Array:
        """Divide, or multiply with the inverse; each number may be stored as scores are."""
        run = self.run
        scores = self._kept_or_stored(scores)
        inverse = self.rounded(1 / cap, run.sums)
        opened = self.rounded(scores / cap if self.draw.integers(2) else scores * inverse, run.sums)
        opened = self._kept_or_stored(self.function("tanh", self._kept_or_stored(opened), run.softmax))
        return self.rounded(cap * opened, run.sums)

    def steps_of(self, x: Array, scale: Array, zero: Array) -> Array:
        """Divide, or multiply with the inverse; add the zero point before numbers are whole, or after."""
        target, (inverse, before) = self.run.softmax, self.draw.integers(2, size=2)
        steps = self.rounded(x * self.rounded(1 / scale, target) if inverse else x / scale, target)
        return self.whole(self.rounded(steps + zero, target)) - zero if before else self.whole(steps)

    def _kept_or_stored(self, x: Array) -> Array:
        return self.rounded(x, self.run.scores) if self.draw.integers(2) else x

    def _shuffled(self, terms: Array) -> Array:
        """Terms ordered by nothing, their sizes, or their signs."""
        keys = (self.draw.random(terms.shape), np.abs(terms), -np.abs(terms), terms, -terms)[int(self.draw.integers(5))]
        return np.take_along_axis(terms, np.argsort(keys, -2), -2)

    def _cut_off(self, node: Array) -> Array:
        """Numbers cut off two bits below the greatest one's, added up, and cut off, as tensor cores do: c = 2."""
        precision = self.run.sums.precision
        greatest = np.frexp(np.abs(node).max(-2, keepdims=True))[1]
        found = np.trunc(np.ldexp(node, precision + 2 - greatest)).sum(-2)
        kept = np.maximum(np.frexp(found)[1] - precision, 0)
        return np.asarray(np.ldexp(np.trunc(np.ldexp(found, -kept)), kept + greatest[..., 0, :] - precision - 2))

    def _farthest(self, node: Array) -> Array:
        """Return the sum with an error of almost the allowed one, in either direction, or none."""
        many = np.maximum((node != 0).sum(-2) - 1, 0)
        allowed = np.maximum(many * np.float64(self.run.sum_ulp) - 5 / np.float64(4), 0)
        allowed = allowed * np.float64(self.run.sums.roundoff)
        found = node.sum(-2)
        return self.rounded(found + self.draw.choice([-1, 0, 1], found.shape) * allowed * np.abs(node).sum(-2),
                            self.run.sums)
