"""Claims by margins: the sign of the output at one position, and how far it is from its threshold (docs/margins.md)."""
