"""Kinds of claims that are decided by the code of a command; ``registry.py`` lists them."""
