"""What a request is about, on one word."""

from __future__ import annotations

from certify.asking.request import Request
from certify.formula.runs import Run, run_formula, run_transformer
from constructions.errors import Unsupported
from constructions.language.alphabets import alphabet_of, parse_word


def run_request(request: Request, word: str) -> Run:
    """What the network holds on the word, or of a formula that has none the truths alone."""
    is_default = request.formula is not None and request.alphabet == alphabet_of(request.formula)
    letters = parse_word(word, request.alphabet, is_default)
    try:
        return run_transformer(request.network, letters)
    except Unsupported as construct:
        if request.regime is None or request.formula is None:
            raise
        return run_formula(request.formula, letters, f"truth only, no network: {construct}")
