"""Float enclosures of every direction, position by position (rule 1)."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from constructions.language.positional import positional_truth
from constructions.language.semantics import counted_length
from constructions.language.syntax import is_positional
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Product, Truth
from constructions.network.transformer import Coefficients, Mask, Transformer
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.float_enclosure import NOTHING, ONE, TRUTH, FloatEnclosure, join_all, round_to, stored
from proofs.floats.forms import enter, sum_on_grid
from proofs.floats.spans import Spans, enclose_column
from proofs.floats.uniform import enclose_mean_of_truths
from proofs.floats.uniform_numbers import UniformNumbers
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.composition import Write, writes
from proofs.formula.failures import NotDerived


class EnclosedNumbers:
    """Enclosures of the directions, under one float model."""

    def __init__(self, transformer: Transformer, known: KnownValues, run: FloatModel):
        """Store the network; enclosures are computed on demand."""
        self.transformer, self.known, self.run = transformer, known, run
        self.written: dict[str, Write] = {write.direction: write for write in writes(transformer)}
        self._means: dict[int, FloatEnclosure] = {}
        self._weights: dict[Fraction, FloatEnclosure] = {}
        self._stored: dict[Fraction, FloatEnclosure] = {}
        self._differ: dict[str, bool] = {}
        self._uniform: dict[str, UniformNumbers] = {}
        self._columns: dict[str, tuple[int, Sequence[FloatEnclosure]]] = {}
        self._by_value: dict[tuple[str, Lengths], Mapping[Fraction, FloatEnclosure]] = {}
        self._spans: dict[str, Spans] = {}
        self._whole: dict[tuple[str, int], FloatEnclosure] = {}

    def weight(self, weight: Fraction) -> FloatEnclosure:
        """Return a weight of the network, as it is stored."""
        if weight not in self._weights:
            self._weights[weight] = stored(weight, self.run.storage)
        return self._weights[weight]

    def differs_by_length(self, row: Iterable[str]) -> bool:
        """Return whether computed numbers at i may depend on n; two lengths may round one mean in two ways."""
        return any(self._differs(name) for name in row)

    def _differs(self, name: str) -> bool:
        if name not in self.known:
            return False
        if name not in self._differ:
            self._differ[name] = self.known.mentions_n({name: ONE}) or self._is_computed_by_length(self.written[name])
        return self._differ[name]

    def _is_computed_by_length(self, write: Write) -> bool:
        if write.place:
            head = self.transformer.head(write.layer, write.place)
            return head.mask is not Mask.FUTURE or self.differs_by_length(head.values[write.direction])
        return bool(write.stage) and self._is_copied(write.direction) and self._differs(self.copied(write.direction))

    # -- rows of one length --------------------------------------------------------------------------------------------

    def over(self, name: str, n: int, rows: range) -> FloatEnclosure:
        """Enclose the direction at these positions of words of length n.

        Raises:
            NotDerived: if nothing encloses it.
        """
        match self.transformer.directions[name]:
            case Truth(formula) if not is_positional(formula):
                return TRUTH
            case Mean(count):
                ends = sorted(counted_length(count, i, n) for i in (rows[0], rows[-1]))
                return join_all(map(self.mean, range(ends[0], ends[1] + 1)))
            case Product() if name not in self.known:
                return enter(self.over(self.copied(name), n, rows), self.run).join(NOTHING)
            case meaning if name not in self.known:
                raise NotDerived(f"reads {name}, {meaning}")
        if rows == range(1, n + 1):
            return self.span(name, n, n)
        if self.written[name].stage or len(rows) == 1:
            return join_all(self.column(name, n)[rows[0] - 1:rows[-1]])
        return enclose_column(self.known.column(name, n)[rows[0] - 1:rows[-1]], self.run.storage)

    def mean(self, length: int) -> FloatEnclosure:
        """Enclose the mean of truths over ``length`` positions."""
        if length not in self._means:
            self._means[length] = enclose_mean_of_truths(length, self.run)
        return self._means[length]

    def _is_copied(self, name: str) -> bool:
        return isinstance(self.transformer.directions[name], Product)

    def copied(self, name: str) -> str:
        """Return the direction that all units of a product read with weight 1.

        Raises:
            NotDerived: if there is none, or more than one.
        """
        units = self.transformer.layers[self.written[name].layer - 1].feedforward.units_writing(name)
        shared = set.intersection(*({read for read, weight in unit.reads.items() if weight == 1} for unit in units))
        if len(shared) != 1:
            raise NotDerived(f"{name} is not made of copies of one direction")
        return shared.pop()

    # -- columns -------------------------------------------------------------------------------------------------------

    def column(self, name: str, n: int) -> Sequence[FloatEnclosure]:
        """Enclose a known direction at i = 1, ..., n, and perhaps beyond."""
        length, column = self._columns.get(name, (0, ()))
        if self._differs(name):
            if length != n:
                self._columns[name] = n, self._column(name, range(1, n + 1), n)
        elif length < n:
            self._columns[name] = n, [*column, *self._column(name, range(length + 1, n + 1), n)]
        return self._columns[name][1]

    def _column(self, name: str, positions: range, n: int) -> Sequence[FloatEnclosure]:
        write = self.written[name]
        if write.place:
            return self._uniform_numbers(name).column(positions, n)
        if write.stage and self._is_copied(name):
            return self._copies(name, positions, n)
        values = self.known.column(name, n)
        return [self._store(values[i - 1]) for i in positions]

    def _store(self, x: Fraction) -> FloatEnclosure:
        if x not in self._stored:
            self._stored[x] = stored(x, self.run.storage)
        return self._stored[x]

    def _copies(self, name: str, positions: range, n: int) -> Sequence[FloatEnclosure]:
        meaning = self.known.meaning(name)
        assert isinstance(meaning, Product)
        source = self.column(self.copied(name), n)
        return [enter(source[i - 1], self.run) if positional_truth(meaning.formula, i, n) else NOTHING
                for i in positions]

    def _uniform_numbers(self, name: str) -> UniformNumbers:
        if name not in self._uniform:
            write = self.written[name]
            self._uniform[name] = UniformNumbers(self, name, self.transformer.head(write.layer, write.place))
        return self._uniform[name]

    def value_form(self, row: Coefficients, n: int, last: int) -> FloatEnclosure:
        """Return the values at positions 1 to ``last``, which are exact.

        Raises:
            NotDerived: if they are not.
        """
        products = [(self.weight(weight), self.span(name, n, last)) for name, weight in row.items()]
        entered = [(enter(a, self.run), enter(b, self.run)) for a, b in products]
        form = sum_on_grid(entered, self.run.sums) if entered else NOTHING
        if form is None or round_to(form, self.run.storage).error:
            raise NotDerived("the values are not exact")
        return form

    # -- many positions ------------------------------------------------------------------------------------------------

    def span(self, name: str, n: int, last: int) -> FloatEnclosure:
        """Enclose a direction that keys or values read, at positions 1 to ``last`` of a word of length n.

        Raises:
            NotDerived: if nothing encloses it.
        """
        match self.transformer.directions[name]:
            case Truth():
                return TRUTH
            case meaning if name not in self.known:
                raise NotDerived(f"a key or value reads {name}, {meaning}")
        if self._differs(name):
            if (name, n) not in self._whole:
                self._whole[name, n] = self._hold_all(name, n)
            return self._whole[name, n]
        spans = self._spans.setdefault(name, Spans())
        if spans.reach < last:
            spans.extend(self.column(name, last)[spans.reach:last])
        return spans.up_to(last)

    def _hold_all(self, name: str, n: int) -> FloatEnclosure:
        if self.written[name].stage:
            return join_all(set(self.column(name, n)))
        return enclose_column(self.known.column(name, n), self.run.storage)

    def by_value(self, name: str, lengths: Lengths) -> Mapping[Fraction, FloatEnclosure]:
        """Return the enclosures of a known direction by its real value."""
        if (name, lengths) not in self._by_value:
            found: dict[Fraction, FloatEnclosure] = {}
            for enclosure in self.distinct(name, lengths):
                before = found.get(enclosure.lower)
                found[enclosure.lower] = before.join(enclosure) if before else enclosure
            self._by_value[name, lengths] = found
        return self._by_value[name, lengths]

    def distinct(self, name: str, lengths: Lengths) -> Iterable[FloatEnclosure]:
        """Return the enclosures of a known direction at all positions of words of these lengths, each once or more."""
        write = self.written[name]
        if write.place:
            return self._uniform_numbers(name).distinct(lengths)
        visited = lengths if self._differs(name) else [lengths.last]
        if write.stage and self._is_copied(name):
            return {enclosure for n in visited for enclosure in self.column(name, n)[:n]}
        return [self._store(x) for x in {x for n in visited for x in self.known.column(name, n)}]
