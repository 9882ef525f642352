"""Conditions on words over an alphabet; the chapters `margin` and `trained` build on it.

Reading order: `conditions`, `truth` (of formulas, by their definition), `tracker` (past formulas as an automaton).
"""
