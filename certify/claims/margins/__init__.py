"""`certify model`: how far the output of a network is from its threshold, on every word (docs/margins.md)."""
