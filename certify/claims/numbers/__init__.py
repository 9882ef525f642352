"""Statements about numbers: sensitivity and cross-entropy."""
