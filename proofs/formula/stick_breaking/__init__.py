"""Geometric and stick-breaking heads."""
