"""What may be asked along the words of an alphabet, on which the chapters `margin` and `trained` build: `conditions`,
`truth` (of formulas, by their definition), `tracker` (formulas of the past as an automaton).
"""
