"""Claims about float runs: what becomes of a claim over the real numbers if all runs of a class are claimed, too.

A length stays certified if every run is; one at which a wrong run was found and replayed is refuted; the rest is
unknown.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.floats.show import describe_refutation
from certify.floats.survey import FloatRow, Proved, find_row
from certify.frame.words import show_word
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.enclosures.intervals import point
from proofs.floats.execution.replay import Refutation


def decide_runs(answer: ClaimAnswer, run_class: RunClass, progress: Callable[[str], None]) -> ClaimAnswer:
    """The verdict at every length, of the float runs besides; certificates claim what is certified of these."""
    rows, certificates = {row.n: row for row in answer.rows}, []
    for text in answer.certificates:
        proved = Proved.read(text)
        found = find_row(proved, run_class, progress)
        certificates.append(proved.with_floats([found]))
        rows |= {n: _row(rows[n], found) for n in found.lengths if not _is_certified(n, found)}
    return replace(answer, rows=tuple(rows.values()), certificates=tuple(certificates))


def _is_certified(n: int, found: FloatRow) -> bool:
    return found.certified is not None and n <= found.certified.last


def _row(row: LengthVerdict, found: FloatRow) -> LengthVerdict:
    wrong = found.refutation
    if wrong is not None and wrong.n == row.n:
        return replace(row, verdict="refuted", reason=describe_refutation(wrong), witness=witness_of_run(wrong, found))
    return replace(row, verdict="unknown", reason=f"certified over the real numbers, but not in all float runs of "
                                                  f"{found.run_class.name}: {found.reason}")


def witness_of_run(wrong: Refutation, found: FloatRow) -> Witness:
    """The word and what is held on it; a number that is not finite counts as the largest one of the format.

    No command shows it: `certify run` is over the real numbers, where the network is right.
    """
    value = found.run_class.storage.largest if wrong.value is None else wrong.value
    word = show_word(wrong.word)
    return Witness(f"in a float run, {wrong.direction}", wrong.n, outward(value, value),
                   point(Fraction(int(wrong.expected))), "", word, wrong.position)
