"""The outputs of a network on every input of a claim, from the two JSON objects, independently of the product.

The formats are those of docs/reference/trained.md, section 2 (networks) and docs/reference/tracks.md, sections 3 and 4.
"""

import base64
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Document = dict[str, Any]
SQRT_2_OVER_PI = float.fromhex("0x1.9884533d43651p-1")


def ratio(text: str) -> float:
    """Return a rational or decimal number that is written out."""
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


class PlainNetwork:
    """Logits of sequences of tokens [inputs, places], one place after another. ``tops`` are the greatest scores
    [inputs, places] of each head of the last attention step."""

    def __init__(self, document: Document) -> None:
        self.document, self.flat, self.tops = document, dict[str, Array](), list[Array]()
        for name, tensor in document["tensors"].items():
            data = base64.b64decode(tensor["data"])
            if tensor["format"] == "bfloat16":
                numbers = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
            else:
                kinds = {"binary64": "<f8", "binary32": "<f4", "binary16": "<f2"}
                numbers = np.frombuffer(data, kinds[tensor["format"]])
            self.flat[name] = numbers.astype(np.float64)

    def table(self, view: Document) -> Array:
        """Return a matrix or vector, element by element."""
        flat, start, strides = self.flat[view["tensor"]], view["start"], view["strides"]
        places = sum(np.arange(size).reshape([-1 if axis == k else 1 for k in range(len(strides))]) * stride
                     for axis, (size, stride) in enumerate(zip(view["shape"], strides, strict=True)))
        return np.asarray(flat[start + np.asarray(places)])

    def affine(self, affine: Document, x: Array) -> Array:
        bias = 0 if affine["bias"] is None else self.table(affine["bias"])
        return np.asarray(np.einsum("...i,ij->...j", x, self.table(affine["weight"])) + bias)

    def norm(self, norm: Document | None, x: Array) -> Array:
        if norm is None:
            return x
        x = self.affine(norm["of"], x) if norm.get("of") else x
        x = x - x.mean(axis=-1, keepdims=True) if norm["kind"] == "layer" else x
        y = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + ratio(norm["epsilon"]))
        y = y if norm["gain"] is None else y * self.table(norm["gain"])
        return y if norm["bias"] is None else y + self.table(norm["bias"])

    def turned(self, rotary: Document | None, x: Array, offset: int) -> Array:
        if rotary is None:
            return x
        cosines, sines, y = self.table(rotary["cosines"]), self.table(rotary["sines"]), x.copy()
        pairs, rows = cosines.shape[1], offset + np.arange(x.shape[1])
        for r in range(pairs):
            first, second = (r, r + pairs) if rotary["pairing"] == "halves" else (2 * r, 2 * r + 1)
            y[..., first] = x[..., first] * cosines[rows, r] - x[..., second] * sines[rows, r]
            y[..., second] = x[..., second] * cosines[rows, r] + x[..., first] * sines[rows, r]
        return y

    def written(self, step: Document, x: Array, offset: int) -> list[Array]:
        """Return the output of each head, [inputs, places, width]."""
        scale = step["scale"]
        times = ratio(scale["times"]) if "times" in scale else 1 / math.sqrt(scale["root"])
        read, found, cap = self.norm(step["norm"], x), [], ratio(step["cap"]) if "cap" in step else None
        self.tops = []
        for head in step["heads"]:
            queries, keys = (self.turned(step["rotary"], self.affine(head[key], read), offset)
                             for key in ("query", "key"))
            values, slope = self.affine(head["value"], read), 0 if head["slope"] is None else ratio(head["slope"])
            attended, tops = [], []
            for i in range(x.shape[1]):
                seen = i + 1 if self.document["attention"] == "causal" else x.shape[1]
                products = [np.sum(queries[:, i] * keys[:, j], axis=1) * times for j in range(seen)]
                capped = [s if cap is None else cap * np.tanh(s / cap) for s in products]
                scores = [s + slope * (j - i) for j, s in enumerate(capped)]
                tops.append(np.max(scores, axis=0))
                weights = np.exp(np.array(scores) - tops[-1])
                attended.append(np.einsum("jn,njv->nv", weights / weights.sum(axis=0), values[:, :seen]))
            found.append(np.stack(attended, 1) @ self.table(head["out"]))
            self.tops.append(np.stack(tops, 1))
        return found

    def act(self, name: str, x: Array) -> Array:
        if name == "gelu-tanh":
            return np.asarray(x * sigmoid(2 * SQRT_2_OVER_PI * (x + 0.044715 * x**3)))
        simple: dict[str, Callable[[Array], Array]] = {
            "relu": lambda x: np.maximum(x, 0), "gelu": lambda x: x * np.vectorize(normal)(x),
            "silu": lambda x: x * sigmoid(x), "sigmoid": sigmoid, "tanh": np.tanh, "identity": lambda x: x}
        return np.asarray(simple[name](x))

    def units(self, step: Document, x: Array) -> Array:
        read = self.norm(step["norm"], x)
        inside = self.affine(step["in"], read)
        if step["gate"] is None:
            return self.affine(step["out"], self.act(step["activation"], inside))
        return self.affine(step["out"], self.act(step["activation"], self.affine(step["gate"], read)) * inside)

    def run(self, tokens: NDArray[np.intp], offset: int) -> tuple[Array, list[Array]]:
        """Return the logits [inputs, places, outputs], and what each head of the last attention step writes."""
        x, heads = self.table(self.document["tokens"])[tokens], list[Array]()
        if self.document["positions"] is not None:
            x = x + self.table(self.document["positions"])[offset + np.arange(tokens.shape[1])]
        for step in self.document["steps"]:
            if step["step"] == "norm":
                x = self.norm(step["norm"], x)
            elif step["step"] == "units":
                x = x + self.units(step, x)
            else:
                heads = self.written(step, x, offset)
                x = x + sum(heads) + (0 if step["bias"] is None else self.table(step["bias"]))
        return self.affine(self.document["unembedding"], x), heads


def normal(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -500, None))))


@dataclass(frozen=True)
class Played:
    """An allowed input: its columns (indices of combinations of letters), its states, its sequence of tokens."""

    columns: tuple[int, ...]
    states: tuple[int, ...]
    tokens: tuple[int, ...]


def played(claim: Document, number: int) -> Iterator[Played]:
    """Every allowed input of a form."""
    form, machine = claim["forms"][number], claim["machine"]
    letters = list(product(*[range(len(track["letters"])) for track in claim["tracks"]]))
    for columns in product(range(len(letters)), repeat=len(form["columns"])):
        states, wrote = [machine["start"]], []
        for table, column in zip(form["columns"], columns, strict=True):
            step = machine["tables"][table][states[-1]][column]
            if step is None:
                break
            states.append(step[0])
            wrote.append(step[1:])
        if len(wrote) < len(columns) or machine["end"][states[-1]] is None:
            continue
        end, tokens = machine["end"][states[-1]], []
        for place in form["layout"]:
            match place:
                case ["token", token]:
                    tokens.append(token)
                case ["track", track, column]:
                    tokens.append(claim["tracks"][track]["tokens"][letters[columns[column]][track]])
                case ["answer", track, column]:
                    tokens.append(wrote[column][track])
                case ["end", which]:
                    tokens.append(end[which])
        yield Played(columns, tuple(states), tuple(tokens))


def first_answer(form: Document) -> int:
    return next(place for place, one in enumerate(form["layout"])
                if one[0] in ("answer", "end") and place >= form.get("first", 0))


def least_of_all_inputs(network: Document, claim: Document) -> float:
    """Over all inputs of all forms and all answers: the right logit less the greatest other one of `among`."""
    plain, least = PlainNetwork(network), math.inf
    for number, form in enumerate(claim["forms"]):
        inputs = list(played(claim, number))
        if not inputs:
            continue
        tokens = np.array([one.tokens for one in inputs])
        logits, _ = plain.run(tokens[:, :-1], claim["offset"])
        for place in range(first_answer(form), tokens.shape[1]):
            for other in claim["among"]:
                mine = tokens[:, place] != other
                right = logits[mine, place - 1, tokens[mine, place]]
                least = min([least, *(right - logits[mine, place - 1, other]).tolist()])
    return least


def classes_of_ranges(network: Document, claim: Document, unit: Document) -> list[tuple[Array, Array, Array]]:
    """Return, for each class of the first form, its stated ranges [directions, 2] and the outputs of heads on its
    inputs.

    Outputs are along these directions, [inputs, directions]. Third come its least weights relative to the greatest."""
    form, inputs = claim["forms"][0], list(played(claim, 0))
    tokens = np.array([one.tokens for one in inputs])
    plain = PlainNetwork(network)
    _, heads = plain.run(tokens[:, :-1], claim["offset"])
    rows = [np.frombuffer(base64.b64decode(one), "<i4").reshape(-1, heads[0].shape[2]) / 2**30
            for one in unit["directions"]]
    along = np.concatenate([written @ turn.T for written, turn in zip(heads, rows, strict=True)], axis=2)
    classes = stated_classes(claim, form, unit["splits"], inputs)
    stated = np.frombuffer(base64.b64decode(unit["ranges"]), "<i4").reshape(len(classes), along.shape[2], 2)
    found = []
    for ends, (place, mine) in zip(stated, classes, strict=True):
        alike = tokens[:, place] == tokens[mine[0], place]
        shares = [np.exp(top[mine, place].min() - top[alike, place].max()) for top in plain.tops]
        found.append((ends / 2.0 ** unit["bits"], along[mine, place],
                      np.repeat(shares, [len(turn) for turn in rows])))
    return found


def ranges_contain_all_inputs(network: Document, claim: Document, unit: Document) -> int:
    """Check that every input is in the stated ranges of its class; return the number of classes."""
    found = classes_of_ranges(network, claim, unit)
    for ends, along, _ in found:
        assert (ends[:, 0] <= along.min(axis=0) + 1e-11).all() and (along.max(axis=0) <= ends[:, 1] + 1e-11).all()
    return len(found)


def ranges_are_attained(network: Document, claim: Document, unit: Document) -> None:
    """Some input of the class comes within 1e-6 of each end of each range, unless its weights are tiny."""
    for ends, along, share in classes_of_ranges(network, claim, unit):
        size = 1 + np.abs(ends).max(initial=0)
        room = size * (1e-6 + 2**-32 / np.maximum(share, 2**-60))
        assert (along.min(axis=0) - ends[:, 0] < room).all() and (ends[:, 1] - along.max(axis=0) < room).all()


def stated_classes(claim: Document, form: Document, splits: list[list[int]], inputs: list[Played]) -> list[
        tuple[int, NDArray[np.intp]]]:
    """Return the classes in the order of a certificate: their queries, and the inputs in each."""
    tokens, columns = np.array([one.tokens for one in inputs]), np.array([one.columns for one in inputs])
    states = np.array([one.states for one in inputs])
    queries: list[list[tuple[int, NDArray[np.intp]]]] = []
    for place in range(first_answer(form) - 1, tokens.shape[1] - 1):
        answer = form["layout"][place + 1]
        for own in may_stand(claim, form, form["layout"][place]):
            mine = np.flatnonzero(tokens[:, place] == own)
            step = states[mine, -1:] if answer[0] == "end" else np.stack(
                [states[mine, answer[2]], columns[mine, answer[2]]], axis=1)
            queries.append([(place, mine[(step == one).all(axis=1)]) for one in np.unique(step, axis=0)])
    for query, number, column in splits:
        place, whole = queries[query][number]
        queries[query][number:number + 1] = [(place, whole[columns[whole, column] == letters])
                                             for letters in np.unique(columns[whole, column])]
    return [one for query in queries for one in query]


def may_stand(claim: Document, form: Document, place: list[Any]) -> list[int]:
    """Return the possible tokens at a place: its token, the tokens of the track, or those of the tables or ends."""
    match place:
        case ["token", token]:
            return [token]
        case ["track", track, _]:
            return sorted(claim["tracks"][track]["tokens"])
        case ["answer", track, column]:
            steps = [step for row in claim["machine"]["tables"][form["columns"][column]] for step in row if step]
            return sorted({step[1 + track] for step in steps})
    return sorted({end[place[1]] for end in claim["machine"]["end"] if end is not None})
