"""Rules of formulas that count, on top of the chapter `formula`, whose families.py asks for them.

In the order of reading: `means` (heads that count), `counts` (what units read of counts), `by_value` (units that one
sum of counts decides). In `lookup/`, where a row knows a count by its mean, and looks for what belongs to it: `target`
and `case` (what is looked for, and one exact situation), `lookup` (finitely many of them), `parabola` and `peaked`
(where scores are one parabola, a few stand for all), `peaked_numbers` (the same where a number is looked up). Then
`lookup_of_sums` (a row knows a sum by approximations of its counts).
"""
