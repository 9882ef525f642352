"""A small transformer written by hand: heads and ReLUs on directions that are named by what they hold.

Wherever a direction is expected, a text will do: the name of a direction, a position function (which is embedded), or a
formula (whose missing parts are compiled into their exact truths). docs/howto/models.md is the guide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from fractions import Fraction
from typing import Literal, TypeVar

from constructions.arguments import typed, unexpected_value
from constructions.compiler import PRINTED_GAMMA, add_truth
from constructions.draft import Draft
from constructions.errors import InputError
from constructions.language.alphabets import parse_alphabet
from constructions.language.brackets import Bracket, PositionFunction, parse_position_function
from constructions.language.expressions import Expression, parse_expression, parse_rational
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import TRUE, And, Formula, Not, is_positional, subformulas
from constructions.network.meanings import Anything, Meaning, Near, Position, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer, check_mask
from constructions.network.weightings import Weighting, WeightingName
from constructions.regimes import Regime
from constructions.statements.lemma_09_rounding import rounding_units

Number = int | str | Fraction
"""An exact number: ``2``, ``"-1/3"``, ``Fraction(1, 3)``."""
Form = str | Mapping[str, Number]
"""A linear form on directions; a text alone has coefficient 1."""
Forms = Form | Sequence[Form]
"""One linear form, or one for each component of queries and keys."""
Choice = TypeVar("Choice", bound=StrEnum)
MaskName = Literal["none", "future", "past"]
WrittenUnit = tuple[Form, Number, Number]
"""One ReLU (reads, bias, write): it adds ``write * ReLU(reads . h + bias)``."""


class NetworkBuilder:
    """A transformer being written by hand.

    >>> net = NetworkBuilder("01")
    >>> net.head("first", key={"FIRST": 1}, value="Q_1", temperature="1/6", means="O (FIRST & Q_1)")
    'first'
    >>> net.round("first")
    'is[O (FIRST & Q_1)]'
    >>> net.output("O (FIRST & Q_1)")
    'is[O (FIRST & Q_1)]'
    >>> len(net.build().layers), list(net.build().directions)[:4]
    (1, ['is[FIRST]', 'one', 'is[Q_1]', 'first'])
    """

    @typed
    def __init__(self, alphabet: str, temperature: str = "1/n", predicates: Sequence[str] = ()):
        """Begin an empty network.

        ``alphabet`` is ``"01"`` or ``"w0,w1,i"``; ``predicates`` are definitions such as ``THIRD(k,n) := k % 3 == 1``.
        The ``temperature`` is that of heads written by hand; heads compiled from formulas keep their own.

        Raises:
            InputError: if one of them does not parse.
        """
        self.alphabet = parse_alphabet(alphabet)
        with _located("temperature"):
            self._temperature = parse_expression(temperature)
        self._predicates = parse_predicate_definitions(predicates)
        self._draft = Draft(self.alphabet, Regime(), PRINTED_GAMMA)
        self._output: str | None = None

    # -- what can be written -------------------------------------------------------------------------------------------

    @typed
    def direction(self, text: str) -> str:
        """Return the name of the direction that ``text`` denotes; embed or compile it if it does not exist yet.

        >>> net = NetworkBuilder("01")
        >>> net.direction("i/n"), net.direction("[PRIME](i-1)"), net.direction("Q_0 & EVEN")
        ('i/n', 'before[PRIME]', 'is[Q_0 & EVEN]')

        Raises:
            InputError: if the text is neither a direction nor a position function nor a formula.
        """
        if self._draft.has(text):
            return text
        match self._read(text):
            case Bracket(formula, shifted=True):
                return self._draft.embed_before(formula)
            case Expression() as expression:
                return self._draft.embed_position(str(expression))
            case Bracket(formula) | (Formula() as formula):
                return self._compile(formula)

    @typed
    def head(self, name: str, *, value: Form, means: str | Meaning | None = None, key: Forms = (),
             query: Forms = "1", mask: MaskName = "future", when: str = "true", temperature: str | None = None,
             weighting: WeightingName = "softmax", source: str = "by hand") -> str:
        """Add a head that writes one direction, of its own name, and return that name: the weighted mean of ``value``.

        The score at (i, j) is ``query`` at i times ``key`` at j; without a key the head attends uniformly. A formula as
        ``means`` says that the head is near its truth ``when`` a positional formula holds, a position function that the
        head equals it; any other meaning is given as a ``constructions.network.meanings`` value. The default states
        nothing, which suits hard attention that is to be softened.

        Raises:
            InputError: if the name is taken, or a text does not denote what is expected there.
        """
        where = f"head {name}"
        self._check_new(name, where)
        with _located(where):
            keys = self._rows(key) or ({},)
            head = Head(
                name=name,
                source=source,
                mask=_one_of(Mask, mask, "mask"),
                weighting=_one_of(Weighting, weighting, "weighting"),
                temperature=self._temperature if temperature is None else parse_expression(temperature),
                queries=self._rows(query) if any(keys) else ({},),
                keys=keys,
                values={name: self._row(value)},
            )
            if len(head.queries) != len(head.keys):
                raise InputError(f"{len(head.queries)} queries and {len(head.keys)} keys, expected as many (d_k)")
            check_mask(head.weighting, head.mask)
            self._draft.add_head(head, {name: self._meaning_of_head(means, when)})
        return name

    @typed
    def round(self, near: str, means: str | None = None) -> str:
        """Write the exact truth that the direction ``near`` approximates, by the two ReLUs of Lemma 9; return its name.

        If ``near`` has a guard, the result is the truth of the conjunction of guard and formula. ``means`` states the
        result in other words.

        Raises:
            InputError: if the direction is not near a truth, or that truth has a direction already.
        """
        meaning = self._draft.meaning(near) if self._draft.has(near) else None
        if not isinstance(meaning, Near):
            raise InputError(f"round: {near!r} is {meaning or 'not a direction'}, expected one that is near a truth")
        guarded = meaning.when is not TRUE
        formula = And(meaning.when, meaning.formula) if guarded else meaning.formula
        if means is not None:
            with _located("round"):
                formula = parse_formula(means, self.alphabet, self._predicates)
        gates = [self._false_where(meaning.when)] if guarded else []
        return self._write_truth(formula, rounding_units(near, gates), Fraction(0), "round")

    @typed
    def units(self, means: str | Meaning | None, units: Iterable[WrittenUnit],
              bias: Number = 0, name: str | None = None) -> str:
        """Write a direction by a feed-forward layer: ``bias`` plus the sum of ``write * ReLU(reads . h + bias)``.

        A formula as ``means`` says that the result is its exact truth, a position function that it equals the result.
        Other meanings, and None, which states nothing, need a ``name``.

        >>> net = NetworkBuilder("01")
        >>> net.units("Q_1 & EVEN", [({"Q_1": 1, "EVEN": 1}, -1, 1)])
        'is[Q_1 & EVEN]'

        Raises:
            InputError: if its name is taken, or a text does not denote what is expected there.
        """
        with _located("units"):
            meaning = self._meaning_of_units(means)
            rows = [self._unit(unit) for unit in units]
            constant = _number(bias)
        if isinstance(meaning, Truth):
            return self._write_truth(meaning.formula, rows, constant, "units")
        if name is None and isinstance(meaning, Position):
            name = str(meaning.value)
        self._check_new(name, "units")
        return self._draft.add_feed_forward(name or "", meaning, rows, constant)

    @typed
    def output(self, text: str) -> str:
        """Make the truth of a formula the output; subformulas not yet written are compiled.

        A direction without a stated meaning may be the output as well.

        Raises:
            InputError: if the text is neither a formula nor names a direction that holds a truth or has no meaning.
        """
        name = self.direction(text)
        meaning = self._draft.meaning(name)
        if isinstance(meaning, Truth):
            self._compile(meaning.formula)
        elif not isinstance(meaning, Anything):
            raise InputError(f"output: {text!r} is {meaning}, expected the exact truth of a formula; "
                             "round() makes it from an approximate one")
        self._output = name
        return name

    def build(self) -> Transformer:
        """Return the transformer as written so far.

        Raises:
            InputError: if it has no output.
        """
        if self._output is None:
            raise InputError("network: no output, expected net.output(formula)")
        return self._draft.finish_at(self._output)

    # -- reading texts -------------------------------------------------------------------------------------------------

    def _read(self, text: str) -> Formula | PositionFunction:
        """Return the position function or the formula that a text denotes."""
        try:
            return parse_position_function(text, self._predicates)
        except InputError as error:
            no_function = error
        try:
            return parse_formula(text, self.alphabet, self._predicates)
        except InputError as no_formula:
            raise InputError(f"{text!r} is not a direction, not a position function ({no_function}) and not a formula "
                             f"({no_formula})") from None

    def _meaning_of_head(self, means: str | Meaning | None, when: str) -> Meaning:
        if not isinstance(means, str):
            return means or Anything()
        read = self._read(means)
        if isinstance(read, Formula):
            return Near(read, parse_formula(when, self.alphabet, self._predicates))
        return Position(read)

    def _meaning_of_units(self, means: str | Meaning | None) -> Meaning:
        if not isinstance(means, str):
            return means or Anything()
        read = self._read(means)
        return Truth(read) if isinstance(read, Formula) else Position(read)

    def _rows(self, forms: Forms) -> tuple[Coefficients, ...]:
        return tuple(map(self._row, [forms] if isinstance(forms, str | Mapping) else forms))

    def _row(self, form: Form) -> Coefficients:
        row: dict[str, Fraction] = {}
        for text, weight in ({form: 1} if isinstance(form, str) else form).items():
            name = self.direction(text)  # two texts may denote one direction
            row[name] = row.get(name, Fraction(0)) + _number(weight)
        return {name: weight for name, weight in row.items() if weight}

    def _unit(self, unit: WrittenUnit) -> tuple[Coefficients, Fraction, Fraction]:
        if not (isinstance(unit, Sequence) and len(unit) == 3 and isinstance(unit[0], str | Mapping)):
            raise unexpected_value("unit", unit, "its inputs, bias and output weight, as in ({'Q_1': 1}, -1, 1)")
        reads, offset, write = unit
        return self._row(reads), _number(offset), _number(write)

    def _check_new(self, name: str | None, where: str) -> None:
        if not name:
            raise InputError(f"{where}: no name, expected one for the direction that is written")
        if self._draft.has(name):
            raise InputError(f"{where}: a direction of the name {name!r} exists already, expected a new one")

    # -- writing truths ------------------------------------------------------------------------------------------------

    def _compile(self, formula: Formula) -> str:
        """Return the direction of a formula; compile its missing parts by the constructions of [SHA]."""
        for part in subformulas(formula):
            add_truth(self._draft, part)
        return self._draft.truth(formula)

    def _false_where(self, guard: Formula) -> str:
        """Return the direction that is 0 where the guard holds and 1 elsewhere; embed it if the guard is positional."""
        shut = Not(guard)
        if is_positional(guard) and not self._draft.has_truth(shut):
            return self._draft.embed_positional(shut)
        return self._compile(shut)

    def _write_truth(self, formula: Formula, units: Iterable[tuple[Coefficients, Fraction, Fraction]], bias: Fraction,
                     where: str) -> str:
        if self._draft.has_truth(formula):
            raise InputError(f"{where}: {self._draft.truth(formula)} is written already, expected a new truth")
        return self._draft.add_truth(formula, units, bias)


def _number(value: Number) -> Fraction:
    if isinstance(value, str):
        return parse_rational(value)
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Fraction(value)
    raise InputError(f"{value!r}, expected an exact number such as 2, \"1/3\" or Fraction(1, 3)")


def _one_of(choices: type[Choice], name: str, what: str) -> Choice:
    if name not in list(choices):
        raise InputError(f"{what} {name!r}, expected one of {', '.join(choices)}")
    return choices(name)


@contextmanager
def _located(where: str) -> Iterator[None]:
    """Prefix errors with where they occurred."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
