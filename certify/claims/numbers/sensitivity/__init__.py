"""`certify sensitivity`: the largest change when one symbol of a word is exchanged (docs/background/sensitivity.md)."""
