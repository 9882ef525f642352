"""`certify model`: hard attention by softmax, certified on every word up to a length (docs/howto/soften.md)."""
