"""Single executions of trained networks: vectorised in numpy, to find wrong ones, and exactly rounded, to prove one.

docs/background/floats_rules.md, section 7. Only the trusted folder proves claims about all executions under a float
model.
"""
