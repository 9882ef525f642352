"""The workbench's answer on a proof: the outcome and the certificate of `certify formula`; as JSON.

It runs in the page, where the standard library, python-flint, Z3 and the files packed by ``workbench.py`` exist.
"""

from collections.abc import Callable, Sequence
from typing import Any

from certify.claims.formula.outcomes import Certified, Outcome
from certify.claims.formula.pipeline import certify
from certify.claims.formula.summary import attention_cells, describe_greatest, describe_verdict
from certify.common.words import show_alphabet
from certify.exports.site.answers import about, command_of
from constructions.errors import InputError
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.regimes import Regime, Sharpening
from proofs.formula.common.kinds import APPROXIMATING

LONGEST = 64
"""The greatest length of words in a page."""
COLUMNS = ("statement", "head", "approximates", "worst at n, i", "error bound", "below 1/4 by")


def prove(formula: str, alphabet: str, regime: str, causal: bool, max_n: int,
          progress: Callable[[str], None] = lambda _: None) -> str:
    """Return a JSON object: ``error`` (and ``caret``), or the outcome, with the certificate if there is one.

    >>> import json
    >>> found = json.loads(prove("prev Q_a", "ab", "position", False, 4))
    >>> found["verdict"], found["command"]
    ('certified', "certify formula --alphabet=ab --regime position --max-n 4 -o proved.cert 'prev Q_a'")
    """
    def find(parsed: Formula, symbols: Sequence[str]) -> dict[str, Any]:
        if not 1 <= max_n <= LONGEST:
            raise InputError(f"words up to length: {max_n}, expected 1 to {LONGEST} here")
        outcome = certify(parsed, symbols, max_n, Regime(Sharpening(regime), causal), progress=progress)
        options = f"--regime {regime}{' --causal' if causal else ''} --max-n {max_n} -o proved.cert"
        return {**_outcome_to_json(outcome), "command": command_of(formula, alphabet, options)}

    return about(formula, alphabet, find)


def _outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    heads = [line for line in outcome.lines if line.kind in APPROXIMATING]
    rows = [[cells[name] for name in COLUMNS] for cells in map(attention_cells, heads)]
    assert outcome.formula is not None, "the request has a formula"
    return {"verdict": outcome.verdict, "formula": format_formula(outcome.formula), "says": describe_verdict(outcome),
            "claim": f"For {outcome.lengths.claim}, every word of length n over {show_alphabet(outcome.alphabet)} and "
                     "every position: the output is exactly 1 if the formula holds there, else 0.",
            "note": f"The formula is {outcome.vacuity}." if outcome.vacuity else "",
            "greatest": f"On words: {greatest}." if (greatest := describe_greatest(outcome)) else "",
            "columns": COLUMNS, "rows": rows,
            "certificate": outcome.certificate if isinstance(outcome, Certified) else ""}
