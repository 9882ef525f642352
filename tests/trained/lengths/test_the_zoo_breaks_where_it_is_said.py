"""The break of `last_letter` at n = 4588, by a forward pass written here: from the file, token by token."""

import tomllib
from itertools import product
from math import erf
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file

from examples.trained.zoo import ZOO
from tests.tiers import few_and_all

FOLDER = ZOO / "last_letter"
START, EPSILON = 2, 1e-5
LAYER = "encoder.layers.0."
Numbers = NDArray[np.float64]


def weights() -> dict[str, Numbers]:
    return {name: values.astype(np.float64) for name, values in load_file(FOLDER / "model.safetensors").items()}


def normed(x: Numbers, of: dict[str, Numbers], name: str) -> Numbers:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
    return scaled * of[f"{LAYER}{name}.weight"] + of[f"{LAYER}{name}.bias"]


def gelu(x: Numbers) -> Numbers:
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


def margins(words: list[NDArray[np.int8]]) -> Numbers:
    """logit[1] - logit[0] at the last letter of each word, every token of it read in its turn."""
    of = weights()
    stream = of["embedding.weight"]
    read = normed(stream, of, "norm1") @ of[f"{LAYER}self_attn.in_proj_weight"].T + of[f"{LAYER}self_attn.in_proj_bias"]
    query, key, value = np.split(read, 3, axis=1)
    seen = np.exp(query @ key.T / np.sqrt(key.shape[1]))
    means = []
    for word in words:
        tokens = np.concatenate([[START], word])
        weight = seen[tokens[-1], tokens]
        means.append((weight[:, None] * value[tokens]).sum(axis=0) / weight.sum())
    x = stream[[word[-1] for word in words]] + (
        np.array(means) @ of[f"{LAYER}self_attn.out_proj.weight"].T + of[f"{LAYER}self_attn.out_proj.bias"])
    units = gelu(normed(x, of, "norm2") @ of[f"{LAYER}linear1.weight"].T + of[f"{LAYER}linear1.bias"])
    x = x + units @ of[f"{LAYER}linear2.weight"].T + of[f"{LAYER}linear2.bias"]
    logits = x @ of["output.weight"].T + of["output.bias"]
    return np.asarray(logits[:, 1] - logits[:, 0])


def margin_in_many_digits(counts: dict[int, int], last: int) -> Any:
    """Return the same from how often each token comes, with 50 digits."""
    with mpmath.workdps(50):
        of = {name: mpmath.matrix(values.tolist()) for name, values in weights().items()}

        def affine(x: Any, weight: str, bias: str) -> Any:
            return of[weight] * x + of[bias]

        def norm(x: Any, name: str) -> Any:
            mean = sum(x) / len(x)
            root = mpmath.sqrt(sum((one - mean) ** 2 for one in x) / len(x) + mpmath.mpf(1) / 100000)
            return mpmath.matrix([(one - mean) / root * gain + bias for one, gain, bias in zip(
                x, of[f"{LAYER}{name}.weight"], of[f"{LAYER}{name}.bias"], strict=True)])

        rows = {token: affine(norm(of["embedding.weight"][token, :].T, "norm1"), f"{LAYER}self_attn.in_proj_weight",
                              f"{LAYER}self_attn.in_proj_bias") for token in counts}
        width = len(rows[last]) // 3
        seen = {token: count * mpmath.exp(sum(rows[last][i] * rows[token][width + i] for i in range(width))
                                          / mpmath.sqrt(width)) for token, count in counts.items()}
        mean = mpmath.matrix([sum(seen[token] * rows[token][2 * width + i] for token in counts) / sum(seen.values())
                              for i in range(width)])
        x = of["embedding.weight"][last, :].T + affine(mean, f"{LAYER}self_attn.out_proj.weight",
                                                       f"{LAYER}self_attn.out_proj.bias")
        units = affine(norm(x, "norm2"), f"{LAYER}linear1.weight", f"{LAYER}linear1.bias")
        units = units.apply(lambda one: one * (1 + mpmath.erf(one / mpmath.sqrt(2))) / 2)
        logits = affine(x + affine(units, f"{LAYER}linear2.weight", f"{LAYER}linear2.bias"), "output.weight",
                        "output.bias")
        return logits[1] - logits[0]


@pytest.mark.parametrize("count", few_and_all(500, 10_000))
def test_the_word_of_the_table_is_wrong_and_shorter_ones_are_right(count: int) -> None:
    """A tenth of the form 1^k 0, the longest; others of drawn lengths and shares of 1, in drawn orders."""
    decided = tomllib.loads((FOLDER / "decided.toml").read_text(encoding="utf-8"))
    assert (decided["wrong_at"], decided["runs"], decided["certified_to"]) == (4588, "1^4587 0", 4587)
    wrong = np.array([1] * 4587 + [0], dtype=np.int8)
    draw = np.random.default_rng(33)
    few, rest = count // 10, count - count // 10
    shorter = [np.append(np.ones(k, np.int8), np.int8(0)) for k in range(4587 - few, 4587)]
    shorter += [(draw.random(n) < share).astype(np.int8) for n, share in zip(
        draw.integers(1, 4588, size=rest), draw.choice([0.001, 0.1, 0.5, 0.9, 0.999], size=rest), strict=True)]
    found = margins([wrong, *shorter])
    assert 2.7e-4 < found[0] < 2.8e-4  # though its last letter is 0
    assert len(shorter) == count and np.abs(found[1:]).min() > 1e-7
    assert ((found[1:] > 0) == [word[-1] == 1 for word in shorter]).all()


def test_fifty_digits_tell_the_same_of_the_break_and_of_its_neighbours() -> None:
    for ones, last in product((4586, 4587), (0, 1)):
        word = np.array([1] * ones + [last], dtype=np.int8)
        exact = margin_in_many_digits({START: 1, 0: int(last == 0), 1: ones + last}, last)
        assert abs(exact - margins([word])[0]) < 1e-12
        assert (exact > 0) == (last == 1 or ones == 4587)
