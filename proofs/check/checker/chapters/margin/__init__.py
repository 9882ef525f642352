"""Claims by margins; docs/background/margins_rules.md.

Reading order:
reading       the format of a file
forms         affine forms in the terms of heads
dependencies  the directions, heads and rows that the output at one position depends on, layer by layer
cells         the forms of all dependencies, at every position and symbol; buckets
classes       the words of one length, partitioned by output, with their truths
enclosing     an interval that contains the output on a class
proving       every length, every position, every class
every_word    for certificates of formulas: slack on every word
describing    the claim in words
"""

from ...kernel.kind import FileKind
from .describing import describe_margin
from .proving import prove_margin
from .reading import read_margin

KIND = FileKind(read_margin, prove_margin, describe_margin, "margins", ("formula",))
