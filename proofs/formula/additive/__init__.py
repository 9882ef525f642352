"""Heads of additive weightings, whose weights depend on their own pair alone: counts, selections, lookups."""
