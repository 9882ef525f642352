"""Heads that read irrational numbers, on top of `formula`: `powers`, or else `heads` (rationals in their place)."""
