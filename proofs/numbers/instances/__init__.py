"""Statements about numbers (not networks), examined on exact or worst-case instances."""
