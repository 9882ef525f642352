"""From options to a network and a claim by margins."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.quantities import read_expression
from certify.request import Options, read_request
from certify.subjects import Kind
from constructions.errors import InputError
from constructions.language.alphabets import parse_alphabet
from constructions.language.diagnosis import list_names
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import Formula, symbols_of
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.margins.claim import At, MarginClaim, check_fits, lengths_of_sequences
from proofs.word_classes.norms import NO_NORMS, Norms, everywhere


@dataclass(frozen=True)
class MarginOptions:
    """What stands beside the model, as texts; None where it is left out."""

    formula: str | None = None
    letters: str | None = None
    before: str | None = None
    after: str | None = None
    at: At = "last"
    threshold: str | None = None
    margin: str | None = None
    predicates: tuple[str, ...] = ()
    gamma: str | None = None
    temperature: str | None = None
    norm: str | None = None


@dataclass(frozen=True)
class MarginQuestion:
    """A network, what it is called, and what is claimed of it."""

    name: str
    network: Transformer
    claim: MarginClaim
    norms: Norms = NO_NORMS


def read_question(model: str, options: MarginOptions, lengths: Lengths) -> MarginQuestion:
    """The question that the options ask.

    Raises:
        InputError: one line that says which option, and what was expected.
    """
    before, after = (_symbols(name, text) for name, text in (("--before", options.before), ("--after", options.after)))
    request = read_request(model, Options(gamma=options.gamma, temperature=options.temperature), (Kind.NETWORK,),
                           lengths_of_sequences(lengths, len(before) + len(after)))
    network = request.network
    letters = _letters(options.letters, network, {*before, *after})
    margin = read_expression(options.margin or "0", "--margin", frozenset({"n"}))
    claim = MarginClaim(_formula(options, request.formula, letters), letters, lengths, options.at, before, after,
                        _number(options.threshold or "0", "--threshold"), margin)
    check_fits(claim, network)
    norms = NO_NORMS if options.norm is None else everywhere(len(network.layers), _number(options.norm, "--norm"))
    if norms.epsilons and norms.epsilons[0][0] is not None and norms.epsilons[0][0] < 0:
        raise InputError(f"--norm: found {options.norm}, expected 0 or more, such as 1/100000")
    return MarginQuestion(request.description, network, claim, norms)


def _symbols(option: str, text: str | None) -> tuple[str, ...]:
    """The symbols of --before or --after, which may stand there more than once."""
    if text is None:
        return ()
    symbols = tuple(part.strip() for part in text.split(",")) if "," in text else tuple(text)
    if "" in symbols or not symbols:
        raise InputError(f"{option}: found {text!r}, expected symbols such as $ or a,b")
    return symbols


def _letters(text: str | None, network: Transformer, around: set[str]) -> tuple[str, ...]:
    """The symbols that words are over: those of the network that do not stand around words, if none are given."""
    if text is not None:
        return parse_alphabet(text)
    letters = tuple(symbol for symbol in network.alphabet if symbol not in around)
    if not letters:
        raise InputError("--letters: all symbols stand before or after words, expected those that words are over")
    return letters


def _formula(options: MarginOptions, meant: Formula | None, letters: tuple[str, ...]) -> Formula:
    if options.formula is not None:
        predicates = parse_predicate_definitions(options.predicates)
        formula = parse_formula(options.formula, None, predicates)
    elif meant is not None:
        formula = meant
    else:
        raise InputError("--formula: the output of the network means no formula, expected the one that it should tell")
    foreign = [symbol for symbol in symbols_of(formula) if symbol not in letters]
    if foreign:
        raise InputError(f"--formula: symbol {foreign[0]!r} is not one of the letters {list_names(letters)}")
    return formula


def _number(text: str, option: str) -> Fraction:
    try:
        return parse_expression(text, frozenset()).evaluate()
    except InputError as error:
        raise InputError(f"{option}: {error}") from None
