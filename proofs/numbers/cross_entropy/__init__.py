"""How well next symbols can be predicted: two languages' prefixes, entropies, and what little sensitivity forces."""
