"""Files about margins that need as much work or memory of the checker as they can, a few of each kind."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.check.softened_costly import LONG, MERSENNE, coprime
from tests.check.softening import Json, head, layer, transformer, unit


def claim(model: Json, max_n: int, min_n: int = 1, formula: str = "true", at: str = "last", **others: Any) -> Json:
    """Return the claim that the output is above a threshold that it never comes near."""
    norms = {name: value for name, value in others.items() if name == "norms"}
    return {"format": "certify-margin", "version": 1,
            "claim": {"formula": formula, "predicates": [], "alphabet": model["alphabet"], "before": [], "after": [],
                      "min_n": min_n, "max_n": max_n, "at": at, "threshold": "-" + "9" * 900, "margin": "0"},
            "transformer": model} | norms


def tokens(size: int, value: Callable[[int], str] = str) -> Json:
    return {f"s{k}": {"is": value(k + 1)} for k in range(size)}


def soft(values: Json, queries: Json | None = None, keys: Json | None = None, mask: str = "none",
         temperature: str = "1") -> Json:
    return head(values, queries, keys, mask, "softmax") | {"temperature": temperature}


def many_letters() -> Json:
    """Each with a column of its own."""
    return claim(transformer("is out", tokens(60_000), {}, [layer([soft({"out": {"is": "1"}})])]), 1)


def many_letters_that_agree_but_for_the_last() -> Json:
    values = tokens(60_000, lambda k: "2" if k == 60_000 else "1")
    return claim(transformer("is out", values, {}, [layer([soft({"out": {"is": "1"}})])]), 1)


def many_letters_that_are_remembered() -> Json:
    return claim(transformer("is out", tokens(1500), {}, []), 2, 2, formula="next true")


def many_words() -> Json:
    return claim(transformer("is out", tokens(2), {}, []), 25, 25, formula="next true")


def many_words_of_a_leftmost_head() -> Json:
    one = soft({"out": {"is": "1"}}, {"is": "1"}, {"is": "1"}) | {"weighting": "leftmost-hardmax"}
    return claim(transformer("is out", tokens(2), {}, [layer([one])]), 20, 20)


def scores_with_one_hash() -> Json:
    """Every score is a multiple of 2^61 - 1 over powers of two and a length."""
    one = soft({"out": {"place": "1"}}, {"is": "1"}, {"place": str(MERSENNE)}, temperature=f"{2**62}*n")
    return claim(transformer("is place out", {"a": {"is": "1"}}, {"place": "i"}, [layer([one])]), 700, at="first")


def long_products() -> Json:
    """Numbers of some 10,000 digits, which a head sees."""
    grow = layer([], [unit({"is": LONG}, "0", {"is": "1"})])
    return claim(transformer("is out", tokens(2), {}, [*[grow] * 10, layer([soft({"out": {"is": "1"}})])]), 2)


def deep() -> Json:
    """Each layer reads what the one before found, and nothing else."""
    names = [f"d{k}" for k in range(400)]
    layers = [layer([soft({after: {one: "1"}}, {one: "1"}, {one: "1/1000"})]) for one, after in pairwise(names)]
    return claim(transformer(" ".join(names), {"a": {"d0": "1"}, "b": {"d0": "-1"}}, {}, layers), 2)


def many_units() -> Json:
    """Forms of many atoms, again and again."""
    names = [f"d{k}" for k in range(60)]
    heads = [soft({name: {"is": str(k + 1)}}, {"is": "1"}, {"place": "1"}) for k, name in enumerate(names)]
    units = [unit({name: str(k + j + 1) for j, name in enumerate(names)}, str(k), {"out": "1"}) for k in range(1500)]
    return claim(transformer(" ".join(["is", "place", *names, "out"]), tokens(40), {"place": "i"},
                             [layer(heads, units)]), 20)


def many_norms() -> Json:
    """Vectors of forms, behind every part of some layers."""
    names = [f"d{k}" for k in range(80)]
    one = soft({name: {"is": str(k + 1)} for k, name in enumerate(names)}, {"is": "1"}, {"place": "1"})
    return claim(transformer(" ".join(["is", "place", *names, "out"]), tokens(20), {"place": "i"}, [layer([one])] * 3),
                 20, 20, norms=[{"attention": "1", "feedforward": "1/7"}] * 3)


def many_prefixes() -> Json:
    """Return a claim that reads a masked head at every position of one word."""
    first = soft({"out": {"place": "1"}}, {"is": "1"}, {"place": "1"}, "future") | {"weighting": "leftmost-hardmax"}
    return claim(transformer("is place out", {"a": {"is": "1"}}, {"place": "i"},
                             [layer([first]), layer([soft({"out": {"out": "1"}})])]), 3000, 3000)


def coprime_values() -> Json:
    one = soft({"out": {"is": "1"}}, {"is": "1"}, {"place": "1"})
    return claim(transformer("is place out", tokens(500, coprime), {"place": "i"}, [layer([one])]), 3)


def many_places() -> Json:
    """Little is held for each of thousands of places."""
    one = soft({"out": {"is": "1"}})
    return claim(transformer("is out", {"a": {"is": "1"}}, {}, [layer([one])]), 130, at="every")


COSTLY = {make.__name__: make for make in (
    many_letters, many_letters_that_agree_but_for_the_last, many_letters_that_are_remembered, many_words,
    many_words_of_a_leftmost_head, scores_with_one_hash, long_products, deep, many_units, many_norms, many_prefixes,
    coprime_values, many_places)}
