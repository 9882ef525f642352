"""Small certificates written by hand, of networks for low precision; nothing here comes from the producer."""

from tests.check.handmade import SINCE, Json, certificate, edit, head, near, position, prev_certificate, truth

STEPS = (("-1/4", "2"), ("-3/4", "-2"))  # biases and writes of Lemma 9


def exact_since(max_n: int = 4, gain: str = "4", errors: tuple[str, str] = ("3/50", "3/50")) -> Json:
    """Scores gain (j + n [left -> right]), which are integers: exact wherever they fit."""
    directions = {
        "one": position("1"),
        "n": position("n"),
        "i": position("i"),
        "is[a]": truth("Q_a"),
        "is[b]": truth("Q_b"),
        "is[left]": truth("Q_a | Q_b"),
        "stop": truth("Q_a | Q_b -> Q_b"),
        "good": truth("(Q_a | Q_b) & Q_b"),
        "near": near(SINCE),
        "is[since]": truth(SINCE),
    }
    one = head([{"n": gain}, {"one": gain}], [{"stop": "1"}, {"i": "1"}], {"near": {"good": "1"}}, "1")
    tokens = {"is[a]": "a", "is[b]": "b", "is[left]": "ab", "stop": "bc", "good": "b"}
    positions = {"one": "1", "n": "n", "i": "i"}
    units = [{"reads": {"near": "1"}, "bias": b, "writes": {"is[since]": w}} for b, w in STEPS]
    made = certificate(SINCE, "abc", max_n, directions, tokens, positions, [one], units, "is[since]", errors)
    return edit(made, "claim", "regime", value="position")


def gated_prev(max_n: int = 4) -> Json:
    """`prev` by two heads, whose gates only subtract truths."""
    made = prev_certificate(max_n)
    model = made["transformer"]
    model["directions"] = {
        name: meaning
        for one, meant in model["directions"].items()
        for name, meaning in (
            [("even", truth("EVEN")), ("odd", truth("ODD")), (one, meant)] if one == "first" else [(one, meant)]
        )
    }
    placed = model["position_embedding"]
    model["position_embedding"] = {
        name: "[EVEN]" if name == "even" else "[ODD]" if name == "odd" else placed[name]
        for name in model["directions"]
        if name in placed or name in ("even", "odd")
    }
    gates = {"at_even": {"odd": "-1"}, "at_odd": {"even": "-1", "first": "-1"}}
    order = list(model["directions"])
    model["layers"][0]["feedforward"]["units"] = [
        {
            "reads": dict(sorted({**gate, name: "1"}.items(), key=lambda entry: order.index(entry[0]))),
            "bias": b,
            "writes": {"is[prev]": w},
        }
        for name, gate in gates.items()
        for b, w in STEPS
    ]
    return made
