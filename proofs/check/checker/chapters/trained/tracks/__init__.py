"""Aligned (convolution) words and letter-to-letter transducers; docs/reference/tracks.md. Files in reading order.

../reading    claims (tracks, machine, forms), certificates and wrong inputs
columns       the steps of a machine that are on a path to an allowed end
longest       longest paths over all inputs of a class: one pass over columns
queries       the classes of each answer and of each source; nodes
layers        an attention step: ranges, and the streams of nodes
by_classes    a form by classes: every range, and every row in every cell
each_input    a form input by input
exact         networks without norms in exact numbers
exact_proof   a form in exact numbers
proof         every form of a claim, in one of these three ways
wrong_input   an input by which a claim is false
describing    the claim in words
"""
