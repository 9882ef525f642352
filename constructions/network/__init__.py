"""Transformers as exact data: named directions with meanings, layers, weighting functions, and running them exactly."""
