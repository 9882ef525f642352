"""Lengths beyond enumeration: networks that see counts alone, cells of counts, branch and bound.

See docs/background/lengths.md.
"""
