"""From a formula to a transformer: exact rational weights, no solver, no floating point."""
