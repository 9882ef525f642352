"""Small certificates written by hand from docs/reference/certificate.md; nothing here comes from the producer."""

import copy
import json
from typing import Any

Json = dict[str, Any]


def dump(certificate: Json) -> bytes:
    return (json.dumps(certificate, indent=1, ensure_ascii=True) + "\n").encode()


def edit(certificate: Json, *path: Any, value: Any = None, drop: bool = False) -> Json:
    """Return a copy with one place changed, or dropped."""
    changed = copy.deepcopy(certificate)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed


def starting(certificate: Json, min_n: Any) -> Json:
    """Return a copy whose claim begins at a length: `min_n` is written before `max_n`."""
    claim = certificate["claim"]
    order = ["formula", "alphabet", "min_n", "max_n", "regime", "causal"]
    return edit(certificate, "claim", value={key: min_n if key == "min_n" else claim[key] for key in order})


def position(value: str) -> Json:
    return {"kind": "position", "value": value}


def truth(formula: str) -> Json:
    return {"kind": "truth", "formula": formula}


def near(formula: str, when: str = "true") -> Json:
    return {"kind": "near", "formula": formula, "when": when}


def rounding(read: str, write: str, extra: Json | None = None, shift: int = 0) -> list[Json]:
    """2 ReLU(x - 1/4 - shift) - 2 ReLU(x - 3/4 - shift), with other known directions added inside."""
    reads = {**(extra or {}), read: "1"}
    biases = [f"-{4 * shift + 1}/4", f"-{4 * shift + 3}/4"]
    return [{"reads": dict(reads), "bias": b, "writes": {write: w}} for b, w in zip(biases, ("2", "-2"), strict=True)]


def head(queries: list[Json], keys: list[Json], values: Json, temperature: str = "1/n", mask: str = "future") -> Json:
    return {
        "name": "head",
        "source": "by hand",
        "mask": mask,
        "weighting": "softmax",
        "temperature": temperature,
        "queries": queries,
        "keys": keys,
        "values": values,
    }


def certificate(
    formula: str,
    alphabet: str,
    max_n: int,
    directions: Json,
    tokens: Json,
    positions: Json,
    heads: list[Json],
    units: list[Json],
    output: str,
    errors: tuple[str, str] = ("3/50", "3/50"),
    regime: str = "temperature",
    causal: bool = False,
    bias: Json | None = None,
) -> Json:
    """One layer; every near direction gets the same bounds."""
    order = list(directions)
    bounds = [
        {"layer": 1, "head": k, "direction": d, "error_if_false": errors[0], "error_if_true": errors[1]}
        for k, one in enumerate(heads, 1)
        for d in one["values"]
        if directions[d]["kind"] == "near"
    ]
    return {
        "format": "certify-certificate",
        "version": 1,
        "claim": {
            "formula": formula,
            "alphabet": list(alphabet),
            "max_n": max_n,
            "regime": regime,
            "causal": causal,
        },
        "transformer": {
            "format": "certify-transformer",
            "version": 1,
            "alphabet": list(alphabet),
            "predicates": [],
            "directions": directions,
            "token_embedding": {s: {d: "1" for d in order if s in tokens.get(d, "")} for s in alphabet},
            "position_embedding": {d: positions[d] for d in order if d in positions},
            "layers": [{"heads": heads, "feedforward": {"units": units, "bias": bias or {}}}],
            "output": output,
        },
        "bounds": bounds,
    }


SINCE = "(Q_a | Q_b) since Q_b"


def since_certificate(max_n: int = 8, gain: int = 6, **options: Any) -> Json:
    """Temperature 1/n, scores gain (is[left -> right] + i/(2n)), value is[left & right], as in [SHA] Theorem 15."""
    directions = {
        "one": position("1"),
        "time": position("i/n"),
        "is[a]": truth("Q_a"),
        "is[b]": truth("Q_b"),
        "is[left]": truth("Q_a | Q_b"),
        "stop": truth("Q_a | Q_b -> Q_b"),
        "good": truth("(Q_a | Q_b) & Q_b"),
        "near": near(SINCE),
        "is[since]": truth(SINCE),
    }
    one = head([{"one": str(gain)}, {"one": f"{gain // 2}"}], [{"stop": "1"}, {"time": "1"}], {"near": {"good": "1"}})
    tokens = {"is[a]": "a", "is[b]": "b", "is[left]": "ab", "stop": "bc", "good": "b"}
    positions = {"one": "1", "time": "i/n"}
    units = rounding("near", "is[since]")
    return certificate(SINCE, "abc", max_n, directions, tokens, positions, [one], units, "is[since]", **options)


def causal_certificate(max_n: int = 8) -> Json:
    """Temperature 1/i^2, scores 3 (is[left -> right] - 1/j): nothing depends on n, as in [SHA] Theorem 16."""
    made = since_certificate(max_n, errors=("1/8", "1/8"), causal=True)
    model = made["transformer"]
    model["directions"]["time"] = position("-1/i")
    model["position_embedding"]["time"] = "-1/i"
    model["layers"][0]["heads"][0] |= {
        "temperature": "1/i^2",
        "queries": [{"one": "3"}, {"one": "3"}],
    }
    return made


def prev_certificate(max_n: int = 8, **options: Any) -> Json:
    """Two heads by parity, each right at one parity; at position 1 the feed-forward part gives 0."""
    directions = {
        "one": position("1"),
        "time": position("i/n"),
        "parity": position("(-1)^i"),
        "first": truth("FIRST"),
        "is[1]": truth("Q_1"),
        "at_even": near("prev Q_1", "EVEN"),
        "at_odd": near("prev Q_1", "ODD & !FIRST"),
        "is[prev]": truth("prev Q_1"),
    }
    heads = [
        head([{"one": "6"}, {"one": "6"}], [{"parity": sign}, {"time": "1/2"}], {name: {"is[1]": "1"}})
        for name, sign in (("at_even", "-1"), ("at_odd", "1"))
    ]
    positions = {"one": "1", "time": "i/n", "parity": "(-1)^i", "first": "0^(i-1)"}
    units = rounding("at_even", "is[prev]", {"parity": "1"}, shift=1)
    units += rounding("at_odd", "is[prev]", {"parity": "-1", "first": "-2"}, shift=1)
    tokens = {"is[1]": "1"}
    return certificate("prev Q_1", "01", max_n, directions, tokens, positions, heads, units, "is[prev]", **options)


def until_certificate(max_n: int = 8) -> Json:
    """Return the mirror of `since`: a past mask, and the tie broken to the left."""
    made = json.loads(json.dumps(since_certificate(max_n)).replace("since", "until"))
    made["transformer"]["layers"][0]["heads"][0] |= {"mask": "past", "keys": [{"stop": "1"}, {"time": "-1"}]}
    return made


def boolean_certificate(max_n: int = 4) -> Json:
    """No head: `Q_a | FIRST` by ReLU(a + first) - ReLU(a + first - 1), and a constant by bias."""
    formula = "Q_a | FIRST & true"
    directions = {
        "first": truth("FIRST"),
        "is[a]": truth("Q_a"),
        "true": truth("true"),
        "first too": truth("FIRST & true"),
        "out": truth(formula),
    }
    reads = {"first": "1", "is[a]": "1"}
    units = [{"reads": {"first": "1"}, "bias": "0", "writes": {"first too": "1"}}]
    units += [{"reads": dict(reads), "bias": b, "writes": {"out": w}} for b, w in (("0", "1"), ("-1", "-1"))]
    return certificate(
        formula, "ab", max_n, directions, {"is[a]": "a"}, {"first": "0^(i-1)"}, [], units, "out", bias={"true": "1"}
    )


def uniform_certificate(max_n: int = 6) -> Json:
    """Return a uniform head of each mask beside the Boolean one: the mean of j over the visible positions."""
    made = boolean_certificate(max_n)
    model = made["transformer"]
    means = {"future": "(i+1)/2", "past": "(i+n)/2", "none": "(n+1)/2"}
    model["directions"] |= {"place": position("i")} | {f"mean {m}": position(e) for m, e in means.items()}
    model["position_embedding"]["place"] = "i"
    made["claim"]["regime"] = "unstated"
    model["layers"][0]["heads"] = [head([], [], {f"mean {m}": {"place": "1"}}, "1", m) for m in means]
    return made


def next_certificate(max_n: int = 8) -> Json:
    """Return the mirror of `prev`: a past mask, the tie broken to the left, and LAST in place of FIRST."""
    made = prev_certificate(max_n)
    model = made["transformer"]
    made["claim"]["formula"] = "next Q_1"
    model["position_embedding"]["first"] = "0^(n-i)"
    model["directions"] |= {
        "first": truth("LAST"),
        "at_even": near("next Q_1", "EVEN & !LAST"),
        "at_odd": near("next Q_1", "ODD & !LAST"),
        "is[prev]": truth("next Q_1"),
    }
    for one in model["layers"][0]["heads"]:
        one["mask"] = "past"
        one["keys"][1] = {"time": "-1/2"}
    for unit in model["layers"][0]["feedforward"]["units"][:2]:
        unit["reads"] = {"parity": "1", "first": "-2", "at_even": "1"}
    return made


def cold_certificate(max_n: int = 8) -> Json:
    """`since` at one low temperature: the queries do not depend on n, and the keys do."""
    made = since_certificate(max_n)
    made["transformer"]["layers"][0]["heads"][0]["temperature"] = "1/64"
    return made


def logarithmic_certificate(max_n: int = 8, min_n: int = 2) -> Json:
    """`since` at the temperature 1/(2 n ln(n)), which is not defined at n = 1."""
    made = since_certificate(max_n)
    made["transformer"]["layers"][0]["heads"][0]["temperature"] = "1/(2*n*ln(n))"
    return starting(made, min_n)


ALL = {
    "since": since_certificate,
    "causal": causal_certificate,
    "prev": prev_certificate,
    "until": until_certificate,
    "boolean": boolean_certificate,
    "uniform": uniform_certificate,
    "next": next_certificate,
    "cold": cold_certificate,
}
