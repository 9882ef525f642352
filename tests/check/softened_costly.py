"""Files of softened transformers that need as much work or memory of the checker as they can, a few of each kind."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.check.softening import Json, head, layer, transformer, unit

LONG = "9" * 999 + "7"  # 3,322 bits
MERSENNE = 2**61 - 1  # integers that differ by its multiples have one hash


def claim(model: Json, max_n: int, temperature: str = "1/n", errors: Json | None = None) -> Json:
    """Return a certificate that states the same bounds after every stage, and no gaps."""
    stages = [errors or {}] * (2 * len(model["layers"]))
    return {"format": "certify-softened", "version": 1,
            "claim": {"alphabet": model["alphabet"], "max_n": max_n, "temperature": temperature},
            "transformer": model, "gaps": [None] * max_n, "errors": [stages] * max_n}


def tokens(size: int) -> Json:
    return {f"s{k}": {"one": "1", "is": str(k + 1)} for k in range(size)}


def coprime(k: int) -> str:
    """Return a rational with a long denominator of its own."""
    return f"1/{2 ** (3300 - k) + 1}"


def long_words() -> Json:
    """One word of each length, and histories of thousands of positions."""
    heads = [head({"near": {"is": "1"}}, {"one": "1"}, {"place": "1"}) for _ in range(4)]
    return claim(transformer("one is place near", {"a": {"one": "1"}}, {"place": "i"}, [layer(heads)]), 1000)


def long_words_of_both_sides() -> Json:
    heads = [head({"near": {"is": "1"}}, {"one": "1"}, {"place": "-1"}, mask=mask) for mask in ("past", "none")]
    return claim(transformer("one is place near", {"a": {"one": "1"}}, {"place": "i"}, [layer(heads)] * 3), 500)


def many_words() -> Json:
    return claim(transformer("one is", tokens(2), {}, [layer([])]), 25)


def many_vectors() -> Json:
    """Every word has vectors of its own, and histories, in layers that look to the right."""
    first = head({"sum": {"is": LONG}}, mask="past")
    layers = [layer([first], [unit({"place": LONG, "sum": "1"}, f"-{k}", {"sum": "1/3", "out": "1/7"})])
              for k in range(1, 7)]
    return claim(transformer("one is place sum out", tokens(2), {"place": "i"}, layers), 13)


def many_situations() -> Json:
    """Return a file in which each word has its own scores, distances and weights, and finer bounds are needed."""
    one = head({"out": {"is": "1", "sum": "1"}}, {"one": "1", "sum": "1"}, {"place": "1", "sum": "1/97"}, mask="none")
    other = one | {"values": {"out": {"place": "1"}}}
    model = transformer("one is place sum out", tokens(2), {"place": "2^i"},
                        [layer([head({"sum": {"is": "1", "place": "1/1009"}})]), layer([one, other, one])])
    bounds = claim(model, 14, "1/(10^6*n)", {"out": "1/4"})
    bounds["errors"] = [[{}, {}, {"out": "1/4"}, {"out": "1/4"}]] * 14
    return bounds


def equal_hashes() -> Json:
    """Vectors and scores that differ by multiples of the modulus of Python's hashes of integers."""
    units = [unit({"is": str(MERSENNE), "place": str(MERSENNE)}, str(-MERSENNE * k), {"sum": str(k * k + 1)})
             for k in range(1, 24)]
    model = transformer("one is place sum out", {"a": {"one": "1"}, "b": {"one": "1", "is": "1"}}, {"place": "2^i"},
                        [layer([head({"sum": {"is": str(MERSENNE), "place": str(MERSENNE)}})], units),
                         layer([head({"out": {"sum": "1"}}, mask="past")], units),
                         layer([head({"out": {"sum": "1"}})])])
    return claim(model, 14)


def growing_numbers() -> Json:
    """Every layer multiplies by a number of 1,000 digits."""
    layers = [layer([head({"is": {"is": LONG}})], [unit({"is": LONG}, "1", {"is": LONG})]) for _ in range(2000)]
    return claim(transformer("one is", tokens(2), {}, layers), 3)


def growing_denominators() -> Json:
    layers = [layer([], [unit({"is": coprime(k)}, "0", {"is": "1"})]) for k in range(39)]
    return claim(transformer("one is", tokens(2), {}, layers), 6)


def wide_forms() -> Json:
    """Many heads read many directions with long numbers."""
    names = [f"d{k}" for k in range(120)]
    form = {d: str(Fraction(int(LONG) - k, 2**3300 + 1)) for k, d in enumerate(names)}
    one = head({"out": {**form, "sum": "1"}}, {"one": "1"}, {**form, "place": "1", "sum": "1"})
    model = transformer(" ".join(["one", *names, "place", "sum", "out"]),
                        {f"s{k}": {"one": "1", **dict.fromkeys(names, str(k + 1))} for k in range(2)}, {"place": "i"},
                        [layer([head({"sum": {names[0]: "1"}}), one] * 20)])
    return claim(model, 10, errors={"sum": "1/40", "out": "1/40"})


def many_units_of_one_form() -> Json:
    """Breakpoints everywhere within reach, and numbers of its own for each word."""
    units = [unit({"sum": "1"}, f"-{k + 1}/10007", {"out": f"1/{1000 * (k + 2)}"}) for k in range(2000)]
    layers = [layer([head({"sum": {"is": "1", "place": "1/1009"}})], units)]
    made = claim(transformer("one is place sum out", tokens(2), {"place": "2^i"}, layers), 12)
    made["errors"] = [[{"sum": "1/9"}, {"sum": "1/9", "out": "1/9"}]] * 12
    return made


def many_units_that_read_long_numbers() -> Json:
    units = [unit({"is": str(Fraction(int(LONG), k + 2))}, str(Fraction(-int(LONG), 2**3300 - k)), {"out": LONG})
             for k in range(30)]
    return claim(transformer("one is out", tokens(2), {}, [layer([], units)]), 2, errors={"is": "1/9"})


def many_writers_of_one_direction() -> Json:
    """Return a file in which errors of hundreds of heads sum, over denominators of thousands of bits."""
    heads = [head({"out": {"is": "1"}}, {"one": str(k + 1)}, {"place": "1"}) for k in range(400)]
    model = transformer("one is place out", tokens(2), {"place": "i"}, [layer(heads)])
    return claim(model, 8, "1/(10^4*n)", {"out": "1/4"})


def echoes(size: int, max_n: int, heads: int) -> Json:
    """Queries of the second layer are 0, and err: all positions win, and each may be what weights are relative to."""
    first = head({"near": {"is": "1"}}, {"one": "1"}, {"place": "1"})
    again = head({"out": {"is": "1/9", "place": "1/9000"}}, {"is": "-1", "near": "1"}, {"place": "1"},
                 weighting="average-hardmax")
    model = transformer("one is place near out", tokens(size), {"place": "i"}, [layer([first]), layer([again] * heads)])
    bounds = claim(model, max_n, "1/30")
    near = {"near": "1/1000000000"}
    bounds["errors"] = [[near] * 2 + [near | {"out": "1/5"}] * 2] * max_n
    bounds["gaps"] = [None] + ["1"] * (max_n - 1)
    return bounds


def long_words_that_tie() -> Json:
    return echoes(1, 600, 1)


def many_words_that_tie() -> Json:
    """Return a file in which two heads write one direction, so that finer bounds are needed."""
    return echoes(2, 13, 2)


def long_words_that_tie_without_errors() -> Json:
    """Means of up to 400 positions in each of 20 layers, for which numbers need room."""
    same = head({"out": {"place": "1", "out": "1/3"}}, {"one": "1"}, {"one": "1"}, weighting="average-hardmax")
    return claim(transformer("one is place out", tokens(1), {"place": "1/i"}, [layer([same])] * 20), 400)


def many_symbols() -> Json:
    names = [f"d{k}" for k in range(15)]
    rows = {f"s{k}": dict.fromkeys(names, f"{k + 1}/{k + 2}") for k in range(10_000)}
    model = transformer(" ".join(names), rows, {}, [layer([head({names[0]: dict.fromkeys(names, "1")})])])
    return claim(model, 1)


def many_layers_and_directions() -> Json:
    names = [f"d{k}" for k in range(20_000)]
    layers = [layer([])] * 5000 + [layer([], [unit(dict.fromkeys(names, "1"), "0", {names[0]: "1"})])]
    return claim(transformer(" ".join(names), {"a": {}}, {}, layers), 1)


def embeddings_of_many_lengths() -> Json:
    placed = {f"d{k}": f"ln(n+{k})^2+sqrt(i*{k}+1)" for k in range(100)}
    return claim(transformer(" ".join(placed), {"a": {}}, placed, [layer([])]), 4096)


def bounds_of_many_lengths() -> Json:
    names = " ".join(f"d{k}" for k in range(200))
    stated = {f"d{k}": coprime(k) for k in range(30)}
    return claim(transformer(names, {"a": {}}, {}, [layer([])]), 100, errors=stated)


COSTLY: dict[str, Callable[[], Any]] = {
    make.__name__: make for make in (
        long_words, long_words_of_both_sides, many_words, many_vectors, many_situations, equal_hashes, growing_numbers,
        growing_denominators, wide_forms, many_units_of_one_form, many_units_that_read_long_numbers,
        many_writers_of_one_direction, long_words_that_tie, many_words_that_tie,
        long_words_that_tie_without_errors, many_symbols, many_layers_and_directions, embeddings_of_many_lengths,
        bounds_of_many_lengths)}
