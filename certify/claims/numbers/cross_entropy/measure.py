"""The cross-entropy of a network on a language, by length, and the lower bound that its sensitivity forces."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.claims.formula.pipeline import Clock
from certify.claims.numbers.cross_entropy.fitting import choose_offsets, choose_output
from certify.claims.numbers.cross_entropy.results import CrossEntropy, LanguageName, LengthOfPrefixes
from certify.claims.numbers.sensitivity.measure import read_direction, read_numbers
from certify.requests.inputs import as_option
from certify.requests.quantities import read_positive, read_rational
from certify.requests.request import Request
from constructions.errors import InputError, InternalError, Unsupported
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from proofs.formula.discharge import Progress
from proofs.numbers.cross_entropy.languages import LANGUAGES, PrefixQuestions
from proofs.numbers.cross_entropy.predictions import OutputMap, Predictions, change_by_bounds

USUAL_STEEPEST = Fraction(8)
EXAMPLES = {"parity": "01", "2dyck": "()[]"}


@dataclass(frozen=True)
class LogOddsHead:
    """The map from a value to log-odds; what is None is chosen at each length, the slope up to a bound."""

    slope: Fraction | None = None
    offset: Fraction | None = None
    steepest: Fraction = USUAL_STEEPEST

    def choose(self, predictions: Predictions) -> OutputMap:
        """Return the map at one length."""
        groups, alphabet = predictions.groups, predictions.language.alphabet
        if self.slope is None:
            return choose_output(groups, alphabet, self.steepest)
        if self.offset is None:
            return choose_offsets(groups, alphabet, self.slope)
        return OutputMap(self.slope, dict.fromkeys(alphabet, self.offset))

    @property
    def greatest_slope(self) -> Fraction:
        """The largest slope that may be chosen."""
        return self.steepest if self.slope is None else abs(self.slope)


def read_head(slope: str | None, intercept: str | None, steepest: str | None,
              spell: Callable[[str], str] = as_option) -> LogOddsHead:
    """Parse the options; ``spell`` gives their spelling in messages.

    Raises:
        InputError: if one is not a rational, or two exclude each other.
    """
    if intercept is not None and slope is None:
        raise InputError(f"{spell('intercept')}: expected {spell('slope')} with it: where slopes are chosen, offsets "
                         "are, too")
    if steepest is not None and slope is not None:
        raise InputError(f"{spell('steepest')}: given together with {spell('slope')}, expected one of the two")
    return LogOddsHead(None if slope is None else read_rational(slope, spell("slope")),
                       None if intercept is None else read_rational(intercept, spell("intercept")),
                       USUAL_STEEPEST if steepest is None else read_positive(steepest, spell("steepest")))


def read_probability(text: str, option: str) -> Fraction:
    """Parse a rational strictly between 0 and 1.

    Raises:
        InputError: naming the option.
    """
    value = read_positive(text, option)
    if value >= 1:
        raise InputError(f"{option}: found {text}, expected a rational between 0 and 1, such as 1/2")
    return value


def measure(request: Request, name: LanguageName, p: Fraction, head: LogOddsHead = LogOddsHead(), direction: str
            | None = None,
            numbers: Sequence[int] | None = None, progress: Progress = lambda _: None) -> CrossEntropy:
    """Bound the cross-entropies at some lengths (by default the usual ones).

    Raises:
        InputError: if the network's symbols are not those of the language, it has no such direction, or a function of
            the position has no value somewhere.
        Unsupported: if there is no network.
    """
    clock, network = Clock(), request.network
    direction, numbers = read_direction(network, direction), read_numbers(numbers, request.claimed_lengths)
    check_defined(network, request.claimed_lengths)
    language = LANGUAGES[name](p)
    check_alphabet(network, name, language)
    rows = []
    for n in numbers:
        progress(f"length {n}")
        rows.append(measure_length(network, n, language, direction, head))
    return CrossEntropy(request.description, name, p, direction, head.greatest_slope, tuple(rows), clock.total)


def check_alphabet(network: Transformer, name: str, language: PrefixQuestions) -> None:
    """Raise InputError unless the network has the language's alphabet, in any order."""
    if sorted(network.alphabet) != sorted(language.alphabet):
        raise InputError(f"alphabet: found {', '.join(network.alphabet)}, expected the symbols of {name}, "
                         f"{EXAMPLES[name]}")


def measure_length(network: Transformer, n: int, language: PrefixQuestions, direction: str,
                   head: LogOddsHead) -> LengthOfPrefixes:
    """Return the row of one length."""
    levels = language.levels(n)
    try:
        predictions = Predictions(network, n, language, direction)
    except Unsupported as reason:
        return _from_bounds(network, n, language, direction, head, str(reason))
    output = head.choose(predictions)
    change = head.greatest_slope * predictions.change
    forced, found = language.forced(n, change), predictions.cross_entropy(output)
    if found.upper < forced.lower or found.upper < levels.optimal.lower:
        raise InternalError(f"n = {n}: the cross-entropy is below what is possible")
    return LengthOfPrefixes(n, levels, output, change, forced, found)


def _from_bounds(network: Transformer, n: int, language: PrefixQuestions, direction: str, head: LogOddsHead,
                 reason: str) -> LengthOfPrefixes:
    """Return the row of a length at which prefixes are not run: the consequences of the bound on changes."""
    levels = language.levels(n)
    try:
        change = head.greatest_slope * change_by_bounds(network, n, language, direction)
    except Unsupported as other:
        return LengthOfPrefixes(n, levels, reason=f"{reason}; {other}")
    return LengthOfPrefixes(n, levels, None, change, language.forced(n, change), None, reason)
