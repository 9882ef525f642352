"""Trained transformers decided: evidence in floats, enclosures, classes of words, certificates; docs/trained.md."""
