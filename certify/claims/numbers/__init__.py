"""Statements about numbers, as users ask for them: sensitivity and cross-entropy."""
