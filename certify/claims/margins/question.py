"""Options of `certify model`, parsed to a network and a claim about margins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.requests.inputs import Options, as_option
from certify.requests.quantities import read_expression, read_rational
from certify.requests.request import read_request
from certify.requests.subjects import NamedSubject, SubjectKind
from constructions.errors import InputError
from constructions.language.alphabets import parse_alphabet, split_symbols
from constructions.language.diagnosis import list_names
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import Formula, symbols_of
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.words.classes.norms import NO_NORMS, Norms, everywhere
from proofs.words.margins.claim import At, MarginClaim, check_fits, lengths_of_sequences


@dataclass(frozen=True)
class MarginOptions:
    """The options beside the model, as texts; None if not given."""

    formula: str | None = None
    alphabet: str | None = None
    before: str | None = None
    after: str | None = None
    at: At = "last"
    threshold: str | None = None
    margin: str | None = None
    predicate: tuple[str, ...] = ()
    gamma: str | None = None
    temperature: str | None = None
    norm: str | None = None


@dataclass(frozen=True)
class MarginQuestion:
    """A network, its name, and the claim about it."""

    name: str
    network: Transformer
    claim: MarginClaim
    norms: Norms = NO_NORMS

    def about(self, lengths: Lengths) -> MarginQuestion:
        """Return the question restricted to these lengths."""
        return replace(self, claim=replace(self.claim, lengths=lengths))


def read_question(model: NamedSubject, options: MarginOptions, lengths: Lengths,
                  spell: Callable[[str], str] = as_option) -> MarginQuestion:
    """Parse the options to a question; ``spell`` gives the spelling of options in messages.

    Raises:
        InputError: one line that names the option, and what was expected.
    """
    if model.kind is not SubjectKind.NETWORK:
        raise InputError(f"{model.name}: found {model.kind.value}, expected {SubjectKind.NETWORK.value}")
    before, after = (_symbols(spell(name), text) for name, text in (("before", options.before),
                                                                    ("after", options.after)))
    request = read_request(model, Options(gamma=options.gamma, temperature=options.temperature), (SubjectKind.NETWORK,),
                           lengths_of_sequences(lengths, len(before) + len(after)), spell)
    network = request.network
    letters = _letters(options.alphabet, network, {*before, *after}, spell)
    margin = read_expression(options.margin or "0", spell("margin"), frozenset({"n"}))
    claim = MarginClaim(_formula(options, request.formula, letters, spell), letters, lengths, options.at, before, after,
                        _threshold(options.threshold, request.formula, spell("threshold")), margin)
    check_fits(claim, network)
    return MarginQuestion(request.description, network, claim, _norms(options.norm, network, spell("norm")))


def _threshold(text: str | None, meant: Formula | None, option: str) -> Fraction:
    """Return the threshold, by default 1/2 if the output means a truth, else 0."""
    if text is None:
        return Fraction(0) if meant is None else Fraction(1, 2)
    return read_rational(text, option)


def _norms(text: str | None, network: Transformer, option: str) -> Norms:
    if text is None:
        return NO_NORMS
    epsilon = read_rational(text, option)
    if epsilon < 0:
        raise InputError(f"{option}: found {text}, expected 0 or more, such as 1/100000")
    return everywhere(len(network.layers), epsilon)


def _symbols(option: str, text: str | None) -> tuple[str, ...]:
    """Return the symbols of --before or --after, which may repeat."""
    if text is None:
        return ()
    symbols = split_symbols(text)
    if "" in symbols or not symbols:
        raise InputError(f"{option}: found {text!r}, expected symbols such as $ or a,b")
    return symbols


def _letters(text: str | None, network: Transformer, around: set[str], spell: Callable[[str], str]) -> tuple[str, ...]:
    """Return the letters of words, by default the symbols of the network that are not around words."""
    if text is not None:
        return parse_alphabet(text)
    letters = tuple(symbol for symbol in network.alphabet if symbol not in around)
    if not letters:
        raise InputError(f"{spell('alphabet')}: all symbols occur before or after words, expected some that words are "
                         "over")
    return letters


def _formula(options: MarginOptions, meant: Formula | None, letters: tuple[str, ...],
             spell: Callable[[str], str]) -> Formula:
    option = spell("formula")
    if options.formula is not None:
        predicates = parse_predicate_definitions(options.predicate)
        formula = parse_formula(options.formula, None, predicates)
    elif meant is not None:
        formula = meant
    else:
        raise InputError(f"{option}: the output of the network does not mean a formula, expected the one that it tells")
    foreign = [symbol for symbol in symbols_of(formula) if symbol not in letters]
    if foreign:
        raise InputError(f"{option}: symbol {foreign[0]!r} is not one of the letters {list_names(letters)}")
    return formula
