"""Heads whose queries are equal in every word: `since`, `until`, `prev`, `next`, over all words."""
