"""Modules that the families share: directions whose values are known, letters, automata, rows, and worst cases."""
