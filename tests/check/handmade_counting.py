"""Small certificates that count, written by hand from docs/reference/certificate.md."""

from collections.abc import Callable

from tests.check.handmade import Json, near, position, rounding, truth

GAIN = 6


def lookup(name: str, value: str, side: str = "#<", gain: int = GAIN) -> Json:
    """Scores gain * (2 others j - j^2 + 2j) / length: the greatest is at j = others + 1."""
    return {
        "name": name,
        "source": "by hand",
        "mask": "future" if side == "#<" else "none",
        "weighting": "softmax",
        "temperature": "1/n",
        "queries": [{f"mean {side}": str(2 * gain), f"here {side}": str(-2 * gain)}, {f"share {side}": str(gain)}],
        "keys": [{"place": "1"}, {"place": "2", "square": "-1"}],
        "values": {name: {value: "1"}},
    }


def certificate(
    formula: str,
    max_n: int,
    sides: list[str],
    more: Json,
    lookups: list[Json],
    units: list[Json],
    positions: Json,
    predicates: list[str] | None = None,
) -> Json:
    """Layer 1 counts 1 on each side exactly; layer 2 looks the counts up and decides."""
    means = {"#<": "1/i", "#>": "1/(n-i+1)"}
    directions = {"is": truth("Q_1"), "place": position("i"), "square": position("i^2")}
    embedded = {"place": "i", "square": "i^2"} | positions
    heads, products = [], []
    for side in sides:
        share = f"share {side}"
        directions |= {
            share: position(means[side]),
            f"mean {side}": {"kind": "mean", "count": f"{side}[Q_1]"},
            f"here {side}": {"kind": "product", "value": means[side], "formula": "Q_1"},
        }
        embedded[share] = means[side]
        heads.append(lookup(f"mean {side}", "is", side) | {"queries": [], "keys": []})
        heads[-1]["mask"] = {"#<": "future", "#>": "past"}[side]
        products += [
            {"reads": {share: "1"}, "bias": "0", "writes": {f"here {side}": "1"}},
            {"reads": {"is": "-1", share: "1"}, "bias": "0", "writes": {f"here {side}": "-1"}},
        ]
    directions |= more | {"out": truth(formula)}
    return {
        "format": "certify-certificate",
        "version": 1,
        "claim": {
            "formula": formula,
            "alphabet": ["0", "1"],
            "max_n": max_n,
            "regime": "temperature",
            "causal": False,
        },
        "transformer": {
            "format": "certify-transformer",
            "version": 1,
            "alphabet": ["0", "1"],
            "predicates": predicates or [],
            "directions": directions,
            "token_embedding": {"0": {}, "1": {"is": "1"}},
            "position_embedding": {d: embedded[d] for d in directions if d in embedded},
            "layers": [
                {"heads": heads, "feedforward": {"units": products, "bias": {}}},
                {"heads": lookups, "feedforward": {"units": units, "bias": {}}},
            ],
            "output": "out",
        },
        "bounds": [
            {"layer": 2, "head": k, "direction": d, "error_if_false": "1/100", "error_if_true": "1/100"}
            for k, one in enumerate(lookups, 1)
            for d in one["values"]
        ],
    }


def at_least_two(max_n: int = 5) -> Json:
    """`#<[Q_1] >= 2`: 2 ReLU(H + 3/4) - 2 ReLU(H + 1/4) of H = others + is - 2."""
    more = {"before": position("i-1"), "others": {"kind": "others", "count": "#<[Q_1]"}}
    reads = {"is": "1", "others": "1"}
    units = [{"reads": reads, "bias": b, "writes": {"out": w}} for b, w in (("-5/4", "2"), ("-7/4", "-2"))]
    return certificate(
        "#<[Q_1] >= 2", max_n, ["#<"], more, [lookup("others", "before")], units, {"before": "i-1"}
    )


def balanced(max_n: int = 5) -> Json:
    """`2*#<[Q_1] == 2*#>[Q_1] + 1 - 1`, a trapezoid of H = 2 (others left + is) - 2 (others right + is)."""
    more = {"before": position("i-1")}
    more |= {f"others {side}": {"kind": "others", "count": f"{side}[Q_1]"} for side in ("#<", "#>")}
    reads = {"others #<": "2", "others #>": "-2"}
    knees = (("3/4", "2"), ("1/4", "-2"), ("-1/4", "-2"), ("-3/4", "2"))
    units = [{"reads": reads, "bias": b, "writes": {"out": w}} for b, w in knees]
    lookups = [lookup(f"others {side}", "before", side) for side in ("#<", "#>")]
    formula = "2*#<[Q_1] == 2*#>[Q_1] + 1 - 1"
    return certificate(formula, max_n, ["#<", "#>"], more, lookups, units, {"before": "i-1"})


def exactly_two(max_n: int = 5) -> Json:
    """`#<[Q_1] == 2` by saturation: slack of both bounds, ReLU(-2H - 1/2) and ReLU(2H - 1/2), then ReLU(1 - z - z')."""
    more: Json = {"before": position("i-1"), "others": {"kind": "others", "count": "#<[Q_1]"}}
    units = []
    for relation, sign in ((">=", -2), ("<=", 2)):
        more |= {f"slack {relation}": {"kind": "slack", "formula": f"#<[Q_1] {relation} 2"}}
        units.append({"reads": {"is": str(sign), "others": str(sign)}, "bias": f"{-4 * sign - 1}/2",
                      "writes": {f"slack {relation}": "1"}})
    made = certificate("#<[Q_1] == 2", max_n, ["#<"], more, [lookup("others", "before")], units, {"before": "i-1"})
    deciding = {"reads": {"slack >=": "-1", "slack <=": "-1"}, "bias": "1", "writes": {"out": "1"}}
    made["transformer"]["layers"].append({"heads": [], "feedforward": {"units": [deciding], "bias": {}}})
    return made


def on_a_count(predicate: str = "ODD", side: str = "#<", max_n: int = 5, definition: str = "") -> Json:
    """`P(#<[Q_1])` by two lookups, one right where this position is counted and one where it is not."""
    formula = f"{predicate}({side}[Q_1])"
    brackets = {"value": f"[{predicate}]", "value before": f"[{predicate}](i-1)"}
    more = {d: position(text) for d, text in brackets.items()}
    more |= {"if here": near(formula, "Q_1"), "if not": near(formula, "!Q_1")}
    units = rounding("if here", "out", {"is": "1"}, shift=1)
    units += rounding("if not", "out", {"is": "-1"})
    lookups = [lookup("if here", "value", side), lookup("if not", "value before", side)]
    return certificate(formula, max_n, [side], more, lookups, units, brackets, [definition] if definition else [])


def gated(predicate: str = "ODD", max_n: int = 5) -> Json:
    """Return the network of `on_a_count` in which the other truth is subtracted from each lookup."""
    made = on_a_count(predicate, max_n=max_n)
    model = made["transformer"]
    model["directions"] = {"is not": truth("!Q_1"), **model["directions"]}
    model["token_embedding"]["0"] = {"is not": "1"}
    units = rounding("if here", "out", {"is not": "-1"}) + rounding("if not", "out", {"is": "-1"})
    model["layers"][1]["feedforward"]["units"] = units
    return made


THIRD = "THIRD(k) := k % 3 == 1"
FULL = "FULL(k,n) := k == n or 2*k < n and not k // 2 == 1"
ALL: dict[str, Callable[..., Json]] = {
    "at least two": at_least_two,
    "balanced": balanced,
    "exactly two": exactly_two,
    "odd": on_a_count,
    "odd by gates": lambda max_n=5: gated("ODD", max_n),
    "last": lambda max_n=5: on_a_count("LAST", "#<", max_n),
    "prime to the right": lambda max_n=5: on_a_count("PRIME", "#>", max_n),
    "third": lambda max_n=5: on_a_count("THIRD", "#<", max_n, THIRD),
    "full": lambda max_n=5: on_a_count("FULL", "#>", max_n, FULL),
}
