"""Lengths beyond enumeration, for one attention step without tables of positions; docs/lengths.md. Read in this order:

reading       of certificates and of long wrong words
counts        words by their last letter and how often each letter came; cells of counts
truths        which cases may hold in a cell
margins       the stream on a cell, as an affine form
case_rows     the rows of cases
proof         every row in every cell; the row of a long word
suffixes      words by their last letters, where scores fall with the distance
describing    the claim in words
"""
