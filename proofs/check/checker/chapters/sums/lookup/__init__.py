"""Heads whose rows know a count by its mean, and look for what belongs to it."""
