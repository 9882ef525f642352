"""`certify model`: the distance of a network's output from its threshold, on every word (docs/howto/signs.md)."""
