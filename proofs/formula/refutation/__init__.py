"""Search for the shortest word that refutes a claim, when some obligation is not proved.

Families of words are tried in turn: all short words; words for the heads that may err; words of few symbols; random
words. For a head that attends to truths the worst input is read as a word, or Z3 finds one; for a head that looks up a
count any word with that count suffices. Each family has a share of a work budget, so that the search terminates and is
reproducible. Every word is replayed before it is reported.
"""

from proofs.formula.refutation.budget import DEFAULT_WORK
from proofs.formula.refutation.search import RefutationResult, SearchByLength, find_counterexample

__all__ = ["DEFAULT_WORK", "RefutationResult", "SearchByLength", "find_counterexample"]
