"""Float models: from certificates over the reals to all executions in floats (docs/background/floats_rules.md).

Theorem     Let a certificate over the real numbers be accepted, and the rules of docs/background/floats_rules.md,
section 4, hold for
            a float model and the lengths min_n..N. Then in every execution under the model, on every word of these
            lengths and at every position, all numbers are finite. Every direction that means a truth is exactly 0.0
            or 1.0, the value of its formula; so is the output.

Proof       By induction over the stages. Truths that heads attend to are exact. So scores err by at most delta, weights
            by a factor within e^±theta, and the output of a head is in [0, 1/4] or [3/4, 5/4] by its *certified*
            error; no bound over words is computed again. The hidden units that follow turn it into exactly 0 or 1, in
            every order of their sums. Open units compute on a grid that contains every partial sum (lemma G); shut
            units have a form that is at most 0 at the worst ends of its inputs, and rounding is monotone (lemma M). So
            nothing accumulates.

This is the producer's side: a *verdict* here becomes a claim in the certificate, which the checker derives again.
"""
