"""How much can the exchange of one symbol change what a network computes: exactly, or between bounds.

Statement   Words w, w' of length n differ at position p alone. The sensitivity s_p(n) at position i in a direction is
            the greatest |h(w, i) - h(w', i)| behind the last layer, over all such pairs ([Hahn] Lemma 5 bounds it).
Methods     ``truths``: of a network that is certified to compute a formula, 0 or 1, for every pair of words;
            ``words``: all words of a length, enclosed; ``bounds``: from above, for any length; ``climbing``: from
            below, by pairs of words that are replayed. What is replayed is a fact; nothing else is claimed from below.
"""
