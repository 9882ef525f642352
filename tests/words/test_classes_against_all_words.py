"""Words of one class have the same output: random networks with every mixture of masks, against runs of every word."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from constructions.errors import Unsupported
from constructions.network.transformer import Mask, Transformer
from constructions.network.weightings import Weighting
from proofs.enclosures.intervals import Interval
from proofs.words.classes.buckets import Buckets
from proofs.words.classes.enclosing import enclose_class, enclose_output
from proofs.words.replay import run_soft
from tests.words.soft_models import overlap, soft_transformer

BITS = 128
NARROW = Fraction(1, 2**60)
MIXTURES = [(Mask.NONE,), (Mask.FUTURE,), tuple(Mask)]


def outputs_of_all_words(transformer: Transformer, n: int) -> dict[tuple[str, ...], list[Interval]]:
    """Every word with the output at each position, by runs of whole words."""
    zero = Interval(Fraction(0), Fraction(0))
    return {word: [vector.get(transformer.output, zero) for vector in run_soft(transformer, word, BITS)]
            for word in product(transformer.alphabet, repeat=n)}


def check_classes(transformer: Transformer, n: int) -> int:
    """Compare at every position; how many positions have fewer classes than words."""
    fewer = 0
    found = outputs_of_all_words(transformer, n)
    for at in range(1, n + 1):
        buckets = Buckets(transformer, [transformer.alphabet] * n, at)
        classes = {one.signature: one for one in buckets.classes()}
        assert Counter(map(buckets.signature, found)) == {s: one.weight for s, one in classes.items()}
        enclosed = {signature: enclose_class(buckets, one, BITS) for signature, one in classes.items()}
        for word, outputs in found.items():
            inside, alone = enclosed[buckets.signature(word)], outputs[at - 1]
            assert inside.upper - inside.lower < NARROW
            assert alone.upper - alone.lower < NARROW
            assert overlap((inside.lower, inside.upper), (alone.lower, alone.upper)), (word, at)
        fewer += len(classes) < len(found)
    return fewer


@pytest.mark.parametrize("masks", MIXTURES)
def test_words_of_a_class_have_the_output_of_each_of_its_words(masks: tuple[Mask, ...]) -> None:
    fewer = sum(check_classes(soft_transformer(seed, 2, masks), n) for seed in range(12) for n in (1, 3))
    assert fewer > 0, "nothing was found smaller than words"


@pytest.mark.parametrize("weighting", [weighting for weighting in Weighting if weighting is not Weighting.SOFTMAX])
def test_heads_of_every_weighting_beside_those_with_softmax(weighting: Weighting) -> None:
    checked = 0
    for seed in range(6):
        try:
            check_classes(soft_transformer(seed, 2, first=weighting), 3)
            checked += 1
        except Unsupported:  # a hard head reads what is enclosed
            assert weighting.is_hard
    assert checked > 0


def test_three_layers() -> None:
    for seed in range(6):
        check_classes(soft_transformer(seed, 3), 3)


def test_one_word_alone_is_enclosed_as_by_a_whole_run() -> None:
    for seed in range(8):
        transformer = soft_transformer(seed)
        for word, outputs in list(outputs_of_all_words(transformer, 3).items())[::5]:
            for at in (1, 2, 3):
                alone = enclose_output(transformer, word, at, BITS)
                assert overlap((alone.lower, alone.upper), (outputs[at - 1].lower, outputs[at - 1].upper))
                assert alone.upper - alone.lower < NARROW
