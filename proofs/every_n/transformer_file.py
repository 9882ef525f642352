"""A transformer as a Coq file: its parameters and meanings, and the theorem that it computes a formula for every n.

Coq's kernel checks the file with the library ``proofs/coq``: there ``check`` is a computation on the parameters, and
``check_computes`` states the consequence of its answer ``true``. Nothing here is trusted beyond the printing of the
parameters and of the formula, which a reader can compare with the model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.language import syntax
from constructions.language.arithmetic import NEGATE
from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.expressions import Expression
from constructions.language.predicates import BUILTIN, definitions_of
from constructions.language.printer import format_briefly, written_length
from constructions.network import meanings
from constructions.network.transformer import Coefficients, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting
from constructions.text import printable
from proofs.every_n.instances import PRINT_AXIOMS, theorem_about
from proofs.every_n.lengths import EVERY_LENGTH, ProvedLengths
from proofs.every_n.predicates import condition_data

_CONNECTIVES: Mapping[type[syntax.Formula], str] = {
    syntax.Not: "Not", syntax.And: "And", syntax.Or: "Or", syntax.Implies: "Implies", syntax.Iff: "Iff",
    syntax.Previous: "Previous", syntax.Next: "Next", syntax.Since: "Since", syntax.Until: "Until",
}  # fmt: skip
_RELATIONS: Mapping[syntax.Relation, str] = {
    "<=": "AtMost", "<": "Below", ">=": "AtLeast", ">": "Above", "==": "Equal", "!=": "Unequal",
}  # fmt: skip
_SIDES = {"left": "ToLeft", "right": "ToRight"}
_MASKS = {Mask.NONE: "Unmasked", Mask.FUTURE: "FutureMasked", Mask.PAST: "PastMasked"}
_OPERATORS: Mapping[int | str, str] = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}
_EXPONENTS: Mapping[int | str, str] = {"+": "IntPlus", "-": "IntMinus"}
_VARIABLES: Mapping[int | str, str] = {"i": "I", "n": "N"}
_FUNCTIONS: Mapping[int | str, str] = {"ln": "Ln", "sqrt": "Sqrt", "log2floor": "Log2Floor", "log2ceil": "Log2Ceil"}
_ZERO = "(Int 0)"

MOST_UNARY = 100_000
MOST_WRITTEN_OUT = 20_000
DEEPEST = 200
"""A formula without names is traversed as a tree, even if parts are equal (``graph_file`` has names)."""

_HEADER = """\
From Coq Require Import String Reals QArith ZArith List Bool.
From Certify Require Import formula network user_predicates meaning well_defined check.
Import ListNotations RowNotations.
Open Scope Q_scope.
"""

_REFUSAL = """\
From Certify Require Import refusal.
Eval vm_compute in find_refusal_for users {lengths} network meanings claim.
"""


def theorem_file(transformer: Transformer, formula: syntax.Formula, lengths: ProvedLengths = EVERY_LENGTH) -> str:
    """Return the text of a Coq file that states and proves that the transformer computes ``formula``.

    The theorem is for every n, or for these lengths. Coq decides whether the proof is accepted.

    Raises:
        Unsupported: naming a part of the transformer that the Coq library has no counterpart of.
    """
    return CoqFile(transformer, formula).text(theorem_about(lengths) + PRINT_AXIOMS)


def refusal_file(transformer: Transformer, formula: syntax.Formula, lengths: ProvedLengths = EVERY_LENGTH) -> str:
    """Return the text of a Coq file that prints where the checker of the library does not accept the transformer.

    Raises:
        Unsupported: as ``theorem_file``.
    """
    return CoqFile(transformer, formula).text(_REFUSAL.format(lengths=lengths.data()))


class CoqFile:
    """Printer of one transformer: numbers for its directions, ``names`` for the formulas it mentions."""

    def __init__(self, transformer: Transformer, formula: syntax.Formula) -> None:
        """Assign numbers to the directions, and names to the formulas.

        Raises:
            Unsupported: if a formula is too large for Coq.
        """
        self.transformer = transformer
        self.formula = formula
        self.places = {name: place for place, name in enumerate(transformer.directions)}
        self.letters = {symbol: place for place, symbol in enumerate(transformer.alphabet)}
        mentioned = mentioned_formulas(transformer, formula)
        self.users = definitions_of(mentioned)
        self._check_sizes(formula, mentioned)
        self.names = {part: f"f{number}" for number, part in enumerate(syntax.subformulas_of_all(mentioned))}

    def _check_sizes(self, formula: syntax.Formula, mentioned: Sequence[syntax.Formula]) -> None:
        """Raise Unsupported if a formula is too large to be traversed as a tree."""
        longest = max(map(written_length, mentioned))
        if longest > MOST_WRITTEN_OUT or formula.depth > DEEPEST:
            is_long = longest > MOST_WRITTEN_OUT
            is_other = written_length(formula) <= MOST_WRITTEN_OUT < longest
            which = "a formula that the network mentions" if is_other else "the formula"
            size = f"longer than {MOST_WRITTEN_OUT} characters" if is_long else f"{formula.depth} deep"
            raise Unsupported(f"{which}, written out, is {size}, and so Coq compares it: expected at most "
                              f"{MOST_WRITTEN_OUT} characters and a depth of {DEEPEST}")

    def text(self, ending: str) -> str:
        """Return the whole file: everything about the network and the claim, and then ``ending``."""
        alphabet = ", ".join(f"{place} is {symbol}" for place, symbol in enumerate(self.transformer.alphabet))
        parts = [
            comment(f"{format_briefly(self.formula)}, over the alphabet {alphabet}: a network that computes it."),
            _HEADER, self._users(), self._formulas(), self._network(), self._meanings(),
            f"Definition claim : formula := {self.names[self.formula]}.\n", ending,
        ]  # fmt: skip
        return "\n".join(parts)

    def network_text(self) -> str:
        """Return the network only, with the formulas that its embeddings mention."""
        return "\n".join([self._users(), self._formulas(), self._network()])

    # -- formulas ------------------------------------------------------------------------------------------------------

    def _users(self) -> str:
        entries = [f'("{user.name}"%string, {condition_data(user)}) {comment(user.description)}' for user in self.users]
        return (f"Definition definitions : list predicate_definition :={listed(entries)}.\n"
                "Definition users : predicate_meanings := users_of definitions.\n")

    def _formulas(self) -> str:
        lines = [f"Definition {name} : formula := {self._top(formula)}. {comment(format_briefly(formula))}"
                 for formula, name in self.names.items()]
        return "\n".join([*lines, ""])

    def _top(self, formula: syntax.Formula) -> str:
        match formula:
            case syntax.Constant(value):
                return f"Truth {str(value).lower()}"
            case syntax.Symbol(symbol):
                return f"Symbol {self.letters[symbol]}"
            case syntax.Predicate():
                return f"Positional {self._predicate(formula)}"
            case syntax.PredicateOnCount(count=count):
                return f"OnCount {self._predicate(formula)} {self._count(count)}"
            case syntax.PredicateOnSum(term=term):
                return f"OnSum {self._predicate(formula)} {self._term(term)}"
            case syntax.Comparison(relation, left, right):
                return f"Compare {_RELATIONS[relation]} {self._term(left)} {self._term(right)}"
        return " ".join([_CONNECTIVES[type(formula)], *(self.names[operand] for operand in syntax.operands(formula))])

    def _predicate(self, formula: syntax.Predicate | syntax.PredicateOnCount | syntax.PredicateOnSum) -> str:
        if formula.name in BUILTIN:
            words = [formula.name, *map(unary, formula.parameters)]
            return f"({' '.join(words)})" if formula.parameters else formula.name
        return f"(User {[user.name for user in self.users].index(formula.name)})"

    def _count(self, count: syntax.Count) -> str:
        return f"{_SIDES[count.side]} {self.names[count.operand]}"

    def _term(self, term: syntax.Term) -> str:
        summands = [f"(Plus {integer(number)} {self._count(count)} " for number, count in term.coefficients]
        return "".join(summands) + f"(Number {integer(term.constant)})" + ")" * len(summands)

    # -- the network ---------------------------------------------------------------------------------------------------

    def _network(self) -> str:
        model = self.transformer
        tokens = [f"{self._row(model.token_embedding[symbol])} {comment(symbol)}" for symbol in model.alphabet]
        positions = [f"({self.places[name]}%nat, {self._position_function(value)}) {comment(name)}"
                     for name, value in model.position_embedding.items()]
        layers = [self._layer(layer, number) for number, layer in enumerate(model.layers, start=1)]
        names = [f"layer{number}" for number in range(1, len(layers) + 1)]
        return "\n".join([
            *layers,
            f"Definition tokens : list (list (direction * Q)) :={listed(tokens)}.\n",
            f"Definition positions : list (direction * position_function) :={listed(positions)}.\n",
            f"Definition network : transformer := Transformer tokens positions [{'; '.join(names)}] "
            f"{self.places[model.output]}%nat.\n",
        ])

    def _layer(self, layer: Layer, number: int) -> str:
        feedforward = layer.feedforward
        return (f"Definition layer{number} : layer := Layer{listed([self._head(head) for head in layer.heads])}"
                f"{listed([self._unit(unit) for unit in feedforward.units])}\n  {self._row(feedforward.bias)}.\n")

    def _head(self, head: Head) -> str:
        if not head.weighting.row.coq:
            raise Unsupported(f"head {head.name!r}: weighting {head.weighting.value}, in Coq only "
                              f"{', '.join(one for one in Weighting if one.row.coq)} are proved")
        weighing = "Head" if head.weighting.is_softmax else f"WeighingHead {head.weighting.row.coq}"
        values = [f"({self.places[name]}%nat, {self._row(row)})" for name, row in head.values.items()
                  if any(row.values())]
        rows = (f"[{'; '.join(map(self._row, part))}]" for part in (head.queries, head.keys))
        return (f"{weighing} {_MASKS[head.mask]} {expression(head.temperature)} {' '.join(rows)} "
                f"[{'; '.join(values)}] {comment(f'{head.name}, {head.source}')}")

    def _unit(self, unit: Unit) -> str:
        return f"ReluUnit {self._row(unit.reads)} {rational(unit.bias)} {self._row(unit.writes)}"

    def _row(self, row: Coefficients) -> str:
        entries = (f"{self.places[name]} |-> {rational(number)}" for name, number in row.items() if number)
        return f"[{'; '.join(entries)}]"

    def _position_function(self, value: PositionFunction) -> str:
        if isinstance(value, Bracket):
            return f"Bracket {self.names[value.formula]} {str(value.shifted).lower()}"
        return f"Formula {expression(value)}"

    # -- meanings ------------------------------------------------------------------------------------------------------

    def _meanings(self) -> str:
        entries = [f"{self._meaning(meaning)} {comment(f'{place}: {name}')}"
                   for place, (name, meaning) in enumerate(self.transformer.directions.items())]
        return f"Definition meanings : list meaning :={listed(entries)}.\n"

    def _meaning(self, meaning: meanings.Meaning) -> str:
        match meaning:
            case meanings.Position(value):
                return f"IsPosition ({self._position_function(value)})"
            case meanings.Truth(formula):
                return f"IsTruth {self.names[formula]}"
            case meanings.Slack(formula):
                return f"IsSlack {self.names[formula]}"
            case meanings.Near(formula, when):
                return f"IsNear {self.names[formula]} {self.names[when]}"
            case meanings.Product(value, formula):
                return f"IsProduct {expression(value)} {self.names[formula]}"
            case meanings.Mean(count):
                return f"IsMean {self._count(count)}"
            case meanings.Others(count):
                return f"IsOthers {self._count(count)} 0"
            case meanings.Average(term):
                return f"IsAverage {self._term(term)}"
            case meanings.Total(count):
                return f"IsTotal {self._count(count)}"
            case meanings.Anything():
                return "IsAnything"


def mentioned_formulas(transformer: Transformer, formula: syntax.Formula) -> list[syntax.Formula]:
    """Return the formulas of the embedding and of the meanings, and this one."""
    embedded = [value.formula for value in transformer.position_embedding.values() if isinstance(value, Bracket)]
    meant = [part for meaning in transformer.directions.values() for part in meanings.formulas_of(meaning)]
    return [*embedded, *meant, formula]


# -- pieces ------------------------------------------------------------------------------------------------------------


def comment(text: str) -> str:
    r"""Return a Coq comment on one line; its delimiters in the text are split, and invisible characters escaped.

    >>> print(comment("2*(*)\nDefinition"))
    (* 2*( * )\nDefinition *)
    """
    safe = printable(text).replace('"', "'").replace("(*", "( *").replace("*)", "* )")
    return f"(* {safe} *)"


def listed(entries: Sequence[str]) -> str:
    """Return a Coq list, one entry per line."""
    if not entries:
        return "\n  []"
    return "\n  [ " + ";\n    ".join(entries) + " ]"


def unary(number: int) -> str:
    """Return a number of type nat.

    Raises:
        Unsupported: if it is so great that Coq, which writes it in unary, would need gigabytes.
    """
    if number > MOST_UNARY:
        raise Unsupported(f"the number {number} of a predicate, which Coq writes in unary: at most {MOST_UNARY} here")
    return str(number)


def integer(number: int) -> str:
    """Return an integer of type Z.

    >>> integer(-3)
    '(-3)%Z'
    """
    return f"({number})%Z"


def rational(number: Fraction) -> str:
    """Return a rational of type Q.

    >>> rational(Fraction(-1, 4)), rational(Fraction(6))
    ('(-1 # 4)', '6')
    """
    if number.denominator == 1:
        return str(number.numerator) if number >= 0 else f"({number.numerator})"
    return f"({number.numerator} # {number.denominator})"


def expression(value: Expression) -> str:
    """Return the expression as data.

    >>> from constructions.language.expressions import parse_expression
    >>> expression(parse_expression("(-1)^(n-i)/2"))
    '(Div (Power (Neg (Num 1)) (IntMinus IntN IntI)) (Num 2))'

    >>> expression(parse_expression("1/ln(n+1)"))
    '(Div (Num 1) (Apply Ln (Add VarN (Num 1))))'

    Raises:
        Unsupported: if an exponent is built from more than +, -, numbers, i and n.
    """
    stack: list[_Operand] = []
    for item in value.postfix:
        stack.append(_leaf(item) if isinstance(item, int) or item in _VARIABLES else _operation(item, stack))
    (whole,) = stack
    return whole.text


@dataclass(frozen=True)
class _Operand:
    """An operand of an expression: as a rational, and as an integer exponent if it can be one."""

    text: str
    exponent: str | None


def _leaf(item: int | str) -> _Operand:
    if isinstance(item, int):
        return _Operand(f"(Num {item})", f"(Int {item})")
    return _Operand(f"Var{_VARIABLES[item]}", f"Int{_VARIABLES[item]}")


def _operation(item: int | str, stack: list[_Operand]) -> _Operand:
    right = stack.pop()
    if item == NEGATE:
        return _Operand(f"(Neg {right.text})", _exponent("IntMinus", _leaf(0), right))
    if item in _FUNCTIONS:
        return _Operand(f"(Apply {_FUNCTIONS[item]} {right.text})", None)
    left = stack.pop()
    if item == "^" and right.exponent:
        return _Operand(f"(Power {left.text} {right.exponent})", None)
    if item in _OPERATORS:
        is_sum = item in _EXPONENTS and left.exponent != _ZERO  # 0-i is kept for -i
        exponent = _exponent(_EXPONENTS[item], left, right) if is_sum else None
        return _Operand(f"({_OPERATORS[item]} {left.text} {right.text})", exponent)
    raise Unsupported(f"an expression with {item} as it is used here: the Coq library has no counterpart of it")


def _exponent(operator: str, left: _Operand, right: _Operand) -> str | None:
    return f"({operator} {left.exponent} {right.exponent})" if left.exponent and right.exponent else None
