"""Parsing of arguments into one request: a subject and its options, and what they denote."""
