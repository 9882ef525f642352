"""Float runs of a trained network; docs/floats.md, section 7. Read in this order:

rounding    what a rounding may change, in units of 2^-44
casting     the network with its weights rounded to the formats of a class of runs
one_number  numbers that all runs have alike, as their sums are exact
operations  linear maps, norms, units and sums of a run, on affine forms
softmax     the average of a head in a run
stack       all steps, token by token, on forms, and
walks       along inputs, token after token
classes     what a proof by classes (../classes.py) computes with in runs
balls       what roundings add to errors in the 2-norm; then
ball_heads  heads,
ball_stack  all steps on numbers and balls, and
ball_words  inputs for which that is enough
proof       every word of the claim, in every run of each class
describing  the claim in words
dyadics     numbers of one run, each result rounded once; then
functions   exp, exp2, erf and tanh of one run
one_run     a network on one word, in one run
wrong_run   a run by which a claim is false
track_runs  inputs in tracks, in every run of each class
wrong_input_run  a run by which a claim about them is false
"""
