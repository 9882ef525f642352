"""Inputs in tracks; docs/tracks.md. Read in this order:

claim         what a claim says: tracks, machine, forms
reading       of certificates and of wrong inputs
columns       the steps of a machine that are on a path to an allowed end
longest       the greatest sums over all inputs of a class: one pass over columns
queries       the classes of each answer, and of what is read; nodes
layers        an attention step: ranges, and what it makes of nodes
each_input    the inputs of a form, one by one
exact         networks without norms in exact numbers: what they make of tokens and of averages
exact_proof   a form in exact numbers
proof         every range, and every row in every cell
wrong_input   an input by which a claim is false
describing    the claim in words
"""
