"""Trained transformers as exact data; docs/reference/trained.md, sections 1 to 3."""
