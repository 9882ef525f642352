"""Heads that attend to truths: to the first or the last position where a formula holds."""
