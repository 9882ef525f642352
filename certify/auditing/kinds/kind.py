"""The common part of all kinds of claims: keys, parsing, and an answer from the code of the command."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from certify.auditing.results import ClaimAnswer, LengthVerdict, OneVerdict, Witness, outward
from certify.common.look import SUFFIXES_OF_PROGRAMS
from certify.requests.inputs import Options, as_key
from certify.requests.quantities import read_expression
from certify.requests.request import Request, read_request
from certify.requests.subjects import Programs, SubjectKind
from constructions.errors import InputError
from constructions.language.expressions import Expression
from constructions.network.lengths import Lengths
from proofs.enclosures.expressions import enclose_in_length
from proofs.enclosures.intervals import Interval, point
from proofs.formula.discharge import Progress

EVERY_N = "every n"
OF_FORMULAS = {"alphabet": str, "symbol": str, "predicate": list, "regime": str, "causal": bool, "as_printed": bool,
               "precision": str, "dialect": str, "weighting": str}
OF_SUBJECTS = OF_FORMULAS | {"gamma": str, "temperature": str}
BOUNDED = ("layers", "heads", "ReLUs", "directions", "parameters")
TAKEN = {"formula": (SubjectKind.FORMULA, SubjectKind.PROGRAM), "model": (SubjectKind.NETWORK,),
         "program": (SubjectKind.PROGRAM,)}
Table = Mapping[str, Any]
Side = Literal["at most", "at least"]
"""The side of a claimed bound."""


@dataclass(frozen=True)
class Question:
    """The question of a claim: ``subject`` describes it in one line, ``decide`` returns the command's answer.

    ``covers`` is what is decided at each length, of all that a statement may be about; ``is_by_length`` if a shorter
    range of lengths is a claim of the same kind.

    Raises:
        InputError: by ``decide``, if an expression is undefined at some length.
        Unsupported: by ``decide``, if a part of the subject is not supported.
    """

    subject: str
    decide: Callable[[Lengths, Progress], ClaimAnswer | OneVerdict]
    covers: str = ""
    is_by_length: bool = False


@dataclass(frozen=True)
class ClaimEntry:
    """The keys of one claim; file names are relative to the ``folder``."""

    table: Table
    lengths: Lengths
    folder: Path

    def get(self, key: str) -> Any:
        """Return the value, or None."""
        return self.table.get(key)

    def needed(self, key: str) -> Any:
        """Return the value of a required key."""
        if key not in self.table:
            raise InputError(f"no key {key}, which a claim of this kind needs")
        return self.table[key]

    def file(self, key: str) -> str | None:
        """Return the file of a key, relative to the current folder."""
        return None if key not in self.table else os.path.normpath(self.folder / self.table[key])

    def choice(self, key: str, *choices: str) -> Any:
        """Return the text, which must be one of the choices; the default is the first."""
        if (found := self.table.get(key, choices[0])) not in choices:
            raise InputError(f"{key} {found!r}, expected {' or '.join(choices)}")
        return found

    def expression(self, key: str) -> Expression | None:
        """Return an expression in n that is defined at every length."""
        if key not in self.table:
            return None
        expression = read_expression(self.table[key], key, frozenset("n"))
        for n in self.lengths:
            expression.enclose(n=n)
        return expression

    def options(self) -> Options:
        """Return the options that the keys define."""
        return read_options(self.table)

    def subject_key(self) -> str:
        """Return the key of the network that the claim is about."""
        found = [key for key in TAKEN if key in self.table]
        if len(found) != 1:
            raise InputError(f"keys for the subject: {' and '.join(found) or 'none'}, expected exactly one "
                             f"of {', '.join(TAKEN)}")
        return found[0]

    def request(self, programs: Programs = Programs.COMPILED, lengths: Lengths | None = None) -> Request:
        """Return the request about the network of the claim."""
        key = self.subject_key()
        is_text = key == "formula" and not self.table[key].endswith(SUFFIXES_OF_PROGRAMS)
        name = self.table[key] if is_text else self.file(key)
        programs = Programs.FORMULA if key == "formula" else programs
        return read_request(name, self.options(), TAKEN[key], lengths, as_key, programs)


@dataclass(frozen=True)
class ClaimKind:
    """One kind: its command, and its keys with their types.

    ``files`` are keys that name files. Without ``has_lengths`` the claim does not take the key `lengths`.
    """

    name: str
    keys: Mapping[str, Any]
    files: tuple[str, ...] = ("model", "program")
    has_lengths: bool = True

    def read(self, entry: ClaimEntry) -> Question:
        """Parse an entry, by the module of this name: some take as long to import as short audits run."""
        question: Question = import_module(f"certify.auditing.kinds.{self.name.replace('-', '_')}").read(entry)
        return question


@dataclass(frozen=True)
class ClaimedBound:
    """A claim that a number is at most, or at least, an expression in n."""

    at_most: Expression | None
    at_least: Expression | None

    @classmethod
    def read(cls, entry: ClaimEntry) -> ClaimedBound:
        """Read the bounds of a claim; one without any is vacuous, and rejected."""
        found = cls(entry.expression("at_most"), entry.expression("at_least"))
        if found == cls(None, None):
            raise InputError("the claim states neither at_most nor at_least, so it is vacuous; expected one of them")
        return found

    def row(self, n: int, lower: Fraction, upper: Fraction | None,
            witness: Callable[[Interval, Interval, Side], Witness], where: str = "") -> LengthVerdict:
        """Return the verdict on a number between ``lower`` and ``upper`` (None: there is no upper bound)."""
        most = None if self.at_most is None else outward_at(self.at_most, n)
        least = None if self.at_least is None else outward_at(self.at_least, n)
        value = None if upper is None else Interval(lower, upper)
        stated = most or least
        assert stated is not None, "one of them is stated"
        if most is not None and lower > most.upper:
            return LengthVerdict(n, "refuted", value, most, where,
                                 witness=witness(value or point(lower), most, "at most"))
        if value is not None and least is not None and value.upper < least.lower:
            return LengthVerdict(n, "refuted", value, least, where, witness=witness(value, least, "at least"))
        if most is None and least is not None and least.upper <= 0:
            return LengthVerdict(n, "vacuous", value, stated, where, "no measured number is below 0")
        if ((most is None or (upper is not None and upper <= most.lower))
                and (least is None or lower >= least.upper)):
            return LengthVerdict(n, "certified", value, stated, where)
        return LengthVerdict(n, "unknown", value, stated, where, "the known bounds do not decide it")


def outward_at(expression: Expression, n: int) -> Interval:
    """Return the value of a bound at n, rounded outward for reports."""
    found = enclose_in_length(expression, n)
    return found if found.is_point else outward(found.lower, found.upper)


def read_options(entry: Table) -> Options:
    """Return the options that the keys of a network define."""
    predicates = entry.get("predicate", [])
    if not all(isinstance(text, str) for text in predicates):
        raise InputError("predicate: expected a list of strings")
    names = {as_key(field.name): field.name for field in fields(Options)}
    return Options(**{names[key]: value for key, value in entry.items() if key in names}
                   | {"predicates": tuple(predicates)})
