"""What the producer needs of a check, outside the trusted folder: parts, samples, estimates, and what is not proved."""
