"""Sensitivity: the change of a network's values by the exchange of one symbol, exactly or between bounds.

Statement   Words w, w' of length n differ only at position p. The sensitivity s_p(n) at position i in a direction is
            the greatest |h(w, i) - h(w', i)| after the last layer, over all such pairs ([Hahn] Lemma 5 bounds it).
Methods     ``truths``: for a network that is certified to compute a formula, 0 or 1, for every pair of words;
            ``words``: all words of a length, enclosed; ``bounds``: from above, for any length; ``climbing``: from
            below, by pairs of words that are replayed with enclosures; no other lower bound is claimed.
"""
