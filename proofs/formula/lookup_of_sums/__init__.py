"""Heads that look up a sum of counts, which they know by the approximations of its counts."""
