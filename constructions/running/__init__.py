"""Networks as programs that run in floating point: for users and their libraries. No verdict depends on them."""
