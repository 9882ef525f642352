"""Trained networks decided: every word up to a length, or the shortest one that is wrong (docs/deciding.md)."""
