"""Transformer to obligations to evidence to certificate; `check` is the trusted checker."""
