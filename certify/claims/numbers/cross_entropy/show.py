"""The display of `certify cross-entropy`, as text and as JSON: a row for each length, and what the columns claim."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rich.console import Console

from certify.claims.numbers.cross_entropy.results import CrossEntropy, LengthOfPrefixes
from certify.common.numbers import decimal, decimal_lower, decimal_upper, enclosed, ends_to_json
from certify.common.terminal_tables import numbers, plain, print_table, print_verdict
from proofs.enclosures.intervals import Interval

COLUMNS = ("n", "optimal", "forced", "network", "last symbol", "chance", "change", "slope")
CLAIMS = {
    "optimal": "the least possible, for a predictor that knows the whole prefix",
    "forced": "a lower bound for all predictions whose log-odds change as little as these",
    "network": "the cost of this network's predictions, if all else is predicted as well as possible",
    "last symbol": "the least possible for a predictor that knows only n and the last symbol",
    "change": "how much the log-odds at n change at most when an earlier symbol is exchanged, for the steepest slope",
}
QUESTIONS = {"parity": "the end of the word after a prefix; 0 and 1 are equally likely otherwise",
             "2dyck": ") against ] after a prefix that a closing bracket follows"}
CHANCE = {"parity": "unigram chance: the least possible for a predictor that knows nothing",
          "2dyck": "for a predictor that guesses the type of every bracket"}


def print_cross_entropy(out: Console, found: CrossEntropy) -> None:
    """Print what is predicted, a row per length, the meanings of the columns, and the verdict."""
    out.print(plain(f"network   {found.description}"))
    out.print(plain(f"language  {found.language}, p = {found.p}; cross-entropies in nats"))
    out.print(plain(f"log-odds  of {QUESTIONS[found.language]}:"))
    out.print(plain(f"          slope * {found.direction} + an offset for each last symbol, "
                    f"slopes up to {found.steepest}"))
    out.print()
    print_table(out, numbers(*COLUMNS), [list(_cells(row)) for row in found.rows])
    out.print()
    for name, text in {**CLAIMS, "chance": CHANCE[found.language]}.items():
        out.print(plain(f"{name:<12}{text}"))
    for row in found.rows:
        if row.reason:
            out.print(plain(f"n = {row.n} is not run: {row.reason}"))
    print_verdict(out, found.verdict, f"{_summary(found)}; {found.seconds:.2f} s")


def _cells(row: LengthOfPrefixes) -> Iterator[str]:
    yield str(row.n)
    yield _shown(row.levels.optimal)
    yield decimal_lower(row.forced.lower, 6) if row.forced else ""
    yield _shown(row.found) if row.found else ""
    yield _shown(row.levels.last_symbol)
    yield _shown(row.levels.chance)
    yield "" if row.change is None else _at_most(row.change)
    yield "" if row.output is None else decimal(row.output.slope)


def _shown(x: Interval) -> str:
    return enclosed(x.lower, x.upper)


def _at_most(x: Fraction) -> str:
    return str(x) if x.denominator == 1 else decimal_upper(x, 6)


def _summary(found: CrossEntropy) -> str:
    row = found.rows[-1]
    if row.found is None:
        return f"at n = {row.n} the network's predictions were not run"
    return (f"at n = {row.n} the network has {_shown(row.found)} nats; optimal {_shown(row.levels.optimal)}, "
            f"given the last symbol {_shown(row.levels.last_symbol)}, chance {_shown(row.levels.chance)}")


# -- JSON --------------------------------------------------------------------------------------------------------------


def cross_entropy_to_json(found: CrossEntropy) -> dict[str, Any]:
    """Return the result as a JSON object, with the output map of each length as exact numbers."""
    return {
        "verdict": found.verdict,
        "subject": found.description,
        "language": found.language,
        "p": str(found.p),
        "direction": found.direction,
        "steepest": str(found.steepest),
        "lengths": [_row_to_json(row) for row in found.rows],
        "seconds": round(found.seconds, 3),
    }


def _row_to_json(row: LengthOfPrefixes) -> dict[str, Any]:
    levels = row.levels
    return {
        "n": row.n,
        "optimal": ends_to_json(levels.optimal),
        "last_symbol": ends_to_json(levels.last_symbol),
        "chance": ends_to_json(levels.chance),
        "change": None if row.change is None else decimal_upper(row.change),
        "forced": None if row.forced is None else decimal_lower(row.forced.lower),
        "network": None if row.found is None else ends_to_json(row.found),
        "slope": None if row.output is None else str(row.output.slope),
        "offsets": None if row.output is None else {symbol: str(x) for symbol, x in row.output.offsets.items()},
        **({"reason": row.reason} if row.reason else {}),
    }
