"""Rules of formulas that count, on top of the chapter `formula`, in the order of reading.

`means` (heads that count), `counts` and `by_value` (units that read counts, and outputs that one sum of counts
decides); `lookup/` (a row reads a mean of a count and attends to the position for it: `target`, `case`, `lookup`;
`parabola`, `peaked`, `peaked_numbers` where scores are one parabola); `lookup_of_sums` (a row reads approximations of
counts).
"""
