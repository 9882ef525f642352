"""VNN-LIB 2.0 queries as data: declared networks, and assertions on elements of their tensors.

Source      The grammar and the typing rules of the standard, "VNN-LIB 2.0: A Standard for Neural Network
            Verification" (2025): a version, declarations of networks, assertions; comments begin with a semicolon.
Scope       Assertions are linear: a product has at most one factor that is not a number. Hidden nodes are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from constructions.errors import InputError, Unsupported
from constructions.tables import shown

Relation = Literal["<", "<=", ">", ">=", "==", "!="]
Element = tuple[str, tuple[int, ...]]
"""The name of a tensor and the indices of one of its elements."""
Linear = Mapping[Element | None, Fraction]
"""A linear combination of elements; None is the constant 1."""
RELATIONS: tuple[Relation, ...] = get_args(Relation)
LONGEST = 1 << 22
_TOKEN = re.compile(r"""\s+|;[^\n]*|(?P<token>[()]|"[^"\n]*"|\[[^\[\]()"]*\]|[^\s()\[\];"]+)""")
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_INDICES = re.compile(r"\[\s*(?:[0-9]{1,9}\s*(?:,\s*[0-9]{1,9}\s*)*)?\]", re.ASCII)
Tree = str | list["Tree"]


@dataclass(frozen=True)
class DeclaredTensor:
    """A declared input or output."""

    name: str
    kind: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Declared:
    """A network: ``like`` is its relation to another one with its name, if there is one."""

    name: str
    like: tuple[Literal["equal-to", "isomorphic-to"], str] | None
    inputs: tuple[DeclaredTensor, ...]
    outputs: tuple[DeclaredTensor, ...]


@dataclass(frozen=True)
class Atom:
    """A linear combination of elements compared with 0."""

    relation: Relation
    value: Linear


@dataclass(frozen=True)
class Joined:
    """A conjunction or disjunction of assertions."""

    kind: Literal["and", "or"]
    parts: tuple[Asserted, ...]


Asserted = Atom | Joined


@dataclass(frozen=True)
class VnnlibQuery:
    """The question whether some input of each network makes all ``asserted`` true."""

    networks: tuple[Declared, ...]
    asserted: tuple[Asserted, ...]


def read_query(text: str, where: str) -> VnnlibQuery:
    """Return the query of a file.

    Raises:
        InputError: one line that names what was found and what was expected.
        Unsupported: if it has hidden nodes, or is not linear.
    """
    try:
        return _query(_trees(text))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except RecursionError:
        raise InputError(f"{where}: nested too deeply") from None
    except Unsupported as error:
        raise Unsupported(f"{where}: {error}") from None


def _trees(text: str) -> list[Tree]:
    """Parse the lists of the file."""
    if len(text) > LONGEST:
        raise InputError(f"{len(text)} characters, expected at most {LONGEST}")
    stack: list[list[Tree]] = [[]]
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise InputError(f"line {text.count(chr(10), 0, place) + 1}: {shown(text[place])} is not understood")
        place, token = found.end(), found["token"]
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise InputError(f"line {text.count(chr(10), 0, place) + 1}: a ) too many")
            done = stack.pop()
            stack[-1].append(done)
        elif token is not None:
            stack[-1].append(token)
    if len(stack) > 1:
        raise InputError(f"the file ends, expected ) as often as (: {len(stack) - 1} more")
    return stack[0]


def _query(trees: Sequence[Tree]) -> VnnlibQuery:
    heads = [_head(tree) for tree in trees]
    if heads[:1] != ["vnnlib-version"]:
        raise InputError("expected (vnnlib-version <2.0>) first, and then networks and assertions")
    if trees[0][1:] not in (["<2.0>"], ["2.0"]):
        raise Unsupported(f"vnnlib-version: {_spelt(trees[0][1:])}, expected <2.0>")
    networks: list[Declared] = []
    asserted: list[Asserted] = []
    shapes: dict[str, DeclaredTensor] = {}
    for head, tree in zip(heads[1:], trees[1:], strict=True):
        if head == "declare-network" and not asserted:
            network = _network(tree[1:], networks)
            networks.append(network)
            for tensor in (*network.inputs, *network.outputs):
                if tensor.name in shapes:
                    raise InputError(f"{tensor.name} is declared twice")
                shapes[tensor.name] = tensor
        elif head == "assert" and networks and len(tree) == 2:
            asserted.append(_assertion(tree[1], shapes))
        else:
            raise InputError(f"({head} …), expected networks, each by (declare-network …), then (assert …) of one "
                             "formula each")
    if len({network.name for network in networks}) < len(networks):
        raise InputError("two networks have one name")
    return VnnlibQuery(tuple(networks), tuple(asserted))


def _head(tree: Tree) -> str:
    if isinstance(tree, str) or not tree or not isinstance(tree[0], str):
        raise InputError(f"{_spelt(tree)}, expected a list that begins with a keyword")
    return tree[0]


def _spelt(tree: Tree) -> str:
    return shown(tree if isinstance(tree, str) else f"({' '.join(map(_spelt, tree[:4]))})")


def _network(parts: Sequence[Tree], earlier: Sequence[Declared]) -> Declared:
    name, like = _name(parts[:1], "a network's name"), None
    tensors: dict[str, list[DeclaredTensor]] = {"declare-input": [], "declare-output": []}
    for part in parts[1:]:
        match head := _head(part):
            case "equal-to" | "isomorphic-to" if like is None and not any(tensors.values()):
                like = head, _name(part[1:], f"a network in {head}")
                other = next((one for one in earlier if one.name == like[1]), None)
                if other is None or other.like is not None:
                    raise InputError(f"{name}: {head} {like[1]}, expected an earlier network without such a relation")
            case "declare-hidden":
                raise Unsupported(f"{name}: hidden nodes ({head}) are not read")
            case "declare-input" | "declare-output" if head == "declare-output" or not tensors["declare-output"]:
                tensors[head].append(_tensor(part))
            case _:
                raise InputError(f"{name}: ({head} …), expected (equal-to …) or (isomorphic-to …) at most, inputs, and "
                                 "then outputs")
    if not all(tensors.values()):
        raise InputError(f"{name}: expected at least one input and one output")
    return Declared(name, like, tuple(tensors["declare-input"]), tuple(tensors["declare-output"]))


def _name(parts: Sequence[Tree], what: str) -> str:
    name = parts[0] if len(parts) == 1 else None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"{_spelt(list(parts))}, expected {what}: letters, digits and _")
    return name


def _tensor(part: Tree) -> DeclaredTensor:
    if isinstance(part, str) or len(part) < 4 or not all(isinstance(one, str) for one in part):
        raise InputError(f"{_spelt(part)}, expected a name, a type and a shape")
    if len(part) > 4:
        raise Unsupported(f"{_spelt(part[1])}: {_spelt(part[4])} after the shape is not read")
    name, kind, shape = _name(part[1:2], "a tensor's name"), str(part[2]), _indices(str(part[3]))
    return DeclaredTensor(name, kind, shape)


def _indices(text: str) -> tuple[int, ...]:
    if not _INDICES.fullmatch(text):
        raise InputError(f"{shown(text)}, expected numbers in brackets")
    return tuple(int(number) for number in text[1:-1].split(",") if number.strip())


def _assertion(tree: Tree, shapes: Mapping[str, DeclaredTensor]) -> Asserted:
    head, parts = _head(tree), list(tree[1:])
    if head in ("and", "or") and parts:
        return Joined("and" if head == "and" else "or", tuple(_assertion(part, shapes) for part in parts))
    relation = next((one for one in RELATIONS if one == head), None)
    terms = list(_terms(parts, shapes))
    if relation is None or len(terms) != 2:
        raise InputError(f"{_spelt(tree)}, expected and, or, or a comparison ({' '.join(RELATIONS)}) of two numbers")
    value = _sum([terms[0], _scaled(terms[1], Fraction(-1))])
    if not set(value) - {None}:
        raise InputError(f"{_spelt(tree)} has no element of a tensor")
    return Atom(relation, value)


def _terms(parts: Sequence[Tree], shapes: Mapping[str, DeclaredTensor]) -> Iterator[Linear]:
    """Yield numbers, elements (a name and its indices are two items), sums and products."""
    place = 0
    while place < len(parts):
        part = parts[place]
        place += 1
        if not isinstance(part, str):
            yield _arithmetic(part, shapes)
        elif _NUMBER.fullmatch(part):
            yield {None: Fraction(part)}
        else:
            tensor = shapes.get(part)
            if tensor is None:
                raise InputError(f"{shown(part)}, expected a number or the name of a tensor that is declared")
            indices: tuple[int, ...] = ()
            if place < len(parts) and str(parts[place])[:1] == "[":
                indices = _indices(str(parts[place]))
                place += 1
            if len(indices) != len(tensor.shape) or any(map(int.__ge__, indices, tensor.shape)):
                raise InputError(f"{part}{list(indices)}, but the shape is {list(tensor.shape)}")
            yield {(part, indices): Fraction(1)}


def _arithmetic(tree: list[Tree], shapes: Mapping[str, DeclaredTensor]) -> Linear:
    head, terms = _head(tree), list(_terms(tree[1:], shapes))
    if head == "+" and terms:
        return _sum(terms)
    if head == "-" and terms:
        return _sum([terms[0], *(_scaled(one, Fraction(-1)) for one in terms[1:])]) if len(terms) > 1 else _scaled(
            terms[0], Fraction(-1))
    if head == "*" and terms:
        product: Linear = {None: Fraction(1)}
        for term in terms:
            if set(product) - {None} and set(term) - {None}:
                raise Unsupported(f"{_spelt(tree)} is not linear")
            left, right = (term, product) if set(term) - {None} else (product, term)
            product = _scaled(left, right.get(None, Fraction(0)))
        return product
    raise InputError(f"{_spelt(tree)}, expected +, - or * of numbers")


def _sum(terms: Sequence[Linear]) -> Linear:
    found: dict[Element | None, Fraction] = {}
    for term in terms:
        for element, number in term.items():
            found[element] = found.get(element, Fraction(0)) + number
    return {element: number for element, number in found.items() if number}


def _scaled(term: Linear, number: Fraction) -> Linear:
    return {element: value * number for element, value in term.items() if value * number}
