"""Formulas along the words of an alphabet, and automata."""
