"""`certify formula` and `certify model`: from a request to a verdict on every word up to a length."""
