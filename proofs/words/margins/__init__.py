"""Claims by margins: the sign of the output at one position, and its distance to a threshold.

See docs/background/margins_rules.md.
"""
