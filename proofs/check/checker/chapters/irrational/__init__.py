"""Heads that read irrational numbers, on top of `formula`: `powers`, `rounding` (rationals instead), `heads`."""
