"""Files that need as much work or memory as a file can, chapter by chapter; `python -m` of this file measures them.

Every one must end with a verdict, within two minutes and 1 GB; most end as incomplete.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.check import handmade
from tests.check.handmade import Json, certificate, dump, edit, head, near, position, truth

CHECK = Path(__file__).parents[2] / "proofs" / "check"
TEMPERATURE = ("transformer", "layers", 0, "heads", 0, "temperature")
HEAD = ("transformer", "layers", 0, "heads", 0)
LARGEST = 1 << 24
TOWER = "(n^64)^64"


def primes(count: int, start: int) -> list[int]:
    """Numbers without common factors, from a start on."""
    found: list[int] = []
    candidate = start | 1
    while len(found) < count:
        if all(candidate % p for p in (3, 5, 7, 11, 13)):
            found.append(candidate)
        candidate += 2
    return found


def long_rationals(count: int) -> list[str]:
    """Coprime denominators of 1,000 digits."""
    return [f"1/{10**999 + 2 * k + 1}" for k in range(count)]


def plain(directions: Json, positions: Json, max_n: int, units: list[Json] | None = None,
          heads: list[Json] | None = None, **options: Any) -> Json:
    """Return a certificate about Q_a, with other directions beside its output."""
    directions = {"out": truth("Q_a"), **directions}
    return certificate("Q_a", "ab", max_n, directions, {"out": "a"}, positions, heads or [], units or [], "out",
                       regime="unstated", **options)


def towers() -> bytes:
    """Each embedding is a number of 10^5 bits at every n."""
    names = {f"p{k}": position(f"{TOWER}/({TOWER}+i+{k})") for k in range(400)}
    return dump(plain(names, {name: meaning["value"] for name, meaning in names.items()}, 4096))


def near_ties_of_ln() -> bytes:
    """Logarithms of numbers next to 1, and of long quotients."""
    names = {f"p{k}": position(f"ln(1-1/((2^64)^63+i+{k}))*ln(((n^64)^5+i)/(n^64+{k}))") for k in range(400)}
    return dump(plain(names, {name: meaning["value"] for name, meaning in names.items()}, 4096))


def brackets_only() -> bytes:
    """Return the largest tree of objects that a file can hold."""
    lines = ["["] + [" [],"] * ((1 << 20) - 8) + [" []", "]"]
    return "\n".join(lines).encode()[: LARGEST - 1] + b"\n"


def deep_brackets() -> bytes:
    return b"[" * (LARGEST - 1)


def one_long_string() -> bytes:
    return b'"' + b"\\u0430" * 2_700_000 + b'"\n'


def long_formulas() -> bytes:
    """Return different formulas with a total size of 16 MB."""
    text = " & ".join(["!Q_a", "Q_b"] * 1000)
    names = {f"f{k}": truth(f"{text} & " + "prev " * (k % 190) + f"MOD({k + 2},1)") for k in range(1150)}
    return dump(plain(names, {}, 64))


def many_predicates() -> bytes:
    """Predicates that are evaluated at every position of every length."""
    condition = "sqrt(k*k*k+{0}) % 1 == 0 or ln(k+n+{0}) > 3 or 2^(k%64) > n^60"
    made = plain({f"f{k}": truth(f"A{k}") for k in range(3000)}, {f"f{k}": f"[A{k}]" for k in range(3000)}, 4096)
    return dump(edit(made, "transformer", "predicates",
                     value=[f"A{k}(k,n) := {condition.format(k)}" for k in range(3000)]))


def wide_products() -> bytes:
    """Queries and keys of 1,000 digits in hundreds of dimensions."""
    names = {f"p{k}": position(f"1/(i+{k})") for k in range(300)}
    forms = [dict(zip(names, long_rationals(300), strict=True))] * 4
    one = head(forms, forms, {"mean": {"p0": "1"}}, "1", "none")
    directions = {**names, "mean": position("1/2")}
    return dump(plain(directions, {d: m["value"] for d, m in names.items()}, 512, heads=[one]))


def common_denominators() -> bytes:
    """Keys that have no small common denominator, in a lookup."""
    made = edit(lookup(400), "transformer", "directions", "key", value=position("1/(2^60+i^3)"))
    return dump(edit(made, "transformer", "position_embedding", "key", value="1/(2^60+i^3)"))


def lookup(max_n: int) -> Json:
    """Return a lookup of a count by its mean, as far as it goes."""
    directions = {
        "key": position("i"), "a": truth("Q_a"), "one": position("1"), "mean": {"kind": "mean", "count": "#<[Q_a]"},
        "few": near("#<[Q_a] < 3"), "out": truth("Q_a")}
    heads = [head([{}], [{}], {"mean": {"a": "1"}}, "1")]
    made = certificate("Q_a", "ab", max_n, directions, {"a": "a", "out": "a"}, {"key": "i", "one": "1"}, heads, [],
                       "out", regime="unstated")
    second = head([{"mean": "1"}], [{"key": "1"}], {"few": {"one": "1"}}, "1/n")
    made["transformer"]["layers"].append({"heads": [second], "feedforward": {"units": [], "bias": {}}})
    made["bounds"] = [{"layer": 2, "head": 1, "direction": "few", "error_if_false": "1/4", "error_if_true": "1/4"}]
    return made


def spans_of_lookups() -> bytes:
    """Return a lookup of a number that is always right: every case is looked at."""
    return dump(edit(lookup(400), "transformer", "directions", "few", value=near("0 <= #<[Q_a]")))


def big_automaton(max_n: int = 500, tau: str = "1/(n*n+i)", gain: str = "1") -> Json:
    """8 atoms and 6 temporal operators, a new query in every row."""
    symbols = "abcdefgh"
    names = {f"is{s}": truth(f"next Q_{s} -> next Q_{s}") for s in symbols}  # atoms next Q_a, ..., in 256 letters
    remembered = "prev prev prev prev prev prev (" + " & ".join(f"next Q_{s}" for s in symbols) + ")"
    target = f"{remembered} & !{remembered}"  # never true, so that no row is refused
    directions = {"one": position("1"), "time": position("i/n"), **names, "near": near(target), "out": truth("Q_a")}
    weights = {name: f"1/{7 ** (k + 1)}" for k, name in enumerate(names)}
    one = head([{"one": gain}], [{"time": "1"} | weights], {"near": {"one": "1/8"}}, tau)
    made = certificate("Q_a", symbols, max_n, directions, {"out": "a"}, {"one": "1", "time": "i/n"}, [one], [], "out",
                       errors=("1/4", "1/4"), regime="unstated")
    first = {"heads": [], "feedforward": {"units": [], "bias": dict.fromkeys(names, "1")}}
    made["transformer"]["layers"].insert(0, first)
    made["bounds"][0]["layer"] = 2
    return made


def automata() -> bytes:
    return dump(big_automaton())


def spread() -> bytes:
    """Scores whose weights span millions of bits."""
    return dump(edit(handmade.since_certificate(1000, gain=60), *TEMPERATURE, value="1/n^2"))


def wider_spread() -> bytes:
    return dump(edit(handmade.since_certificate(1000), *TEMPERATURE, value="1/(16000*n)"))


def row_temperatures() -> bytes:
    """Return a new query in every row of every length."""
    return dump(edit(handmade.since_certificate(1000), *TEMPERATURE, value="1/(n*n+i)"))


def long_weights() -> bytes:
    """Numbers of 1,000 digits in a head, where sums have long common denominators."""
    made = handmade.since_certificate(512)
    made = edit(made, *HEAD, "queries", 0, "one", value=f"{10**999 + 1}/{10**998 + 3}")
    made = edit(made, "transformer", "position_embedding", "time", value="i/(n^64)^20")
    return dump(edit(made, "transformer", "directions", "time", value=position("i/(n^64)^20")))


def units_of_one_form() -> bytes:
    """Return a file with as many units as fit, all reading one form."""
    units = [{"reads": {"near": "1"}, "bias": f"-{k + 1}/99991", "writes": {"is[since]": "1"}} for k in range(60_000)]
    return dump(edit(handmade.since_certificate(64), "transformer", "layers", 0, "feedforward", "units", value=units))


def units_of_long_numbers() -> bytes:
    units = [{"reads": {"near": text}, "bias": "-1/3", "writes": {"is[since]": text}} for text in long_rationals(7000)]
    return dump(edit(handmade.since_certificate(64), "transformer", "layers", 0, "feedforward", "units", value=units))


def units_of_many_forms() -> bytes:
    """12 atoms, and a form for each unit, at rows that all differ."""
    symbols = "abcdefghijkl"
    atoms = {f"is{s}": truth(f"Q_{s}") for s in symbols}
    target = " & ".join(f"Q_{s}" for s in symbols)
    reads = [{"one": "1", **dict.fromkeys(atoms, f"{k + 1}")} for k in range(2000)]
    units = [{"reads": row, "bias": "-100000000", "writes": {"target": "1"}} for row in reads]
    units.append({"reads": dict.fromkeys(atoms, "1"), "bias": "-11", "writes": {"target": "1"}})
    directions = {"one": position("1/(n+i)"), **atoms, "target": truth(target)}
    tokens = {f"is{s}": s for s in symbols}
    return dump(certificate("Q_a", symbols, 300, directions, tokens, {"one": "1/(n+i)"}, [], units, "isa",
                            regime="unstated"))


def units_that_compare() -> bytes:
    """12 comparisons, whose signs are 3^12 assignments, of a target that is always true."""
    compared = " | ".join(f"#<[Q_a] > {k}" for k in range(12))
    units = [{"reads": {}, "bias": "1", "writes": {"target": "1"}}]
    return dump(plain({"target": truth(f"({compared}) -> ({compared})")}, {}, 64, units=units))


def uniform_scores() -> bytes:
    """Return a uniform head whose scores must all be computed."""
    one = head([{"one": "1"}] * 8, [{"zero": "1"}] * 8, {"mean": {"one": "1"}}, "1", "none")
    directions = {"one": position("1"), "zero": position("0"), "mean": position("1")}
    return dump(plain(directions, {"one": "1", "zero": "i-i"}, 1500, heads=[one]))


def many_heads() -> bytes:
    """Thousands of temperatures at millions of rows."""
    one = handmade.since_certificate(200)["transformer"]["layers"][0]["heads"][0]
    heads = [one | {"temperature": f"1/(n+{k})", "values": {f"near{k}": {"good": "1"}}} for k in range(3000)]
    made = handmade.since_certificate(200)
    made["transformer"]["directions"] |= {f"near{k}": near(handmade.SINCE) for k in range(3000)}
    made["transformer"]["layers"][0]["heads"] += heads
    bound = {"error_if_false": "1/4", "error_if_true": "1/4"}
    made["bounds"] += [{"layer": 1, "head": k + 2, "direction": f"near{k}", **bound} for k in range(3000)]
    return dump(made)


def many_nodes() -> bytes:
    """Return as many formulas as a file may have, each an operand of the next."""
    text = " | ".join(f"(Q_a & MOD({k + 2},1))" for k in range(4300))
    names = {f"f{k}": truth(f"MOD({k + 9},2) & ({text})") for k in range(140)}
    return dump(plain(names, {}, 4))


def claimed_chain() -> bytes:
    """Return a claim that is printed in full: repeated parts, named."""
    made = plain({}, {}, 2)
    formula = " S ".join(f"(Q_a & MOD({k + 2},1))" for k in range(180))
    made["claim"]["formula"] = formula
    return dump(made)


FILES: dict[str, Callable[[], bytes]] = {
    made.__name__: made for made in (
        towers, near_ties_of_ln, brackets_only, deep_brackets, one_long_string, long_formulas, many_predicates,
        wide_products, common_denominators, spans_of_lookups, automata, spread, wider_spread, row_temperatures,
        long_weights, units_of_one_form, units_of_long_numbers, units_of_many_forms, units_that_compare,
        uniform_scores, many_heads, many_nodes, claimed_chain)}


def measure(data: bytes) -> tuple[int, str, float, int]:
    """Run the stand-alone checker; return exit status, last line, processor seconds and peak memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        read, write = os.pipe()
        process = subprocess.Popen([sys.executable, "-I", "-S", str(CHECK), str(path)], stdout=write)
        os.close(write)
        with os.fdopen(read) as output:
            lines = output.read().splitlines()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, lines[-1].partition(": ")[0] + lines[-1].rpartition(f"{path}")[2], (
        used.ru_utime + used.ru_stime), used.ru_maxrss >> 10


def main(names: list[str]) -> None:
    """A line for each file."""
    for name in names or FILES:
        data = FILES[name]()
        status, line, seconds, megabytes = measure(data)
        print(f"{name:22} {len(data) >> 10:6} kB  status {status}  {seconds:6.1f} s  {megabytes:5} MB  {line[:110]}",
              flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
