"""Heads that attend to truths: which is the first or the last position where a formula holds."""
