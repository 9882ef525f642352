"""Heads whose queries are the same in every word: `since`, `until`, `prev`, `next`, over all words."""
