"""Regular languages as subjects: a regular expression, or a file with an automaton, as a formula."""

from certify.common.files import check_unicode, read_text
from certify.common.words import counted
from certify.requests.building import find_weighting
from certify.requests.inputs import FormulaSubject, Options, as_option
from certify.requests.subjects import NamedSubject, SubjectKind
from constructions.language.alphabets import parse_alphabet
from constructions.regimes import Regime
from constructions.regular.automaton_files import language_of_text
from constructions.regular.expression import language_of_regex, symbols_of_regex
from constructions.regular.to_ltl import DefinedLanguage, formula_of_language

EMPTY_WORD = "the empty word is in the language, and nothing is claimed of it: words have at least one symbol"


def read_language(found: NamedSubject, alphabet: str | tuple[str, ...] | None) -> tuple[tuple[str, ...],
                                                                                        DefinedLanguage]:
    """Return the alphabet, by default that of the named symbols, and the language with its formula.

    Raises:
        InputError: if the text is not a regular expression or an automaton.
        Unsupported: if the language has no formula of the past, or only very large ones are found.
    """
    if alphabet is not None:
        check_unicode(*alphabet)
    symbols = None if alphabet is None else parse_alphabet(alphabet)
    if found.kind is SubjectKind.REGEX:
        symbols = symbols_of_regex(found.name) if symbols is None else symbols
        language = language_of_regex(found.name, symbols)
    else:
        language, symbols = language_of_text(read_text(found.name), found.name, symbols)
    return symbols, formula_of_language(language, symbols, found.name)


def read_language_subject(found: NamedSubject, options: Options, regime: Regime) -> FormulaSubject:
    """Return the formula of the language, as what a question is about; a note if the language has the empty word.

    Raises:
        InputError, Unsupported: as ``read_language``.
    """
    alphabet, language = read_language(found, options.alphabet)
    return FormulaSubject(found.name, language.formula, alphabet, regime, (), options.as_printed, options.attention,
                          options.precision, EMPTY_WORD if language.accepts_empty else "",
                          "--regex" if found.kind is SubjectKind.REGEX else "--dfa", language,
                          find_weighting(options.weighting, options.named, as_option))


def describe_language(language: DefinedLanguage) -> tuple[str, ...]:
    """Describe the language: its minimal automaton, star-freeness, groups and the empty word.

    >>> from constructions.language.syntax import TRUE
    >>> describe_language(DefinedLanguage(TRUE, 1, (), False))
    ('its minimal automaton has 1 state', 'star-free: nothing is counted')
    """
    lines = [f"its minimal automaton has {counted(language.states, 'state')}"]
    if not language.groups:
        lines.append("star-free: nothing is counted")
    for order, moduli in language.groups:
        lines.append(f"not star-free: words permute states like a group of order {order}, which is followed by "
                     f"counting modulo {', then '.join(map(str, moduli))}")
    return (*lines, EMPTY_WORD) if language.accepts_empty else tuple(lines)
