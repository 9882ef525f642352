"""Hostile inputs 19 to 33, numbered as in the project's list of how checkers fell; each is refused for its reason.

A record of that list that this format does not have is mapped to the nearest attack, as each docstring says.
Inputs 30 and 31 are in test_check_accepts.py; more of 22 is in test_check_robust.py.
"""

import io
import json
from pathlib import Path

import pytest

from proofs.check import Malformed, check_file, check_text, main
from proofs.check.checker.chapters.formula.families import Covered
from tests.check import handmade
from tests.check.handmade import dump, edit
from tests.check.hostile import BOUND, HEAD, MODEL, SINCE, UNITS, incomplete, malformed, rejected


@pytest.mark.parametrize(
    "number",
    ["2/4", "1/-2", "1/0", "-0", "+1", "01", " 1", "1_0", "1e3", "0x1", "\u0661", "１", "1.5", "6/1", "", "A", "0/1"],
)
def test_19_other_spellings_of_numbers(number: str) -> None:
    """19: every value has one spelling."""
    malformed(edit(SINCE, *HEAD, "queries", 0, "one", value=number), "rational|lowest terms")
    malformed(edit(SINCE, *UNITS, 0, "bias", value=number), "rational|lowest terms")
    malformed(edit(SINCE, *BOUND, "error_if_false", value=number), "rational|lowest terms")


def test_20_long_numbers() -> None:
    """20: decimals of 1001, 4301 and a million digits; long bare integers."""
    for digits in (1001, 4301, 10**6):
        malformed(edit(SINCE, *HEAD, "queries", 0, "one", value="7" * digits), "limit")
        malformed(edit(SINCE, *HEAD, "queries", 0, "one", value="1/" + "7" * digits), "limit")
    malformed(dump(SINCE).replace(b'"max_n": 5', b'"max_n": ' + b"5" * 5000), "limit")
    malformed(edit(SINCE, "claim", "max_n", value=4097), "limit")
    malformed(edit(SINCE, *HEAD, "temperature", value="9" * 301), "limit")


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1.0", "5e0", "true", "null", '"5"', "[5]"])
def test_21_not_an_integer(literal: str) -> None:
    """21: NaN, infinity, floats and Booleans as numbers, and numbers as Booleans."""
    malformed(
        dump(SINCE).replace(b'"max_n": 5', b'"max_n": ' + literal.encode()), "max_n|not an integer|not JSON|spelling"
    )
    malformed(edit(SINCE, "version", value=True), "version")
    malformed(edit(SINCE, *BOUND, "layer", value=True), "layer")
    malformed(edit(SINCE, "claim", "causal", value=0), "causal")
    malformed(edit(SINCE, *UNITS, 0, "bias", value=1), "string")
    malformed(edit(SINCE, *UNITS, 0, "bias", value=None), "string")


def test_22_json_attacks() -> None:
    """22: duplicate keys, lone surrogates, deep nesting, a byte-order mark, trailing commas, extra keys."""
    data = dump(SINCE)
    twice = data.replace(b' "version": 1,', b' "version": 1,\n "version": 1,', 1)
    malformed(twice, "line 4: not the one spelling.*no key twice")
    malformed(edit(SINCE, *HEAD, "name", value="\ud800"), "lone surrogate")
    malformed(edit(SINCE, "claim", "alphabet", value=["a", "b", "\udc00"]), "lone surrogate")
    malformed(b"[" * 10**5 + b"]" * 10**5, "limit: nested")
    malformed(b'{"a":' * 10**5, "limit: nested")
    malformed(b'{"format": ' + b'"\\"[[[[", "x": ' + b"[" * 30, "not JSON")
    malformed(b"[" * 900 + b"]" * 900, "limit: nested|not the one spelling")
    malformed(b"\xef\xbb\xbf" + data, "not ASCII")
    malformed(data[:-3] + b",\n}\n", "not JSON")
    malformed(data.replace(b'"claim"', b'"cla\\u0069m"', 1), "line 4: not the one spelling")
    malformed(json.dumps(SINCE).encode(), "not the one spelling")
    malformed(json.dumps(SINCE, indent=1).encode() + b"\r\n", "line ends are CR LF.*not the one spelling")
    malformed(data.replace(b"\n", b"\r\n"), "line ends are CR LF, expected LF only")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\n", b"\r\n"),
        (b"\n ", b"\n\t"),
        (b"near", b"ne\0ar"),
        (b"near", "n\u0435ar".encode()),
        (b": ", b":  "),
        (b"1", b"\xff"),
    ],
)
def test_23_bytes(old: bytes, new: bytes) -> None:
    """23: CRLF, tabs, NUL, bytes that are not ASCII."""
    malformed(dump(SINCE).replace(old, new), "not the one spelling|not JSON|not ASCII")


def test_23_homoglyphs() -> None:
    """23: a homoglyph of a symbol or a direction is another one, and is printed as an escape."""
    malformed(edit(SINCE, "transformer", "alphabet", value=["\u0430", "b", "c"]), r"no row for the symbol '\\u0430'")
    malformed(edit(SINCE, *HEAD, "values", value={"n\u0435ar": {"good": "1"}}), r"'n\\u0435ar': unknown")


def test_24_code_and_depth_in_formulas() -> None:
    """24: code as a formula or a symbol, 10^5 parentheses: nothing is evaluated, nothing recurses."""
    for text in (
        '__import__("os").system("x")',
        "(" * 10**5,
        "!" * 10**5 + "Q_a",
        "Q_a" + " & Q_a" * 2 * 10**5,
        "\0",
        "# x",
    ):
        malformed(edit(SINCE, "claim", "formula", value=text), "claim: formula")
    for text in ("__import__('os')", "(" * 299, "i.__class__", "lambda: i", "1 == 1", "i < 2"):
        malformed(edit(SINCE, *HEAD, "temperature", value=text), "temperature")
    symbol = '__import__("os")'
    made = json.loads(json.dumps(SINCE).replace('"c"', json.dumps(symbol)))
    check_text(dump(made))


def test_25_symbols() -> None:
    """25: a symbol listed twice, an empty symbol, a formula with a symbol that is not in the alphabet."""
    twice = edit(SINCE, "claim", "alphabet", value=["a", "b", "b"])
    malformed(edit(twice, "transformer", "alphabet", value=["a", "b", "b"]), "alphabet")
    empty = edit(SINCE, "claim", "alphabet", value=["a", "b", ""])
    malformed(edit(empty, "transformer", "alphabet", value=["a", "b", ""]), "alphabet")
    malformed(edit(SINCE, "claim", "formula", value="Q_d"), "not in the alphabet")
    malformed(edit(SINCE, "transformer", "directions", "is[a]", "formula", value="Q_d"), "not in the alphabet")


def test_26_shapes() -> None:
    """26: wrong shapes: unequal queries and keys, a missing bias, a missing token, an embedding too short."""
    malformed(edit(SINCE, *HEAD, "keys", value=[{"stop": "1"}]), "not as many queries as keys")
    malformed(edit(SINCE, *UNITS, 0, "bias", drop=True), "expected the keys")
    malformed(edit(SINCE, "transformer", "token_embedding", "c", drop=True), "token_embedding")
    malformed(edit(SINCE, "transformer", "output", value="nowhere"), "output")
    malformed(edit(SINCE, *HEAD, "values", value={}), "writes nothing")
    malformed(edit(SINCE, *HEAD, "values", value={"near": {}}), "zero entry")
    malformed(edit(SINCE, *HEAD, "queries", 0, "one", value="0"), "zero entry")
    malformed(edit(SINCE, *HEAD, "queries", 0, value={"unknown": "1"}), "unknown")
    malformed(edit(SINCE, *UNITS, 0, "reads", value={"near": "1", "one": "1"}), "unknown or misplaced")
    rejected(edit(SINCE, "transformer", "position_embedding", "time", value="1/(n-5)"), "has no value|it is")
    rejected(edit(SINCE, "transformer", "position_embedding", "time", drop=True), "token embeddings do not make it")
    extra = {"heads": [], "feedforward": {"units": [], "bias": {"is[since]": "1"}}}
    rejected(edit(SINCE, "transformer", "layers", value=[*MODEL["layers"], extra]), "written twice.* layer 2")


@pytest.mark.parametrize("name", ["is[a]", "is[left]"])
def test_27_dropped_subformula(name: str) -> None:
    """27: a direction for one subformula is dropped everywhere; the list is recomputed from the formula."""
    made = edit(SINCE, "transformer", "directions", name, drop=True)
    for symbol in "abc":
        made["transformer"]["token_embedding"][symbol].pop(name, None)
    rejected(made, "no direction means the truth of the subformula")


@pytest.mark.parametrize("value", ["2", "-2", "9/8", "-9/8"])
def test_an_embedding_just_beyond_the_bounds_of_its_regime(value: str) -> None:
    made = edit(SINCE, "transformer", "position_embedding", "time", value=value)
    rejected(edit(made, "transformer", "directions", "time", "value", value=value), "regime: it is not in -1..1")


def test_an_embedding_has_one_writer() -> None:
    """A direction that both tokens and positions write, even if one of them adds nothing wrong."""
    made = edit(SINCE, "transformer", "token_embedding", "a", value={"one": "1", "is[a]": "1", "is[left]": "1"})
    rejected(made, "a position embedding does not make it what it means")
    directions = MODEL["directions"] | {"is[a]": handmade.truth("Q_a"), "one": handmade.truth("true")}
    made = edit(SINCE, "transformer", "directions", value=directions)
    check_text(dump(made))
    made = edit(made, "transformer", "token_embedding", "c", value={"one": "1", "stop": "1"})
    rejected(made, "a position embedding does not make it what it means")


def test_a_near_direction_is_not_exact_to_a_later_head() -> None:
    """The second layer may not read what the heads of the first only approximate, in keys, values or queries."""
    made = json.loads(json.dumps(SINCE))
    model = made["transformer"]
    model["directions"] |= {"near 2": handmade.near("prev Q_b")}
    second = handmade.head([{"one": "1"}], [{"near": "1"}], {"near 2": {"good": "1"}})
    model["layers"].append({"heads": [second], "feedforward": {"units": [], "bias": {}}})
    bound = {"layer": 2, "head": 1, "direction": "near 2", "error_if_false": "1/4", "error_if_true": "1/4"}
    made["bounds"].append(bound)
    rejected(made, "layer 2, head 1.*known and truth directions only, not 'near'")
    model["layers"][1]["heads"][0] |= {"keys": [{"one": "1"}], "values": {"near 2": {"near": "1"}}}
    rejected(made, "layer 2, head 1.*known and truth directions only, not 'near'")
    model["layers"][1]["heads"][0] |= {"queries": [{"near": "1"}], "values": {"near 2": {"good": "1"}}}
    rejected(made, "layer 2, head 1.*queries read the means of 0 counts")
    model["layers"][1]["heads"][0] |= {"queries": [{"one": "1"}], "values": {"near 2": {"is[since]": "1"}}}
    rejected(made, "layer 2, head 1.*below the worst case")


def test_28_cover_by_count() -> None:
    """28: (class cover:) bounds with a missing, doubled or foreign entry, the count kept right."""
    prev = handmade.prev_certificate(3)
    for bounds in (
        prev["bounds"][:1],
        prev["bounds"] * 2,
        [prev["bounds"][0]] * 2,
        [prev["bounds"][0], {**prev["bounds"][1], "head": 1}],
        [prev["bounds"][0], {**prev["bounds"][1], "layer": 2}],
    ):
        rejected(edit(prev, "bounds", value=bounds), "bounds: expected exactly one entry")


def test_29_files(tmp_path: Path) -> None:
    """29: directories, missing files, endless devices, compressed bombs: refused; a file is read once."""
    for path in (str(tmp_path), str(tmp_path / "none"), "/dev/zero"):
        with pytest.raises(Malformed, match=r"cannot be read|limit"):
            check_file(path)
    malformed(b"\x1f\x8b" + b"\0" * 100, "not ASCII")


def test_32_unsatisfiable_guard() -> None:
    """32: (unsatisfiable hypotheses:) a guard that never holds proves nothing about the output."""
    for when in ("false", "ODD & EVEN", "FIRST", "Q_a", "prev ODD", "Q_a & Q_b", "prev (Q_a & !Q_a)"):
        made = edit(SINCE, "transformer", "directions", "near", "when", value=when)
        rejected(made, "the output changes while .*'near' goes")


def test_33_planted_violations() -> None:
    """33: a false claim from an honest writer names the place and the figures."""
    rejected(
        edit(SINCE, *HEAD, "values", "near", value={"stop": "1"}),
        r"layer 1, head 1, direction 'near': error_if_false 3/50 is below the worst case at n = 5, i = 1",
    )
    wrong = edit(SINCE, *HEAD, "keys", value=[{"stop": "1"}, {"time": "-1"}])
    rejected(wrong, r"below the worst case at n = \d, i = \d")
    rejected(edit(SINCE, *HEAD, "values", "near", value={"good": "2"}), "a value can be 2, expected 0 to 1")
    rejected(edit(SINCE, *HEAD, "values", "near", value={"good": "-1"}), "a value can be -1, expected 0 to 1")
    boolean = handmade.boolean_certificate(3)
    rejected(edit(boolean, *UNITS, 2, drop=True), "the output is 2, expected 1")
    uniform = handmade.uniform_certificate(4)
    rejected(edit(uniform, *HEAD, "mask", value="past"), "the mean is .*, expected .*, at n = 2, i = 1")
    value = edit(uniform, *HEAD, "values", "mean future", value={"is[a]": "1"})
    rejected(value, "Q_a is not determined by the directions read")
    made = edit(uniform, *HEAD, "queries", value=[{"place": "1"}])
    rejected(edit(made, *HEAD, "keys", value=[{"place": "1"}]), "not all equal at n = 2, i = 2")
    rejected(edit(made, *HEAD, "keys", value=[{"is[a]": "1"}]), "Q_a is not determined by the directions read")
    rejected(edit(SINCE, *HEAD, "queries", 0, value={"one": "6", "good": "1"}), "queries read the means of 0 counts")
    symbol_only = edit(SINCE, "transformer", "directions", "near", "formula", value="Q_a & Q_b")
    rejected(symbol_only, "no temporal operator of its own")


def test_nested_temporal_operators_need_their_own_automaton() -> None:
    """A target with `prev` inside `since` is decided by a product automaton, and `until` inside is refused."""
    directions = MODEL["directions"] | {"near": handmade.near("(Q_a | Q_b) since prev Q_b")}
    rejected(edit(SINCE, "transformer", "directions", value=directions), "below the worst case")
    directions = MODEL["directions"] | {"near": handmade.near("(Q_a | Q_b) since next Q_b")}
    rejected(edit(SINCE, "transformer", "directions", value=directions), "neither read nor decided by this mask")


def test_too_many_atoms_are_refused() -> None:
    """More than 8 atoms in a head, more than 12 in a feed-forward output."""
    symbols = [chr(97 + k) for k in range(14)]
    names = {f"is[{s}]": handmade.truth(f"Q_{s}") for s in symbols}
    some = " | ".join(f"Q_{s}" for s in symbols)
    directions = names | {"near": handmade.near(f"true since {symbols_or(symbols)}"), "out": handmade.truth(some)}
    head = handmade.head([], [], {"near": dict.fromkeys(names, "1/14")})
    units = [
        {"reads": dict.fromkeys(names, "1"), "bias": b, "writes": {"out": w}} for b, w in (("0", "1"), ("-1", "-1"))
    ]
    tokens = {f"is[{s}]": s for s in symbols}
    parts = [" | ".join(f"Q_{s}" for s in symbols[:k]) for k in range(2, 14)]
    for k, part in enumerate(parts):
        directions = {f"part {k}": handmade.truth(part)} | directions
        tokens[f"part {k}"] = "".join(symbols[: k + 2])
    made = handmade.certificate(some, "".join(symbols), 2, directions, tokens, {}, [head], units, "out")
    rejected(made, "14 atoms, expected at most 8")
    del directions["near"]
    made = handmade.certificate(some, "".join(symbols), 2, directions, tokens, {}, [], units, "out")
    rejected(made, "14 atoms, expected at most 12")


def symbols_or(symbols: list[str]) -> str:
    return "(" + " | ".join(f"Q_{s}" for s in symbols) + ")"


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file cannot ask for endless work, memory or integers: each ends at a limit."""
    monkeypatch.setattr("proofs.check.checker.kernel.budget.DEFAULT_STEPS", 1000)
    incomplete(SINCE, "more than 1000 steps of work; --work 10 allows more")
    monkeypatch.undo()
    monkeypatch.setattr("proofs.check.checker.kernel.budget.DEFAULT_HELD_BITS", 1 << 14)
    incomplete(SINCE, "more than 0 MB of memory")
    monkeypatch.undo()
    monkeypatch.setattr("proofs.check.checker.kernel.weights.MAX_SPREAD_BITS", 100)
    incomplete(SINCE, "the spread of the scores")
    monkeypatch.undo()
    monkeypatch.setattr("proofs.check.checker.kernel.numbers.MAX_RATIONAL_BITS", 4)
    incomplete(SINCE, "a rational of more than 4 bits")


def test_a_missed_row_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are compared at the end: a part that checks less than everything cannot lead to acceptance."""
    chapter = "proofs.check.checker.chapters.formula"
    monkeypatch.setattr(f"{chapter}.attention.attention.check_attention", lambda *_: Covered(14, guarded=14))
    rejected(SINCE, "covered 14 rows, expected 15")
    monkeypatch.setattr(f"{chapter}.feed_forward.by_cases.check_by_cases", lambda *_: Covered(0))
    rejected(SINCE, "covered")


def test_output_shows_no_verdict_twice(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input that is not a certificate: one line."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["/dev/null"]) == 2
    assert capsys.readouterr().out.count("\n") == 1
