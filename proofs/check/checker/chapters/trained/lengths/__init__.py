"""Words of any length, for networks of one attention step without position tables (docs/background/lengths.md).

../reading    of certificates and of long wrong words
counts        words by their last letter and Parikh vector; cells of Parikh vectors
truths        which cases may hold in a cell
margins       the stream on a cell, as an affine form
cells         the rows of cases in a cell
proof         every row in every cell; the row of a long word
suffixes      words by their last letters, where scores fall with the distance
describing    the claim in words
"""
