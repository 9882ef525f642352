"""Looking for the shortest word that breaks a claim, once some obligation is not proved.

Families of words are tried one after another: all short words; words made for the heads that may err (for those that
attend to truths the worst input is read as a word, or Z3 finds one, and for those that look up a count any word with
that count will do); words of few symbols; random words. Each family has its share of a budget of work, so that the
search ends, and every run of it finds the same. Every word is replayed before it is reported.
"""

from proofs.formula.refutation.budget import DEFAULT_WORK
from proofs.formula.refutation.search import RefutationResult, SearchByLength, find_counterexample

__all__ = ["DEFAULT_WORK", "RefutationResult", "SearchByLength", "find_counterexample"]
