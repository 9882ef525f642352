"""Transformer to obligations to evidence to certificate; `check.py` is the trusted checker."""
