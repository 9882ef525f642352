"""Programs in B-RASP and S-RASP: syntax, types, and interpreter. docs/reference/rasp.md defines the language."""
