"""Uniform heads."""
