"""Softened transformers; docs/background/softened_rules.md.

Reading order:
reading           the format of a file
statement         the conditions checked before any word is run; sparsemax and entmax-1.5
integers          exact numbers over one scale; linear forms with integer coefficients
forms             the layers as both programs run them: uniform heads, groups of units, live directions
stages            the error that a stage adds to each direction
uniform           uniform heads: the claim and its proof
visible_keys      the state of a head over its visible positions, and which of it can be dropped
scored_heads      heads with scores; with score_uncertainty, weights (of softmax) and error_terms
piecewise_linear  groups of units that read multiples of one form: the claim and its proof
layers            a layer at one length
lengths           the transformer at one length
prefixes          every word at once, where words with a common prefix share all layers
words             every word, one after another
shards            all words of every length, and the proof that none was left out
memoisation       tables of values that were computed before
describing        the claim in words
"""

from ...kernel.kind import FileKind
from .describing import describe_softened
from .reading import read_softened
from .shards import check_softened

KIND = FileKind(read_softened, check_softened, describe_softened, "softened attention")
