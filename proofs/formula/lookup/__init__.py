"""Heads that look up a count."""
