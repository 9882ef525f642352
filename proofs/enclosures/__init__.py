"""Rigorous enclosures: every function returns bounds that contain the true real value, rounded outward."""
