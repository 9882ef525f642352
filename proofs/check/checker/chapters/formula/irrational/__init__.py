"""Heads that read irrational numbers; a certificate without them never imports this folder."""
