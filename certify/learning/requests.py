"""Requests to learn: a claim, or options that may leave out the truths."""

from collections.abc import Sequence
from dataclasses import replace

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.flags import Flags
from certify.claims.trained.question import read_question, read_trained
from certify.common.files import read_text
from certify.learning.question import LearningQuestion, read_words
from certify.learning.vnnlib import read_query
from certify.learning.vnnlib_query import EqualityQuery, question_of
from constructions.errors import InputError, Unsupported
from constructions.trained.network import TrainedNetwork

ANY = "true"
"""The placeholder for a truth that is not given."""


def read_learning(model: str, claim: str | None, flags: Flags, scope: Scope,
                  words: str | None = None) -> tuple[TrainedNetwork, LearningQuestion]:
    """Return the network of a file, and the question: at the first offset of the claim, if no offsets are given.

    Raises:
        InputError: one line that names the place, what was found and what was expected.
        Unsupported: if a language has no finite automaton, or answers depend on later letters.
    """
    with_all, intended = with_truths(flags)
    network, found = read_question(model, claim, with_all, scope)
    if scope.offsets is None:
        found = replace(found, offsets=(found.offsets[0], found.offsets[0]))
    return network, read_words(network, found, words, intended)


def read_equality_query(query: str, first: str, second: str,
               given: Sequence[str]) -> tuple[TrainedNetwork, TrainedNetwork, EqualityQuery]:
    """Return the networks of two files, and a VNN-LIB query about them.

    Raises:
        InputError: one line that names the place, what was found and what was expected; also if options are ``given``.
        Unsupported: naming a part of the query that is not about equal answers.
    """
    if given:
        raise InputError(f"{given[0]}: given together with a query, expected one of the two")
    parsed = read_query(read_text(query), query)
    (one, _), (other, _) = read_trained(first), read_trained(second)
    try:
        return one, other, question_of(parsed, one, other)
    except (InputError, Unsupported) as error:
        raise type(error)(f"{query}: {error}") from None


def with_truths(flags: Flags) -> tuple[Flags, bool]:
    """Return the options with a truth for each answer, and whether these are the user's.

    >>> with_truths(Flags("ab", sign=("0", "1")))[0].sign, with_truths(Flags("ab", argmax=("0,1,2",)))[0].argmax
    (('0: true', '1: true'), ('0: true', '1: true', '2: true'))

    Raises:
        InputError: if some answers have a truth and some do not.
    """
    has_truth = [":" in text for text in (*flags.sign, *flags.larger, *flags.argmax)]
    if all(has_truth):
        return flags, True
    if any(has_truth) or flags.follow is not None or flags.given is not None:
        raise InputError("--sign, --larger, --argmax: some have a truth, expected one for each or none at all "
                         "(and then no --follow and no --given)")
    greatest = [f"{token}: {ANY}" for text in flags.argmax for token in text.split(",")]
    return replace(flags, sign=tuple(f"{text}: {ANY}" for text in flags.sign),
                   larger=tuple(f"{text}: {ANY}" for text in flags.larger), argmax=tuple(greatest)), False
