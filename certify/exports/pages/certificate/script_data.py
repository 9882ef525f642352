"""The data of the page's script: the exact weights as texts, formulas as a table of nodes, and the figures.

It contains no code: expressions are postfix programs of numbers and operation names, predicates are truth tables (so
that the script has no rules for them), and the script looks everything up by number.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from certify.claims.formula.sealed import Sealed
from certify.exports.pages.certificate.approximations import LONGEST, SHORT, Approximation, Study, drawn_lengths
from certify.exports.pages.certificate.blocks import BoxColumn
from certify.exports.pages.certificate.heat_maps import CHARACTERS, pack
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.pages.certificate.worst_words import Word, sample_word, seeds, truths_of
from constructions.language import syntax
from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.predicates import definition_of
from constructions.network.meanings import Meaning, Near, Others, Truth
from constructions.network.transformer import Coefficients, Head, Transformer

Json = Any
OPERATORS: Mapping[type[syntax.Formula], str] = {
    syntax.Not: "not", syntax.And: "and", syntax.Or: "or", syntax.Implies: "implies", syntax.Iff: "iff",
    syntax.Previous: "prev", syntax.Next: "next", syntax.Since: "since", syntax.Until: "until",
}  # fmt: skip
MOST_ROWS = 40
"""The number of subformulas that are shown beside a word, the last ones."""
FIRST_WORDS = 400
MOST_NODES = 3000
"""With more nodes there is no word to try, since the page would be too large."""


class FormulaTable:
    """Formulas as a list of nodes, each after its operands, which it names by number."""

    def __init__(self, longest: int):
        """Tabulate predicates for words of up to ``longest`` symbols."""
        self.longest = longest
        self.nodes: list[Json] = []
        self._numbers: dict[syntax.Formula, int] = {}

    def number(self, formula: syntax.Formula) -> int:
        """Return the number of the formula, after adding it to the table if it is missing."""
        for part in syntax.postorder(formula, syntax.operands) if formula not in self._numbers else ():
            if part not in self._numbers:
                self.nodes.append(self._node(part))
                self._numbers[part] = len(self.nodes) - 1
        return self._numbers[formula]

    def _node(self, formula: syntax.Formula) -> Json:
        match formula:
            case syntax.Constant(value):
                return ["constant", value]
            case syntax.Symbol(symbol):
                return ["symbol", symbol]
            case syntax.Predicate():
                return ["position", self._truths(formula, _up_to)]
            case syntax.PredicateOnCount(count=count):
                return ["count", self._truths(formula, _up_to), count.side, self._numbers[count.operand]]
            case syntax.PredicateOnSum(term=term):
                numbers = self._values_of(term)
                return ["total", numbers.start, self._truths(formula, lambda _: numbers), self._term(term)]
            case syntax.Comparison(relation, left, right):
                return ["compare", relation, self._term(left), self._term(right)]
        return [OPERATORS[type(formula)], *(self._numbers[part] for part in syntax.operands(formula))]

    def _term(self, term: syntax.Term) -> Json:
        return [term.constant, *([number, count.side, self._numbers[count.operand]]
                                 for number, count in term.coefficients)]

    def _values_of(self, term: syntax.Term) -> range:
        """Return the range of the sum; it is small, since the coefficients are 1 and -1."""
        greatest = [number * self.longest for number, _ in term.coefficients]
        return range(term.constant + sum(x for x in greatest if x < 0),
                     term.constant + sum(x for x in greatest if x > 0) + 1)

    def _truths(self, formula: syntax.Predicate | syntax.PredicateOnCount | syntax.PredicateOnSum,
                numbers: Callable[[int], range]) -> str | list[str]:
        """Return a character for each number k at length n; a list of such texts, by n, if the truth depends on n."""
        definition = definition_of(formula)
        lengths = range(1, self.longest + 1) if definition.depends_on_n else (self.longest,)
        texts = ["".join(str(int(definition.holds(k, n, formula.parameters))) for k in numbers(n)) for n in lengths]
        return texts if definition.depends_on_n else texts[0]


def _up_to(n: int) -> range:
    """Return the range of a position or a count."""
    return range(n + 1)


class ScriptData:
    """The data of one page."""

    def __init__(self, network: Transformer, names: DirectionNames, longest: int):
        """Bound the words to try by ``longest`` symbols."""
        self.network, self.names = network, names
        self.longest = longest
        self.places = {name: place for place, name in enumerate(network.directions)}
        self.table = FormulaTable(longest)

    def of_network(self) -> Json:
        """Return alphabet, directions, embeddings and layers."""
        network = self.network
        return {
            "longest": self.longest, "alphabet": network.alphabet, "output": self.places[network.output],
            "directions": [{"name": self.names.direction(name), "holds": self._holds(meaning)}
                           for name, meaning in network.directions.items()],
            "tokens": [self._row(network.token_embedding[symbol]) for symbol in network.alphabet],
            "positions": [[self.places[name], self._function(value)]
                          for name, value in network.position_embedding.items()],
            "layers": [{"heads": [self._head(head) for head in layer.heads],
                        "units": [[self._row(unit.reads), str(unit.bias), self._row(unit.writes)]
                                  for unit in layer.feedforward.units], "bias": self._row(layer.feedforward.bias)}
                       for layer in network.layers],
        }

    def of_truths(self, formula: syntax.Formula) -> Json:
        """Return what is compared on a word: the last subformulas and their counts, with their directions."""
        parts = syntax.postorder(formula, syntax.operands)
        rows: list[Json] = []
        counted: set[syntax.Count] = set()
        for part in parts[-MOST_ROWS:]:
            for count in syntax.counts_of(part):
                if count not in counted:
                    rows.append({"text": self.names.count(count),
                                 "count": [count.side, self.table.number(count.operand)],
                                 "near": [[self.places[name]] for name, each in self.network.directions.items()
                                          if isinstance(each, Others) and each.count is count]})
                counted.add(count)
            rows.append(self._truth_row(part))
        return {"rows": rows, "left_out": max(0, len(parts) - MOST_ROWS), "nodes": self.table.nodes}

    def _truth_row(self, formula: syntax.Formula) -> Json:
        meanings = self.network.directions.items()
        return {"text": self.names.texts[formula], "node": self.table.number(formula),
                "exact": [self.places[name] for name, each in meanings
                          if isinstance(each, Truth) and each.formula is formula],
                "near": [[self.places[name], self.table.number(each.when)] for name, each in meanings
                         if isinstance(each, Near) and each.formula is formula]}

    def _holds(self, meaning: Meaning) -> str:
        """Describe the meaning of a direction."""
        match meaning:
            case Truth(formula):
                return f"exactly 1 where {self.names.spelled(formula)} holds, else 0"
            case Near(formula, when):
                guard = "" if isinstance(when, syntax.Constant) else f", where {self.names.spelled(when)} holds"
                return f"within 1/4 of the truth of {self.names.spelled(formula)}{guard}"
        return str(meaning) if len(str(meaning)) < 300 else type(meaning).__name__.lower()

    def _function(self, value: PositionFunction) -> Json:
        if isinstance(value, Bracket):
            return {"text": str(value), "holds": self.table.number(value.formula), "shift": int(value.shifted)}
        return {"text": str(value), "postfix": value.postfix}

    def _head(self, head: Head) -> Json:
        return {"name": head.name, "source": head.source, "mask": head.mask.value, "weighting": head.weighting.value,
                "temperature": self._function(head.temperature), "queries": [self._row(row) for row in head.queries],
                "keys": [self._row(row) for row in head.keys],
                "values": [[self.places[name], self._row(row)] for name, row in head.values.items()]}

    def _row(self, row: Coefficients) -> Json:
        """Return the numbers of directions and exact weights, alternating."""
        return [each for name, weight in row.items() for each in (self.places[name], str(weight))]

    def of_blocks(self, columns: Sequence[BoxColumn]) -> Json:
        """Return the directions that each block of the picture reads and writes."""
        return [{"kind": block.kind, "lines": block.lines, "layer": column.layer,
                 "reads": [[self.places[name], role] for name, role in block.reads],
                 "writes": [self.places[name] for name in block.writes]}
                for column in columns for block in column.blocks]

    def of_approximations(self, approximations: Iterable[Approximation]) -> Json:
        """Return the bounds, and the words and weights that can be enlarged."""
        return [{"layer": each.layer, "place": each.place, "direction": self.places[each.direction],
                 "truth": each.near_truth,
                 "case": {"word": each.short.case.word, "i": each.short.case.i, "error": each.short.case.error,
                          "should": each.short.case.truth, "seconded": each.short.case.is_seconded}
                 if each.short else None}
                for each in approximations]


def starting_word(formula: syntax.Formula, alphabet: Sequence[str], n: int, worst: Iterable[Word]) -> Word:
    """Find a word of length n with many symbols on which the formula is about as often true as false."""
    tried = list(itertools.islice(itertools.chain([sample_word(alphabet, n)], worst, seeds(alphabet, n)), FIRST_WORDS))
    uneven = abs(truths_of(alphabet, tried).of(formula).mean(axis=1) - 1 / 2)
    missing = np.array([1 - len(set(word)) / len(alphabet) for word in tried])
    return tried[int(np.argmin(np.maximum(uneven, 1 / 4) + missing))]


def script_data(sealed: Sealed, names: DirectionNames, formula: syntax.Formula, columns: Sequence[BoxColumn],
                study: Study) -> Json:
    """Return all data as JSON; without the data to try words if they are too large."""
    longest = min(LONGEST, sealed.lengths.last)
    data = ScriptData(sealed.transformer, names, longest)
    live = len(names.parts) <= MOST_NODES and bool(drawn_lengths(sealed))
    worst = [each.short.case.word for each in study.approximations if each.short]
    n = len(worst[0]) if worst else max(sealed.lengths.first, min(SHORT, longest))
    return {
        "start": starting_word(formula, sealed.transformer.alphabet, n, worst) if live else None,
        **data.of_network(), "first": sealed.lengths.first,
        "blocks": data.of_blocks(columns), "approximations": data.of_approximations(study.approximations),
        "characters": CHARACTERS,
        "maps": [{"places": chart.places, **pack(chart), "worst": chart.worst} for chart in study.maps],
        "truths": data.of_truths(formula) if live else None,
    }
