"""Claims about float runs, the chapter of docs/floats.md; in the order in which it is read.

`run_classes/reading` (the key `floats`), `rounding` (numbers of a format, grids), `forms` (linear forms by lemma G or
by their errors), `means` and `holding` (rule 1: what directions hold), `spreads` (rule 2: scores), `softmax` and
`heads` (rules 3 and 4), `rows` (rule 7), `units`, `writing` and `feed_forward` (rule 5), `by_value` (rule 6),
`proving` (a claim from its certificate), `describing` (the claims in words).
"""

from dataclasses import replace

from ...kernel.kind import Extension
from ...kernel.reading.document import Json
from ..formula.records import Certificate
from ..run_classes.reading import read_floats
from .describing import describe_floats
from .proving import prove_floats


def add_floats(value: Json, given: Certificate) -> Certificate:
    """The certificate with the claims about float runs that its key holds."""
    return replace(given, floats=read_floats(value, given.claim.lengths))


ADDITION = Extension(add_floats, prove_floats, describe_floats)
