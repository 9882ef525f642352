"""Where a claim begins to hold as its constant grows: by probes (threshold.py), and in earnest (brackets.py)."""
