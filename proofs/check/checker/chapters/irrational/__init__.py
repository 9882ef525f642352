"""Heads that read irrational numbers, on top of the chapter `formula`: `rounding` (rationals in their place), `heads`.
"""
