"""Executions of a trained network under a float model.

See docs/background/floats_rules.md, section 7. Files in reading order.

rounding         bounds of rounding errors, in units of 2^-44
casting          the network with its weights rounded to the formats of a float model
exact_sums       numbers that are equal in all executions, since their sums are exact
operations       linear maps, norms, activations and sums of an execution, as affine forms
rounded_units    units that round, as affine forms
softmax_rules    errors of softmax, for any number of visible positions
score_caps       caps of scores, as affine forms
softmax          the average of a head in an execution
stored_averages  that average, by weights as they are stored
shared_symbols   symbols of several tokens
form_stack       all steps, token by token, as affine forms
key_value_cache  tokens of inputs, one after another
scaled_rows      rows after a last norm, times its deviation
classes          the operations of a proof by abstract words, under a float model
balls            errors of roundings in the 2-norm
ball_heads       heads in ball arithmetic
ball_stack       all steps in ball arithmetic
inputs           rows of inputs: by balls, and by affine forms where balls are too coarse
proof            every word of the claim, in every execution under each model
describing       the claim in words
dyadics          numbers of one execution, each result rounded once
functions        exp, exp2, erf, tanh and sigmoid of one execution
execution        a network on one word, in one execution
wrong_execution  an execution in which a claim is false
tracks           aligned words, in every execution under each model
"""
