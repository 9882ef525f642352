"""Construction of transformers from formulas: exact rational weights, no solver, no floating point."""
