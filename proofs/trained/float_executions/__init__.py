"""Single float runs of trained networks: many at once in numpy, to find wrong ones, and one bit by bit, to prove it.

docs/background/floats_rules.md, section 7. What holds of all runs of a class is proved by the trusted folder alone.
"""
