"""Softened transformers; docs/softened.md. Read in this order:

reading     the format of a file
statement   what must hold of what is stated, before any word is run; sparsemax and entmax-1.5
integers    exact numbers over one scale; linear forms with integer coefficients
forms       the layers as both programs run them: uniform heads, groups of units, directions that are live
stages      what a stage may add to the error of each direction
uniform     uniform heads: the claim and its proof
seeing      what a head remembers of the positions that it sees, and what it may forget
scored      heads with scores; with score_uncertainty, weights (of softmax), error_terms (of what is added)
groups      units that read multiples of one form: the claim and its proof
layers      a layer at one length
lengths     the transformer at one length
prefixes    every word at once, where words with a common prefix share all layers
words       every word, one after another
shards      all words of every length, and that nothing was left out
remembering what has been met is not computed again
describing  the claim in words
"""

from ...kernel.kind import FileKind
from .describing import describe_softened
from .reading import read_softened
from .shards import check_softened

KIND = FileKind(read_softened, check_softened, describe_softened, "softened attention")
