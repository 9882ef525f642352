"""What a request is about, on one word."""

from dataclasses import replace

from certify.asking.request import Request
from certify.asking.written import NetworkSubject
from certify.formula.runs import Run, run_formula, run_transformer
from certify.frame.words import describe_uncovered
from constructions.errors import Unsupported
from constructions.language.alphabets import alphabet_of, parse_word


def describe_beyond(request: Request, n: int) -> str:
    """That a certificate is not about words of this length; empty if it is, or there is none."""
    certified = request.subject.certified if isinstance(request.subject, NetworkSubject) else None
    return "" if certified is None else describe_uncovered(n, certified.first, certified.last)


def run_request(request: Request, word: str) -> Run:
    """What the network holds on the word, or of a formula that has none the truths alone."""
    is_default = request.formula is not None and request.alphabet == alphabet_of(request.formula)
    letters = parse_word(word, request.alphabet, is_default)
    try:
        run = run_transformer(request.network, letters)
        return replace(run, note=describe_beyond(request, len(letters)) or run.note)
    except Unsupported as construct:
        if request.regime is None or request.formula is None:
            raise
        return run_formula(request.formula, letters, f"truth only, no network: {construct}")
