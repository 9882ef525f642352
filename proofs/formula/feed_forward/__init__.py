"""Feed-forward outputs."""
