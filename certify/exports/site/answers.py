"""The workbench's answer on a formula: its parse, in words, and where it holds on a word; as JSON.

It also runs in the page, where only the standard library, lark and the files of ``workbench.py`` exist.
"""

import json
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from certify.claims.formula.in_words import layers_in_words, sentences
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.pages.certificate.wiring import draw_network
from constructions.compiler import compile_formula
from constructions.errors import FormulaError, InputError, InternalError, Unsupported
from constructions.language.alphabets import alphabet_of, parse_alphabet, parse_word
from constructions.language.parser import parse_formula
from constructions.language.printer import format_formula
from constructions.language.semantics import TruthTable
from constructions.language.syntax import Formula, subformulas
from constructions.regimes import Regime

MOST_PARTS = 60
MOST_LETTERS = 200


def answer(formula: str, alphabet: str, word: str) -> str:
    r"""Return a JSON object: ``error`` (and ``caret``), or the description of the formula and the word.

    >>> json.loads(answer("Q_a since", "", ""))["caret"]
    'Q_a since\n         ^'
    >>> json.loads(answer("prev Q_a", "ab", "aab"))["rows"]
    [['Q_a', [True, True, False]], ['prev Q_a', [False, True, True]]]
    """
    return about(formula, alphabet, lambda parsed, symbols: {
        "formula": format_formula(parsed), "brackets": format_formula(parsed, parenthesize=True),
        "alphabet": list(symbols), "sentences": sentences(parsed)[-MOST_PARTS:],
        "command": command_of(formula, alphabet), **layers(parsed, symbols), **truths(parsed, symbols, word)})


def about(formula: str, alphabet: str, find: Callable[[Formula, Sequence[str]], dict[str, Any]]) -> str:
    """Return the result for a formula and its alphabet as a JSON object, or ``error`` (and ``caret``)."""
    try:
        symbols = parse_alphabet(alphabet) if alphabet.strip() else None
        parsed = parse_formula(formula, symbols)
        found = find(parsed, symbols or alphabet_of(parsed))
    except FormulaError as error:
        found = {"error": str(error), "caret": error.caret()}
    except (InputError, Unsupported, InternalError) as error:
        found = {"error": str(error)}
    except RecursionError:
        found = {"error": "the formula is nested too deeply for this page"}
    return json.dumps(found)


def layers(formula: Formula, symbols: Sequence[str]) -> dict[str, Any]:
    """Describe each layer of its transformer, with its pictures, wide and narrow; or why there is none."""
    if len(subformulas(formula)) > MOST_PARTS:
        return {"layers": [], "no_layers": "The formula is too large to be drawn here."}
    try:
        network = compile_formula(formula, symbols, Regime())
    except (InputError, Unsupported) as error:
        return {"layers": [], "no_layers": f"No transformer is built for it here: {error}"}
    names = DirectionNames(network, formula)
    pictures = filter(None, [draw_network(network, names, flat) for flat in (True, False)])
    return {"layers": [list(sentences) for sentences in layers_in_words(network)], "pictures": list(pictures),
            "definitions": [f"{name} is {text}" for name, text in names.definitions.items()]}


def truths(formula: Formula, symbols: Sequence[str], text: str) -> dict[str, Any]:
    """Return the word, and a row for each subformula, the smallest first; or the error in the word."""
    if not text.strip():
        return {"word": [], "rows": []}
    try:
        word = parse_word(text, symbols)
        if len(word) > MOST_LETTERS:
            raise InputError(f"word: {len(word)} symbols, expected at most {MOST_LETTERS} here")
        table = TruthTable(word)
        rows = [(format_formula(part), list(table.values(part))) for part in subformulas(formula)[-MOST_PARTS:]]
    except (InputError, Unsupported) as error:
        return {"word": [], "rows": [], "word_error": str(error)}
    return {"word": list(word), "rows": rows}


def command_of(formula: str, alphabet: str, options: str = "") -> str:
    """Return the command that proves it, to be copied."""
    given = f" --alphabet={shlex.quote(alphabet.strip())}" if alphabet.strip() else ""
    given += f" {options}" if options else ""
    text = " ".join(formula.split())
    return f"certify formula{given} {'-- ' if text.startswith('-') else ''}{shlex.quote(text)}"
