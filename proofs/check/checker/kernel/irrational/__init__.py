"""Arithmetic on enclosures of real numbers; not imported for a file without ln and sqrt."""
