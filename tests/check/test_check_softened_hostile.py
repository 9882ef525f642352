"""Hostile certificates of softened transformers: each is refused in one line, for its reason, before it costs much."""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs.check import Incomplete, Malformed, Refusal, Rejected, check_text, main, verdict_of
from proofs.checking.shards import read_softened_text
from tests.check.handmade import edit
from tests.check.softened_models import rounded, sealed
from tests.check.softening import Json, dump, layer, seal, transformer
from tests.covered import numbers

BASE = sealed("rounded", 3)
HEAD = ("transformer", "layers", 0, "heads", 0)
UNIT = ("transformer", "layers", 0, "feedforward", "units", 0)


def malformed(made: Json | bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason) as caught:
        check_text(made if isinstance(made, bytes) else dump(made))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000


def incomplete(made: Json, reason: str) -> None:
    with pytest.raises(Incomplete, match=reason):
        check_text(dump(made))


def verdict(data: bytes) -> str:
    try:
        check_text(data)
    except Refusal as refusal:
        assert "could not be completed" not in str(refusal) and "\n" not in str(refusal)
        return verdict_of(refusal)
    return "accepted"


def reordered(made: Json, *keys: str) -> Json:
    return {key: made[key] for key in keys}


def test_the_base_is_accepted() -> None:
    assert verdict(dump(BASE)) == "accepted"


@pytest.mark.parametrize("path", [(), ("claim",), ("transformer",), HEAD, UNIT, ("transformer", "layers", 0)])
def test_keys_are_these_in_this_order(path: tuple[Any, ...]) -> None:
    inner: Any = BASE
    for step in path:
        inner = inner[step]
    turned = dict(reversed(inner.items()))
    short = dict(list(inner.items())[1:])
    for changed in (turned, short, inner | {"x": 1}, list(inner), None, "x"):
        made: Any = edit(BASE, *path, value=changed) if path else changed
        if path or not isinstance(changed, dict):
            malformed(made, "expected the keys|format: expected|not JSON")
    whole = reordered(BASE, "format", "claim", "version", "transformer", "gaps", "errors")
    malformed(whole, "expected the keys format, version, claim, transformer, gaps, errors")


@pytest.mark.parametrize(("path", "value", "reason"), [
    (("version",), 2, "version"), (("version",), True, "version"), (("format",), "certify-soften", "format: expected"),
    (("claim", "max_n"), 0, "max_n"), (("claim", "max_n"), 5000, "max_n"), (("claim", "max_n"), "3", "max_n"),
    (("claim", "max_n"), 2, "expected 2 entries"), (("claim", "max_n"), 4, "expected 4 entries"),
    (("claim", "alphabet"), "01", "alphabet"), (("claim", "temperature"), 1, "temperature"),
    (("claim", "temperature"), "1/", "temperature"), (("claim", "temperature"), "n<1", "temperature"),
    (("claim", "temperature"), "1/" + "(" * 250 + "n", "temperature"), (("claim", "temperature"), "x", "temperature"),
    (("claim", "temperature"), "1" * 301, "limit"),
    (("gaps",), {}, "gaps"), (("gaps", 1), "2/2", "gaps: 2"), (("gaps", 1), 1, "gaps: 2"),
    (("gaps", 1), "1.0", "gaps: 2"),
    (("gaps", 1), "null", "gaps: 2"), (("gaps", 1), "01", "gaps: 2"), (("gaps", 1), "-0", "gaps: 2"),
    (("gaps", 1), False, "gaps: 2"), (("gaps", 1), "9" * 1001, "limit: 1000 digits"),
    (("gaps",), [None, "1"], "expected 3 entries"), (("gaps",), [None, "1", "1", "1"], "expected 3 entries"),
    (("errors",), None, "errors: expected a list"), (("errors",), [], "expected 3 entries"),
    (("errors", 1), [], "expected two maps per layer"), (("errors", 1), [{}], "expected two maps per layer"),
    (("errors", 1), [{}, {}, {}], "expected two maps per layer"), (("errors", 1), {}, "errors: 2: expected a list"),
    (("errors", 1, 0), [], "errors: 2: 1: expected an object"), (("errors", 1, 0), None, "expected an object"),
    (("errors", 1, 0), {"far": "1/9"}, "'far': unknown or misplaced"),
    (("errors", 1, 0), {"near": "1/9", "is": "1/9"}, "'is': unknown or misplaced"),
    (("errors", 1, 0), {"near": "0"}, "a zero entry is left out"), (("errors", 1, 0), {"near": 0}, "a rational"),
    (("errors", 1, 0), {"near": "0/1"}, "a rational in lowest terms"),
    (("errors", 1, 0), {"near": "1e-9"}, "a rational"),
    (("errors", 1, 0), {"near": "1/" + "9" * 1001}, "limit: 1000 digits"),
    (("errors", 1, 0), {"near": "+1"}, "a rational"),
    ((*HEAD, "weighting"), "hardmax", "weighting"), ((*HEAD, "mask"), "strict", "mask"),
    ((*HEAD, "queries"), [], "not as many queries as keys"),
    ((*HEAD, "values"), {}, "layers: 1: heads: 1: it writes nothing"),
    ((*UNIT, "reads"), {"far": "1"}, "'far': unknown or misplaced"), (("transformer", "output"), "far", "output"),
])
def test_the_format_is_read_strictly(path: tuple[Any, ...], value: Any, reason: str) -> None:
    malformed(edit(BASE, *path, value=value), reason)


def test_the_alphabets_are_one_and_its_symbols_differ() -> None:
    assert verdict(dump(edit(BASE, "claim", "alphabet", value=[]))) == "malformed"
    assert verdict(dump(edit(BASE, "claim", "alphabet", value=["1", "0"]))) == "rejected"
    for symbols in ([], ["0", "0"], ["0", ""]):
        both = edit(edit(BASE, "claim", "alphabet", value=symbols), "transformer", "alphabet", value=symbols)
        malformed(both, "alphabet: expected at least one symbol, none empty, each once")
    malformed(edit(BASE, "transformer", "token_embedding", "1", drop=True), "no row for the symbol '1'")


@pytest.mark.parametrize("name", ["min_n", "max_n", "format", "heads", "temperature", "alphabet", "true"])
def test_a_symbol_may_have_any_name_and_needs_a_row(name: str) -> None:
    model = rounded() | {"alphabet": [name, "1"], "token_embedding": {name: {"one": "1"}, "1": {"one": "1", "is": "1"}}}
    made = seal(model, 2, "1/20")
    assert numbers(check_text(dump(made)))["words"] == 6
    malformed(edit(made, "transformer", "token_embedding", name, drop=True), f"no row for the symbol '{name}'")


@pytest.mark.parametrize("name", ["head\naccepted: all", "\x1b[2J", "x" * 5000, "\u202eeman", "'", "{}", "%s"])
def test_names_of_a_file_are_quoted(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    symbols = {"alphabet": [name, "1"], "token_embedding": {name: {"one": "1"}, "1": {"one": "1", "is": "1"}}}
    made = seal(rounded() | symbols, 2, "1/20")
    tied = edit(edit(made, *HEAD, "name", value=name), *HEAD, "keys", 0, value={"is": "1", "near": "1"})
    tied = edit(tied, *HEAD, "weighting", value="leftmost-hardmax")
    for number, one in enumerate((made, tied, edit(made, "gaps", 1, value="2"))):
        path = tmp_path / str(number)
        path.write_bytes(dump(one))
        assert main([str(path)]) == min(number, 1)
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1].startswith(("accepted: ", "rejected: "))
        assert all(line.isascii() and line.isprintable() for line in lines)
        shortened = [line for line in lines if not line.startswith("alphabet ")]  # that is a part of the claim
        assert all(len(line) < 1000 for line in shortened)
        assert name not in "".join(shortened) or name in ("'", "{}", "%s")


@pytest.mark.parametrize(("text", "reason"), [
    ("1/(2-n)", "1 / .2 - n. has no value at n = 2, i = 1"), ("ln(i-1)", "has no value at n = 1, i = 1"),
    ("1/(n-i-1)", "the temperature of head 'head': it is -1 at n = 1, i = 1"), ("0", "it is 0 at n = 1, i = 1"),
    ("1-n/3", "the temperature of head 'head': it is 0 at n = 3, i = 1")])
def test_every_temperature_is_defined_and_positive_at_every_row_that_of_hard_heads_too(text: str, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_text(dump(edit(BASE, *HEAD, "temperature", value=text)))


@pytest.mark.parametrize("text", ["1/(n-2)", "ln(n-i)", "sqrt(i-2)"])
def test_an_embedding_that_nothing_reads_is_defined_at_every_row(text: str) -> None:
    unread = edit(BASE, "transformer", "position_embedding", value={"place": "i", "out": text})
    with pytest.raises(Rejected, match="has no value at n = "):
        check_text(dump(unread))


def test_there_is_one_spelling() -> None:
    data = dump(BASE)
    for changed in (data[:-1], data + b"\n", data.replace(b'"gaps": [', b'"gaps":  ['), data.replace(b": 3", b": 3.0"),
                    data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data.replace(b"rounded", b"\xff"),
                    data.replace(b'"gaps"', b'"gap\\u0073"'),
                    data.replace(b'"version": 1,', b'"version": 1,\n "version": 1,')):
        assert changed == data or verdict(changed) == "malformed"
    assert verdict(data.replace(b": 3,", b": 3.0,", 1)) == "malformed"


def test_deep_nesting() -> None:
    for deep in ("[" * 100_000 + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000):
        head = '{\n "format": "certify-softened",\n "version": '
        assert verdict((head + deep + "\n}\n").encode()) == "malformed"


@pytest.mark.parametrize(("symbols", "max_n"), [(2, 40), (2, 4096), (4, 18), (100, 8)])
def test_a_check_of_too_many_words_ends_before_any_is_run(symbols: int, max_n: int,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.checker.chapters.softened.shards.run_words", None)
    tokens: Json = {f"s{k}": {} for k in range(symbols)}
    model = transformer("x", tokens, {}, [layer([])])
    made = {"format": "certify-softened", "version": 1,
            "claim": {"alphabet": list(tokens), "max_n": max_n, "temperature": "1"}, "transformer": model,
            "gaps": [None] * max_n, "errors": [[{}, {}]] * max_n}
    incomplete(made, "more than .* steps of work; --work 10 allows more")


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.checker.kernel.budget.DEFAULT_STEPS", 100)
    incomplete(BASE, "more than 100 steps of work; --work 10 allows more")


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.checker.kernel.budget.DEFAULT_HELD_BITS", 1 << 16)
    incomplete(BASE, "more than 0 MB of memory; --work 10 allows more")
    assert numbers(check_text(dump(BASE), work=100))["words"] == 14


def test_huge_numbers_are_refused_or_cost_little() -> None:
    for big in ("9" * 1000, "1/" + "9" * 1000, "9" * 999 + "/" + "7" * 1000):
        for path in ((*HEAD, "keys", 0, "place"), (*HEAD, "queries", 0, "one"), (*HEAD, "values", "near", "is"),
                     (*UNIT, "bias"), (*UNIT, "writes", "out"), ("transformer", "token_embedding", "1", "is"),
                     ("errors", 2, 0, "near"), ("gaps", 2)):
            assert verdict(dump(edit(BASE, *path, value=big))) in ("rejected", "malformed", "incomplete", "accepted")
    tiny = edit(BASE, "claim", "temperature", value="1/10^60")
    assert verdict(dump(tiny)) == "accepted"
    assert verdict(dump(edit(BASE, "claim", "temperature", value="10^60"))) == "rejected"


def test_many_primes_as_denominators_are_refused() -> None:
    layers = []
    for k in range(150):
        prime = str(2 ** (1000 + k) + 1)
        layers.append(layer([], [{"reads": {"x": f"1/{prime}"}, "bias": "0", "writes": {"x": "1"}}]))
    made = {"format": "certify-softened", "version": 1, "claim": {"alphabet": ["a"], "max_n": 1, "temperature": "1"},
            "transformer": transformer("x", {"a": {"x": "1"}}, {}, layers), "gaps": [None], "errors": [[{}] * 300]}
    incomplete(made, "a common denominator of more than 131072 bits")


def test_errors_of_scores_that_are_too_large_for_any_bound_are_rejected() -> None:
    late = edit(BASE, "transformer", "layers", value=[layer([]), *BASE["transformer"]["layers"]])
    late = edit(late, "transformer", "position_embedding", "place", value="i/n")
    late["gaps"] = [None, "1/2", "1/3"]
    for stages in late["errors"]:
        stages[:] = [{"place": "1/5"}] * 2 + [{"place": "1/5", "near": "1/20"}] * 2
    with pytest.raises(Rejected, match="direction 'near': the error may grow by"):
        check_text(dump(late))
    with pytest.raises(Rejected, match="layer 2, attention, head 'head': errors of scores are too large"):
        check_text(dump(edit(late, "claim", "temperature", value="1/10^9")))
    slight = json.loads(json.dumps(late).replace('"1/5"', '"1/500"'))
    assert check_text(dump(slight)).coverage == {"words": 14, "score profiles": 18, "vectors": 24}


def test_truncations_and_dropped_lines_are_refused() -> None:
    data = dump(sealed("rounded", 2))
    for place in range(0, len(data) - 1, 13):
        assert verdict(data[:place]) == "malformed"
    lines = data.split(b"\n")[:-1]
    for k in range(len(lines)):
        changed = b"\n".join(lines[:k] + lines[k + 1 :]) + b"\n"
        assert verdict(changed) != "accepted"


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of the leaves."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [spot for key, inner in items for spot in spots(inner, (*path, key))] or [path]


def test_no_random_change_of_a_leaf_makes_a_stronger_claim_pass() -> None:
    base, generator = sealed("copied", 2), random.Random(6)
    leaves = [path for path in spots(base) if path[0] in ("gaps", "errors")]
    for _ in range(150):
        path = generator.choice(leaves)
        inner: Any = base
        for step in path:
            inner = inner[step]
        text = str(generator.choice(["0", "1/1000000", None, "-1/4", "", "1/3/4", {}, [], 1, -1]))
        made = edit(base, *path, value=None if text == "None" else text)
        if verdict(dump(made)) == "accepted":
            assert made == base or (path[0] == "errors" and Fraction(text) >= Fraction(inner))


def test_what_a_shard_needs_is_read_without_running_any_word() -> None:
    given = read_softened_text(dump(edit(BASE, "claim", "temperature", value="1/(2-n)")))
    assert list(given.claim.lengths) == [1, 2, 3] and given.gaps == (None, 1, 1)
