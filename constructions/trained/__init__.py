"""Trained transformers as exact data; docs/trained.md, sections 1 to 3."""
