"""What every direction holds in a float run, position by position (rule 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from constructions.language.positional import positional_truth
from constructions.language.syntax import is_positional
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Product, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer
from proofs.failures import NotDerived
from proofs.floats.forms import enter, sum_on_grid
from proofs.floats.held import NOTHING, TRUTH, ZERO, Held, join_all, round_to, stored
from proofs.floats.run_class import RunClass
from proofs.floats.spans import Spans, hold_column
from proofs.floats.uniform import UniformSum, hold_mean_of, hold_mean_of_truths
from proofs.obligations.composition import Write, writes
from proofs.obligations.count_cases import counted_length
from proofs.obligations.known import KnownValues


class HeldNumbers:
    """What the directions hold, for one class of runs."""

    def __init__(self, transformer: Transformer, known: KnownValues, run: RunClass):
        """Nothing is worked out before it is asked for."""
        self.transformer, self.known, self.run = transformer, known, run
        self.written: dict[str, Write] = {write.direction: write for write in writes(transformer)}
        self._columns: dict[tuple[str, int], Sequence[Held]] = {}
        self._means: dict[int, Held] = {}
        self._uniform_means: dict[tuple[UniformSum, Fraction], Held] = {}
        self._sums: dict[tuple[str, int], tuple[list[Fraction], list[Fraction], list[int]]] = {}
        self._value_forms: dict[tuple[str, int, int], Held] = {}
        self._by_value: dict[tuple[str, Lengths], Mapping[Fraction, Held]] = {}
        self._spans: dict[str, Spans] = {}
        self._whole: dict[tuple[str, int], Held] = {}

    # -- one position --------------------------------------------------------------------------------------------------

    def at(self, name: str, n: int, i: int) -> Held:
        """What the direction holds at position i of a word of length n.

        Raises:
            NotDerived: if that is not known.
        """
        match self.transformer.directions[name]:
            case Truth(formula) if not is_positional(formula):
                return TRUTH
            case Mean(count):
                return self.mean(counted_length(count, i, n))
            case Product(_, formula) if name not in self.known:
                return self._product(name, n, i).join(NOTHING)
            case meaning if name not in self.known:
                raise NotDerived(f"reads {name}, {meaning}")
        return self._column(name, (i,), n)[0]

    def mean(self, length: int) -> Held:
        """What the mean of the truths at so many positions holds."""
        if length not in self._means:
            self._means[length] = hold_mean_of_truths(length, self.run)
        return self._means[length]

    def _product(self, name: str, n: int, i: int) -> Held:
        """What a product written by a feed-forward part holds where its formula holds: what it copies."""
        return enter(self.at(self.copied(name), n, i), self.run)

    def copied(self, name: str) -> str:
        """The direction that all units of a product read with weight 1.

        Raises:
            NotDerived: if there is none, or more than one.
        """
        units = self.transformer.layers[self.written[name].layer - 1].feedforward.units_writing(name)
        shared = set.intersection(*({read for read, weight in unit.reads.items() if weight == 1} for unit in units))
        if len(shared) != 1:
            raise NotDerived(f"{name} is not made of copies of one direction")
        return shared.pop()

    # -- columns -------------------------------------------------------------------------------------------------------

    def column(self, name: str, n: int) -> Sequence[Held]:
        """What a known direction holds at i = 1, ..., n."""
        if (name, n) not in self._columns:
            if len(self._columns) > 64:
                self._columns.clear()
            self._columns[name, n] = self._column(name, range(1, n + 1), n)
        return self._columns[name, n]

    def _column(self, name: str, positions: Iterable[int], n: int) -> Sequence[Held]:
        write = self.written[name]
        if write.place:
            head = self.transformer.head(write.layer, write.place)
            return [self._uniform(name, head, n, i) for i in positions]
        meaning = self.known.meaning(name)
        values = self.known.column(name, n)
        if write.stage and isinstance(meaning, Product):
            return [self._product(name, n, i) if positional_truth(meaning.formula, i, n) else NOTHING
                    for i in positions]
        return [stored(values[i - 1], self.run.storage) for i in positions]

    def _uniform(self, name: str, head: Head, n: int, i: int) -> Held:
        """What a uniform head holds: its certified mean, computed."""
        seen = head.mask.visible(i, n)
        value = self._value_of(name, head, n, seen[-1] if head.mask is Mask.FUTURE else n)
        positives, negatives, counts = self._signed_sums(name, head, n)
        first, last = seen[0] - 1, seen[-1]
        size = max(positives[last] - positives[first], negatives[last] - negatives[first])
        visible = UniformSum(len(seen), counts[last] - counts[first], size, value.grid)
        key = visible, self.known.value(name, i, n)
        if key not in self._uniform_means:
            self._uniform_means[key] = hold_mean_of(visible, key[1] * len(seen), self.run)
        return self._uniform_means[key]

    def _signed_sums(self, name: str, head: Head, n: int) -> tuple[list[Fraction], list[Fraction], list[int]]:
        """For each beginning of the word the sums of the positive values, of the others, and how many are not 0."""
        if (name, n) not in self._sums:
            if len(self._sums) > 64:
                self._sums.clear()
            values = self.known.forms(head.values[name], n)
            self._sums[name, n] = (list(accumulate((max(x, ZERO) for x in values), initial=ZERO)),
                                   list(accumulate((max(-x, ZERO) for x in values), initial=ZERO)),
                                   list(accumulate((int(x != 0) for x in values), initial=0)))
        return self._sums[name, n]

    def _value_of(self, name: str, head: Head, n: int, last: int) -> Held:
        if any(head.queries):
            raise NotDerived("the mean is that of a head whose queries read something")
        mentions_n = self.known.mentions_n(head.values[name])
        key = name, n if mentions_n else 0, last
        if key not in self._value_forms:
            self._value_forms[key] = self.value_form(head.values[name], n, last)
        return self._value_forms[key]

    def value_form(self, row: Coefficients, n: int, last: int) -> Held:
        """The values at positions 1 to ``last``, which are exact.

        Raises:
            NotDerived: if they are not.
        """
        products = [(self.weight(weight), self.span(name, n, last)) for name, weight in row.items()]
        entered = [(enter(a, self.run), enter(b, self.run)) for a, b in products]
        form = sum_on_grid(entered, self.run.sums) if entered else NOTHING
        if form is None or round_to(form, self.run.storage).error:
            raise NotDerived("the values are not exact")
        return form

    def weight(self, weight: Fraction) -> Held:
        """A weight of the network, as it is stored."""
        return stored(weight, self.run.storage)

    # -- many positions ------------------------------------------------------------------------------------------------

    def span(self, name: str, n: int, last: int) -> Held:
        """What a direction that keys or values read holds at positions 1 to ``last`` of a word of length n.

        Raises:
            NotDerived: if that is not known.
        """
        match self.transformer.directions[name]:
            case Truth():
                return TRUTH
            case meaning if name not in self.known:
                raise NotDerived(f"a key or value reads {name}, {meaning}")
        if self.known.mentions_n({name: Fraction(1)}):
            if (name, n) not in self._whole:
                self._whole[name, n] = self._hold_all(name, n)
            return self._whole[name, n]
        spans = self._spans.setdefault(name, Spans())
        if spans.reach < last:
            spans.extend(self._column_from(name, spans.reach + 1, last))
        return spans.up_to(last)

    def _hold_all(self, name: str, n: int) -> Held:
        if self.written[name].stage:
            return join_all(self.column(name, n))
        return hold_column(self.known.column(name, n), self.run.storage)

    def _column_from(self, name: str, first: int, last: int) -> Sequence[Held]:
        return self._column(name, range(first, last + 1), last)

    def by_value(self, name: str, lengths: Lengths) -> Mapping[Fraction, Held]:
        """What a known direction holds where its real value is such and such."""
        if (name, lengths) not in self._by_value:
            found: dict[Fraction, Held] = {}
            for n in lengths if self.known.mentions_n({name: Fraction(1)}) else [lengths.last]:
                for x, held in zip(self.known.column(name, n), self.column(name, n), strict=True):
                    found[x] = found[x].join(held) if x in found else held
            self._by_value[name, lengths] = found
        return self._by_value[name, lengths]

    def check_embeddings(self, lengths: Lengths) -> None:
        """Raise NotDerived if an embedded number may be greater than the largest number of the storage format."""
        for name, write in self.written.items():
            if write.stage or name not in self.known:
                continue
            for n in lengths if self.known.mentions_n({name: Fraction(1)}) else [lengths.last]:
                try:
                    self.span(name, n, n)
                except NotDerived as fault:
                    raise NotDerived(f"{name} at n = {n}: {fault}") from None
