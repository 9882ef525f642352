"""Checks outside the trusted folder that the producer needs: parts, samples, estimates, and unproved units."""
