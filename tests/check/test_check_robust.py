"""Truncations, mutations and deep nesting: whatever is accepted is also true when the transformer is run."""

import json
import random
from typing import Any

import pytest

from proofs.check import Incomplete, Malformed, Rejected, check_text
from proofs.check.checker.kernel.reading import document
from tests.check import brute, handmade
from tests.processes import ROOT


def verdict(data: bytes) -> str:
    try:
        check_text(data)
    except Malformed:
        return "malformed"
    except Incomplete as error:
        assert "could not be completed" not in str(error), error
        return "incomplete"
    except Rejected as error:
        assert "\n" not in str(error)
        return "rejected"
    return "accepted"


def pin(made: handmade.Json) -> str:
    """All that a certificate says apart from text for people and the order in which units are listed."""
    copy: Any = json.loads(json.dumps(made))
    for layer in copy["transformer"]["layers"]:
        layer["feedforward"]["units"].sort(key=json.dumps)
        for head in layer["heads"]:
            head["name"] = head["source"] = ""
    return json.dumps(copy)


@pytest.mark.parametrize("name", handmade.ALL)
def test_the_handmade_certificates_are_true(name: str) -> None:
    assert brute.find_fault(handmade.ALL[name](4)) is None


def test_the_second_opinion_sees_faults() -> None:
    made = handmade.edit(handmade.since_certificate(3), "bounds", 0, "error_if_false", value="1/100")
    assert brute.find_fault(made)
    path = ("transformer", "layers", 0, "feedforward", "units", 0, "bias")
    assert brute.find_fault(handmade.edit(handmade.prev_certificate(3), *path, value="-1"))


@pytest.mark.parametrize("name", ["since", "prev", "uniform"])
def test_every_truncation_is_refused(name: str) -> None:
    data = handmade.dump(handmade.ALL[name](3))
    places = {*range(0, len(data), 7), *(k for k, c in enumerate(data) if c == 10)} - {len(data)}
    assert len(places) > 400
    for place in places:
        assert verdict(data[:place]) == "malformed"


@pytest.mark.parametrize("name", ["since", "prev", "until", "boolean"])
def test_lines_cannot_be_dropped_doubled_or_swapped(name: str) -> None:
    original = handmade.ALL[name](3)
    lines = handmade.dump(original).split(b"\n")[:-1]
    for k in range(len(lines)):
        swapped = lines[:k] + lines[k : k + 2][::-1] + lines[k + 2 :]
        for changed in (lines[:k] + lines[k + 1 :], [*lines[: k + 1], *lines[k:]], swapped):
            data = b"\n".join(changed) + b"\n"
            if changed != lines and verdict(data) == "accepted":
                assert pin(json.loads(data)) == pin(original)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(4))
def test_single_character_mutations(seed: int) -> None:
    """Accepted only if the file is the same, or says something else that is also true."""
    rng = random.Random(seed)
    original = list(handmade.ALL.values())[seed](3)
    data = handmade.dump(original)
    counts = {"accepted": 0, "rejected": 0, "malformed": 0, "incomplete": 0}
    inside = [k for k, c in enumerate(data) if chr(c).isdigit()]
    for k in range(240):
        place = rng.randrange(len(data)) if k % 2 else rng.choice(inside)
        byte = rng.choice(b'0123456789-/"{}[],: abcinINS()&|!\n\x00\xff' if k % 2 else b"0123456789abin")
        changed = data[:place] + bytes([byte]) + data[place + rng.choice((0, 1)) :]
        if changed != data:
            result = verdict(changed)
            counts[result] += 1
            if result == "accepted" and pin(made := json.loads(changed)) != pin(original):
                assert brute.find_fault(handmade.edit(made, "claim", "max_n", value=3)) is None
    assert counts["rejected"] > 12
    assert counts["malformed"] > 120


def rationals(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of the rationals in the transformer."""
    if isinstance(part, dict):
        skip = (
            "directions",
            "position_embedding",
            "name",
            "source",
            "mask",
            "weighting",
            "temperature",
            "output",
            "alphabet",
        )
        return [p for key, inner in part.items() if key not in skip for p in rationals(inner, (*path, key))]
    if isinstance(part, list):
        return [p for key, inner in enumerate(part) for p in rationals(inner, (*path, key))]
    return [path] if isinstance(part, str) and path[-1] != "format" else []


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", handmade.ALL)
def test_changed_weights(name: str) -> None:
    """Every rational changed in several ways: what is still accepted is still true."""
    original = handmade.ALL[name](3)
    results = []
    places = rationals(original["transformer"])
    assert len(places) > 5
    for place in places:
        for change in ("-1", "1/3", "7", "2", "-1/4", "100", "", "x"):
            made = handmade.edit(original, "transformer", *place, value=change)
            results.append(verdict(handmade.dump(made)))
            if results[-1] == "accepted" and made != original:
                assert brute.find_fault(made) is None
        made = handmade.edit(original, "transformer", *place, drop=True)
        results.append(verdict(handmade.dump(made)))
        assert results[-1] != "accepted" or brute.find_fault(made) is None
    assert results.count("rejected") > len(results) / 3


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", handmade.ALL)
def test_changed_expressions_and_meanings(name: str) -> None:
    original = handmade.ALL[name](3)
    model = original["transformer"]
    edits: list[tuple[tuple[Any, ...], Any]] = []
    for d, meaning in model["directions"].items():
        edits += [(("directions", d, "value"), e) for e in ("0", "i", "n", "1/i", "1/(i-2)") if "value" in meaning]
        if "formula" in meaning:
            formulas = (
                "true",
                "false",
                "Q_1",
                "Q_a",
                "Q_b",
                "ODD",
                "prev Q_a",
                "Q_a since Q_b",
                "Q_b since Q_a",
                "!Q_a",
            )
            edits += [(("directions", d, "formula"), f) for f in formulas]
        edits += [(("directions", d, "when"), f) for f in ("true", "EVEN", "!FIRST", "LAST") if "when" in meaning]
    edits += [
        (("position_embedding", d), e) for d in model["position_embedding"] for e in ("0", "i/n", "1/2", "n", "-i")
    ]
    for k in range(len(model["layers"][0]["heads"])):
        place = ("layers", 0, "heads", k)
        edits += [((*place, "temperature"), e) for e in ("1", "1/n^2", "2/n", "i", "1/2", "n-i", "0")]
        edits += [((*place, "mask"), m) for m in ("none", "future", "past")]
        edits += [((*place, "queries"), []), ((*place, "keys"), [])]
    edits += [(("output",), d) for d in model["directions"]]
    rejected = 0
    for path, value in edits:
        made = handmade.edit(original, "transformer", *path, value=value)
        result = verdict(handmade.dump(made))
        rejected += result != "accepted"
        assert result != "accepted" or brute.find_fault(made) is None, (path, value)
    assert rejected > len(edits) / 2


@pytest.mark.parametrize("opening", ["[", '{"a":', "[[", '{"a":[', '["', "\\", '"\\'])
def test_deep_nesting_never_recurses(opening: str) -> None:
    assert verdict((opening * 100_000).encode()) == "malformed"


def test_random_bytes() -> None:
    rng = random.Random(5)
    for _ in range(300):
        assert verdict(rng.randbytes(rng.randrange(200))) == "malformed"
        text = "".join(rng.choice('{}[]",: \n01tfn"format"') for _ in range(rng.randrange(100)))
        assert verdict(text.encode()) == "malformed"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("value", [None, True, 77, "x", [], {}, [[]], {"kind": []}, [None], {"a": 1}, 1, "1"])
def test_every_place_survives_every_type(value: object) -> None:
    """Any JSON value at any place is refused in order, never by an exception from within."""
    original = handmade.since_certificate(2)

    def places(part: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        return [path] * bool(path) + [p for key, inner in items for p in places(inner, (*path, key))]

    for path in places(original):
        made = handmade.edit(original, *path, value=value)
        if verdict(handmade.dump(made)) == "accepted":
            assert type(made) is dict and brute.find_fault(made) is None


# -- depth -------------------------------------------------------------------------------------------------------------


def why_malformed(data: bytes) -> str:
    with pytest.raises(Malformed) as refusal:
        check_text(data)
    return str(refusal.value)


def test_brackets_are_counted_before_anything_is_read() -> None:
    """So the reason is the same whatever limits of recursion there are."""
    too_deep = "limit: nested too deep"
    assert why_malformed(b"[" * 65) == why_malformed(b"[" * 1_000_000) == why_malformed(b'{"a":' * 65) == too_deep
    assert why_malformed(b"[" * 64).startswith("not JSON: ")
    assert why_malformed(b"[]" * 100).startswith("not JSON: ")
    assert why_malformed(b"]" * 100 + b"[" * 100).startswith("not JSON: ")
    for text in ('["' + "[" * 100 + '"]', '["\\"' + "[" * 100 + '"]', '["\\\\' + "[" * 100 + '"]'):
        assert why_malformed(text.encode()).startswith(("line 1: not the one spelling", "not JSON: "))
    assert why_malformed(("[" * 64 + '"' + "[" * 100 + '"').encode()).startswith("not JSON: ")


def test_a_string_that_does_not_end_is_read_once() -> None:
    """Reading it again from each quotation mark would take hours."""
    assert why_malformed(b'["' + b'\\"' * 1_000_000).startswith("not JSON: ")
    assert why_malformed(b'["' + b"\\\n" * 1_000_000 + b'"').startswith("not JSON: ")


def depth_of(value: object) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(depth_of, parts), default=0)


def test_the_depth_that_is_counted_is_that_of_what_json_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_DEPTH", 3)
    chance = random.Random(7)

    def value(left: int) -> object:
        kind = chance.randrange(4) if left else 3
        if kind == 0:
            return [value(left - 1) for _ in range(chance.randrange(3))]
        if kind == 1:
            return {text(): value(left - 1) for _ in range(chance.randrange(3))}
        return text() if kind == 2 else chance.randrange(10)

    def text() -> str:
        return "".join(chance.choices('[]{}"\\,:\n\u00e9a', k=chance.randrange(6)))

    seen = set()
    for _ in range(600):
        made = value(6)
        deep = depth_of(made) > 3
        seen.add(deep)
        written = json.dumps(made)
        if deep:
            with pytest.raises(Malformed, match="nested too deep"):
                document.expect_shallow(written)
        else:
            document.expect_shallow(written)
    assert seen == {True, False}


def test_what_is_accepted_is_nowhere_near_the_limit() -> None:
    paths = sorted((ROOT / "tests" / "corpus" / "accepted").glob("*.cert"))
    assert paths and max(depth_of(json.loads(path.read_bytes())) for path in paths) == 9
