"""Statements about numbers: worst-case instances, sensitivity, cross-entropy."""
