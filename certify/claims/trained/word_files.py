"""`certify run` of a trained network: the files, and the parsing of the word."""

import re

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.question import AnyClaim, about_words, read_claim_table, read_trained
from certify.claims.trained.tracks_file import is_about_tracks
from certify.claims.trained.tracks_run import InputRun, run_input
from certify.claims.trained.word_run import WordRun, run_tokens, run_word
from certify.common.terminal import note
from certify.common.words import describe_uncovered
from constructions.errors import InputError
from constructions.language.alphabets import parse_word
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim

_TOKENS = re.compile(r"\s*(0|[1-9][0-9]{0,8})(\s*,\s*(0|[1-9][0-9]{0,8}))*\s*", re.ASCII)


def read_run(path: str, word: str, claim_path: str | None, offset: int | None, heads: bool) -> WordRun | InputRun:
    """Run a word, or an input in tracks; without a claim the word is tokens, separated by commas.

    Raises:
        InputError: one line that names the place, what was found and what was expected.
    """
    network, claim, certified = _asked(path, claim_path, word)
    if isinstance(claim, TracksClaim):
        for name, given in (("--offset", offset is not None), ("--head", heads)):
            if given:
                raise InputError(f"{name}: the claim is about inputs in tracks, which does not take this option")
        return run_input(network, claim, word)
    start = 0 if offset is None else offset
    if start < 0:
        raise InputError(f"--offset: {start}, expected 0 or more")
    if claim is None:
        return run_tokens(network, _tokens(word), start, heads)
    letters = letters_of(word, claim)
    if certified is not None and (uncovered := describe_uncovered(len(letters), *certified)):
        note(uncovered)
    return run_word(network, claim, letters, start, heads)


def _asked(path: str, claim_path: str | None, word: str) -> tuple[TrainedNetwork, AnyClaim | None,
                                                                 tuple[int, int] | None]:
    """Return the network, the claim, and the lengths of the claim if it is the file's own."""
    table = None if claim_path is None else read_claim_table(claim_path)
    network, own = read_trained(path)
    if table is None:
        return network, own, own.lengths if isinstance(own, WordsClaim) else None
    if is_about_tracks(table.table):
        return network, table.claim(network), None
    shortest = about_words(table.claim(network, _only(1)), table.where)
    return network, table.claim(network, _only(max(1, len(letters_of(word, shortest))))), None


def _only(n: int) -> Scope:
    """Return the scope of one length at all offsets: the tokens around a word may depend on its length."""
    return Scope(max_n=n, min_n=n, offsets="all")


def letters_of(word: str, claim: WordsClaim) -> tuple[str, ...]:
    """Return the symbols of a word, which may be empty."""
    return parse_word(word, claim.alphabet) if word else ()


def _tokens(word: str) -> tuple[int, ...]:
    if not _TOKENS.fullmatch(word):
        raise InputError("word: without --claim expected tokens such as 2,0,1")
    return tuple(int(token) for token in word.split(","))
