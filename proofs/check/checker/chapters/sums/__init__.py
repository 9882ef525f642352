"""Rules of formulas that count, on top of the chapter `formula`; in the order of reading:

`means` (heads that count), `counts` and `by_value` (units that read counts, and that one sum of counts decides),
`lookup/` (a row knows a count by its mean, and looks for what belongs to it: `target`, `case`, `lookup`; `parabola`,
`peaked`, `peaked_numbers` where scores are one parabola), `lookup_of_sums` (a row knows approximations of counts).
"""
