"""Heads of additive weightings, whose weights do not depend on other positions: counts, selections, lookups."""
