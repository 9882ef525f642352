"""Requests: a subject and its options, and what they denote: the network, the lengths, the permitted claims.

Every command, every claim of a claims file and every call from Python about a network makes a ``Request``; nothing else
turns texts and options into networks and claims.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from certify.common.files import check_unicode
from certify.common.words import show_word
from certify.requests.ambiguity_notes import describe_reading
from certify.requests.building import check_low_precision, find_weighting
from certify.requests.inputs import FormulaSubject, NetworkSubject, Options, ProgramSubject, Subject, as_option
from certify.requests.quantities import (
    check_allowed_error,
    check_positive,
    read_allowed_error,
    read_constant,
    read_expression,
)
from certify.requests.run_command import RunCommand
from certify.requests.subjects import (
    NamedSubject,
    Programs,
    SubjectKind,
    denotes_a_formula,
    find_formula,
    find_language,
    find_subject,
    read_certified_network,
    refuse_options,
)
from constructions.compiler import PRINTED_GAMMA, compile_formula
from constructions.errors import FormulaError, InputError
from constructions.language.alphabets import alphabet_of, parse_alphabet
from constructions.language.diagnosis import list_names
from constructions.language.expressions import Constant, Expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.printer import format_briefly, format_formula
from constructions.language.spellings import Dialect, read_dialect
from constructions.language.syntax import TRUE, Formula, symbols_of
from constructions.network.assumption import assume
from constructions.network.float_formats import format_name
from constructions.network.lengths import Lengths
from constructions.network.sharpening import change_model
from constructions.network.transformer import Transformer
from constructions.regimes import Regime, Sharpening
from constructions.statements.low_precision import GAMMA

DEFAULT_MAX_N = 64
AS_IT_IS = Fraction(1)
"""The default factor of the scores of a network from a file."""
Value = TypeVar("Value")


@dataclass(frozen=True)
class Request:
    """A request about one network.

    ``gamma`` is the constant in front of the scores; for a network from a file, the factor of its scores. A
    ``temperature`` replaces that of the regime or the network. ``allowed_error`` is the error bound of every head, at
    most 1/4. ``lengths`` is None where no length is claimed. A network whose weights depend on the greatest length is
    that of the length that it is ``built_for``, by default the last one. An irrational ``gamma`` divides the
    temperatures of the network with the constant 1. The claim is about the positions where ``given`` holds.
    """

    subject: Subject
    lengths: Lengths | None = None
    gamma: Constant = AS_IT_IS
    temperature: Expression | None = None
    allowed_error: Fraction | None = None
    built_for: int | None = None
    given: Formula | None = None

    def check(self) -> None:
        """Check that the allowed error is in (0, 1/4], the temperature positive, and ``given`` true somewhere.

        Raises:
            InputError: if not.
        """
        if self.allowed_error is not None:
            check_allowed_error(self.allowed_error, "allowed error")
        if self.temperature is not None and self.lengths is not None:
            check_positive(self.temperature, self.lengths, "temperature")
        given = self.subject.network.given if self.given is None and isinstance(self.subject, NetworkSubject) else (
            self.given)
        if given is not None and given != TRUE and self.lengths is not None:
            from proofs.words.trellis import holds_nowhere  # automata, which few questions need

            if holds_nowhere(given, self.alphabet, self.lengths):
                raise InputError(f"given: {format_briefly(given)} holds at no position of any word with "
                                 f"n = {self.lengths}, so that nothing would be claimed")

    @cached_property
    def network(self) -> Transformer:
        """The transformer of the request.

        Raises:
            Unsupported: if the regime cannot express the formula, or a program has no transformer.
        """
        match self.subject:
            case _ if self.given is not None:
                return assume(replace(self, given=None).network, self.given)
            case ProgramSubject(program=program):
                from certify.requests.programs import compile_any_program

                return compile_any_program(program)
            case NetworkSubject(network=network) if self.gamma == AS_IT_IS and self.temperature is None:
                return network
            case NetworkSubject(network=network):
                return change_model(network, self.gamma, self.temperature)
            case FormulaSubject(attention="hard") as subject:
                from constructions.hard_attention import compile_hard

                return compile_hard(subject.formula, subject.alphabet, subject.regime, self.gamma, subject.as_printed)
            case FormulaSubject() as subject:
                return compile_formula(subject.formula, subject.alphabet, subject.regime, self.gamma,
                                       subject.as_printed, self.temperature,
                                       self.longest if subject.precision else None, subject.weighting)

    @property
    def longest(self) -> int:
        """The length up to which a network for low precision counts."""
        return self.built_for or (self.lengths.last if self.lengths else DEFAULT_MAX_N)

    @property
    def formula(self) -> Formula | None:
        """The formula that the network should compute; None if its output means something else."""
        match self.subject:
            case FormulaSubject(formula=formula):
                return formula
            case NetworkSubject(network=network):
                return find_formula(network)
        return None

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The alphabet of the words."""
        match self.subject:
            case FormulaSubject(alphabet=alphabet):
                return alphabet
            case NetworkSubject(network=network):
                return network.alphabet
            case ProgramSubject(program=program):
                return program.alphabet

    @property
    def regime(self) -> Regime | None:
        """The regime of the network; None if it is read from a file that does not say."""
        return None if isinstance(self.subject, ProgramSubject) else self.subject.regime

    @property
    def stated_regime(self) -> Regime | None:
        """The regime that a certificate may state: weaker, or None, if a temperature replaces the regime's own."""
        regime, temperature = self.regime, self.temperature
        if regime is None or (temperature is None and isinstance(self.gamma, Fraction)):
            return regime
        if regime.sharpening is Sharpening.POSITION:
            return None
        mentions_n = temperature is not None and "n" in temperature.variables
        return Regime(regime.sharpening, regime.causal and not mentions_n)

    @property
    def claimed_lengths(self) -> Lengths:
        """The lengths of the words that are claimed."""
        assert self.lengths is not None, "a verdict is about stated lengths"
        return self.lengths

    def about(self, lengths: Lengths) -> Request:
        """Return the request for some of its lengths, with the same network."""
        return replace(self, lengths=lengths, built_for=self.longest)

    def with_gamma(self, gamma: Constant) -> Request:
        """Return the request with this constant in front of the scores."""
        return replace(self, gamma=gamma)

    @property
    def run_command(self) -> RunCommand:
        """The command that runs the network on a word."""
        heat = ("--temperature", str(self.temperature)) if self.temperature else ()
        match self.subject:
            case ProgramSubject(name=name):
                return RunCommand(name)
            case NetworkSubject(name=name):
                return RunCommand(name, (*(("--gamma", str(self.gamma)) if self.gamma != AS_IT_IS else ()), *heat))
            case FormulaSubject() as subject:
                longest = ("--max-n", str(self.longest)) if subject.precision else ()
                return RunCommand(subject.text, (*_options_of(subject, self.gamma), *longest, *heat), subject.option)

    @property
    def description(self) -> str:
        """The subject of the request, on one line."""
        return self._about + (f", where {format_briefly(self.given)} holds" if self.given else "")

    @property
    def _about(self) -> str:
        match self.subject:
            case ProgramSubject(name=name):
                return Path(name).name
            case NetworkSubject(name=name):
                return (Path(name).name + (f", temperature {self.temperature}" if self.temperature else "")
                        + (f", scores times {self.gamma}" if self.gamma != AS_IT_IS else ""))
            case FormulaSubject() as subject:
                return (f"{subject.text} over {show_word(subject.alphabet)}; regime {subject.regime}, temperature "
                        f"{self.temperature or subject.regime.temperature}, constant {self.gamma}"
                        + (", as printed" if subject.as_printed else "")
                        + (f", for {subject.precision}" if subject.precision else "")
                        + (f", {subject.weighting}" if not subject.weighting.is_softmax else ""))


def _options_of(subject: FormulaSubject, gamma: Constant) -> tuple[str, ...]:
    regime = subject.regime
    return ("--alphabet", show_word(subject.alphabet), "--gamma", str(gamma),
            *(("--precision", subject.precision) if subject.precision else
              ("--regime", "position") if regime.sharpening is Sharpening.POSITION else ()),
            *(("--causal",) if regime.causal else ()), *(("--as-printed",) if subject.as_printed else ()),
            *(("--weighting", subject.weighting) if not subject.weighting.is_softmax else ()),
            *(part for definition in subject.predicates for part in ("--predicate", definition)))


# -- from the one to the other -----------------------------------------------------------------------------------------


def read_request(subject: str | NamedSubject | None, options: Options = Options(),
                 taken: Collection[SubjectKind] = tuple(SubjectKind),
                 lengths: Lengths | None = None, spell: Callable[[str], str] = as_option,
                 programs: Programs = Programs.FORMULA) -> Request:
    """Return the request of a subject, or the name of one, and its options.

    There is no name where the options name a regular language. ``taken`` are the accepted kinds of subjects; where a
    formula is accepted, so is a regular language. ``programs`` is the meaning of a program, and ``spell`` the
    spelling of options in error messages: ``as_option`` or ``as_key``.

    Raises:
        InputError: one line that names the subject or option, and what was expected.
        Unsupported: if a program has no formula.
    """
    found = subject if isinstance(subject, NamedSubject) else (
        find_language(subject, {SubjectKind.REGEX: options.regex, SubjectKind.DFA: options.dfa}, taken)
        or find_subject(subject, taken))
    if options.precision is not None:
        options = replace(options, precision=format_name(options.precision))
    refuse_options(found, options.named, taken, programs, spell)
    if options.attention == "hard" and options.temperature is not None:
        raise InputError(f"{spell('temperature')}: hard attention has no temperature, expected it without "
                         f"{spell('attention')} hard")
    temperature = _optional(read_expression, options.temperature, spell("temperature"))
    allowed_error = _optional(read_allowed_error, options.allowed_error, spell("allowed_error"))
    read: Subject
    match found.kind:
        case SubjectKind.NETWORK:
            network, certified = read_certified_network(found)
            read = NetworkSubject(found.name, network, certified=certified)
        case SubjectKind.PROGRAM if not denotes_a_formula(found, programs):
            from certify.requests.programs import read_program

            read = ProgramSubject(found.name, read_program(found.name, options.alphabet, found.content))
        case SubjectKind.REGEX | SubjectKind.DFA:
            from certify.requests.regular import read_language_subject

            read = read_language_subject(found, options, read_regime(options, spell))
        case SubjectKind.FORMULA | SubjectKind.PROGRAM:
            text, formula, alphabet, reading = read_formula(found, options, spell)
            read = FormulaSubject(text, formula, alphabet, read_regime(options, spell), options.predicates,
                                  options.as_printed, options.attention, options.precision, reading,
                                  weighting=find_weighting(options.weighting, options.named, spell))
    usual = AS_IT_IS if not isinstance(read, FormulaSubject) else PRINTED_GAMMA if options.precision is None else GAMMA
    request = Request(read, lengths, read_gamma(options, spell, usual), temperature, allowed_error,
                      given=None if options.given is None else read_given(options, read, spell))
    request.check()
    return request


def _optional(read: Callable[[str, str], Value], text: str | None, option: str) -> Value | None:
    return None if text is None else read(text, option)


def read_gamma(options: Options, spell: Callable[[str], str] = as_option, usual: Fraction = PRINTED_GAMMA) -> Constant:
    """Return the constant in front of the scores; the ``usual`` one, if none is given.

    Raises:
        InputError: if it is not a positive number.
    """
    return usual if options.gamma is None else read_constant(options.gamma, spell("gamma"))


def read_given(options: Options, subject: Subject, spell: Callable[[str], str]) -> Formula:
    """Return the formula at whose positions something is claimed.

    Raises:
        InputError: if it does not parse, over the alphabet of the subject.
    """
    alphabet = None if isinstance(subject, ProgramSubject) else Request(subject).alphabet
    predicates = dict(parse_predicate_definitions(options.predicates))
    if isinstance(subject, NetworkSubject):
        predicates |= {one.name: one for one in subject.network.predicates()}
    dialect = Dialect.SHA if options.dialect is None else read_dialect(options.dialect, spell("dialect"))
    try:
        return parse_formula(options.given or "", alphabet, predicates, dialect)
    except InputError as error:
        raise InputError(f"{spell('given')}: {error}") from None


def read_regime(options: Options, spell: Callable[[str], str] = as_option) -> Regime:
    """Return the regime that two of the options name; for low precision, the position embedding.

    Raises:
        InputError: if the regime is unknown, or has no network for low precision.
    """
    if options.precision is not None:
        check_low_precision(options.precision, options.regime, options.named, spell)
        return Regime(Sharpening.POSITION, options.causal)
    name = Sharpening.TEMPERATURE if options.regime is None else options.regime
    if name not in list(Sharpening):
        raise InputError(f"{spell('regime')}: found {name!r}, expected {' or '.join(Sharpening)}")
    return Regime(Sharpening(name), options.causal)


def read_formula(found: NamedSubject, options: Options, spell: Callable[[str], str]
                 ) -> tuple[str, Formula, tuple[str, ...], str]:
    """Parse a formula or a program; return its text, formula, alphabet and reading.

    Raises:
        InputError: if it does not parse, or mentions symbols outside the alphabet.
        Unsupported: if a program has no formula.
    """
    check_unicode(*([options.alphabet] if isinstance(options.alphabet, str) else options.alphabet or ()),
                  *options.predicates)
    if found.kind is SubjectKind.PROGRAM:
        from certify.requests.programs import read_program_formula

        formula, symbols = read_program_formula(found.name, options.alphabet, options.symbol, found.content)
        return format_formula(formula), formula, symbols, ""
    alphabet = parse_alphabet(options.alphabet) if options.alphabet is not None else None
    predicates = parse_predicate_definitions(options.predicates)
    dialect = Dialect.SHA if options.dialect is None else read_dialect(options.dialect, spell("dialect"))
    try:
        formula = found.formula or parse_formula(found.text, alphabet, predicates, dialect)
    except FormulaError as error:
        raise (error.of_file(found.name) if found.is_file_of_formula else error) from None
    foreign = [symbol for symbol in symbols_of(formula) if alphabet is not None and symbol not in alphabet]
    if foreign:
        raise InputError(f"symbol {foreign[0]!r} of the formula is not in the alphabet {list_names(alphabet or ())}")
    text = " ".join(found.text.split()) if dialect is Dialect.SHA else format_formula(formula)
    return text, formula, alphabet or alphabet_of(formula), describe_reading(found.text, alphabet, predicates, dialect)
