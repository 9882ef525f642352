"""Kinds of subjects: a formula, a program, or a file with a network; and the options that each excludes.

Every command that takes a subject reads it here, so that the same text means the same to all of them.
"""

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from certify.common.files import check_unicode, read_text
from certify.common.look import NETWORKS, SUFFIX_OF_COUNTING_PROGRAMS, SUFFIX_OF_FORMULAS, SUFFIXES_OF_PROGRAMS, expect
from constructions.errors import InputError
from constructions.language.definitions import definitions_of_file
from constructions.language.printer import format_briefly, format_formula
from constructions.language.syntax import Formula
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.lengths import Lengths
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer

STANDARD_INPUT = "-"
SUFFIXES_OF_NETWORKS = (".json", ".cert")
ABOUT_MARGINS = "certify-margin"
CERTIFICATES = ("certify-certificate", "certify-softened", ABOUT_MARGINS)
"""The formats of files that contain a network."""


class SubjectKind(Enum):
    """The kind of a subject; the value is its name in error messages."""

    FORMULA = "a formula"
    PROGRAM = f"a program ({' or '.join(SUFFIXES_OF_PROGRAMS)})"
    NETWORK = "a model file or a certificate"
    REGEX = "a regular expression (--regex)"
    DFA = "an automaton (--dfa)"


LOOKS: Mapping[SubjectKind, frozenset[str]] = {
    SubjectKind.FORMULA: frozenset({"formula", "program"}), SubjectKind.PROGRAM: frozenset({"program"}),
    SubjectKind.NETWORK: NETWORKS,
    SubjectKind.REGEX: frozenset(), SubjectKind.DFA: frozenset(),
}
"""The kinds of files that each may be."""


@dataclass(frozen=True)
class NamedSubject:
    """The subject that a text names; ``content`` is the text of standard input, if it was read.

    From Python it may be a ``formula`` or a ``network`` itself; ``name`` is then how to write it, or what to call it.
    """

    name: str
    kind: SubjectKind
    content: str | None = None
    formula: Formula | None = None
    network: Transformer | None = None

    @property
    def is_file_of_formula(self) -> bool:
        """Whether the name is that of a file with definitions and a formula."""
        return self.kind is SubjectKind.FORMULA and self.content is None and self.name.endswith(SUFFIX_OF_FORMULAS)

    @property
    def text(self) -> str:
        """The formula itself, or the content of the file.

        Raises:
            InputError: if the file cannot be read.
        """
        if self.content is not None:
            return self.content
        if self.is_file_of_formula:
            return definitions_of_file(read_text(self.name))
        return self.name if self.kind is SubjectKind.FORMULA else read_text(self.name)


def find_subject(name: str | None, taken: Collection[SubjectKind]) -> NamedSubject:
    """Find the subject that the text names.

    A name that ends in .ltl is a file with a formula; one in .rasp or .cr is a program; one in .json or .cert, or a
    file that holds a JSON object, is a network; - is a formula, a network or a B-RASP program, from standard input.
    Everything else is a formula, or a network where no formula is ``taken``.

    Raises:
        InputError: if its kind is not in ``taken``, or ``name`` is None.
    """
    if name is None:
        raise InputError("no formula, expected one, or a regular language (--regex, --dfa)")
    check_unicode(name)
    expect(name, frozenset[str]().union(*(LOOKS[kind] for kind in taken)),
           " or ".join(kind.value for kind in SubjectKind if kind in taken))
    found = _classify(name, taken)
    if found.kind not in taken:
        expected = " or ".join(kind.value for kind in SubjectKind if kind in taken)
        raise InputError(f"{name}: found {found.kind.value}, expected {expected}")
    return found


def _classify(name: str, taken: Collection[SubjectKind]) -> NamedSubject:
    if name.endswith(SUFFIXES_OF_PROGRAMS):
        return NamedSubject(name, SubjectKind.PROGRAM)
    if SubjectKind.FORMULA not in taken or name.endswith(SUFFIXES_OF_NETWORKS):
        return NamedSubject(name, SubjectKind.NETWORK)
    if name == STANDARD_INPUT:
        content = read_text(STANDARD_INPUT)
        return NamedSubject(name, kind_of_content(content), content)
    is_formula = name.endswith(SUFFIX_OF_FORMULAS) or not _is_file_with_an_object(name)
    return NamedSubject(name, SubjectKind.FORMULA if is_formula else SubjectKind.NETWORK)


def find_language(name: str | None, given: Mapping[SubjectKind, str | None],
                  taken: Collection[SubjectKind]) -> NamedSubject | None:
    """Return the regular language that an option names in place of a formula; None if none does.

    Raises:
        InputError: if there is a formula beside it, or another language, or no formula is ``taken``.
    """
    found = [NamedSubject(text, kind) for kind, text in given.items() if text is not None]
    if not found:
        return None
    check_unicode(*(one.name for one in found))
    if name is not None or len(found) > 1 or SubjectKind.FORMULA not in taken:
        what = repr(name) if name is not None else found[-1].kind.value
        raise InputError(f"{what}: given together with {found[0].kind.value}, expected one of the two")
    return found[0]


def kind_of_content(content: str) -> SubjectKind:
    """Return the kind of a text without a name."""
    if _begins_an_object(content):
        return SubjectKind.NETWORK
    return SubjectKind.PROGRAM if _DEFINES_A_VECTOR.search(content) else SubjectKind.FORMULA


_DEFINES_A_VECTOR = re.compile(r"\(\s*i\s*\)\s*:=")
"""A definition of a vector, as in every B-RASP program and in no formula."""


def _is_file_with_an_object(name: str) -> bool:
    if not os.path.isfile(name):
        return False
    try:
        with Path(name).open("rb") as file:
            return _begins_an_object(file.read(100).decode("utf-8", errors="replace"))
    except OSError:
        return False


def _begins_an_object(text: str) -> bool:
    """Return whether the text begins like a JSON object, as every model file and certificate does, and no formula."""
    return text.lstrip().startswith("{")


# -- options that a subject does not take ------------------------------------------------------------------------------

SAYS_ITSELF = "{name} states this itself"
BUILT_BY = ("regime", "causal", "as_printed", "attention", "precision", "weighting")
"""Options for building the network of a formula, which files with a network determine themselves."""


class Programs(Enum):
    """The meaning of a program: the formula of its output, or the network (or the run) that it denotes itself."""

    FORMULA = "formula"
    RUN = "run"
    COMPILED = "compiled"


def denotes_a_formula(found: NamedSubject, programs: Programs) -> bool:
    """Return whether a program denotes the formula of its output; a C-RASP program has no other network."""
    is_counting = found.name.endswith(SUFFIX_OF_COUNTING_PROGRAMS)
    return programs is Programs.FORMULA or (programs is Programs.COMPILED and is_counting)


REFUSED: Mapping[SubjectKind, Mapping[str, str]] = {
    SubjectKind.FORMULA: {"symbol": "a formula has no output of symbols"},
    SubjectKind.PROGRAM: dict.fromkeys(("predicates", "dialect"), "a program does not take this option"),
    SubjectKind.REGEX: dict.fromkeys(("symbol", "predicates", "dialect"),
                                     "a regular expression does not take this option"),
    SubjectKind.DFA: dict.fromkeys(("symbol", "predicates", "dialect"), "an automaton does not take this option"),
    SubjectKind.NETWORK: dict.fromkeys(("alphabet", "symbol", "predicates", "dialect", *BUILT_BY), SAYS_ITSELF),
}
"""The options that each kind refuses, and why."""
REFUSED_BY_A_RUN_PROGRAM: Mapping[str, str] = dict.fromkeys(
    ("symbol", "predicates", "dialect", *BUILT_BY, "gamma", "temperature", "given"), SAYS_ITSELF)
"""The options that a program refuses where it does not denote a formula."""


def refuse_options(found: NamedSubject, given: Collection[str], taken: Collection[SubjectKind], programs: Programs,
                   spell: Callable[[str], str]) -> None:
    """Raise InputError for the first of the given options that the subject does not take: it would be ignored.

    ``spell`` turns the name of an option into what the user wrote.
    """
    runs = found.kind is SubjectKind.PROGRAM and not denotes_a_formula(found, programs)
    refused = REFUSED_BY_A_RUN_PROGRAM if runs else REFUSED[found.kind]
    for option in given:
        if option in refused:
            instead = "--as-formula" if runs and programs is Programs.COMPILED else _taker(option, taken).value
            why = refused[option].format(name=found.name)
            raise InputError(f"{spell(option)}: {why}, expected it with {instead}")


def _taker(option: str, taken: Collection[SubjectKind]) -> SubjectKind:
    """Return a kind of subject that the command and the option accept."""
    kinds = (kind for kind in (SubjectKind.FORMULA, SubjectKind.PROGRAM) if option not in REFUSED[kind])
    return next((kind for kind in kinds if kind in taken or SubjectKind.PROGRAM not in taken), SubjectKind.PROGRAM)


# -- networks in files -------------------------------------------------------------------------------------------------


def read_network(found: NamedSubject) -> Transformer:
    """Return the network of a model file, or the one inside a certificate of any format.

    A claim about margins is not what the output means; its formula says where a sign is positive.

    Raises:
        InputError: if the file is neither, or a certificate claims another formula than its network means.
    """
    return read_certified_network(found)[0]


def read_certified_network(found: NamedSubject) -> tuple[Transformer, Lengths | None]:
    """Return the network of ``read_network``, and the lengths of the words that a certificate is about.

    Raises:
        InputError: if the file is neither, or a certificate claims another formula than its network means.
    """
    if found.network is not None:
        return found.network, None
    where = found.name
    data, claim = read_json(found.text, where), None
    lengths = None
    if isinstance(data, dict) and data.get("format") in CERTIFICATES and "transformer" in data:
        lengths = _lengths_of(data.get("claim"))
        claim, data = None if data["format"] == ABOUT_MARGINS else data.get("claim"), data["transformer"]
    network = transformer_from_json(data, where, claim.get("given") if isinstance(claim, dict) else None)
    if isinstance(claim, dict) and "formula" in claim:
        _check_claim(claim["formula"], data["directions"][network.output], network, where)
    return network, lengths


def _lengths_of(claim: object) -> Lengths | None:
    """Return the lengths of a claim; None if they are malformed, which the checker reports."""
    if not isinstance(claim, dict):
        return None
    first, last = claim.get("min_n", 1), claim.get("max_n")
    if type(first) is not int or type(last) is not int:
        return None
    try:
        return Lengths(first, last)
    except InputError:
        return None


def _check_claim(claimed: Any, output: Mapping[str, Any], network: Transformer, where: str) -> None:
    """Raise InputError unless the claim's formula is that of the output, as the file writes it or as we print it."""
    formula = find_formula(network)
    if formula is None or claimed not in (output["formula"], format_formula(formula)):
        meant = format_briefly(formula) if formula else "a formula"
        raise InputError(f"{where}: claim: its formula is not {meant}, which is what the output means")


def find_formula(network: Transformer) -> Formula | None:
    """Return the formula whose truth the output means; None if it means something else."""
    output = network.directions[network.output]
    return output.formula if isinstance(output, Truth) else None
