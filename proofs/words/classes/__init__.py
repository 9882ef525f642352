"""Classes of words on which a network gives the same output at one position (docs/background/margins_rules.md)."""
