"""Trained networks; docs/trained.md. Read in this order:

obligations   what must be covered, and that it is
truth         which cases hold at the places of a word
precision     numbers as integers, packed vectors
exact         dyadic matrices: norms put into maps, maps side by side
linear        linear maps of packed rows; spectral norms
exponentials  exp(-d) by a table and a series
normal        x Φ(x); with sigmoids (tanh, silu, gelu-tanh) the activations of one number
activations   activations of many numbers, by tables of parabolas
norms         layer norm and RMS norm
heads         scores, weights and averages of a head
stack         the network at a precision
tables        the first attention, for each token at each place
memory        a later attention, for the places that it has met
walks         words through the network
words         all words of a unit
tracker       what must be remembered of a word to know which cases hold
graphs        a graph of classes is a cover of all words
packed        many signed integers in one
forms         affine forms, and linear maps of them; then
maps          weights as integers
form_norms    layer norm and RMS norm of a form
form_units    activations of a form
directions    the form of an average that is bounded along directions
weights       weights of softmax as integers
ranges        averages stay in stated ranges: longest paths
passing       all steps on forms
cells         boxes of ranges, cut
rows          rows at the stream of a node
classes       a unit of a cover by classes
wrong_word    a word by which a claim is false
deciding      the whole cover, a part of it, or a sample
vacuous       the lengths at which nothing is asked
costs         what the units take, about
describing    the claim in words
"""

from .costs import estimate_decision
from .deciding import find_unproved, join_coverage, prove_decision, prove_part, prove_sample
from .describing import describe_decision, describe_wrong_word
from .vacuous import find_vacuous_lengths
from .wrong_word import prove_wrong_word

__all__ = ["describe_decision", "describe_wrong_word", "estimate_decision", "find_unproved", "find_vacuous_lengths",
           "join_coverage", "prove_decision", "prove_part", "prove_sample", "prove_wrong_word"]
