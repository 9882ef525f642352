"""Float runs: what a certificate over the real numbers says of every run in floating point (docs/reference/floats.md).

Theorem     Let a certificate over the real numbers be accepted, and the rules of docs/background/floats_rules.md,
            section 4, hold for a class of runs and the lengths min_n..N. Then in every run of the class, on every word
            of such a length and at every position, all numbers are finite, and every direction that means a truth holds
            exactly 0.0 or 1.0, and that of its formula; so does the output.
Proof       By induction over the stages. Truths that heads read are exactly right, so scores are off by at most delta,
            weights by a factor within e^±theta, and what a head writes is in [0, 1/4] or [3/4, 5/4] by its *certified*
            error: nothing about words is searched again. The units that follow make exactly 0 or 1 of it, in every
            order of their sums: those that are open compute on a grid that holds every partial sum (lemma G), and those
            that are shut have a form that is at most 0 at the worst ends of its inputs, and rounding is monotone
            (lemma M). So nothing accumulates.

The producer's side: what holds is a *verdict* here, and a claim in the certificate, which the checker derives again.
"""
