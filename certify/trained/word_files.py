"""`certify run` of a trained network: which file says what, and what the text of a word denotes."""

import re

from certify.frame.terminal import note
from certify.frame.words import describe_uncovered
from certify.trained.claim_file import Scope, read_claim
from certify.trained.question import read_trained
from certify.trained.word_run import WordRun, run_tokens, run_word
from constructions.errors import InputError
from constructions.language.alphabets import parse_word
from constructions.trained.claim import Claim

_TOKENS = re.compile(r"\s*(0|[1-9][0-9]{0,8})(\s*,\s*(0|[1-9][0-9]{0,8}))*\s*", re.ASCII)


def read_word_run(path: str, word: str, claim_path: str | None, offset: int | None, heads: bool) -> WordRun:
    """The run of a word; without a claim the word is tokens, separated by commas.

    Raises:
        InputError: one line that says where, what was found and what was expected.
    """
    network, claim = read_trained(path)
    certified = claim.lengths if claim is not None and claim_path is None else None
    if claim_path is not None:
        claim = read_claim(claim_path, network, _only(1))
        claim = read_claim(claim_path, network, _only(max(1, len(letters_of(word, claim)))))
    start = 0 if offset is None else offset
    if start < 0:
        raise InputError(f"--offset: {start}, expected 0 or more")
    if claim is None:
        return run_tokens(network, _tokens(word), start, heads)
    letters = letters_of(word, claim)
    if certified is not None and (uncovered := describe_uncovered(len(letters), *certified)):
        note(uncovered)
    return run_word(network, claim, letters, start, heads)


def _only(n: int) -> Scope:
    """Words of one length at all offsets: what is around a word may depend on its length."""
    return Scope(max_n=n, min_n=n, offsets="all")


def letters_of(word: str, claim: Claim) -> tuple[str, ...]:
    """The symbols of a word, which may be empty."""
    return parse_word(word, claim.alphabet) if word else ()


def _tokens(word: str) -> tuple[int, ...]:
    if not _TOKENS.fullmatch(word):
        raise InputError("word: without --claim expected tokens such as 2,0,1")
    return tuple(int(token) for token in word.split(","))
