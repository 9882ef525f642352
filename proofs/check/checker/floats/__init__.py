"""Claims about float runs, the chapter of docs/floats.md; in the order in which it is read.

`rounding` (numbers of a format, grids), `forms` (linear forms by lemma G or by their errors), `means` and `holding`
(rule 1: what directions hold), `spreads` (rule 2: scores), `softmax` and `heads` (rules 3 and 4), `units`, `writing`
and `feed_forward` (rule 5), `by_value` (rule 6), `proving` (a claim from its certificate).
"""

from .proving import prove_floats

__all__ = ["prove_floats"]
