"""Bounds of cross-entropy: the prefixes and entropies of two languages, and lower bounds from low sensitivity."""
