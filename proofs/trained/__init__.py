"""Trained transformers: evidence in floats, enclosures, abstract words, certificates; docs/reference/trained.md."""
