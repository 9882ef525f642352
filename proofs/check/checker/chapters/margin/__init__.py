"""Claims by margins; docs/margins.md. Read in this order:

reading     the format of a file
forms       numbers that are known up to what heads see
needed      what the output at one position needs, stage by stage
cells       the forms of all that is needed, at every position and symbol; buckets
classes     the words of one length as classes of one output, with their truths
running     the output on a class, enclosed
proving     every length, every place, every class
every_word  for certificates of formulas: slack on every word
describing  the claim in words
"""

from ...kernel.kind import FileKind
from .describing import describe_margin
from .proving import prove_margin
from .reading import read_margin

KIND = FileKind(read_margin, prove_margin, describe_margin, "margins", ("formula",))
