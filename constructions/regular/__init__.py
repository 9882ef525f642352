"""Regular languages: automata, and formulas of past temporal logic that define the same words."""
