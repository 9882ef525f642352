"""Trained networks as users ask about them: claims, decisions, runs of one word; docs/trained.md."""
