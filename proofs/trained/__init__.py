"""Trained transformers decided: evidence in floats, enclosures, classes of words, certificates.

See docs/reference/trained.md.
"""
