"""Small certificates with weightings other than softmax, written by hand from docs/reference/certificate.md."""

import copy
from collections.abc import Sequence

from tests.check.handmade import SINCE, Json, certificate, near, position, rounding, truth

ADDITIVE = ("relu", "relu-over-n", "sigmoid")
STEEP = 4  # what sigmoids multiply distances by
TOKENS = {"one": "01", "is": "1"}


def other(made: Json, weighting: str, error: str | None = None) -> Json:
    """Return the same with all heads of this weighting, and with these bounds."""
    changed = copy.deepcopy(made)
    for layer in changed["transformer"]["layers"]:
        for head in layer["heads"]:
            head["weighting"] = weighting
    for bound in changed["bounds"] if error is not None else ():
        bound |= {"error_if_false": error, "error_if_true": error}
    return changed


def head(weighting: str, queries: list[Json], keys: list[Json], values: Json, mask: str = "future") -> Json:
    tau = "1/n" if weighting == "relu-over-n" else "1"
    return {"name": "head", "source": "by hand", "mask": mask, "weighting": weighting, "temperature": tau,
            "queries": queries, "keys": keys, "values": values}


def counting(weighting: str, name: str, value: str, mask: str = "future") -> Json:
    """Every position weighs 1 (or, of sigmoid, 1/2)."""
    if weighting == "sigmoid":
        return head(weighting, [], [], {name: {value: "2"}}, mask)
    return head(weighting, [{"one": "1"}], [{"one": "1"}], {name: {value: "1"}}, mask)


def selecting(weighting: str, name: str, total: str, value: str, distance: int, mask: str = "future") -> list[Json]:
    """Heads that weigh the difference d of totals by 1 where d is the distance, else by (almost) 0."""
    if weighting == "sigmoid":
        steps = [(2 * distance + 1, "1"), (2 * distance - 1, "-1")]
        scores = [(f"-{STEEP}", f"{STEEP * k // 2}", f"{STEEP}", c) for k, c in steps]
    else:
        steps = [(1, "1")] if distance == 0 else [(2, "1"), (1, "-2")]
        scores = [("-1", str(k), "1", c) for k, c in steps]
    return [head(weighting, [{"one": start, total: down}, {"one": "1"}], [{"one": "1"}, {total: up}],
                 {name: {value: c}}, mask) for down, start, up, c in scores]


def layered(made: Json, layers: Sequence[tuple[list[Json], list[Json]]], error: str = "1/4") -> Json:
    """Return the layers with their heads and units, and a bound for each near direction, at its first head."""
    meanings = made["transformer"]["directions"]
    order = list(meanings)
    parts = [{"heads": heads, "feedforward": {"units": units, "bias": {}}} for heads, units in layers]
    for one in (one for heads, _ in layers for one in heads):
        for rows in (one["queries"], one["keys"]):
            rows[:] = [{d: row[d] for d in order if d in row} for row in rows]
    for unit in (unit for _, units in layers for unit in units):
        unit["reads"] = {d: unit["reads"][d] for d in order if d in unit["reads"]}
    first: dict[str, tuple[int, int]] = {}
    for number, (heads, _) in enumerate(layers, 1):
        for place, one in enumerate(heads, 1):
            for d in one["values"]:
                first.setdefault(d, (number, place))
    made["transformer"]["layers"] = parts
    made["bounds"] = [{"layer": layer, "head": place, "direction": d, "error_if_false": error, "error_if_true": error}
                      for d, (layer, place) in first.items() if meanings[d]["kind"] == "near"]
    return made


def exact_or_near(weighting: str, formula: str) -> tuple[Json, list[Json]]:
    """Return the output of a selecting head: the truth `out`; for sigmoid it is near, and rounded."""
    if weighting == "sigmoid":
        return {"near": near(formula), "out": truth(formula)}, rounding("near", "out")
    return {"out": truth(formula)}, []


def since_by_counts(weighting: str, max_n: int = 5, mirrored: bool = False) -> Json:
    """Return a network that counts deciding positions up to each, and looks up the last of them."""
    formula, side, mask = (SINCE.replace("since", "until"), "#>", "past") if mirrored else (SINCE, "#<", "future")
    written, units = exact_or_near(weighting, formula)
    directions = {
        "one": truth("true"), "is[a]": truth("Q_a"), "is[b]": truth("Q_b"), "is[left]": truth("Q_a | Q_b"),
        "stop": truth("Q_a | Q_b -> Q_b"), "good": truth("(Q_a | Q_b) & Q_b"),
        "stops": {"kind": "total", "count": f"{side}[Q_a | Q_b -> Q_b]"}} | written
    tokens = {"one": "abc", "is[a]": "a", "is[b]": "b", "is[left]": "ab", "stop": "bc", "good": "b"}
    made = certificate(formula, "abc", max_n, directions, tokens, {}, [], [], "out", causal=False)
    heads = selecting(weighting, next(iter(written)), "stops", "good", 0, mask)
    return layered(made, [([counting(weighting, "stops", "stop", mask)], []), (heads, units)])


def prev_by_counts(weighting: str, max_n: int = 5, mirrored: bool = False) -> Json:
    """All positions are counted, and the neighbour is at distance 1."""
    formula, side, mask = ("next Q_1", "#>", "past") if mirrored else ("prev Q_1", "#<", "future")
    written, units = exact_or_near(weighting, formula)
    directions = {"one": truth("true"), "is": truth("Q_1"),
                  "place": {"kind": "total", "count": f"{side}[true]"}} | written
    made = certificate(formula, "01", max_n, directions, TOKENS, {}, [], [], "out")
    heads = selecting(weighting, next(iter(written)), "place", "is", 1, mask)
    return layered(made, [([counting(weighting, "place", "one", mask)], []), (heads, units)])


def odd_by_counts(weighting: str, max_n: int = 5, side: str = "#<") -> Json:
    """`ODD(#<[Q_1])`: the position of the number of others and one more is looked for; of `#>`, unmasked."""
    formula, mask = f"ODD({side}[Q_1])", {"#<": "future", "#>": "past"}[side]
    directions = {
        "one": truth("true"), "is": truth("Q_1"), "place": position("i"), "value": position("[ODD]"),
        "value before": position("[ODD](i-1)"), "ones": {"kind": "total", "count": f"{side}[Q_1]"},
        "if here": near(formula, "Q_1"), "if not": near(formula, "!Q_1"), "out": truth(formula)}
    embedded = {"place": "i", "value": "[ODD]", "value before": "[ODD](i-1)"}
    made = certificate(formula, "01", max_n, directions, TOKENS, embedded, [], [], "out", regime="unstated")
    if weighting == "sigmoid":
        steps = [(STEEP, STEEP + STEEP // 2, "127/128"), (STEEP, STEEP - STEEP // 2, "-127/128")]
    else:
        steps = [(1, 2, "1"), (1, 1, "-2"), (1, 0, "1")]
    heads = []
    for slope, start, c in steps:
        query = {"one": str(start), "is": str(-slope), "ones": str(slope)}
        if start == 0:
            del query["one"]
        heads.append(head(weighting, [query, {"one": "1"}], [{"one": "1"}, {"place": str(-slope)}],
                          {"if here": {"value": c}, "if not": {"value before": c}},
                          "future" if side == "#<" else "none"))
    units = rounding("if here", "out", {"is": "1"}, shift=1) + rounding("if not", "out", {"is": "-1"})
    return layered(made, [([counting(weighting, "ones", "is", mask)], []), (heads, units)])


def since_by_steps(weighting: str = "geometric", max_n: int = 5, mirrored: bool = False) -> Json:
    """Scores 4 where a position decides, and -4 elsewhere; the row itself is added by the feed-forward part."""
    formula, step, mask = (SINCE.replace("since", "until"), "next", "past") if mirrored else (SINCE, "prev", "future")
    directions = {
        "one": truth("true"), "is[a]": truth("Q_a"), "is[b]": truth("Q_b"), "is[left]": truth("Q_a | Q_b"),
        "stop": truth("Q_a | Q_b -> Q_b"), "good": truth("(Q_a | Q_b) & Q_b"),
        "near": near(f"{step} ({formula})"), "out": truth(formula)}
    tokens = {"one": "abc", "is[a]": "a", "is[b]": "b", "is[left]": "ab", "stop": "bc", "good": "b"}
    made = certificate(formula, "abc", max_n, directions, tokens, {}, [], [], "out", regime="position")
    one = head(weighting, [{"one": "1"}], [{"one": "-4", "stop": "8"}], {"near": {"good": "1"}}, mask)
    units = rounding("near", "out", {"is[left]": "1", "is[b]": "-1"}, shift=1)  # shut, but if left holds without right
    units += [{"reads": {"is[left]": "1", "is[b]": "1"}, "bias": "-1", "writes": {"out": "1"}}]
    return layered(made, [([one], units)])


def prev_by_steps(weighting: str = "stick-breaking", max_n: int = 5, mirrored: bool = False) -> Json:
    """All scores are 2: the neighbour weighs more than 3/4."""
    formula, mask = ("next Q_1", "past") if mirrored else ("prev Q_1", "future")
    directions = {"one": truth("true"), "is": truth("Q_1"), "near": near(formula), "out": truth(formula)}
    made = certificate(formula, "01", max_n, directions, TOKENS, {}, [], [], "out", regime="position",
                       causal=not mirrored)
    one = head(weighting, [{"one": "1"}], [{"one": "2"}], {"near": {"is": "1"}}, mask)
    return layered(made, [([one], rounding("near", "out"))])
