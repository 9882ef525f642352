"""Heads that read irrational numbers, on top of `formula`: `powers`, `heads` (or rationals instead)."""
