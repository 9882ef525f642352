"""`certify formula` and `certify model`: the road from a question to a verdict on every word up to a length."""
