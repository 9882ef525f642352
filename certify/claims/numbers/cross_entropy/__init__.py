"""`certify cross-entropy`: how well a network predicts what follows prefixes of PARITY or 2DYCK (docs/hahn.md)."""
