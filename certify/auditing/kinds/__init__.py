"""Kinds of claims that ask what a command asks: each calls the code of its command. ``registry.py`` has all of them."""
