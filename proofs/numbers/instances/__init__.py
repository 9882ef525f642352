"""Statements about numbers rather than networks, examined on exact or worst-case instances."""
