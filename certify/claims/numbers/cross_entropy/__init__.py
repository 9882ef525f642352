"""`certify cross-entropy`: the cross-entropy of a network on prefixes of PARITY or 2DYCK (docs/background/hahn.md)."""
