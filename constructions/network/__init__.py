"""Transformers as exact data: named directions with meanings, layers, weighting functions, and exact execution."""
