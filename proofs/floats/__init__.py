"""Float runs of certified networks (docs/floats.md)."""
