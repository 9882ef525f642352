"""A VNN-LIB query about two networks, as the question whether their answers are equal on words of one length.

Inputs are tokens: each element is one fixed token, or one of several, the same set at all such places. Outputs are
logits; an *atom* is the sign of a combination of those of one network at one token. The query must be false wherever
each combination is positive in both networks or negative in both: then it is unsatisfiable if the two are equal.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from math import floor
from typing import Any, Literal

from certify.claims.trained.decide import Settings
from certify.common.verdicts import WithExitStatus
from certify.learning.equality import Equality, compare, differing_words
from certify.learning.learn import Effort
from certify.learning.question import LearningQuestion, read_words
from certify.learning.vnnlib import Asserted, Atom, Declared, DeclaredTensor, Element, Joined, Relation, VnnlibQuery
from constructions.errors import InputError, Unsupported
from constructions.regular.automata import Automaton
from constructions.regular.cover_automata import Word
from constructions.trained.claim import READOUTS, Case, Row, When, WordsClaim
from constructions.trained.network import TrainedNetwork, View
from proofs.trained.balls import BallNetwork, decide_row

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
MOST_SIGNS = 16
"""The greatest number of combinations in one alternative of an assertion, all of whose signs are tried."""
FEW_WORDS, TRIED = 2**13, 16
"""The number of words that are run in floating point, and of differing ones on which the assertions are proved."""
Signed = tuple[int, Row]
"""A token index of the input and a combination of its logits, whose first coefficient is 1."""
HOLDS: dict[Relation, tuple[int, ...]] = {
    "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "==": (0,), "!=": (-1, 1)}
"""The signs for which a comparison with 0 is true."""


@dataclass(frozen=True)
class EqualityQuery:
    """The question about words of ``length`` letters, and the assertions on logits.

    ``tokens`` are the choices at each place of the input.
    """

    query: VnnlibQuery
    question: LearningQuestion
    length: int
    tokens: tuple[tuple[int, ...], ...]
    about_outputs: Asserted

    def input_of(self, word: Word) -> tuple[int, ...]:
        """Return the tokens of the input for a word."""
        letters = iter(word)
        return tuple(choices[next(letters)] if len(choices) > 1 else choices[0] for choices in self.tokens)


@dataclass(frozen=True)
class QueryAnswer(WithExitStatus):
    """The answer: ``unsat`` is certified; ``sat`` has the tokens of an input on which the assertions are proved."""

    result: Literal["unsat", "sat", "unknown"]
    asked: EqualityQuery
    equality: Equality
    tokens: tuple[int, ...] | None = None

    @property
    def verdict(self) -> str:
        """The verdict, as for other answers."""
        return {"unsat": "certified", "sat": "refuted", "unknown": "unknown"}[self.result]


def question_of(query: VnnlibQuery, first: TrainedNetwork, second: TrainedNetwork) -> EqualityQuery:
    """Return the question, for the networks in the order of their declarations.

    Raises:
        InputError: if the query does not fit the networks.
        Unsupported: naming a part of the query that is not about equal answers.
    """
    if len(query.networks) != 2:
        raise Unsupported(f"the query declares {len(query.networks)} networks, expected two")
    one, other = query.networks
    for declared, network in ((one, first), (other, second)):
        _check_declared(declared, network)
    if one.inputs[0].shape != other.inputs[0].shape or one.outputs[0].shape != other.outputs[0].shape:
        raise Unsupported(f"{one.name} and {other.name} have tensors of different shapes")
    _check_like(other, first, second)
    sources = _Sources(one, other)
    about_inputs, about_outputs = sources.split(query.asserted)
    tokens = _choices(sources, about_inputs, one.inputs[0], min(first.vocabulary, second.vocabulary))
    outputs = Joined("and", tuple(about_outputs))
    if _may_hold(sources, outputs):
        raise Unsupported("the assertions on outputs may hold where both networks give the same answers")
    return _asked(query, first, sources, tokens, outputs)


def answer_query(asked: EqualityQuery, first: TrainedNetwork, second: TrainedNetwork, settings: Settings,
                 effort: Effort) -> QueryAnswer:
    """Decide whether the query is satisfiable."""
    equality = compare(first, second, asked.question, settings, effort)
    if equality.certified_to is not None and equality.certified_to >= asked.length:
        return QueryAnswer("unsat", asked, equality)
    alphabet = asked.question.claim.alphabet
    words = [tuple(map(alphabet.index, equality.difference.word))] if equality.difference else []
    if asked.question.claim.read == "each":
        words = [(*word, *[0] * (asked.length - len(word))) for word in words]
    words += differing_words(first, second, asked.question, FEW_WORDS)[0]
    balls = BallNetwork(first), BallNetwork(second)
    for word in [word for word in words if len(word) == asked.length][:TRIED]:
        if _holds(asked, balls, asked.input_of(word)):
            return QueryAnswer("sat", asked, equality, asked.input_of(word))
    return QueryAnswer("unknown", asked, equality)


def _check_declared(declared: Declared, network: TrainedNetwork) -> None:
    if len(declared.inputs) > 1 or len(declared.outputs) > 1:
        raise Unsupported(f"{declared.name}: several inputs or outputs, expected one of each")
    if network.readout != "each":
        raise Unsupported(f"{declared.name}: the network outputs logits {READOUTS[network.readout]}, expected at each")
    tokens, logits = declared.inputs[0], declared.outputs[0]
    if tokens.kind not in WHOLE and tokens.kind.lower() != "real":
        raise Unsupported(f"{tokens.name}: elements of type {tokens.kind}, expected whole numbers (or real)")
    if logits.kind.lower() != "real":
        raise Unsupported(f"{logits.name}: elements of type {logits.kind}, expected real: decisions are about "
                          "real numbers")
    length = tokens.shape[-1:]
    if tokens.shape not in (length, (1, *length)) or not tokens.shape:
        raise Unsupported(f"{tokens.name}: shape {list(tokens.shape)}, expected [L] or [1, L]")
    if logits.shape != (*tokens.shape, network.outputs):
        raise Unsupported(f"{logits.name}: shape {list(logits.shape)}, expected that of {tokens.name} and then the "
                          f"{network.outputs} logits of each token")


def _check_like(other: Declared, first: TrainedNetwork, second: TrainedNetwork) -> None:
    if other.like is None:
        return
    if other.like[0] == "equal-to" and first != second:
        raise InputError(f"{other.name} is declared equal-to {other.like[1]}, but the networks differ")
    if other.like[0] == "isomorphic-to" and _structure(first.steps) != _structure(second.steps):
        raise InputError(f"{other.name} is declared isomorphic-to {other.like[1]}, but the networks have other steps")


def _structure(thing: Any) -> Any:
    """Return all attributes except numbers and their storage."""
    if isinstance(thing, View):
        return thing.shape
    if isinstance(thing, tuple):
        return tuple(map(_structure, thing))
    if is_dataclass(thing):
        return type(thing), tuple(_structure(getattr(thing, one.name)) for one in fields(thing))
    return thing


class _Sources:
    """The network of each element, and whether it is an input."""

    def __init__(self, one: Declared, other: Declared) -> None:
        self.inputs = {one.inputs[0].name: 0, other.inputs[0].name: 1}
        self.outputs = {one.outputs[0].name: 0, other.outputs[0].name: 1}

    def split(self, asserted: Sequence[Asserted]) -> tuple[list[Asserted], list[Asserted]]:
        """Split assertions into those on inputs and those on outputs."""
        about: tuple[list[Asserted], list[Asserted]] = ([], [])
        for one in itertools.chain.from_iterable(map(_conjuncts, asserted)):
            kinds = {element[0] in self.outputs for element in _elements(one)}
            if len(kinds) > 1:
                raise Unsupported("an assertion is about inputs and outputs at once")
            about[kinds.pop()].append(one)
        return about

    def signed(self, atom: Atom) -> tuple[int, Signed, int]:
        """Return the network of an atom on outputs, the combination, and the sign of its factor."""
        elements = [element for element in atom.value if element is not None]
        networks = {self.outputs[name] for name, _ in elements}
        places = {indices[-2] for _, indices in elements}
        if len(networks) > 1 or len(places) > 1 or None in atom.value:
            raise Unsupported("an assertion on outputs compares others than logits of one network at one token with "
                              "each other or 0: answers are compared, not numbers")
        row = sorted((indices[-1], atom.value[name, indices]) for name, indices in elements)
        first = row[0][1]
        return (networks.pop(), (places.pop(), tuple((token, number / first) for token, number in row)),
                1 if first > 0 else -1)


def _conjuncts(asserted: Asserted) -> Iterator[Asserted]:
    if isinstance(asserted, Joined) and asserted.kind == "and":
        for part in asserted.parts:
            yield from _conjuncts(part)
    else:
        yield asserted


def _atoms(asserted: Asserted) -> Iterator[Atom]:
    if isinstance(asserted, Atom):
        yield asserted
    else:
        for part in asserted.parts:
            yield from _atoms(part)


def _elements(asserted: Asserted) -> Iterator[Element]:
    for atom in _atoms(asserted):
        yield from (element for element in atom.value if element is not None)


# -- inputs ------------------------------------------------------------------------------------------------------------

def _choices(sources: _Sources, asserted: Sequence[Asserted], tensor: DeclaredTensor,
             vocabulary: int) -> tuple[tuple[int, ...], ...]:
    """Return the possible tokens at each place, which are the same in both networks."""
    length, tied = tensor.shape[-1], set[int]()
    about: list[list[Asserted]] = [[] for _ in range(length)]
    for one in asserted:
        elements = set(_elements(one))
        if isinstance(one, Atom) and (place := _tied(one)) is not None:
            tied.add(place)
        elif len(elements) == 1:
            about[next(iter(elements))[1][-1]].append(one)
        else:
            raise Unsupported("an assertion is about several elements of inputs; expected the tokens of each, and that "
                              "both networks have the same")
    if missing := sorted(set(range(length)) - tied):
        raise Unsupported(f"place {missing[0]}: nothing asserts that both networks have the same token there, by ==")
    return tuple(tuple(_allowed(place, some, vocabulary, tensor.kind)) for place, some in enumerate(about))


def _tied(atom: Atom) -> int | None:
    """Return the place at which the atom asserts that both inputs are equal."""
    names = {element[0] for element in atom.value if element is not None}
    places = {element[1] for element in atom.value if element is not None}
    if atom.relation != "==" or None in atom.value or sorted(atom.value.values()) != [-1, 1]:
        return None
    return places.pop()[-1] if len(names) == 2 and len(places) == 1 else None


def _allowed(place: int, asserted: Sequence[Asserted], vocabulary: int, kind: str) -> list[int]:
    """Return the tokens of one place that satisfy all assertions; other values of the type must not satisfy them."""
    whole, signed = kind in WHOLE, kind[:1] != "u"
    if not whole and not any(all(atom.relation == "==" for atom in _atoms(one)) for one in asserted):
        raise Unsupported(f"place {place}: real numbers, expected an assertion that lists the tokens, by == only")
    breaks = [floor(-atom.value.get(None, Fraction(0)) / number) + step for one in asserted for atom in _atoms(one)
              for element, number in atom.value.items() if element is not None for step in (-1, 0, 1, 2)]
    found = {value for value in (-1, vocabulary, *breaks, *range(vocabulary))
             if (value >= 0 or signed) and all(_is_true(one, value) for one in asserted)}
    if others := sorted(found - set(range(vocabulary))):
        raise Unsupported(f"place {place}: {others[0]} is allowed, but tokens are 0 to {vocabulary - 1}")
    if not found:
        raise InputError(f"place {place}: no token is allowed, so the query is unsatisfiable of any networks")
    if not whole and any((-atom.value.get(None, Fraction(0)) / number).denominator > 1
                         for one in asserted for atom in _atoms(one)
                         for element, number in atom.value.items() if element is not None):
        raise Unsupported(f"place {place}: numbers that are not tokens are named")
    return sorted(found)


def _is_true(asserted: Asserted, value: int) -> bool:
    """Return the truth of an assertion on a single element."""
    if isinstance(asserted, Joined):
        return (all if asserted.kind == "and" else any)(_is_true(part, value) for part in asserted.parts)
    total = sum(number * (1 if element is None else value) for element, number in asserted.value.items())
    return (total > 0) - (total < 0) in HOLDS[asserted.relation]


# -- outputs -----------------------------------------------------------------------------------------------------------

def _may_hold(sources: _Sources, asserted: Asserted) -> bool:
    """Return whether it is true for some non-zero signs that both networks share."""
    if isinstance(asserted, Joined) and (asserted.kind == "or" or len(asserted.parts) == 1):
        return any(_may_hold(sources, part) for part in asserted.parts)
    signs = list(dict.fromkeys(sources.signed(atom)[1] for atom in _atoms(asserted)))
    if len(signs) > MOST_SIGNS:
        raise Unsupported(f"{len(signs)} combinations of logits in one alternative, expected at most {MOST_SIGNS}")

    def holds(one: Asserted, values: dict[Signed, int]) -> bool:
        if isinstance(one, Joined):
            return (all if one.kind == "and" else any)(holds(part, values) for part in one.parts)
        _, signed, sign = sources.signed(one)
        return sign * values[signed] in HOLDS[one.relation]

    return any(holds(asserted, dict(zip(signs, chosen, strict=True)))
               for chosen in itertools.product((-1, 1), repeat=len(signs)))


def _holds(asked: EqualityQuery, balls: tuple[BallNetwork, BallNetwork], tokens: tuple[int, ...]) -> bool:
    """Return whether the assertions on outputs are proved for this input."""
    sources = _Sources(*asked.query.networks)

    def proved(one: Asserted) -> bool:
        if isinstance(one, Joined):
            return (all if one.kind == "and" else any)(map(proved, one.parts))
        network, (place, row), sign = sources.signed(one)
        signs = _signs(balls[network], tokens, place, row)
        return all(sign * value in HOLDS[one.relation] for value in signs)

    return proved(asked.about_outputs)


def _signs(balls: BallNetwork, tokens: tuple[int, ...], place: int, row: Row) -> list[int]:
    """Return the possible signs of the combination."""
    above = decide_row(balls, tokens, 0, place, row, Fraction(0)).above
    if above is not False:
        return [1] if above else [-1, 0, 1]
    below = decide_row(balls, tokens, 0, place, tuple((token, -number) for token, number in row), Fraction(0)).above
    return [-1] if below else [-1, 0] if below is None else [0]


# -- the question ------------------------------------------------------------------------------------------------------

def _asked(query: VnnlibQuery, network: TrainedNetwork, sources: _Sources, tokens: tuple[tuple[int, ...], ...],
           outputs: Asserted) -> EqualityQuery:
    free = [place for place, choices in enumerate(tokens) if len(choices) > 1]
    letters = {tokens[place] for place in free}
    if not free or len(letters) > 1 or free != list(range(free[0], free[-1] + 1)):
        raise Unsupported("expected places with several tokens, the same ones at each, side by side")
    rows = list(dict.fromkeys(sources.signed(atom)[1] for atom in _atoms(outputs)))
    before, after = tokens[: free[0]], tokens[free[-1] + 1 :]
    read, empty = _where({place for place, _ in rows}, len(tokens), len(before), len(after))
    chosen = next(iter(letters))
    claim = WordsClaim(tuple(map(str, chosen)), chosen, tuple(one for one, in before), tuple(one for one, in after),
                       (0, 0),
                       (1, len(free)), read, empty, Fraction(0), Automaton(0, ((0,) * len(chosen),)), (),
                       tuple(Case(When(None, (0,)), (row,)) for row in dict.fromkeys(row for _, row in rows)))
    return EqualityQuery(query, read_words(network, claim, "all", intended=False), len(free), tokens, outputs)


def _where(places: set[int], length: int, before: int, after: int) -> tuple[Literal["each", "last", "first"], bool]:
    """Return where logits are judged, and whether also at the last token before the word."""
    if places == {length - 1}:
        return "last", False
    if places == {0}:
        return "first", False
    if after == 0 and min(places) >= max(before - 1, 0):
        return "each", min(places) < before
    raise Unsupported(f"logits of the tokens at {', '.join(map(str, sorted(places)))}: expected those of the last "
                      "token, of the first, or of letters with nothing after them")
