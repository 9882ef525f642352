"""Networks and questions for the tests of learning, and the answers by running every word by itself."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from certify.learning.question import OUT, LearningQuestion, read_words
from constructions.trained.claim import input_tokens, judged
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import cases_at

Word = tuple[int, ...]


@cache
def network_of_the_zoo(name: str) -> TrainedNetwork:
    return plans()[name].network()


def of_the_zoo(name: str, max_n: int, words: str | None = None, offsets: tuple[int, int] = (0, 0),
               ) -> tuple[TrainedNetwork, LearningQuestion]:
    network = network_of_the_zoo(name)
    claim = replace(plans()[name].claim(network), lengths=(1, max_n), offsets=offsets)
    return network, read_words(network, claim, words)


def all_words(question: LearningQuestion) -> Iterator[Word]:
    letters = range(len(question.claim.alphabet))
    for n in range(question.first, question.longest + 1):
        yield from itertools.product(letters, repeat=n)


def brute_force(network: TrainedNetwork, question: LearningQuestion) -> dict[Word, int]:
    """Return the answers on all words, each word run as a whole by floats."""
    floats, found = FloatNetwork(network), dict[Word, int]()
    for word in all_words(question):
        found[word] = answer(floats, question, word, found)
    return found


def answer(floats: FloatNetwork, question: LearningQuestion, word: Word, shorter: dict[Word, int]) -> int:
    claim, offset = question.claim, question.claim.offsets[0]
    symbols = [claim.alphabet[letter] for letter in word]
    if question.words == "asked" and not cases_at(claim, symbols, len(word)):
        return OUT
    if question.words == "allowed" and len(word) > question.first and not question.allows(shorter[word[:-1]], word[-1]):
        return OUT
    at = dict(judged(claim, len(word)))[len(word)]
    logits = floats.logits(np.array([input_tokens(claim, symbols)]), offset, [at])[0, 0]
    choices = []
    for part in question.parts:
        held = [choice for choice, rows in enumerate(part)
                if all(sum(float(number) * logits[token] for token, number in row) > 0 for row in rows)]
        assert len(held) == 1
        choices += held
    return question.code(choices)
