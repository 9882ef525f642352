"""Heads that look up a sum of counts, from approximations of these counts."""
