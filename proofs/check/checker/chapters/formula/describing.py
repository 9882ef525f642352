"""The complete claim of an accepted certificate in words, restricted to what was checked.

Every line is written from parsed values. Names and symbols are quoted, formulas and predicates are printed from their
nodes, with brackets; so a file cannot inject text.
"""

from collections.abc import Iterator
from fractions import Fraction

from ...kernel.kind import entry
from ...kernel.reading.records import ApproximateCount, ApproximateTruth
from ...kernel.verdicts import quote_all
from .certificate import Coverage, worst_error
from .records import Certificate, Claim

DIGITS = 6  # of a printed error, which is rounded up
REGIMES = {"position": "every temperature is 1", "unstated": "nothing more is claimed"}


def describe_certificate(given: Certificate, coverage: Coverage) -> list[str]:
    """Return the lines with the whole claim, and with the coverage of its proof."""
    claim, network = given.claim, given.transformer
    units = sum(len(layer.feedforward.units) for layer in network.layers)
    return [
        *entry("formula", given.language.write(claim.formula)),
        *entry("where", [given.language.write_definition(name) for name in network.predicates]),
        *entry("given", [] if claim.given is None else given.language.write(claim.given)),
        *entry("alphabet", [quote_all(claim.alphabet)]),
        *entry("claim", words_of_claim(claim, words_of_weights(given))),
        *entry("output", [f"direction {quote_all([network.output])}"]),
        *entry("regime", [f"{claim.regime}: {words_of_regime(given)}"]),
        *entry("causal", ["yes: future masks only, nothing depends on n" if claim.causal else "not claimed"]),
        *entry("transformer", [f"{len(network.layers)} layers, {len(network.heads)} heads, {units} units"]),
        *entry("covered", [f"{coverage.embedding_cells} embedding cells, {coverage.head_rows} head rows, "
                           f"{coverage.feed_forward_rows} feed-forward rows, {coverage.subformulas} subformulas"]),
        *entry("error bound", list(words_of_errors(given, coverage))),
        *entry("no evidence", words_of_guards(coverage))]


def words_of_claim(claim: Claim, weights: str) -> list[str]:
    """Return the statement about every word."""
    return [f"for every n in {claim.min_n}..{claim.max_n}, every word of length n over the alphabet and every",
            *(["position of it, the output is exactly 1 where the formula holds, and exactly 0 where not;"]
              if claim.given is None else ["position of it at which what is given holds, the output is exactly 1 where",
                                           "the formula holds, and exactly 0 where not; at these positions,"]),
            "so is some direction for each subformula of the formula as it is written above, where",
            f"comparisons are put together (exact reals, {weights})"]


def words_of_weights(given: Certificate) -> str:
    """Name the weightings of the heads."""
    found = sorted({head.weighting for head in given.transformer.heads})
    return f"weightings: {', '.join(found)}" if {*found} - {"softmax"} else "real softmax"


def words_of_regime(given: Certificate) -> str:
    """Return the condition that the regime adds."""
    small = f"every position embedding has absolute value at most {'n^2' if given.counts else '1'}"
    return REGIMES.get(given.claim.regime, small)


def words_of_errors(given: Certificate, coverage: Coverage) -> Iterator[str]:
    """Yield the greatest stated error bounds, and where they are claimed."""
    rows = sum(coverage.guarded.values())
    heads = [name for name, count in coverage.guarded.items() if count]
    worst = write_rounded_up(worst_error(given, ApproximateTruth))
    yield f"{worst} of a truth, before the feed-forward part (rounded up): {len(heads)} near"
    yield f"directions, at the {rows} rows (n, i) where their guards hold; elsewhere they are in 0..1"
    if worst_error(given, ApproximateCount):
        yield f"{write_rounded_up(worst_error(given, ApproximateCount))} of a number of other positions (rounded up)"


def words_of_guards(coverage: Coverage) -> list[str]:
    """Name the near directions whose guard never holds, so that only their range 0..1 is claimed."""
    never = [name for name, rows in coverage.guarded.items() if not rows]
    return [f"of {quote_all(never)}: the guard holds at no (n, i)"] if never else []


def write_rounded_up(x: Fraction, digits: int = DIGITS) -> str:
    """Write a number in decimal, rounded up, to this many digits after the point."""
    scaled = -(-x * 10**digits // 1)
    return f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"
